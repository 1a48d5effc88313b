/** Suspending and resuming: a field of the spec, or an annotation. */
import type { ActionPart } from './action';
import { actionScript, luaText } from '../lua';

/** How a kind is suspended. */
export interface Suspension {
  /** Path of the field. */
  readonly field: readonly string[];
  /** Lua of the field's value for an object that is suspended. @default true */
  readonly held?: string;
  /** Lua of its value for one that runs. @default false */
  readonly free?: string;
  /** Lua that is true of an object that has ended. @default - none has */
  readonly finished?: string;
  /** Lua that is true of an object that this API cannot suspend. @default - all can be */
  readonly impossible?: string;
  /** Whether Kueue suspends and resumes objects with its label itself. @default true */
  readonly ofKueue?: boolean;
}

/** The two actions. What Kueue suspends stays Kueue's: it would take the quota from somebody else, or give back what it has not got. */
export function suspendActions({ field, held = 'true', free = 'false', finished, impossible, ofKueue = true }: Suspension): ActionPart {
  const obstacles: readonly (readonly [lua: string | undefined, words: string])[] = [
    [ofKueue ? 'queue ~= \'\'' : undefined, '\'Kueue suspends and resumes what is in queue \' .. queue'],
    [finished, '\'it has ended\''],
    [impossible, '\'it cannot be suspended\''],
  ];
  const refusals = obstacles.flatMap(([lua, words]) => (lua === undefined ? [] : [`if ${lua} then error(${words}) end`]));
  const write = (value: string) => actionScript([
    ...refusals, ...parents(field), `${place(field)} = ${value}`, 'return obj',
  ].join('\n'));
  const isFree = obstacles.flatMap(([lua]) => (lua === undefined ? [] : [`not (${lua})`])).join(' and ') || 'true';
  return {
    offers: `
local isHeld = field(obj, ${field.map(luaText).join(', ')}) == ${held}
local isFree = ${isFree}
offer('suspend', isFree and not isHeld, 'pause')
offer('resume', isFree and isHeld, 'play')`,
    actions: [{ name: 'suspend', lua: write(held) }, { name: 'resume', lua: write(free) }],
  };
}

function place(field: readonly string[]): string {
  return `obj${field.map((name) => `[${luaText(name)}]`).join('')}`;
}

/** Tables on the way that may be missing. */
function parents(field: readonly string[]): string[] {
  return field.slice(0, -1).map((_name, index) => field.slice(0, index + 1)).map((path) => `${place(path)} = ${place(path)} or {}`);
}
