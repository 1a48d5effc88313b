/**
 * Scripts for Argo CD, which runs each of them alone: what they share (`argo-cd/shared.lua`) is put in front of each, as far as it is used.
 *
 * Argo CD's interpreter is gopher-lua (Lua 5.1) with the libraries `base`, `table` and `package` and an `os` that tells the time: no `string`, and so
 * no methods of strings, no `math`. Objects come from anybody: nothing is taken to be there, or to be of the type that a definition says, for a
 * script that raises an error leaves an Application without health.
 * @see https://github.com/argoproj/argo-cd/blob/v3.5.1/util/lua/lua.go (runLua)
 */
import { programText } from './program-text';

/** What a name is of Lua that is no field of something, nor in a text. */
const NAME = /(?<![.\w])[A-Za-z_]\w*/g;

/** Texts of Lua: a word in them is none of the script's. */
const TEXTS = /'(?:\\.|[^'\\])*\\?(?:'|$)/gs;

/** The script of parts that follow each other, with what they share in front of it. */
export function luaScript(...parts: readonly string[]): string {
  const body = parts.map(withoutComments).join('\n');
  const shared = withoutComments(programText('argo-cd/shared.lua')).split(/\n\n+/).map((paragraph) => ({ paragraph, name: nameOf(paragraph) }));
  const used = new Set(namesIn(body));
  const front: string[] = [];
  for (const { paragraph, name } of shared.reverse()) {
    if (used.has(name)) {
      namesIn(paragraph).forEach((each) => used.add(each));
      front.unshift(paragraph);
    }
  }
  return `${[...front, body].join('\n')}\n`;
}

function nameOf(paragraph: string): string {
  return paragraph.replace(/^local (?:function )?/, '').match(NAME)![0];
}

function namesIn(lua: string): string[] {
  return lua.replace(TEXTS, '\'\'').match(NAME) ?? [];
}

/** Lines of comments are for readers of the file. */
function withoutComments(lua: string): string {
  return lua.split('\n').filter((line) => !/^ *--/.test(line)).join('\n').trim();
}

/** Values for a script, as its local variables: texts, truth values, lists of them, and what Lua is to find out (`{ lua }`). */
export function luaLocals(values: { readonly [name: string]: LuaValue }): string {
  return Object.entries(values).map(([name, value]) => `local ${name} = ${luaValue(value)}`).join('\n');
}

/** A value that {@link luaLocals} can write. */
export type LuaValue = string | boolean | readonly LuaValue[] | { readonly lua: string };

function luaValue(value: LuaValue): string {
  if (typeof value === 'string') {
    return `'${value.replace(/\\/g, '\\\\').replace(/'/g, '\\\'').replace(/\n/g, '\\n')}'`;
  }
  return typeof value === 'boolean' ? String(value) : 'lua' in value ? value.lua : value.length === 0 ? '{}' : `{ ${value.map(luaValue).join(', ')} }`;
}
