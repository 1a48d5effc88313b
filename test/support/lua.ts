/**
 * Runs scripts as Argo CD does: the libraries `base` and `table` and nothing else, the object as the global `obj`, and the answer as Argo CD's
 * encoder would write it, for which an empty table is a list.
 * @see https://github.com/argoproj/argo-cd/blob/v3.5.1/util/lua/lua.go (runLua)
 */
import { lauxlib, lua, lualib, to_luastring as luaString } from 'fengari';

type State = ReturnType<typeof lauxlib.luaL_newstate>;

/** Values on Lua's stack that one level of a table takes. */
const ROOM = 4;

/** Runs a script. @param library one more than Argo CD has, for tests @throws Error with Lua's message, for scripts that raise one */
export function runLua(script: string, obj: unknown, library?: 'string'): unknown {
  const state = lauxlib.luaL_newstate();
  lauxlib.luaL_requiref(state, luaString('_G'), lualib.luaopen_base, 1);
  lauxlib.luaL_requiref(state, luaString('table'), lualib.luaopen_table, 1);
  if (library !== undefined) {
    lauxlib.luaL_requiref(state, luaString(library), lualib.luaopen_string, 1);
  }
  lua.lua_settop(state, 0);
  push(state, obj);
  lua.lua_setglobal(state, luaString('obj'));
  const failed = lauxlib.luaL_loadstring(state, luaString(script)) !== lua.LUA_OK || lua.lua_pcall(state, 0, lua.LUA_MULTRET, 0) !== lua.LUA_OK;
  if (failed) {
    throw new Error(lua.lua_tojsstring(state, -1));
  }
  return lua.lua_gettop(state) === 0 ? undefined : valueAt(state, lua.lua_gettop(state));
}

function push(state: State, value: unknown): void {
  if (typeof value === 'string') {
    lua.lua_pushstring(state, luaString(value));
  } else if (typeof value === 'boolean') {
    lua.lua_pushboolean(state, value);
  } else if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31) {
    // Integers of this interpreter have 32 bits; Argo CD's has doubles only, which it writes without a point where they are whole.
    lua.lua_pushinteger(state, value);
  } else if (typeof value === 'number') {
    lua.lua_pushnumber(state, value);
  } else if (typeof value === 'object' && value !== null) {
    lua.lua_checkstack(state, ROOM);
    lua.lua_newtable(state);
    const entries: [number | string, unknown][] = Array.isArray(value) ? value.map((item, index) => [index + 1, item]) : Object.entries(value);
    for (const [key, item] of entries) {
      push(state, key);
      push(state, item);
      lua.lua_rawset(state, -3);
    }
  } else {
    lua.lua_pushnil(state);
  }
}

function valueAt(state: State, index: number): unknown {
  switch (lua.lua_type(state, index)) {
    case lua.LUA_TNIL: return undefined;
    case lua.LUA_TBOOLEAN: return lua.lua_toboolean(state, index);
    case lua.LUA_TNUMBER: return lua.lua_tonumber(state, index);
    case lua.LUA_TSTRING: return lua.lua_tojsstring(state, index);
    case lua.LUA_TTABLE: return tableAt(state, index);
    default: throw new Error(`Argo CD cannot write a ${lua.lua_typename(state, lua.lua_type(state, index)) as unknown as string}`);
  }
}

function tableAt(state: State, index: number): unknown {
  const entries: [unknown, unknown][] = [];
  lua.lua_checkstack(state, ROOM);
  lua.lua_pushnil(state);
  while (lua.lua_next(state, index) !== 0) {
    const top = lua.lua_gettop(state);
    entries.push([valueAt(state, top - 1), valueAt(state, top)]);
    lua.lua_pop(state, 1);
  }
  const isList = entries.every(([key]) => typeof key === 'number');
  return isList ? entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value) : Object.fromEntries(entries as [string, unknown][]);
}
