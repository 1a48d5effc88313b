/**
 * One hook (`spec.hooks`), brought one step further. What counts is in `status.hooks`: a hook that was once seen to have succeeded is never run
 * again, and a try that has failed is counted once, because both are decisions and are written before anything follows from them.
 *
 * Each try has its own pod. The pod's name contains the number of the try, so a repeated create cannot make a second one. A pod that was evicted, was
 * lost with its node, or was deleted by someone is replaced under the same name and does not count as a failure. All tries share one time limit.
 */
import type { HookStatus } from '../../../../model/training-job/status/status';
import { hookPodName, hookTimeoutSeconds, type HookName, type HookSpec } from '../../../../model/training-job/hooks';
import type { ResolvedTrainingJob } from '../../../../model/training-job/replicas/resolve';
import { elapsedSince } from '../elapsed';
import { forceDeletionTime, isLate, nodeLossTime, withNodeTrouble } from '../failures/node-loss';
import { isKeptSuspended } from '../idle';
import { LOOK_MS } from '../observe/silent-pods';
import { timeText } from '../timestamps';
import type { Action, Observation, ObservedHookPod, ObservedJob, ObservedPod, PodFailure, PlannedEvent } from '../types';

/** How soon to look again where pods are newer than the status that was read, milliseconds. */
const STALE_RETRY_MS = 500;

/** A step of a hook. */
export interface HookStep {
  /** How far it is; undefined before it has begun. */
  readonly status?: HookStatus;
  /** Whether `status` has to be durable before anything follows from it. */
  readonly decided: boolean;
  readonly events: readonly PlannedEvent[];
  readonly actions: readonly Action[];
  readonly wakeAfterMs?: number;
}

/** Whether a hook has succeeded or failed for good. */
export function isOver(hook: HookStatus | undefined): boolean {
  return hook?.phase === 'Succeeded' || hook?.phase === 'Failed';
}

/** Whether the job has a hook that has to succeed before it may have replicas, or a place in a queue. */
export function isBeforePending({ spec, status }: ObservedJob): boolean {
  return spec.hooks?.before !== undefined && status.hooks?.before?.phase !== 'Succeeded';
}

/** The status of a hook that begins now. */
export function begunHook(job: ResolvedTrainingJob, name: HookName, now: number): HookStatus {
  return { phase: 'Pending', pod: hookPodName(job, name, 0), failures: 0, startTime: timeText(now) };
}

/** What users hear of it. */
export function startedNews(name: HookName, { pod }: HookStatus): PlannedEvent {
  return { type: 'Normal', reason: 'HookStarted', message: `spec.hooks.${name} starts in pod ${pod}` };
}

/** The next step of a hook that the job has. */
export function advanceHook(observation: Observation, job: ResolvedTrainingJob, name: HookName): HookStep {
  const { now, hookPods = [], job: { status } } = observation;
  const known = status.hooks?.[name];
  const pods = hookPods.filter((pod) => pod.hook === name);
  if (isOver(known)) {
    return { status: known, decided: false, events: [], actions: removals(pods, 'the hook has ended') };
  }
  const isSuspended = name !== 'onExit' && isKeptSuspended(observation.job);
  if (known === undefined) {
    const begun = begunHook(job, name, now);
    return isSuspended ? { decided: false, events: [], actions: [] }
      : { status: begun, decided: true, events: [startedNews(name, begun)], actions: [] };
  }
  const pod = pods.find((candidate) => candidate.name === known.pod);
  const hook = job.spec.hooks![name]!;
  return ended(observation, job, name, known, pod)
    ?? (isSuspended ? suspended(known, pods) : timedOut(observation, name, hook, known, pod) ?? going(observation, job, name, known, pods));
}

