/** The part of fengari that tests use. It is Lua's C interface, and has no types of its own. */
declare module 'fengari' {
  type LuaState = { readonly brand: 'lua_State' };
  type LuaString = Uint8Array;
  type LuaFunction = (state: LuaState) => number;

  export function to_luastring(text: string): LuaString;

  export const lauxlib: {
    luaL_newstate(): LuaState;
    luaL_requiref(state: LuaState, name: LuaString, open: LuaFunction, isGlobal: 0 | 1): void;
    luaL_loadstring(state: LuaState, script: LuaString): number;
  };

  export const lualib: { readonly luaopen_base: LuaFunction; readonly luaopen_table: LuaFunction; readonly luaopen_string: LuaFunction };

  export const lua: {
    readonly LUA_OK: number;
    readonly LUA_MULTRET: number;
    readonly LUA_TNIL: number;
    readonly LUA_TBOOLEAN: number;
    readonly LUA_TNUMBER: number;
    readonly LUA_TSTRING: number;
    readonly LUA_TTABLE: number;
    lua_pcall(state: LuaState, argumentCount: number, resultCount: number, handler: number): number;
    lua_gettop(state: LuaState): number;
    lua_settop(state: LuaState, index: number): void;
    lua_checkstack(state: LuaState, more: number): boolean;
    lua_pop(state: LuaState, count: number): void;
    lua_newtable(state: LuaState): void;
    lua_rawset(state: LuaState, index: number): void;
    lua_next(state: LuaState, index: number): number;
    lua_setglobal(state: LuaState, name: LuaString): void;
    lua_pushnil(state: LuaState): void;
    lua_pushboolean(state: LuaState, value: boolean): void;
    lua_pushinteger(state: LuaState, value: number): void;
    lua_pushnumber(state: LuaState, value: number): void;
    lua_pushstring(state: LuaState, value: LuaString): void;
    lua_type(state: LuaState, index: number): number;
    lua_typename(state: LuaState, type: number): LuaString;
    lua_toboolean(state: LuaState, index: number): boolean;
    lua_tonumber(state: LuaState, index: number): number;
    lua_tojsstring(state: LuaState, index: number): string;
  };
}
