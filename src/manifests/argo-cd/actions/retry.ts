/**
 * Trying a job again that has failed. No controller of these kinds starts a job again that has ended, so the action makes a new one beside it, with
 * the same spec and the name `NAME-retry-1`, `-2`, ..., which goes when the first one goes.
 *
 * Lua has one kind of table, and Argo CD writes an empty one as a list: an empty object of a spec would arrive as `[]`. Those that mean the same when
 * they are left out are left out, and with any other one the action is not offered. Nor is it for jobs in a queue of Kueue's own, whose pod templates
 * have node selectors and tolerations of the last admission in them that cannot be told from the user's.
 */
import type { ActionPart } from './action';
import { luaLocals, luaScript } from '../../../programs/lua-script';
import { programText } from '../../../programs/program-text';

/** On the job that failed: how many were made of it. */
export const RETRIES_ANNOTATION = 'trainyard.dev/retries';

/** On the new one: what it is a retry of. */
export const RETRY_OF_ANNOTATION = 'trainyard.dev/retry-of';

/** How a kind is tried again. */
export interface Retry {
  /** Lua that is true of an object that has failed. */
  readonly failed: string;
  /** Paths in the spec of what the new one is without, and of what is empty then. */
  readonly without: readonly (readonly string[])[];
}

/** The action. */
export function retryAction({ failed, without }: Retry): ActionPart {
  const hasFailed = { lua: failed };
  const copy = programText('argo-cd/actions/retry-copy.lua');
  return {
    offers: [luaLocals({ hasFailed }), copy, programText('argo-cd/actions/retry-offers.lua')].join('\n'),
    actions: [{ name: 'retry', lua: luaScript(luaLocals({ hasFailed, forgotten: without }), copy, programText('argo-cd/actions/retry.lua')) }],
  };
}
