/** TypeScript as a tree, and its text: on one line where it fits, else a line for each part, as people write it. */
import { hasUnseen, printable } from '../../model/text/printable';

export type Code =
  | { readonly text: string }
  | { readonly entries: readonly (readonly [key: string, value: Code])[] }
  | { readonly items: readonly Code[] }
  | { readonly callee: string; readonly args: readonly Code[] };

/** Longest line. */
const WIDTH = 120;

/** Objects and lists within each other that one line may hold; more are hard to read. */
const DEPTH = 3;

const INDENT = '  ';

/** An expression as it is written. */
export function text(expression: string): Code {
  return { text: expression };
}

/** A call, or `new` and a constructor. */
export function call(callee: string, ...args: readonly Code[]): Code {
  return { callee, args };
}

export function object(entries: readonly (readonly [key: string, value: Code])[]): Code {
  return { entries };
}

/** A value of JSON. What is null is left out of objects: for Kubernetes both are the same. */
export function literal(value: unknown): Code {
  if (Array.isArray(value)) {
    return { items: value.map(literal) };
  }
  if (typeof value === 'object' && value !== null) {
    const given = Object.entries(value).filter(([, entry]) => entry !== undefined && entry !== null);
    return object(given.map(([key, entry]) => [key, literal(entry)]));
  }
  return text(typeof value === 'string' ? quote(value) : String(value));
}

/** A string: in single quotes, or as a template where it has several lines. */
export function quote(value: string): string {
  // Templates turn some line endings into others, and characters that nobody sees are better written out.
  if (value.includes('\n') && !hasUnseen(value.replaceAll('\n', ''))) {
    return `\`${value.replace(/[\\`]|\$\{/g, '\\$&')}\``;
  }
  return `'${printable(value.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n'))}'`;
}

/**
 * The text of an expression.
 * @param before characters on its line before it
 * @param indent of that line
 * @param after characters that follow on its last line
 */
export function print(code: Code, before = 0, indent = '', after = 1): string {
  const line = inline(code, WIDTH - before - after);
  if (line !== undefined && depth(code) <= DEPTH) {
    return line;
  }
  const deeper = indent + INDENT;
  const lines = (parts: readonly string[]) => parts.map((part) => `${deeper}${part},\n`).join('');
  if ('entries' in code) {
    const entries = code.entries.map(([key, value]) => {
      const name = `${propertyName(key)}: `;
      return name + print(value, deeper.length + name.length, deeper);
    });
    return `{\n${lines(entries)}${indent}}`;
  }
  if ('items' in code) {
    return `[\n${lines(code.items.map((item) => print(item, deeper.length, deeper)))}${indent}]`;
  }
  if ('callee' in code) {
    // The last argument is opened, and what stands before it stays on the line.
    const heads = code.args.slice(0, -1).map((argument) => `${inline(argument) ?? print(argument, 0, indent)}, `).join('');
    const start = `${code.callee}(${heads}`;
    const last = code.args[code.args.length - 1];
    return `${start}${last === undefined ? '' : print(last, before + start.length, indent, after + 1)})`;
  }
  return code.text;
}

/**
 * All on one line; undefined for what has several of its own, or does not fit. Nothing is written out that has no room: each layer of an object asks
 * for the line of everything within it.
 */
function inline(code: Code, room = Infinity): string | undefined {
  if ('entries' in code) {
    const entries = joined(code.entries, room - 2, ([key, value], left) => {
      const name = key.length > left ? undefined : `${propertyName(key)}: `;
      const shown = name === undefined ? undefined : inline(value, left - name.length);
      return shown === undefined ? undefined : `${name}${shown}`;
    });
    return fitting(entries === '' ? '{}' : entries && `{ ${entries} }`, room);
  }
  if ('items' in code) {
    const items = joined(code.items, room - 2, inline);
    return fitting(items === undefined ? undefined : `[${items}]`, room);
  }
  if ('callee' in code) {
    const args = joined(code.args, room - code.callee.length - 2, inline);
    return fitting(args === undefined ? undefined : `${code.callee}(${args})`, room);
  }
  return code.text.length > room || code.text.includes('\n') ? undefined : code.text;
}

function fitting(line: string | undefined, room: number): string | undefined {
  return line === undefined || line.length > room ? undefined : line;
}

/** Parts with commas between them; undefined as soon as one of them is, or has no room. */
function joined<T>(parts: readonly T[], room: number, write: (part: T, room: number) => string | undefined): string | undefined {
  const written: string[] = [];
  let left = room;
  for (const part of parts) {
    const shown = left < 0 ? undefined : write(part, left);
    if (shown === undefined) {
      return undefined;
    }
    written.push(shown);
    left -= shown.length + ', '.length;
  }
  return written.join(', ');
}

function depth(code: Code): number {
  const below = 'entries' in code ? code.entries.map(([, value]) => value) : 'items' in code ? code.items : 'callee' in code ? code.args : [];
  return Math.max(0, ...below.map(depth)) + ('entries' in code || 'items' in code ? 1 : 0);
}

/** A key; one that means something to the language itself is computed. */
function propertyName(key: string): string {
  if (key === '__proto__') {
    return '[\'__proto__\']';
  }
  if (/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(key)) {
    return key;
  }
  const quoted = quote(key);
  return quoted.startsWith('`') ? `[${quoted}]` : quoted;
}
