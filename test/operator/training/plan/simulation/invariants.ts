/**
 * What must hold at every moment of every history. Everything is held against the truth that the nodes keep, not against what the operator
 * believes, and the rules for failures are written a second time here, so that a mistake of the planner is not repeated.
 */
import type { ApiServer } from './api-server';
import type { Caches } from './caches';
import { endsGroup, indexes, isHelperPod, neededReplicas, verdict } from './expectations';
import type { Nodes, PodTruth } from './nodes';
import { CountingInvariants } from './counting-invariants';
import { HealthInvariants } from './health-invariants';
import { HookInvariants } from './hook-invariants';
import type { SimulatedKueue } from './kueue';
import { lastWords } from './pod-status';
import { QueueInvariants } from './queue-invariants';
import { RecoveryInvariants } from './recovery-invariants';
import { edited, resolvedOnce } from './specs';
import { ATTEMPT_LABEL, REPLICA_INDEX_LABEL, ROLE_LABEL } from '../../../../../src/model/labels';
import { conditionOf } from '../../../../../src/operator/training/plan/conditions';
import type { ResolvedTrainingJob } from '../../../../../src/model/training-job/replicas/resolve';
import { restartScopeOf } from '../../../../../src/model/training-job/restart-in-place';
import type { Condition, TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import { isHookPod } from '../../../../../src/operator/training/plan/observe/observe-pod';
import { isSameJson } from '../../../../../src/operator/runtime/json-equality';
import { controllerOf } from '../../../../../src/operator/runtime/kube-object';
import type { PodObject, TrainingJobObject } from '../../../../../src/operator/training/resources';

/** An invariant does not hold. */
export class InvariantViolation extends Error {
  /** @param invariant short name, for tests that expect a certain one */
  public constructor(public readonly invariant: string, detail: string) {
    super(`${invariant}: ${detail}`);
  }
}

/** Most bytes that a status of these small jobs may have; far below what etcd takes. */
const STATUS_MAX_BYTES = 16 * 1024;

const FINAL = new Set(['Completed', 'Failed']);

/** See the top of this file. */
export class Invariants {
  /** The latest time that the wall clock has shown; it may have gone back since. */
  public latestNow = 0;
  /** Uids of pods that were created long after the operator gave the request up; nobody could know of them. */
  public readonly latePods = new Set<string>();
  public readonly recovery: RecoveryInvariants;
  /** When the status began to say that the gang is placed in part; of the clock that never jumps. */
  private belowSince = Infinity;
  public readonly health: HealthInvariants;
  public readonly queue: QueueInvariants;
  public readonly hooks: HookInvariants;
  private readonly counting = new CountingInvariants(this.hold.bind(this));

  public constructor(
    private readonly server: ApiServer,
    private readonly nodes: Nodes,
    private readonly clock: { readonly now: number; readonly offset: number; readonly monotonic: number },
    kueue: SimulatedKueue,
  ) {
    this.queue = new QueueInvariants(server, nodes, kueue, this.hold.bind(this), this.latePods);
    this.health = new HealthInvariants(server, nodes, clock, this.hold.bind(this));
    this.recovery = new RecoveryInvariants(server, nodes, this.hold.bind(this));
    this.hooks = new HookInvariants(server, nodes, clock, this.hold.bind(this), this.health, this.latePods);
  }

  /** A process has started. */
  public onStart(started: PodTruth): void {
    if (started.hook !== undefined) {
      this.hooks.onStart(started);
      return;
    }
    const living = this.nodes.livingOf(started.jobUid, started.replica);
    this.hold('one live process a rank', living.length === 1, () => `${living.map((pod) => `${pod.name} ${pod.uid}`).join(' and ')} live at the same time`);
  }

  /** An operator with these caches is about to ask for a pod. */
  public onCreate(pod: PodObject, caches: Caches): void {
    const owner = controllerOf(pod)!;
    const job = this.server.jobs.get(owner.name);
    if (job === undefined || job.metadata!.uid !== owner.uid) {
      // The operator has not heard yet that the job is gone; the pod goes as an orphan.
      return;
    }
    if (isHookPod(pod)) {
      this.hooks.onCreate(job, pod);
      return;
    }
    this.hooks.onReplica(job, pod.metadata!.name!);
    const status = job.status ?? {};
    const name = pod.metadata!.name;
    const attempt = attemptOf(pod);
    this.hold('no pod for a finished job', !FINAL.has(status.phase ?? ''), () => `${name} is created, and the job is ${status.phase}`);
    this.hold('no pod for a suspended job', status.phase !== 'Suspended', () => `${name} is created, and the job is suspended`);
    this.hold('pods of the current attempt only', attempt === (status.attempt ?? 0), () => `${name} of attempt ${attempt}, and the status says ${status.attempt}`);
    this.hold('what has succeeded is not repeated', !hasSucceeded(status, pod), () => `${name} has succeeded and is created again`);
    this.hold('no replica beyond the wanted number', job.status?.elastic === undefined || this.resolve(job).replicas.some((replica) => replica.podName === name),
      () => `${name} is created, and ${status.elastic?.replicas} replicas are wanted`);
    const possible = job.spec.elastic && resolvedOnce(owner.name, edited(job.spec, { replicas: job.spec.elastic.maxReplicas }));
    this.hold('no replica beyond the range', possible === undefined || possible.replicas.some((replica) => replica.podName === name), () => `${name} is created`);
    this.hold('the pause is kept', status.nextRetryTime === undefined || Date.parse(status.nextRetryTime) <= this.clock.now,
      () => `${name} is created at ${new Date(this.clock.now).toISOString()}, before ${status.nextRetryTime}`);
    this.queue.onCreate(job, pod, caches);
    if (restartScopeOf(this.resolve(job)) !== 'replica') {
      this.holdGangApart(job, pod, caches);
    }
  }

  /** A deletion that the operator asked for is about to hit a pod. */
  public onDelete(pod: PodObject, byForce: boolean): void {
    if (byForce) {
      this.recovery.onForce(pod);
    }
    const owner = controllerOf(pod)!;
    const job = this.server.jobs.get(owner.name);
    if (isHookPod(pod)) {
      this.hooks.onDelete(job, pod);
      return;
    }
    const status = job?.status ?? {};
    const isWanted = job?.metadata?.uid === owner.uid && !FINAL.has(status.phase ?? '') && attemptOf(pod) === (status.attempt ?? 0)
      && status.hooks?.after === undefined && status.replacing?.some((entry) => entry.uid === pod.metadata!.uid) !== true
      && this.resolve(job).replicas.some((replica) => replica.podName === pod.metadata!.name)
      // One that a late request has created must not run next to what has succeeded.
      && !(this.latePods.has(pod.metadata!.uid!) && hasSucceeded(status, pod));
    this.hold('only pods that have to go are deleted', !isWanted,
      () => `${pod.metadata!.name} (${pod.metadata!.uid}) is of the current attempt of a job that is ${status.phase}, and not replaced`);
  }

  /** No pod of a gang's next attempt is asked for while one of an earlier attempt is there. */
  private holdGangApart(job: TrainingJobObject, pod: PodObject, { seenPods, planNumber }: Caches): void {
    for (const other of this.server.pods.objects.values()) {
      if (controllerOf(other)?.uid !== job.metadata!.uid || isHookPod(other) || attemptOf(other) >= attemptOf(pod)) {
        continue;
      }
      const uid = other.metadata!.uid!;
      const isUnknowable = this.latePods.has(uid) && (seenPods.get(uid) ?? planNumber) >= planNumber;
      this.hold('attempts of a gang do not overlap', isUnknowable,
        () => `${pod.metadata!.name} of attempt ${attemptOf(pod)} is created while ${other.metadata!.name} (${uid}) of attempt ${attemptOf(other)} is there`);
    }
  }

  /** A status was written. */
  public onStatus(read: TrainingJobObject, written: TrainingJobObject): void {
    const before = read.status ?? {};
    const after = written.status ?? {};
    const job = this.resolve(written);
    this.hold('a finished job stays as it is', !FINAL.has(before.phase ?? '') || isSameJson(this.hooks.withoutLast(before), this.hooks.withoutLast(after)),
      () => `${before.phase} was followed by ${JSON.stringify(after)}`);
    this.hold('statuses are small', JSON.stringify(after).length <= STATUS_MAX_BYTES, () => `${JSON.stringify(after).length} bytes`);
    this.hold('lists have unique keys', isUnique(after.replacing?.map((entry) => entry.pod)) && isUnique(after.workerStatuses?.map((entry) => entry.role))
      && isUnique(after.conditions?.map((entry) => entry.type)), () => JSON.stringify(after));
    if (after.gang?.belowSince !== undefined && after.gang.belowSince !== before.gang?.belowSince) {
      this.belowSince = this.clock.monotonic;
    }
    this.holdConditions(before, after, written.metadata!.generation!);
    this.holdCounts(job, written.metadata!.uid!, before, after);
    this.holdSuccesses(job, written.metadata!.uid!, before, after);
    this.recovery.onStatus(job, written.metadata!.uid!, before, after);
    this.hooks.onStatus(job, written.metadata!.uid!, before, after);
    this.counting.onStatus(written.metadata!.uid!, before, after, this.clock.now);
    if (FINAL.has(after.phase ?? '') && !FINAL.has(before.phase ?? '')) {
      this.holdEnd(job, written.metadata!.uid!, before, after);
    }
  }

  private holdConditions(before: TrainingJobStatus, after: TrainingJobStatus, generation: number): void {
    const conditions = after.conditions ?? [];
    const isTrue = (type: string) => conditions.some((condition) => condition.type === type && condition.status === 'True');
    const describe = () => `phase ${after.phase}, conditions ${conditions.map((condition) => `${condition.type}=${condition.status}`).join(' ')}`;
    this.hold('conditions agree with the phase', isTrue('Succeeded') === (after.phase === 'Completed') && isTrue('Failed') === (after.phase === 'Failed')
      && isTrue('Running') === (after.phase === 'Running') && isTrue('Suspended') === (after.phase === 'Suspended')
      && (!isTrue('Restarting') || after.phase === 'Restarting'), describe);
    for (const condition of conditions) {
      const earlier: Condition | undefined = before.conditions?.find((candidate) => candidate.type === condition.type);
      this.hold('conditions are well formed', Boolean(condition.reason) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(condition.lastTransitionTime)
        && condition.observedGeneration !== undefined && condition.observedGeneration <= generation, () => JSON.stringify(condition));
      this.hold('transition times move with the status only', earlier?.status !== condition.status || earlier.lastTransitionTime === condition.lastTransitionTime,
        () => `${JSON.stringify(earlier)} became ${JSON.stringify(condition)}`);
    }
    this.hold('the end has a time', FINAL.has(after.phase ?? '') === (after.completionTime !== undefined), describe);
  }

  private holdCounts(job: ResolvedTrainingJob, jobUid: string, before: TrainingJobStatus, after: TrainingJobStatus): void {
    const attempts = (after.attempt ?? 0) - (before.attempt ?? 0);
    const restarts = (after.restarts ?? 0) - (before.restarts ?? 0);
    const disruptions = (after.disruptions ?? 0) - (before.disruptions ?? 0);
    const change = () => `attempt ${before.attempt} to ${after.attempt}, restarts ${before.restarts} to ${after.restarts}, disruptions ${before.disruptions} to ${after.disruptions}`;
    const isVerdict = before.provisionalFailure?.puts === 'Restart' && after.provisionalFailure === undefined && !areReplicasOver(after);
    if (attempts === 0 && isVerdict) {
      this.holdVerdict(job, jobUid, before, restarts, disruptions, change);
      return;
    }
    const isExplained = this.health.explains(job, jobUid, before, after) || this.queue.explains(jobUid, before, after);
    this.hold('counts only grow', (attempts === 0 || attempts === 1) && restarts >= 0 && disruptions >= 0, change);
    this.hold('restarts keep the backoff limit', (after.restarts ?? 0) <= job.runPolicy.backoffLimit, change);
    if (isExplained) {
      return;
    }
    const pending = pendingOf(after) - pendingOf(before);
    if (after.phase === 'Suspended' || (restarts === 0 && disruptions === 0 && attempts === 0 && pending === 0)) {
      this.hold('counts have a reason', restarts === 0 && disruptions === 0, change);
      return;
    }
    const releases = (after.gang?.releases ?? 0) - (before.gang?.releases ?? 0);
    if (releases !== 0) {
      this.hold('a gang is released in its time only', attempts === 1 && releases === 1 && this.isReleaseDue(job, before), () => `${change()}; ${JSON.stringify(before.gang)}`);
      this.hold('counts have a reason', restarts === 0 && disruptions === 0, change);
      return;
    }
    if (attempts === 1) {
      this.holdGangRestart(job, jobUid, before.attempt ?? 0, restarts, disruptions, change,
        after.provisionalFailure?.attempt === (before.attempt ?? 0), pendingOf(before));
    } else {
      this.holdReplacements(job, jobUid, before, after, restarts, disruptions, change);
    }
  }

  /** Whether the gang has been placed in part for as long as it may be. */
  private isReleaseDue(job: ResolvedTrainingJob, { gang }: TrainingJobStatus): boolean {
    const { scheduleTimeoutSeconds = 60 } = job.spec.scheduling?.gang ?? {};
    return job.spec.scheduling?.gang !== undefined && gang?.belowSince !== undefined
      && this.health.hasLasted(this.belowSince, scheduleTimeoutSeconds * 1000);
  }

  private holdGangRestart(
    job: ResolvedTrainingJob, jobUid: string, attempt: number, restarts: number, disruptions: number, change: () => string,
    isProvisional: boolean, pending: number,
  ): void {
    const pods = [...this.nodes.truth.values()].filter((pod) => pod.jobUid === jobUid && pod.attempt === attempt);
    const lost = pods.filter((pod) => pod.lost);
    const retried = pods.filter((pod) => verdict(job, pod) === 'retry');
    const recovered = pods.filter((pod) => verdict(job, pod) === 'recover');
    const scope = restartScopeOf(job);
    this.hold('survivors of an elastic job are kept', scope !== 'elastic' || pods.some((pod) => endsGroup(job, pod)),
      () => `attempt ${attempt} ends although its group could go on: ${JSON.stringify(pods)}`);
    this.hold('counts have a reason', (scope === 'elastic' || (scope === 'gang' && !pods.some((pod) => pod.counted && pod.exitCode !== 0 && !isHelperPod(job, pod))))
      && restarts <= Math.min(1, retried.length) + pending && disruptions <= lost.length
      && (isProvisional ? restarts + disruptions === 0 && retried.length > 0 : restarts + disruptions > 0 || recovered.length > 0), change);
    pods.forEach((pod) => { pod.counted = true; });
  }

  /**
   * What was provisional is booked once, as a failure that was there or as the loss of a pod, which is counted by itself where replicas are replaced
   * one by one.
   */
  private holdVerdict(
    job: ResolvedTrainingJob, jobUid: string, before: TrainingJobStatus, restarts: number, disruptions: number, change: () => string,
  ): void {
    const { attempt, count = 1 } = before.provisionalFailure!;
    const isCurrent = attempt === (before.attempt ?? 0);
    const pods = [...this.nodes.truth.values()].filter((pod) => pod.jobUid === jobUid && pod.attempt === attempt);
    this.hold('a provisional failure is booked once, and for a reason', (restarts === count && disruptions === 0
      ? pods.some((pod) => verdict(job, pod) === 'retry' || pod.restarts > 0)
      : restarts === 0 && (isCurrent ? disruptions === 0 : disruptions > 0) && pods.some((pod) => pod.lost)
        && disruptions <= pods.filter((pod) => pod.lost).length), change);
  }

  /** Pods that were lost of the attempt before, whose failure waits for a verdict. */
  private lossesOf(jobUid: string, { attempt: current = 0, provisionalFailure: noted }: TrainingJobStatus): number {
    return noted === undefined || noted.attempt === current ? 0
      : [...this.nodes.truth.values()].filter((pod) => pod.jobUid === jobUid && pod.attempt === noted.attempt && pod.lost).length;
  }

  private holdReplacements(
    job: ResolvedTrainingJob, jobUid: string, before: TrainingJobStatus, after: TrainingJobStatus,
    restarts: number, disruptions: number, change: () => string,
  ): void {
    const old = new Set((before.replacing ?? []).map((entry) => `${entry.pod} ${entry.uid}`));
    let sure = { restarts: 0, disruptions: 0 };
    let unsure = 0;
    for (const entry of (after.replacing ?? []).filter(({ pod, uid }) => !old.has(`${pod} ${uid}`))) {
      const pod = this.nodes.truth.get(entry.uid) ?? [...this.nodes.truth.values()]
        .find((truth) => truth.jobUid === jobUid && truth.name === entry.pod && truth.lost && truth.gone && !truth.counted);
      this.hold('each failed pod is counted once', pod !== undefined && !pod.counted, () => `${entry.pod} (${entry.uid || 'vanished'}): ${change()}`);
      pod!.counted = true;
      if ((pod!.lost && pod!.exitCode !== undefined) || pod!.isEcho) {
        // It failed and was taken away: which of the two the operator saw first, decides. Or another was, and it says so.
        unsure++;
      } else if (pod!.lost) {
        sure = { ...sure, disruptions: sure.disruptions + 1 };
      } else if (verdict(job, pod!) === 'retry') {
        sure = { ...sure, restarts: sure.restarts + 1 };
      }
    }
    const pending = pendingOf(after) - pendingOf(before);
    unsure += this.recovery.explain(jobUid, before, after, pending);
    // Failures that waited for a verdict may come to nothing where a pod is lost, or the job ends.
    const dropped = pending < 0 && (areReplicasOver(after) || this.hasLost(jobUid, before.attempt ?? 0)) ? -pending : 0;
    const booked = restarts + pending;
    this.hold('counts have a reason', booked + dropped >= sure.restarts && disruptions >= sure.disruptions
      && booked + disruptions <= sure.restarts + sure.disruptions + unsure, () => `${change()}; expected ${JSON.stringify(sure)} and up to ${unsure} more`);
  }

  private hasLost(jobUid: string, attempt: number): boolean {
    return [...this.nodes.truth.values()].some((pod) => pod.jobUid === jobUid && pod.attempt === attempt && pod.lost);
  }

  private holdSuccesses(job: ResolvedTrainingJob, jobUid: string, before: TrainingJobStatus, after: TrainingJobStatus): void {
    for (const role of after.workerStatuses ?? []) {
      const now = indexes(role.succeededIndexes);
      const earlier = indexes(before.workerStatuses?.find((candidate) => candidate.role === role.role)?.succeededIndexes);
      // A place that was given up has nothing to remember.
      this.hold('successes are not forgotten', before.attempt !== after.attempt || [...earlier].every((index) => now.has(index) || index >= role.replicas),
        () => `${role.role}: ${[...earlier].join()} became ${[...now].join()}`);
      for (const index of now) {
        this.hold('successes are true', this.hasSucceeded(job, jobUid, `${role.role}/${index}`, after.attempt ?? 0), () => `${role.role}/${index} is said to have succeeded`);
      }
      this.hold('counts of roles add up', role.pending + role.running + role.succeeded + role.failed <= role.replicas && role.succeeded === now.size,
        () => JSON.stringify(role));
    }
  }

  private holdEnd(job: ResolvedTrainingJob, jobUid: string, before: TrainingJobStatus, status: TrainingJobStatus): void {
    const attempt = status.attempt ?? 0;
    const pods = [...this.nodes.truth.values()].filter((pod) => pod.jobUid === jobUid && pod.attempt === attempt);
    const reason = status.conditions?.find((condition) => condition.type === 'Failed')?.reason;
    const cause = status.lastFailure;
    const describe = () => `${status.phase} ${reason ?? ''}: ${JSON.stringify(cause)}`;
    if (status.phase === 'Completed') {
      const missing = neededReplicas(job).filter((replica) => !this.hasSucceeded(job, jobUid, `${replica.role}/${replica.index}`, attempt));
      const isEnough = job.successPolicy === 'AnyWorker' ? missing.length < neededReplicas(job).length : missing.length === 0;
      this.hold('a completed job has succeeded', isEnough, () => `${missing.map((replica) => replica.podName).join()} did not succeed`);
      return;
    }
    const uncounted = pods.filter((pod) => !pod.counted);
    const failed = (what: string) => uncounted.filter((pod) => verdict(job, pod) === what);
    switch (reason) {
      case 'ReplicaFailed':
        this.hold('a failed job names its cause', failed('fail').some((pod) => pod.name === cause?.pod && pod.exitCode === cause.exitCode
          && pod.replica === `${cause.role}/${cause.index}` && cause.attempt === attempt && cause.logTail === lastWords(pod.exitCode!, pod.isEcho)), describe);
        break;
      case 'BackoffLimitExceeded':
        if (cause?.reason === 'Stalled') {
          this.health.holdEnd(job, status);
          break;
        }
        this.hold('a failed job names its cause', (before.restarts ?? 0) + notedOf(before) > job.runPolicy.backoffLimit
          || this.recovery.exceedsInPlace(job, jobUid, status) || failed('retry').length > 0
          && (status.restarts ?? 0) + (restartScopeOf(job) === 'gang' ? Math.max(1, failed('retry').filter((pod) => isHelperPod(job, pod)).length) : failed('retry').length)
            > job.runPolicy.backoffLimit, describe);
        break;
      case 'DisruptionLimitExceeded':
        this.hold('a failed job names its cause', (status.disruptions ?? 0) + uncounted.filter((pod) => pod.lost).length + this.lossesOf(jobUid, before)
          + this.queue.uncountedLosses(jobUid, status) > job.runPolicy.disruptionLimit!, describe);
        break;
      case 'Stalled':
      case 'PreflightFailed':
        this.health.holdEnd(job, status);
        break;
      case 'DeadlineExceeded':
        this.hold('a failed job names its cause', this.latestNow >= Date.parse(status.startTime!) + job.runPolicy.activeDeadlineSeconds! * 1000, describe);
        break;
      case 'PreRunningDeadlineExceeded':
        this.hold('a failed job names its cause', before.attemptStarted !== true && this.latestNow >= Date.parse(
          status.hooks?.before?.completionTime ?? conditionOf(status, 'Created')!.lastTransitionTime,
        ) + job.runPolicy.preRunningDeadlineSeconds! * 1000, describe);
        break;
      case 'ImagePullFailed':
        this.hold('a failed job names its cause', this.recovery.hasNotStarted(job, jobUid, status, this.health.hasLasted.bind(this.health)), describe);
        break;
      default:
        this.hold('a failed job names its cause', this.hooks.explainsEnd(reason, status), describe);
    }
  }

  /** Whether a pod of the replica has really ended with 0: in this attempt, or in any where replicas do not depend on each other. */
  private hasSucceeded(job: ResolvedTrainingJob, jobUid: string, replica: string, attempt: number): boolean {
    return [...this.nodes.truth.values()].some((pod) => pod.jobUid === jobUid && pod.replica === replica && pod.exitCode === 0
      && (pod.attempt === attempt || restartScopeOf(job) === 'replica'));
  }

  private resolve(job: TrainingJobObject): ResolvedTrainingJob {
    // Of an elastic job as many replicas as its status says that the operator acts on.
    const replicas = job.status?.elastic?.replicas ?? job.spec.replicas;
    return resolvedOnce(job.metadata!.name!, edited(job.spec, { replicas }));
  }

  /** Throws unless the condition holds. */
  public hold(invariant: string, holds: boolean, detail: () => string): void {
    if (!holds) {
      throw new InvariantViolation(invariant, detail());
    }
  }
}

function isUnique(keys: readonly string[] = []): boolean {
  return new Set(keys).size === keys.length;
}

/** Whether nothing is expected of the replicas any more: the job has ended, or its hook after them has begun. */
function areReplicasOver({ completionTime, hooks }: TrainingJobStatus): boolean {
  return completionTime !== undefined || hooks?.after !== undefined;
}

/** Failures of the attempt that runs which wait for a verdict. */
function pendingOf(status: TrainingJobStatus): number {
  return status.provisionalFailure?.attempt === (status.attempt ?? 0) ? notedOf(status) : 0;
}

/** Failures that wait for a verdict, those of the attempt before among them. */
function notedOf({ provisionalFailure: noted }: TrainingJobStatus): number {
  return noted?.count ?? Number(noted?.puts === 'Restart');
}

function attemptOf(pod: PodObject): number {
  return Number(pod.metadata?.labels?.[ATTEMPT_LABEL]);
}

/** Whether the status says that the pod's replica has succeeded. */
function hasSucceeded({ workerStatuses }: TrainingJobStatus, { metadata }: PodObject): boolean {
  const role = workerStatuses?.find((candidate) => candidate.role === metadata!.labels![ROLE_LABEL]);
  return indexes(role?.succeededIndexes).has(Number(metadata!.labels![REPLICA_INDEX_LABEL]));
}
