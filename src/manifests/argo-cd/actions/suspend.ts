/** Suspending and resuming: a field of the spec, or an annotation. */
import type { ActionPart } from './action';
import { luaLocals, luaScript, type LuaValue } from '../../../programs/lua-script';
import { programText } from '../../../programs/program-text';

/** How a kind is suspended. */
export interface Suspension {
  /** Path of the field. */
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

/** The two actions. */
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
