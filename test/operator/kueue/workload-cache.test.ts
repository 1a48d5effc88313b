/** Workloads on a cluster that may have no Kueue, or gets it later. */
import { FakeClock } from '../runtime/support/fake-clock';
import { WorkloadCache } from '../../../src/operator/kueue/workload-cache';
import type { Workload } from '../../../src/operator/kueue/workload';
import { ApiError } from '../../../src/operator/runtime/http/api-error';
import { Logger } from '../../../src/operator/runtime/process/logger';

const WORKLOAD: Workload = {
  metadata: {
    name: 'w', namespace: 'team', uid: 'w-1', resourceVersion: '7',
    ownerReferences: [{ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'net', uid: 'u-1', controller: true }],
  },
};

function setUp() {
  const server = { isInstalled: false, probes: 0 };
  const clock = new FakeClock();
  const client = {
    raw: async () => {
      server.probes++;
      if (!server.isInstalled) {
        throw new ApiError('GET', 404);
      }
      return { resources: [{ name: 'workloads' }] };
    },
    listPage: async () => {
      if (!server.isInstalled) {
        throw new ApiError('list', 404);
      }
      return { items: [WORKLOAD], resourceVersion: '7' };
    },
    watch: async (_kind: unknown, { signal }: { signal: AbortSignal }) => new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    }),
  };
  const cache = new WorkloadCache({ client: client as never, logger: Logger.silent(), clock, resyncMs: 600_000 });
  return { server, clock, cache };
}

const settle = async () => { for (let turn = 0; turn < 20; turn++) { await new Promise((resolve) => { setImmediate(resolve); }); } };

test('nobody looks for Kueue before a job asks for it; then it is looked for until it is there, and who waits is told', async () => {
  const { server, clock, cache } = setUp();
  const end = new AbortController();
  let served = 0;
  const forget = cache.onServed(() => { served++; });
  const running = cache.run(end.signal);
  await settle();
  expect(server.probes).toBe(0);

  expect(cache.state).toBe('NotRead');
  await settle();
  expect([cache.state, cache.watch]).toEqual(['NotInstalled', undefined]);
  await clock.advance(5_000);
  await settle();
  expect([server.probes, served]).toEqual([2, 0]);

  server.isInstalled = true;
  await clock.advance(5_000);
  await settle();
  expect([cache.state, served]).toEqual(['Ready', 1]);
  expect(cache.ofOwner({ namespace: 'team', uid: 'u-1' })?.metadata?.name).toBe('w');
  expect(cache.ofOwnerName('team/net')).toHaveLength(1);
  // Its watch is one of those that probes and metrics look at.
  expect(cache.watch?.health).toMatchObject({ resource: 'workloads.kueue.x-k8s.io', alive: true, synced: true });
  forget();
  end.abort();
  await clock.advance(5_000);
  await running;
});

test('a Workload of another namespace is not that of a job, whatever uid it names as its controller', () => {
  const { cache } = setUp();
  const forged = { ...WORKLOAD, metadata: { ...WORKLOAD.metadata, name: 'forged', namespace: 'another-team', uid: 'w-0', resourceVersion: '6' } };
  cache.store.applyWritten(forged);
  expect(cache.ofOwner({ namespace: 'team', uid: 'u-1' })).toBeUndefined();
  cache.store.applyWritten(WORKLOAD);
  expect(cache.ofOwner({ namespace: 'team', uid: 'u-1' })?.metadata?.name).toBe('w');
});
