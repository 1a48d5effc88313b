/** TypeScript as a tree, and its text: on one line if it fits, else one line for each part. */
import { hasUnseen, printable } from '../../model/text/printable';

export type Code =
  | { readonly text: string }
  | { readonly entries: readonly (readonly [key: string, value: Code])[] }
  | { readonly items: readonly Code[] }
  | { readonly callee: string; readonly args: readonly Code[] };

/** Longest line. */
const WIDTH = 120;

/** Levels of nested objects and lists on one line; more are hard to read. */
const DEPTH = 3;

const INDENT = '  ';

/** An expression that is already written. */
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

/** A JSON value. Null fields are left out: Kubernetes treats them as absent. */
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

/** A string in single quotes, or a template literal if it has several lines. */
export function quote(value: string): string {
  // Template literals change some line endings, and invisible characters are escaped.
  if (value.includes('\n') && !hasUnseen(value.replaceAll('\n', ''))) {
    return `\`${value.replace(/[\\`]|\$\{/g, '\\$&')}\``;
  }
  return `'${printable(value.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n'))}'`;
}

/**
 * The text of an expression.
 * @param before number of characters before it on its line
 * @param indent of that line
 * @param after number of characters that follow on its last line
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
    // Only the last argument is split into lines.
    const heads = code.args.slice(0, -1).map((argument) => `${inline(argument) ?? print(argument, 0, indent)}, `).join('');
    const start = `${code.callee}(${heads}`;
    const last = code.args[code.args.length - 1];
    return `${start}${last === undefined ? '' : print(last, before + start.length, indent, after + 1)})`;
  }
  return code.text;
}

/**
 * The code on one line; undefined if it has several lines or does not fit. It stops as soon as the room is used up, because `print` calls it at each
 * level for everything below.
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

/** Parts separated by commas; undefined as soon as one of them is undefined or does not fit. */
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

/** A key. `__proto__` is a computed key, because it has a meaning of its own in the language. */
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
