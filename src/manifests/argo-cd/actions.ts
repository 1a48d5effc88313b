/**
 * Actions on objects in Argo CD.
 *
 * Retry of a failed job: no controller of these kinds restarts a finished job, so the action creates a new one with the same spec and the name
 * `NAME-retry-1`, `-2`, ..., which is deleted with the first one.
 *
 * Lua has only one kind of table, and Argo CD writes an empty one as a list: an empty object of a spec would become `[]`. Empty objects that mean the
 * same as absent ones are omitted, and with any other one the action is not offered. It is also not offered for jobs that Kueue itself queues, whose
 * pod templates contain node selectors and tolerations of the last admission that cannot be distinguished from the user's.
 *
 * Suspend and resume set a field of the spec, or an annotation.
 */
import { luaLocals, luaScript, type LuaValue } from '../../programs/lua-script';
import { programText } from '../../programs/program-text';

/** The name and the script of an action. */
export interface ActionScript {
  /** Name in the menu and for `argocd app actions run`. */
  readonly name: string;
  /** Lua that returns the changed object, or a list of objects to patch and to create. */
  readonly lua: string;
}

export interface KindActions {
  /** Lua that returns the actions for an object, and which of them are currently disabled. */
  readonly discovery: string;
  readonly actions: readonly ActionScript[];
}

/** Part of a kind's actions: their discovery script, and the actions. */
interface ActionPart {
  readonly offers: string;
  readonly actions: readonly ActionScript[];
}

/** The actions of all parts. */
export function actionsOf(...parts: readonly ActionPart[]): KindActions {
  return { discovery: luaScript(...parts.map(({ offers }) => offers), 'return actions'), actions: parts.flatMap(({ actions }) => actions) };
}

/** Number of retries, on the failed job. */
export const RETRIES_ANNOTATION = 'trainyard.dev/retries';

/** Name of the failed job, on the retry. */
export const RETRY_OF_ANNOTATION = 'trainyard.dev/retry-of';

/** How to retry a kind. */
interface Retry {
  /** Lua expression for whether an object has failed. */
  readonly failed: string;
  /** Paths in the spec that the retry does not have, and of fields that are then empty. */
  readonly without: readonly (readonly string[])[];
}

export function retryAction({ failed, without }: Retry): ActionPart {
  const hasFailed = { lua: failed };
  const copy = programText('argo-cd/actions/retry-copy.lua');
  return {
    offers: [luaLocals({ hasFailed }), copy, programText('argo-cd/actions/retry-offers.lua')].join('\n'),
    actions: [{ name: 'retry', lua: luaScript(luaLocals({ hasFailed, forgotten: without }), copy, programText('argo-cd/actions/retry.lua')) }],
  };
}

/** How to suspend a kind. */
interface Suspension {
  readonly field: readonly string[];
  /** The field's value for a suspended object. @default true */
  readonly held?: string | boolean;
  /** The field's value for a running object. @default false */
  readonly free?: string | boolean;
  /** Lua expression for whether an object is finished. @default - false */
  readonly finished?: string;
  /** Lua expression for whether an object cannot be suspended. @default - false */
  readonly impossible?: string;
  /** Whether Kueue suspends and resumes objects with its label itself. @default true */
  readonly ofKueue?: boolean;
}

export function suspendActions({ field: path, held = true, free = false, finished = 'false', impossible = 'false', ofKueue = true }: Suspension): ActionPart {
  const locals = (own: { readonly [name: string]: LuaValue }) => luaLocals({
    path, ...own, isOfKueue: ofKueue, hasEnded: { lua: finished }, isImpossible: { lua: impossible },
  });
  const write = (wanted: LuaValue) => luaScript(locals({ wanted }), programText('argo-cd/actions/suspend.lua'));
  return {
    offers: `${locals({ whenHeld: held })}\n${programText('argo-cd/actions/suspend-offers.lua')}`,
    actions: [{ name: 'suspend', lua: write(held) }, { name: 'resume', lua: write(free) }],
  };
}

/**
 * Suspend and resume for MLTrainingJob. Our operator also suspends it if it does not use its accelerators (`spec.idle`), which the status shows,
 * until an annotation of the job changes. So its `resume` has two ways, and its own discovery. A job with `spec.scheduling.queueName` is suspended
 * like any other: our operator then removes it from the queue.
 */
export function trainingJobSuspension(finished: string): ActionPart {
  const hasEnded = luaLocals({ hasEnded: { lua: finished } });
  const [suspend] = suspendActions({ field: ['spec', 'suspend'], finished }).actions;
  return {
    offers: `${hasEnded}\n${programText('argo-cd/actions/training-job-offers.lua')}`,
    actions: [suspend, { name: 'resume', lua: luaScript(hasEnded, programText('argo-cd/actions/training-job-resume.lua')) }],
  };
}