/** A try that has ended. */
function ended(
  { now }: Observation, job: ResolvedTrainingJob, name: HookName, known: HookStatus, pod: ObservedHookPod | undefined,
): HookStep | undefined {
  if (pod === undefined || pod.deleting) {
    return undefined;
  }
  if (pod.state === 'Succeeded') {
    const status: HookStatus = { ...known, phase: 'Succeeded', nextRetryTime: undefined, message: undefined, completionTime: timeText(now) };
    return { status, decided: true, events: [{ type: 'Normal', reason: 'HookSucceeded', message: `spec.hooks.${name} has succeeded` }], actions: [] };
  }
  if (pod.startError?.permanent) {
    return failed(now, known, `${pod.name} cannot start (${pod.startError.reason}): ${pod.startError.message}`);
  }
  const failure = pod.failure && withNodeTrouble(pod.failure, pod, job.runPolicy);
  if (pod.state !== 'Failed' || failure?.disruption) {
    return undefined;
  }
  const failures = known.failures + 1;
  const message = `${pod.name} failed${describe(failure)}`;
  const { backoffLimit = 0 } = job.spec.hooks![name]!;
  if (failure?.permanent || failures > backoffLimit) {
    return failed(now, { ...known, failures }, message);
  }
  const { initialSeconds, maxSeconds } = job.runPolicy.backoff;
  const pause = Math.min(maxSeconds, initialSeconds * 2 ** (failures - 1));
  return {
    status: { ...known, phase: 'Pending', pod: hookPodName(job, name, failures), failures, nextRetryTime: timeText(now + pause * 1000), message },
    decided: true,
    events: [{
      type: 'Warning', reason: 'HookRetried', message: `spec.hooks.${name}: ${message}; retrying in ${pause} s (${failures} of ${backoffLimit})`,
    }],
    actions: [],
  };
}

/** The last step of a hook that fails. What follows from it, and what users hear, is for the stage of the job. */
export function failed(now: number, known: HookStatus, message: string): HookStep {
  return {
    status: { ...known, phase: 'Failed', nextRetryTime: undefined, message, completionTime: timeText(now) }, decided: true, events: [], actions: [],
  };
}

function timedOut(
  observation: Observation, name: HookName, hook: HookSpec, known: HookStatus, pod: ObservedHookPod | undefined,
): HookStep | undefined {
  const left = leftMs(observation, hook, known);
  const waits = pod?.waitingFor === undefined ? '' : `; ${pod.name} waits: ${pod.waitingFor}`;
  return left !== undefined && left <= 0
    ? failed(observation.now, known, `it did not end within spec.hooks.${name}.timeoutSeconds (${hookTimeoutSeconds(hook)})${waits}`)
    : undefined;
}

function leftMs(observation: Observation, hook: HookSpec, { startTime }: HookStatus): number | undefined {
  return startTime === undefined ? undefined : hookTimeoutSeconds(hook) * 1000 - elapsedSince(observation, Date.parse(startTime));
}

/** The job has no pods, and the time stands still. */
function suspended(known: HookStatus, pods: readonly ObservedHookPod[]): HookStep {
  return {
    status: { ...known, phase: 'Pending', startTime: undefined, message: undefined }, decided: false, events: [], actions: removals(pods, 'the job is suspended'),
  };
}

