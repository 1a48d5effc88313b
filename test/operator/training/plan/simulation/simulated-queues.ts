/** Queued jobs as the simulated operator carries them out: the order of steps is that of `job-queues.ts`. */
import { NAMESPACE, Refusal, type ApiServer } from './api-server';
import type { ApiClient } from './api-client';
import type { Caches } from './caches';
import { patchWorkload } from './kueue';
import { resolvedOnce } from './specs';
import { needsWorkload, podSetsHash, POD_SETS_HASH_ANNOTATION, workloadName } from '../../../../../src/manifests/kueue/workload';
import { admissionOf, type WorkloadStep } from '../../../../../src/operator/kueue/protocol';
import type { Workload } from '../../../../../src/operator/kueue/workload';
import { controllerOf, controllerReference } from '../../../../../src/operator/runtime/kube-object';
import type { ObservedQueue } from '../../../../../src/operator/training/plan/observe/observed-queue';
import type { TrainingJobObject } from '../../../../../src/operator/training/resources';

/** See the top of this file. */
export class SimulatedQueues {
  public constructor(private readonly server: ApiServer, private readonly client: ApiClient, private readonly caches: Caches) {}

  /** What is seen of the job's place in its queue. */
  public observe(job: TrainingJobObject): ObservedQueue | undefined {
    if (!needsWorkload(job)) {
      return undefined;
    }
    const { name, uid } = job.metadata!;
    const workload = this.caches.workloadOf(uid!);
    return {
      state: this.caches.workloads.hasSynced ? 'Ready' : 'NotRead',
      workloadName: workload?.metadata?.name ?? workloadName(name!, uid!),
      ...(workload && { workload }),
    };
  }

  /** Refuses unless the job is admitted, as far as is known. */
  public holdAdmission(job: TrainingJobObject): void {
    if (needsWorkload(job) && admissionOf(this.caches.workloadOf(job.metadata!.uid!), hashOf(job)).state !== 'Admitted') {
      throw new Refusal('TooManyRequests');
    }
  }

  /** After a step whose outcome is unknown. */
  public readAgain(job: TrainingJobObject): void {
    const known = this.caches.workloadOf(job.metadata!.uid!)?.metadata;
    if (known === undefined) {
      return;
    }
    const live = this.client.read(`get workload ${known.name}`, () => this.server.workloads.get(known.name!));
    if (live !== undefined) {
      this.caches.workloads.applyWritten(live);
    } else {
      this.caches.workloads.markDeleted({ namespace: NAMESPACE, name: known.name!, uid: known.uid });
    }
  }

  /** Carries out a step of the protocol. */
  public execute(job: TrainingJobObject, step: WorkloadStep): void {
    const { name, uid } = job.metadata!;
    switch (step.type) {
      case 'create': return this.create(workloadOf(job, workloadName(name!, uid!)));
      case 'delete': return this.remove(this.caches.workloadOf(uid!)?.metadata, step.uid);
      case 'patchStatus': return this.patch(this.caches.workloadOf(uid!)?.metadata?.name, step);
    }
  }

  /** Deletes Workloads whose job is gone. */
  public deleteOrphans(live: string | undefined): void {
    this.caches.workloads.list().filter((workload) => controllerOf(workload)?.uid !== live)
      .forEach(({ metadata }) => this.remove(metadata, metadata!.uid!));
  }

  private create(workload: Workload): void {
    const name = workload.metadata!.name!;
    try {
      this.caches.workloads.applyWritten(this.client.write(`create workload ${name}`, () => this.server.createOther(this.server.workloads, workload), true));
    } catch (error) {
      const found = error instanceof Refusal && error.reason === 'AlreadyExists'
        ? this.client.read(`get workload ${name}`, () => this.server.workloads.get(name)) : undefined;
      if (found === undefined) {
        throw error;
      }
      this.caches.workloads.applyWritten(found);
    }
  }

  private remove(metadata: Workload['metadata'], uid: string): void {
    const { name } = metadata ?? {};
    if (name === undefined || metadata?.uid !== uid) {
      return;
    }
    try {
      this.client.write(`delete workload ${name}`, () => this.server.deleteWorkload(name, uid));
    } catch (error) {
      if (!(error instanceof Refusal && ['NotFound', 'Conflict'].includes(error.reason))) {
        throw error;
      }
    }
    this.caches.workloads.markDeleted({ namespace: NAMESPACE, name, uid });
  }

  private patch(name: string | undefined, { resourceVersion, status, reason }: Extract<WorkloadStep, { type: 'patchStatus' }>): void {
    if (name === undefined) {
      return;
    }
    try {
      const answer = this.client.write(`patch workload ${name}: ${reason}`, () => patchWorkload(this.server, name, resourceVersion, status));
      this.caches.workloads.applyWritten(answer);
    } catch (error) {
      if (!(error instanceof Refusal && ['NotFound', 'Conflict'].includes(error.reason))) {
        throw error;
      }
      const live = this.client.read(`get workload ${name}`, () => this.server.workloads.get(name));
      if (live !== undefined) {
        this.caches.workloads.applyWritten(live);
      }
    }
  }
}

/** The Workload of a job, with what matters here. */
function workloadOf(job: TrainingJobObject, name: string): Workload {
  const resolved = resolvedOnce(job.metadata!.name!, job.spec);
  return {
    metadata: { name, namespace: NAMESPACE, annotations: { [POD_SETS_HASH_ANNOTATION]: hashOf(job) }, ownerReferences: [controllerReference(job)] },
    spec: { queueName: 'team', podSets: resolved.roles.map((role) => ({ name: role.name, count: role.replicas })) },
  };
}

/** Hash of what the job is queued for. */
export function hashOf(job: TrainingJobObject): string {
  return podSetsHash(resolvedOnce(job.metadata!.name!, job.spec));
}
