/** What people can do to an object from Argo CD. */
import { luaScript } from '../../../programs/lua-script';

/** One action: what it is called, and the script that does it. */
export interface ActionScript {
  /** Name in the menu and for `argocd app actions run`. */
  readonly name: string;
  /** Lua that returns the object as it shall be, or a list of objects to patch and to create. */
  readonly lua: string;
}

/** The actions of a kind. */
export interface KindActions {
  /** Lua that returns which actions there are for an object, and which of them make no sense at this time. */
  readonly discovery: string;
  readonly actions: readonly ActionScript[];
}

/** Part of a kind's actions: lines of the discovery, which `offer`, and what is offered. */
export interface ActionPart {
  readonly offers: string;
  readonly actions: readonly ActionScript[];
}

/** The actions of parts together. */
export function actionsOf(...parts: readonly ActionPart[]): KindActions {
  return { discovery: luaScript(...parts.map(({ offers }) => offers), 'return actions'), actions: parts.flatMap(({ actions }) => actions) };
}
