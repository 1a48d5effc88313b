/** What a queued job says when its Workload cannot be made. */
import { makeJob } from './support/builders';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import { ApiError } from '../../../src/operator/runtime/api-error';
import { SYSTEM_CLOCK } from '../../../src/operator/runtime/clock';
import type { KubeClient } from '../../../src/operator/runtime/kube-client';
import { Logger } from '../../../src/operator/runtime/logger';
import { JobQueues } from '../../../src/operator/training/job-queues';
import type { TrainingJobObject } from '../../../src/operator/training/resources';

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
    reason: 'WorkloadRefused', message: 'Kueue does not take the job: spec.podSets: too many',
  });
});
