/**
 * What must hold of restarts in place, starts that fail, pods on lost nodes, nodes that are avoided and lost time, at every moment of every
 * history; and, once there is peace, what has to be in the status of a job that goes on.
 */
import type { ApiServer } from './api-server';
import type { Nodes, PodTruth } from './nodes';
import { verdict } from './expectations';
import { DEVICE_FAULT_CODE } from './pod-status';
import { JOB_NAME } from './random-job';
import type { ResolvedTrainingJob } from '../../../../../src/model/training-job/replicas/resolve';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import type { PodObject, TrainingJobObject } from '../../../../../src/operator/training/resources';
import { ATTEMPT_LABEL } from '../../../../../src/model/labels';
import { controllerOf } from '../../../../../src/operator/runtime/kube-object';

/** Throws unless the condition holds. */
export type Hold = (invariant: string, holds: boolean, detail: () => string) => void;

/** See the top of this file. */
export class RecoveryInvariants {
  /** Failures of containers that were counted, by the uid of the job. */
  private readonly counted = new Map<string, number>();

  public constructor(private readonly server: ApiServer, private readonly nodes: Nodes, private readonly hold: Hold) {}

  /** A deletion by force is about to hit a pod. */
  public onForce(pod: PodObject): void {
    const job = this.server.jobs.get(JOB_NAME);
    const node = pod.spec?.nodeName;
    this.hold('only pods on lost nodes are deleted by force', pod.metadata!.deletionTimestamp !== undefined && this.nodes.health.isLost(node)
      && !this.nodes.health.isInOutage(node) && job?.spec.runPolicy?.nodeLoss?.stuckPods !== 'Wait', () => `${pod.metadata!.name} (${pod.metadata!.uid}) on ${node}`);
  }

  /**
   * Counts that no replacement explains. Answers how many of them are failures of containers that were restarted in place.
   * @param pending how many more wait for a verdict
   */
  public explain(jobUid: string, before: TrainingJobStatus, after: TrainingJobStatus, pending: number): number {
    const old = new Set((before.replacing ?? []).map((entry) => entry.uid));
    if ((after.replacing ?? []).some((entry) => !old.has(entry.uid)) || (after.containerRestarts ?? 0) <= (before.containerRestarts ?? 0)) {
      return 0;
    }
    const count = (after.restarts ?? 0) - (before.restarts ?? 0) + (after.disruptions ?? 0) - (before.disruptions ?? 0) + pending;
    const sum = (this.counted.get(jobUid) ?? 0) + count;
    this.counted.set(jobUid, sum);
    const most = this.failuresInPlace(jobUid);
    this.hold('a restart in place is counted once', sum <= most, () => `${sum} were counted of ${most}`);
    return count;
  }

  /** Whether failures of containers, together with what was counted, exceed the limit. */
  public exceedsInPlace(job: ResolvedTrainingJob, jobUid: string, status: TrainingJobStatus): boolean {
    return (status.restarts ?? 0) + this.failuresInPlace(jobUid) - (this.counted.get(jobUid) ?? 0) > job.runPolicy.backoffLimit;
  }

  /** A status was written. */
  public onStatus(job: ResolvedTrainingJob, jobUid: string, before: TrainingJobStatus, after: TrainingJobStatus): void {
    const lost = () => `lost ${before.lostSeconds} s became ${after.lostSeconds} s, since ${after.lostSince}`;
    this.hold('lost time only grows', (after.lostSeconds ?? 0) >= (before.lostSeconds ?? 0) && (after.lastRestart?.lostSeconds ?? 0) >= 0, lost);
    this.hold('time is lost until the job runs again', after.lostSince === undefined || !['Running', 'Suspended', 'Completed', 'Failed'].includes(after.phase ?? '')
      || job.spec.elastic !== undefined, lost);
    this.hold('a restart is recorded', (after.restarts ?? 0) + (after.disruptions ?? 0) === (before.restarts ?? 0) + (before.disruptions ?? 0)
      || after.lastRestart !== undefined, lost);
    const suspects = after.suspectNodes ?? [];
    this.hold('suspect nodes are few', suspects.length <= 10 && new Set(suspects.map(({ node }) => node)).size === suspects.length, () => JSON.stringify(suspects));
    for (const { node, failures, avoided } of suspects) {
      const unfit = this.pods(jobUid).filter((pod) => pod.node === node && this.nodes.checks.begun.has(pod.uid)).length;
      const seen = unfit + this.pods(jobUid).filter((pod) => pod.node === node && verdict(job, pod) === 'retry' && pod.exitCode === DEVICE_FAULT_CODE).length;
      // Checks that found a node sick need no second failure.
      this.hold('a suspect node has seen failures', failures <= seen && (unfit > 0 || avoided === (failures >= job.runPolicy.nodeAvoidance.afterFailures)),
        () => `${node}: ${failures} of ${seen}`);
    }
  }

  /**
   * Whether the pod that the status names could not start for as long as the job allows.
   * @param hasLasted whether so many milliseconds have gone by since a moment of the clock that never jumps
   */
  public hasNotStarted(
    job: ResolvedTrainingJob, jobUid: string, status: TrainingJobStatus, hasLasted: (since: number, ms: number) => boolean,
  ): boolean {
    return this.pods(jobUid).some(({ name, stuck }) => name === status.lastFailure?.pod && stuck !== undefined
      && hasLasted(stuck.since, job.runPolicy.startTimeoutSeconds * 1000));
  }

  /** The operator has had its turn and nothing more to say: all that happened is counted. */
  public holdCounted(job: TrainingJobObject | undefined): void {
    const { status = {}, spec, metadata } = job ?? ({} as Partial<TrainingJobObject>);
    // A restart that would end the job is counted by the verdict that it waits for.
    if (status.completionTime !== undefined || status.hooks?.after !== undefined || spec?.suspend || status.phase === undefined || status.provisionalFailure?.puts === 'End') {
      return;
    }
    const replaced = new Set(status.replacing?.map((entry) => entry.uid));
    const current = [...this.server.pods.objects.values()].filter((pod) => controllerOf(pod)?.uid === metadata!.uid
      && Number(pod.metadata!.labels![ATTEMPT_LABEL]) === (status.attempt ?? 0) && !replaced.has(pod.metadata!.uid!));
    if (current.some((pod) => pod.metadata!.deletionTimestamp !== undefined || pod.status?.phase === 'Failed')) {
      return;
    }
    const failures = current.reduce((sum, pod) => sum + this.nodes.truthOf(pod).restarts, 0);
    this.hold('restarts in place are counted', (status.containerRestarts ?? 0) === failures, () => `${status.containerRestarts} of ${failures}`);
  }

  private failuresInPlace(jobUid: string): number {
    return this.pods(jobUid).reduce((sum, pod) => sum + pod.restarts, 0);
  }

  private pods(jobUid: string): PodTruth[] {
    return [...this.nodes.truth.values()].filter((pod) => pod.jobUid === jobUid && pod.hook === undefined);
  }
}