function going(
  observation: Observation, { spec, runPolicy }: ResolvedTrainingJob, name: HookName, known: HookStatus, pods: readonly ObservedHookPod[],
): HookStep {
  const { now, problems } = observation;
  const pod = pods.find((candidate) => candidate.name === known.pod);
  const status: HookStatus = {
    ...known,
    phase: pod?.state === 'Running' ? 'Running' : 'Pending',
    // A start in the future was written before the clock was set back. The time limit would begin again when the clock catches up.
    startTime: known.startTime !== undefined && Date.parse(known.startTime) <= now ? known.startTime : timeText(now),
    message: pod === undefined ? problems[0]?.message ?? known.message : pod.waitingFor,
  };
  const limit = leftMs(observation, spec.hooks![name]!, status);
  const pauseMs = Date.parse(known.nextRetryTime ?? '') - now;
  if (pods.some((other) => triesBefore(other) > known.failures)) {
    // The status is older than the pods.
    return { status, decided: false, events: [], actions: [], wakeAfterMs: STALE_RETRY_MS };
  }
  // A create that came late can leave a pod of a try that is over.
  const strays = removals(pods.filter((other) => triesBefore(other) < known.failures), 'that try of the hook is over');
  if (pod === undefined && pauseMs > 0) {
    return { status, decided: false, events: [], actions: strays, wakeAfterMs: Math.min(pauseMs, limit ?? pauseMs) };
  }
  if (pod === undefined) {
    return { status, decided: false, events: [], actions: [...strays, ...creation(name, known)], wakeAfterMs: limit };
  }
  const loss = lossTime(pod, runPolicy);
  const isSilent = isLate(pod, runPolicy, now);
  const deadline = pod.deletionDeadline === undefined ? undefined : pod.deletionDeadline + 1;
  const waits = [
    limit, isSilent ? LOOK_MS : undefined, ...[loss, deadline].map((time) => (time !== undefined && time > now ? time - now : undefined)),
  ].filter((wait) => wait !== undefined);
  const actions: Action[] = [...strays, ...replacement(pod, loss, now), ...(isSilent ? [{ type: 'lookAtNode', node: pod.node! } as const] : [])];
  return { status, decided: false, events: [], actions, wakeAfterMs: waits.length > 0 ? Math.min(...waits) : undefined };
}

/** When a pod has to be deleted because of its node, by force where it hangs there; undefined while nothing is wrong with the node. */
function lossTime(pod: ObservedHookPod, runPolicy: ResolvedTrainingJob['runPolicy']): number | undefined {
  return pod.deleting ? forceDeletionTime(pod, runPolicy) : nodeLossTime(pod, runPolicy);
}

function creation(hook: HookName, { failures }: HookStatus): Action[] {
  return [{ type: 'ensureObjects', gang: false }, { type: 'createHookPod', hook, tries: failures }];
}

/** Deletes a pod that was evicted or lost with its node, so that the next one can have its name. */
function replacement({ state, deleting, name, uid }: ObservedHookPod, loss: number | undefined, now: number): Action[] {
  const isLost = loss !== undefined && loss <= now;
  if (deleting) {
    return isLost ? [{ type: 'deletePod', name, uid, force: true, reason: 'hangs on a lost node' }] : [];
  }
  return state === 'Failed' || isLost ? [{ type: 'deletePod', name, uid, reason: isLost ? 'its node is lost' : 'is replaced' }] : [];
}

/** Deletes what is alive of hooks that have ended, as one does that took too long: whatever the run policy says of pods that have done their work. */
export function removeEnded({ hookPods = [], job: { status } }: Observation): Action[] {
  return removals(hookPods.filter(({ hook }) => isOver(status.hooks?.[hook])), 'the hook has ended');
}

/** Deletes pods that are alive. */
export function removals(pods: readonly ObservedPod[], reason: string): Action[] {
  return pods.filter((pod) => !pod.deleting && isAlive(pod)).map(({ name, uid }) => ({ type: 'deletePod', name, uid, reason }));
}

function isAlive({ state, lingering }: ObservedPod): boolean {
  return state === 'Waiting' || state === 'Running' || lingering;
}

/** Number of the try that a pod is for, as its name says it. */
function triesBefore({ name }: ObservedHookPod): number {
  const tries = Number(name.slice(name.lastIndexOf('-') + 1));
  return Number.isInteger(tries) ? tries : 0;
}

function describe({ exitCode, reason, message, logTail }: Partial<PodFailure> = {}): string {
  const code = exitCode === undefined ? '' : ` with exit code ${exitCode}`;
  const text = message ?? logTail;
  return `${code}${reason === undefined || reason === 'Error' ? '' : ` (${reason})`}${text === undefined ? '' : `: ${text.trim()}`}`;
}
