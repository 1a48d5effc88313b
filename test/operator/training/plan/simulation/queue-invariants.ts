/** What must hold of queued jobs, at every moment of every history: held against what Kueue really did, and the pods that there are. */
import type { ApiServer } from './api-server';
import type { Caches } from './caches';
import type { SimulatedKueue } from './kueue';
import type { Nodes } from './nodes';
import type { Hold } from './recovery-invariants';
import { hashOf } from './simulated-queues';
import { needsWorkload } from '../../../../../src/manifests/kueue/workload';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';
import { admissionOf } from '../../../../../src/operator/kueue/protocol';
import { isWorkloadConditionTrue, type Workload } from '../../../../../src/operator/kueue/workload';
import { isHookPod } from '../../../../../src/operator/training/plan/observe/observe-pod';
import { controllerOf } from '../../../../../src/operator/runtime/kube-object';
import type { PodObject, TrainingJobObject } from '../../../../../src/operator/training/resources';

/** See the top of this file. */
export class QueueInvariants {
  public constructor(
    private readonly server: ApiServer, private readonly nodes: Nodes, private readonly kueue: SimulatedKueue, private readonly hold: Hold,
    /** Uids of pods of which nobody could know. */
    private readonly latePods: ReadonlySet<string>,
  ) {}

  /** A pod is about to be asked for. */
  public onCreate(job: TrainingJobObject, pod: PodObject, caches: Caches): void {
    if (needsWorkload(job)) {
      // What Kueue has done since cannot be known yet.
      const { state } = admissionOf(caches.workloadOf(job.metadata!.uid!), hashOf(job));
      this.hold('no pod without admission', state === 'Admitted', () => `${pod.metadata!.name} is created, and the Workload is ${state}`);
    }
  }

  /** The owner of the job has changed its Workload. @param after undefined when it was deleted */
  public onWorkload(before: Workload, after: Workload | undefined): void {
    const isGivenBack = isWorkloadConditionTrue(before, 'QuotaReserved') && (after === undefined || !isWorkloadConditionTrue(after, 'QuotaReserved'));
    if (!isGivenBack || this.server.jobs.get(controllerOf(before)!.name)?.metadata?.uid !== controllerOf(before)!.uid) {
      return;
    }
    const using = this.podsOf(controllerOf(before)!.uid).filter(({ metadata, status }) => (status?.phase === 'Pending' || status?.phase === 'Running')
      && !this.latePods.has(metadata!.uid!) && this.nodes.alive.has(metadata!.uid!));
    this.hold('quota is given back when no pod uses it', using.length === 0, () => `${using.map(({ metadata }) => metadata!.name).join()} live`);
  }

  /** A status was written. Answers whether the loss of the quota explains the attempt that ends. */
  public explains(jobUid: string, before: TrainingJobStatus, after: TrainingJobStatus): boolean {
    const evictions = (after.queue?.evictions ?? 0) - (before.queue?.evictions ?? 0);
    if (evictions === 0) {
      return false;
    }
    const attempts = (after.attempt ?? 0) - (before.attempt ?? 0);
    const disruptions = (after.disruptions ?? 0) - (before.disruptions ?? 0);
    const isOne = evictions === 1 && attempts === 1 && disruptions === 1 && after.restarts === (before.restarts ?? 0);
    this.hold('an eviction is one disruption, and ends the attempt', isOne, () => `${JSON.stringify(before)} became ${JSON.stringify(after)}`);
    this.hold('evictions are Kueue\'s', (after.queue?.evictions ?? 0) <= (this.kueue.losses.get(jobUid) ?? 0), () => JSON.stringify(after.queue));
    [...this.nodes.truth.values()].filter((pod) => pod.jobUid === jobUid && pod.attempt === (before.attempt ?? 0))
      .forEach((pod) => { pod.counted = true; });
    return true;
  }

  /** How often the quota was lost, beyond what is counted: 1 at most, because each loss ends an attempt. */
  public uncountedLosses(jobUid: string, { queue }: TrainingJobStatus): number {
    return Math.min(1, Math.max(0, (this.kueue.losses.get(jobUid) ?? 0) - (queue?.evictions ?? 0)));
  }

  /** The operator has had its turn, and the job waits for nothing but Kueue. */
  public holdWaiting({ status = {} }: TrainingJobObject): void {
    this.hold('the time in the queue is not lost', status.lostSince === undefined || status.completionTime !== undefined,
      () => `lost since ${status.lostSince}: ${JSON.stringify(status.queue)}`);
  }

  /** The operator has had its turn, and nothing goes wrong any more. */
  public holdSettled(): void {
    for (const workload of this.server.workloads.objects.values()) {
      const uid = controllerOf(workload)!.uid;
      const living = this.podsOf(uid).filter(({ metadata }) => this.nodes.alive.has(metadata!.uid!) && metadata!.deletionTimestamp === undefined);
      const isTakenBack = isWorkloadConditionTrue(workload, 'Evicted') && !isWorkloadConditionTrue(workload, 'Finished');
      this.hold('pods go when the quota is taken back', !isTakenBack || living.length === 0,
        () => `${living.map(({ metadata }) => metadata!.name).join()} live on`);
      const job = this.server.jobs.get(controllerOf(workload)!.name);
      if (job?.metadata?.uid === uid) {
        const { before, after } = job.status?.hooks ?? {};
        this.hold('no place in a queue before the hook before the replicas has succeeded', job.spec.hooks?.before === undefined || before?.phase === 'Succeeded',
          () => `${workload.metadata!.name}: ${JSON.stringify(before)}`);
        this.hold('quota is given back before the hook after the replicas', after === undefined || isWorkloadConditionTrue(workload, 'Finished'),
          () => JSON.stringify(workload.status));
      }
    }
  }

  /** Everything has come to rest, and the job has ended. */
  public holdEnded(job: TrainingJobObject): void {
    const workload = [...this.server.workloads.objects.values()].find((candidate) => controllerOf(candidate)?.uid === job.metadata!.uid);
    this.hold('Kueue hears of the end', workload === undefined || isWorkloadConditionTrue(workload, 'Finished'), () => JSON.stringify(workload?.status));
  }

  /** Pods that use the quota. */
  private podsOf(jobUid: string): PodObject[] {
    return [...this.server.pods.objects.values()].filter((pod) => controllerOf(pod)?.uid === jobUid && !isHookPod(pod));
  }
}
