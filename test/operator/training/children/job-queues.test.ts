/** What a queued job says when its Workload cannot be made. */
import { makeJob } from '../support/builders';
import { POD_SETS_HASH_ANNOTATION, podSetsHash } from '../../../../src/manifests/kueue/workload';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../../src/model/labels';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import type { Workload } from '../../../../src/operator/kueue/workload';
import { ApiError } from '../../../../src/operator/runtime/http/api-error';
import { SYSTEM_CLOCK } from '../../../../src/operator/runtime/process/clock';
import type { KubeClient } from '../../../../src/operator/runtime/kube-client';
import type { KubeObject } from '../../../../src/operator/runtime/kube-object';
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { Store } from '../../../../src/operator/runtime/watch/store';
import { addressBooks } from '../../../../src/operator/training/addresses';
import { Executor } from '../../../../src/operator/training/executor';
import { JobQueues } from '../../../../src/operator/training/children/job-queues';
import type { PodObject, TrainingJobObject } from '../../../../src/operator/training/resources';

const JOB = {
  apiVersion: GROUP_VERSION,
  kind: TRAINING_JOB_KIND,
  metadata: { name: 'train', namespace: 'team', uid: 'a-uid' },
  spec: { ...makeJob().pytorch(2).build().spec, scheduling: { queueName: 'team' } },
} as TrainingJobObject;

/** The error of a job whose Workload the API server answers with this. */
async function answered(status: number, body: { readonly reason?: string; readonly message: string }): Promise<Error> {
  const client = { create: async () => { throw new ApiError('create workloads', status, body); } } as unknown as KubeClient;
  const queues = new JobQueues({ client, cache: { store: {} }, positions: {}, clock: SYSTEM_CLOCK, logger: Logger.silent() } as never);
  return queues.execute(JOB, { type: 'create' }).then(() => { throw new Error('no error'); }, (error: Error) => error);
}

it('says that Kueue is missing while the caches still know it and the API server serves it no more', async () => {
  expect(await answered(404, { message: '404 page not found' })).toMatchObject({
    reason: 'KueueMissing', message: expect.stringContaining('Install Kueue again, or create the job without a queue'),
  });
});

it('does not take a namespace that is gone for a Kueue that is gone', async () => {
  expect(await answered(404, { reason: 'NotFound', message: 'namespaces "team" not found' })).toBeInstanceOf(ApiError);
});

it('says what Kueue refuses', async () => {
  expect(await answered(422, { reason: 'Invalid', message: 'spec.podSets: too many' })).toMatchObject({
    reason: 'WorkloadRefused', message: 'Kueue rejects the job: spec.podSets: too many',
  });
});

describe('an admission', () => {
  const admitted = (flavor: string, state = 'True'): Workload => ({
    metadata: { name: 'job-train', annotations: { [POD_SETS_HASH_ANNOTATION]: podSetsHash(resolveTrainingJob('train', JOB.spec)) } },
    status: {
      conditions: [{ type: 'Admitted', status: state, reason: 'Test', message: '', lastTransitionTime: '2026-03-01T12:00:00Z' }],
      admission: { clusterQueue: 'all', podSetAssignments: [{ name: 'worker', flavors: { cpu: flavor } }] },
    },
  }) as unknown as Workload;

  /** Queues whose cache has the first Workload, and the other one from when a flavor is read. */
  function queuesOf(first: Workload | undefined, then = first): { readonly queues: JobQueues; readonly read: string[] } {
    let workload = first;
    const read: string[] = [];
    const get = async (_kind: unknown, { name }: { readonly name: string }) => {
      read.push(name);
      workload = then;
      return { spec: { nodeLabels: { flavor: name } } };
    };
    const cache = { state: 'Ready', ofOwner: () => workload };
    return { queues: new JobQueues({ client: { get }, cache, positions: {}, clock: SYSTEM_CLOCK, logger: Logger.silent() } as never), read };
  }

  it('that is another one when its flavors have been read is the one that counts', async () => {
    const { queues, read } = queuesOf(admitted('spot'), admitted('reserved'));
    expect((await queues.placementsOf(JOB))?.get('worker')?.nodeSelector).toEqual({ flavor: 'reserved' });
    expect(read).toEqual(['spot', 'reserved']);
  });

  it('that is taken back while its flavors are read is none', async () => {
    await expect(queuesOf(admitted('spot'), admitted('spot', 'False')).queues.placementsOf(JOB)).rejects.toThrow('no longer admitted to its queue');
  });

  it('is there or is not, in the moment in which somebody asks', () => {
    expect(() => queuesOf(admitted('spot')).queues.checkAdmission(JOB)).not.toThrow();
    expect(() => queuesOf(undefined).queues.checkAdmission(JOB)).toThrow('no longer admitted to its queue');
    expect(() => queuesOf(undefined).queues.checkAdmission({ ...JOB, spec: makeJob().pytorch(2).build().spec })).not.toThrow();
  });

  it('that is taken back after the placement of a pod was asked for keeps the pod from being made', async () => {
    const created: unknown[] = [];
    let isAdmitted = true;
    const client = { create: async (_kind: unknown, object: unknown) => { created.push(object); return object; } } as unknown as KubeClient;
    const queues = {
      placementsOf: async () => {
        // Whoever else runs in between takes it back: the answer arrives a moment later.
        queueMicrotask(() => { isAdmitted = false; });
        return new Map();
      },
      checkAdmission: () => {
        if (!isAdmitted) {
          throw new Error('not admitted');
        }
      },
    } as unknown as JobQueues;
    const stores = { pods: new Store<PodObject>(), services: new Store<KubeObject>() };
    const executor = new Executor(client, stores, addressBooks('pods'), Logger.silent(), undefined, queues);
    const [replica] = resolveTrainingJob('train', JOB.spec).replicas;
    const { errors } = await executor.execute(JOB, [{ type: 'createPod', replica, attempt: 0 }]);
    expect(errors).toEqual([new Error('not admitted')]);
    expect(created).toEqual([]);
  });
});
