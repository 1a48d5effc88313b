/** How long a job is left alone after a pass. */
import { ApiServer, KINDS } from './plan/simulation/api-server';
import { Caches } from './plan/simulation/caches';
import { makeJob } from './support/builders';
import type { Clock } from '../../../src/operator/runtime/process/clock';
import type { KubeClient } from '../../../src/operator/runtime/kube-client';
import { Logger } from '../../../src/operator/runtime/process/logger';
import type { Executor } from '../../../src/operator/training/executor';
import { TrainingJobReconciler } from '../../../src/operator/training/reconciler';
import type { TrainingJobObject } from '../../../src/operator/training/resources';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import type { StatusWriter } from '../../../src/operator/training/status-writer';

/** A reconciler of one job that writes nothing. */
function makeReconciler(isBusy: boolean, more: Partial<TrainingJobSpec> = {}, passesPerSecond = 0): TrainingJobReconciler {
  const server = new ApiServer();
  server.createJob('train', { ...makeJob().pytorch(4).build().spec, ...more });
  const caches = new Caches(server);
  KINDS.forEach((kind) => { caches.beginList(kind); caches.commitList(kind); });
  const keep = async (job: TrainingJobObject) => job;
  return new TrainingJobReconciler({
    client: {} as KubeClient,
    jobs: caches.jobs,
    children: { pods: caches.pods, services: caches.services },
    executor: { execute: async () => ({ problems: [], errors: [] }) } as unknown as Executor,
    statuses: { write: keep, writeWhenDue: async (job: TrainingJobObject) => ({ job }), forget: () => undefined } as unknown as StatusWriter,
    clock: { now: () => 0, monotonic: () => 0 } as Clock,
    logger: Logger.silent(),
    publish: () => undefined,
    isBusy: () => isBusy,
    passesPerSecond: () => passesPerSecond,
  });
}

it('a job of ordinary size is looked at again at once while nobody waits', async () => {
  const { restMs } = await makeReconciler(false).reconcile('default/train');
  expect(restMs ?? 0).toBe(0);
});

it('while jobs wait for a worker or for their pods, each rests, so that the pods of one that start together are one look', async () => {
  const { restMs } = await makeReconciler(true).reconcile('default/train');
  expect(restMs).toBe(250);
});

it('while many passes are made, each job rests, and of a few none does', async () => {
  const rests = [99, 100].map(async (passes) => (await makeReconciler(false, {}, passes).reconcile('default/train')).restMs ?? 0);
  expect(await Promise.all(rests)).toEqual([0, 100]);
});

it('a job with jobs below it does not rest: one of them that comes and goes meanwhile would never have been seen', async () => {
  const { restMs } = await makeReconciler(true, { array: { count: 2 } }).reconcile('default/train');
  expect(restMs ?? 0).toBe(0);
});
