/**
 * What must hold of hooks, at every moment of every history, and once there is peace. Their time limits are measured here by a clock that never
 * jumps.
 */
import type { ApiServer } from './api-server';
import type { HealthInvariants } from './health-invariants';
import type { Nodes, PodTruth } from './nodes';
import type { Hold } from './recovery-invariants';
import { HOOK_LABEL } from '../../../../../src/model/labels';
import { HOOK_NAMES, hookPodName, hookTimeoutSeconds, type HookName } from '../../../../../src/model/training-job/hooks';
import type { ResolvedTrainingJob } from '../../../../../src/model/training-job/replicas/resolve';
import type { HookStatus, TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import { isHookPod } from '../../../../../src/operator/training/plan/observe/observe-pod';
import { isSameJson } from '../../../../../src/operator/runtime/json-equality';
import { controllerOf } from '../../../../../src/operator/runtime/kube-object';
import type { PodObject, TrainingJobObject } from '../../../../../src/operator/training/resources';

/**
 * How much later than its time limit a hook may end, milliseconds: an API server has asked for a pause of ten seconds just before, times in the
 * status are whole seconds, and so is the pace of peace.
 */
const LATENESS_MS = 13_000;

/** See the top of this file. */
export class HookInvariants {
  /** Since when the time limit counts, by uid of the job and name of the hook; infinite while it does not. */
  private readonly counting = new Map<string, number>();
  /** Uids of pods that have been told to go once: they may go at any later time, though they are wanted again. */
  private readonly dismissed = new Set<string>();
  private peaceSince?: number;

  public constructor(
    private readonly server: ApiServer, private readonly nodes: Nodes,
    private readonly clock: { readonly now: number; readonly monotonic: number },
    private readonly hold: Hold, private readonly health: HealthInvariants,
    /** Uids of pods of which nobody could know. */
    private readonly latePods: ReadonlySet<string>,
  ) {}

  /** A try has started. */
  public onStart({ jobUid, replica }: PodTruth): void {
    const running = this.nodes.livingOf(jobUid, replica).filter(({ uid, exitCode }) => exitCode === undefined && !this.latePods.has(uid));
    this.hold('a hook runs one pod at a time', running.length <= 1, () => `${running.map(({ name, uid }) => `${name} ${uid}`).join(' and ')} live at the same time`);
  }

  /** The pod of a hook is about to be asked for. */
  public onCreate({ status = {} }: TrainingJobObject, pod: PodObject): void {
    const hook = hookOf(pod);
    const known = status.hooks?.[hook];
    const describe = () => `${pod.metadata!.name} is created, the job is ${status.phase}, and the hook ${JSON.stringify(known)}`;
    this.hold('hooks run at their time only', (hook === 'onExit') === (status.completionTime !== undefined), describe);
    this.hold('no pod for a suspended job', hook === 'onExit' || status.phase !== 'Suspended', describe);
    this.hold('pods of the current try only', known?.pod === pod.metadata!.name, describe);
    this.hold('a hook that has ended is not repeated', !isOver(known), describe);
    this.hold('the pause is kept', known?.nextRetryTime === undefined || Date.parse(known.nextRetryTime) <= this.clock.now, describe);
  }

  /** A replica is about to be asked for. */
  public onReplica({ spec, status = {} }: TrainingJobObject, name: string): void {
    this.hold('no replica before the hook before the replicas has succeeded', spec.hooks?.before === undefined || status.hooks?.before?.phase === 'Succeeded',
      () => `${name} is created: ${JSON.stringify(status.hooks)}`);
    this.hold('no replica once the hook after the replicas has begun', status.hooks?.after === undefined, () => `${name} is created: ${JSON.stringify(status.hooks)}`);
  }

  /** A deletion that the operator asked for is about to hit the pod of a hook. */
  public onDelete(job: TrainingJobObject | undefined, pod: PodObject): void {
    const isWanted = job !== undefined && this.isWanted(job, pod) && !this.dismissed.has(pod.metadata!.uid!) && !this.nodes.truthOf(pod).lost;
    this.hold('only pods that have to go are deleted', !isWanted,
      () => `${pod.metadata!.name} (${pod.metadata!.uid}) is the current try of a hook that is ${JSON.stringify(job?.status?.hooks?.[hookOf(pod)])}`);
  }

  /** The operator is about to delete a job. */
  public onDeleteJob({ spec, status = {} }: TrainingJobObject): void {
    this.hold('a job is kept until its last hook has ended', spec.hooks?.onExit === undefined || isOver(status.hooks?.onExit), () => JSON.stringify(status.hooks));
  }

  /** A status was written. */
  public onStatus(job: ResolvedTrainingJob, jobUid: string, before: TrainingJobStatus, after: TrainingJobStatus): void {
    for (const name of HOOK_NAMES.filter((hook) => before.hooks?.[hook] !== undefined || after.hooks?.[hook] !== undefined)) {
      this.holdSteps(job, jobUid, name, before, after);
    }
    if (after.phase === 'Suspended') {
      [...this.server.pods.objects.values()].filter((pod) => controllerOf(pod)?.uid === jobUid)
        .forEach((pod) => this.dismissed.add(pod.metadata!.uid!));
    }
    const { before: first, after: last } = after.hooks ?? {};
    const isUp = after.workerStatuses?.some(({ pending, running, succeeded, failed }) => pending + running + succeeded + failed > 0) === true;
    this.hold('a hook is no replica', job.spec.hooks?.before === undefined || first?.phase === 'Succeeded'
      || (after.phase !== 'Running' && after.attemptStarted !== true && (after.ready ?? '0/').startsWith('0/') && !isUp),
    () => JSON.stringify(after));
    if (after.completionTime !== undefined) {
      this.hold('a job that has ended has no open hook', [first, last].every((hook) => hook === undefined || isOver(hook)), () => JSON.stringify(after.hooks));
      this.hold('a completed job has succeeded', after.phase !== 'Completed'
        || HOOK_NAMES.every((name) => name === 'onExit' || job.spec.hooks?.[name] === undefined || after.hooks?.[name]?.phase === 'Succeeded'),
      () => JSON.stringify(after.hooks));
    }
  }

  /** Everything of the status that a finished job may still change. */
  public withoutLast(status: TrainingJobStatus): TrainingJobStatus {
    const { hooks: { onExit: _last, ...hooks } = {}, conditions, observedGeneration: _generation, ...rest } = status;
    return { ...rest, hooks, conditions: conditions?.filter(({ type }) => type !== 'HookFailed') };
  }

  /** The operator has had its turn and nothing goes wrong any more: only tries run that should, and no longer than they may. */
  public holdSettled(job: TrainingJobObject | undefined): void {
    this.peaceSince ??= this.clock.monotonic;
    const uid = job?.metadata?.uid;
    const running = [...this.server.pods.objects.values()].filter((pod) => isHookPod(pod) && controllerOf(pod)?.uid === uid
      && this.nodes.alive.has(pod.metadata!.uid!) && pod.metadata!.deletionTimestamp === undefined);
    for (const pod of running) {
      this.hold('only the current try of a hook runs', this.isWanted(job!, pod),
        () => `${pod.metadata!.name} runs, the job is ${job!.status?.phase}, and the hooks are ${JSON.stringify(job!.status?.hooks)}`);
    }
    for (const name of HOOK_NAMES.filter((hook) => job?.status?.hooks?.[hook] !== undefined && !isOver(job.status.hooks[hook]))) {
      const begun = this.counting.get(`${uid} ${name}`)!;
      const lasts = this.clock.monotonic - Math.max(begun, this.peaceSince);
      // A jump of the clock that is noticed at the end of the time begins it anew.
      const times = this.health.hasJumpedSince(begun) ? 2 : 1;
      this.hold('a hook keeps its time limit', lasts <= times * hookTimeoutSeconds(job!.spec.hooks![name]!) * 1000 + LATENESS_MS || this.health.isFooledSince(begun),
        () => `${name} runs for ${lasts} ms`);
    }
  }

  /** Everything has come to rest, and the job has ended. */
  public holdEnded({ spec, status = {} }: TrainingJobObject): void {
    this.hold('the hook at the end runs', spec.hooks?.onExit === undefined || isOver(status.hooks?.onExit), () => JSON.stringify(status));
  }

  /** Whether a hook explains the end of a job. */
  public explainsEnd(reason: string | undefined, { hooks }: TrainingJobStatus): boolean {
    return (reason === 'BeforeHookFailed' && hooks?.before?.phase === 'Failed') || (reason === 'AfterHookFailed' && hooks?.after?.phase === 'Failed');
  }

  private holdSteps(job: ResolvedTrainingJob, jobUid: string, name: HookName, before: TrainingJobStatus, after: TrainingJobStatus): void {
    const key = `${jobUid} ${name}`;
    const old = before.hooks?.[name];
    const now = after.hooks?.[name];
    const describe = () => `${name}: ${JSON.stringify(old)} became ${JSON.stringify(now)}`;
    if (now === undefined) {
      this.hold('a hook is not forgotten', false, describe);
      return;
    }
    const { backoffLimit = 0 } = job.spec.hooks![name]!;
    this.hold('a hook that has ended is not repeated', !isOver(old) || isSameJson(old, now), describe);
    this.hold('hooks run at their time only', old !== undefined
      || (now.phase === 'Pending' && now.failures === 0 && (name === 'onExit') === (before.completionTime !== undefined)), describe);
    this.hold('each try has its own pod', now.pod === hookPodName(job, name, now.failures) || now.phase === 'Failed', describe);
    if (old === undefined || (after.phase !== 'Suspended' && this.counting.get(key) === Infinity)) {
      this.counting.set(key, this.clock.monotonic);
    } else if (after.phase === 'Suspended' && before.phase !== 'Suspended') {
      this.counting.set(key, Infinity);
    }
    const failures = now.failures - (old?.failures ?? 0);
    const tried = this.triesOf(jobUid, name).filter((pod) => pod.name === old?.pod);
    if (failures !== 0) {
      const failed = tried.filter(({ exitCode = 0, counted }) => exitCode !== 0 && !counted);
      this.hold('each failed try is counted once', failures === 1 && failed.length > 0, describe);
      failed.forEach((pod) => { pod.counted = true; });
      const { initialSeconds, maxSeconds } = job.runPolicy.backoff;
      const pause = Math.min(maxSeconds, initialSeconds * 2 ** (now.failures - 1)) * 1000;
      this.hold('a hook waits between two tries', isOver(now) || Date.parse(now.nextRetryTime!) > this.clock.now + pause - 1000, describe);
      this.hold('a hook that cannot succeed fails', isOver(now) || (now.failures <= backoffLimit && !failed.every(({ hasNoCommand }) => hasNoCommand)), describe);
    }
    if (now.phase === 'Succeeded' && !isOver(old)) {
      this.hold('a hook that succeeds has succeeded', tried.some(({ exitCode }) => exitCode === 0), describe);
    }
    if (now.phase === 'Failed' && !isOver(old)) {
      const endsWithJob = name !== 'onExit' && after.completionTime !== undefined;
      this.hold('a hook fails for a reason', endsWithJob && !this.explainsEnd(after.conditions?.find(({ type }) => type === 'Failed')?.reason, after)
        || now.failures > backoffLimit || tried.some(({ hasNoCommand }) => hasNoCommand)
        || this.health.hasLasted(this.counting.get(key)!, hookTimeoutSeconds(job.spec.hooks![name]!) * 1000), describe);
    }
  }

  /** Whether a pod is the try that its hook is at. */
  private isWanted({ metadata, status = {} }: TrainingJobObject, pod: PodObject): boolean {
    const hook = hookOf(pod);
    const known = status.hooks?.[hook];
    return metadata?.uid === controllerOf(pod)?.uid && known?.pod === pod.metadata!.name && !isOver(known)
      && (hook === 'onExit' ? status.completionTime !== undefined : status.completionTime === undefined && status.phase !== 'Suspended');
  }

  private triesOf(jobUid: string, name: HookName): PodTruth[] {
    return [...this.nodes.truth.values()].filter((pod) => pod.jobUid === jobUid && pod.hook === name);
  }
}

function hookOf(pod: PodObject): HookName {
  return pod.metadata!.labels![HOOK_LABEL] as HookName;
}

function isOver(hook: HookStatus | undefined): boolean {
  return hook?.phase === 'Succeeded' || hook?.phase === 'Failed';
}
