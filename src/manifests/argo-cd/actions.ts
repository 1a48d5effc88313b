/**
 * What people can do to an object from Argo CD.
 *
 * Trying a job again that has failed. No controller of these kinds starts a job again that has ended, so the action makes a new one beside it, with
 * the same spec and the name `NAME-retry-1`, `-2`, ..., which goes when the first one goes.
 *
 * Lua has one kind of table, and Argo CD writes an empty one as a list: an empty object of a spec would arrive as `[]`. Those that mean the same
 * when they are left out are left out, and with any other one the action is not offered. Nor is it for jobs in a queue of Kueue's own, whose pod
 * templates have node selectors and tolerations of the last admission in them that cannot be told from the user's.
 *
 * Suspending and resuming: a field of the spec, or an annotation.
 */
import { luaLocals, luaScript, type LuaValue } from '../../programs/lua-script';
import { programText } from '../../programs/program-text';

/** One action: what it is called, and the script that does it. */
export interface ActionScript {
  /** Name in the menu and for `argocd app actions run`. */
  readonly name: string;
  /** Lua that returns the object as it shall be, or a list of objects to patch and to create. */
  readonly lua: string;
}

export interface KindActions {
  /** Lua that returns which actions there are for an object, and which of them make no sense at this time. */
  readonly discovery: string;
  readonly actions: readonly ActionScript[];
}

/** Part of a kind's actions: lines of the discovery, which `offer`, and what is offered. */
interface ActionPart {
  readonly offers: string;
  readonly actions: readonly ActionScript[];
}

/** The actions of parts together. */
export function actionsOf(...parts: readonly ActionPart[]): KindActions {
  return { discovery: luaScript(...parts.map(({ offers }) => offers), 'return actions'), actions: parts.flatMap(({ actions }) => actions) };
}

/** On the job that failed: how many were made of it. */
export const RETRIES_ANNOTATION = 'trainyard.dev/retries';

/** On the new one: what it is a retry of. */
export const RETRY_OF_ANNOTATION = 'trainyard.dev/retry-of';

/** How a kind is tried again. */
interface Retry {
  /** Lua that is true of an object that has failed. */
  readonly failed: string;
  /** Paths in the spec of what the new one is without, and of what is empty then. */
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

/** How a kind is suspended. */
interface Suspension {
  readonly field: readonly string[];
  /** The field's value for an object that is suspended. @default true */
  readonly held?: string | boolean;
  /** Its value for one that runs. @default false */
  readonly free?: string | boolean;
  /** Lua that is true of an object that has ended. @default - none has */
  readonly finished?: string;
  /** Lua that is true of an object that this API cannot suspend. @default - all can be */
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
 * Suspend and resume for MLTrainingJob. It is also suspended by our operator, when it leaves its accelerators unused (`spec.idle`): that stands in
 * the status, and ends when an annotation of the job gets another value. So its `resume` has two ways, and its own offers. A job in
 * `spec.scheduling.queueName` is suspended as any other: our operator leaves the queue for it.
 */
export function trainingJobSuspension(finished: string): ActionPart {
  const hasEnded = luaLocals({ hasEnded: { lua: finished } });
  const [suspend] = suspendActions({ field: ['spec', 'suspend'], finished }).actions;
  return {
    offers: `${hasEnded}\n${programText('argo-cd/actions/training-job-offers.lua')}`,
    actions: [suspend, { name: 'resume', lua: luaScript(hasEnded, programText('argo-cd/actions/training-job-resume.lua')) }],
  };
}
