/** What the page of queues shows. */
import { readQueues } from '../../../src/cli/ui/queues';
import type { Reader } from '../../../src/cli/jobs/reader';

const read = async (lists: { readonly [plural: string]: readonly object[] | undefined }) => (
  readQueues({ list: async ({ plural }: { readonly plural: string }) => lists[plural], unread: ['a sentence'] } as unknown as Reader, 'team-a'));

const CLUSTER_QUEUE = {
  metadata: { name: 'gpus' },
  spec: {
    cohortName: 'all',
    resourceGroups: [{ flavors: [
      { name: 'h100', resources: [{ name: 'nvidia.com/gpu', nominalQuota: '8', borrowingLimit: '4' }, { name: 'memory', nominalQuota: '512Gi' }] },
      { name: 'spot', resources: [{ name: 'nvidia.com/gpu', nominalQuota: 0 }] },
    ] }],
  },
  status: {
    pendingWorkloads: 2, admittedWorkloads: 3, conditions: [{ type: 'Active', status: 'True' }],
    flavorsReservation: [{ name: 'h100', resources: [{ name: 'nvidia.com/gpu', total: '10', borrowed: '2' }, { name: 'memory', total: '128Gi', borrowed: '0' }] }],
  },
};

test('quota is what a flavor has, uses and borrows', async () => {
  const { clusterQueues, unread } = await read({ clusterqueues: [CLUSTER_QUEUE] });
  expect(clusterQueues).toEqual([{
    name: 'gpus', parent: 'all', waiting: 2, admitted: 3, quotas: [
      { flavor: 'h100', resource: 'nvidia.com/gpu', nominal: '8', used: '10', borrowed: '2', borrowingLimit: '4', percentage: 125 },
      { flavor: 'h100', resource: 'memory', nominal: '512Gi', used: '128Gi', percentage: 25 },
      { flavor: 'spot', resource: 'nvidia.com/gpu', nominal: '0', used: '0', percentage: 0 },
    ],
  }]);
  expect(unread).toEqual(['a sentence']);
});

test('a queue that admits nothing says why', async () => {
  const queue = (spec: object, conditions: object[]) => ({ metadata: { name: 'q', namespace: 'team-a' }, spec: { clusterQueue: 'gpus', ...spec }, status: { conditions } });
  const { localQueues } = await read({ localqueues: [
    queue({}, []), queue({ stopPolicy: 'None' }, [{ type: 'Active', status: 'True' }]), queue({ stopPolicy: 'Hold' }, []),
    queue({}, [{ type: 'Active', status: 'False', message: 'There is no ClusterQueue gpus.' }]),
  ] });
  expect(localQueues.map(({ parent, problem }) => [parent, problem])).toEqual([
    ['gpus', undefined], ['gpus', undefined], ['gpus', 'stopped (stopPolicy Hold)'], ['gpus', 'There is no ClusterQueue gpus.'],
  ]);
});

test('what waits is shown with its job and why, the oldest first, and what runs or has ended is not', async () => {
  const workload = (name: string, creationTimestamp: string, conditions: object[], spec = {}) => ({
    metadata: { name, namespace: 'team-a', creationTimestamp, ownerReferences: name === 'alone' ? [] : [{ kind: 'MLTrainingJob', name }] }, spec: { queueName: 'q', ...spec }, status: { conditions },
  });
  const { waiting } = await read({ workloads: [
    workload('new', '2026-03-01T00:00:00Z', []), workload('running', '2026-01-01T00:00:00Z', [{ type: 'Admitted', status: 'True' }]),
    workload('done', '2026-01-01T00:00:00Z', [{ type: 'Finished', status: 'True' }]),
    workload('old', '2026-02-01T00:00:00Z', [{ type: 'QuotaReserved', status: 'False', message: 'insufficient quota for nvidia.com/gpu' }]),
    workload('checked', '2026-02-02T00:00:00Z', [{ type: 'QuotaReserved', status: 'True' }]), workload('alone', '2026-02-03T00:00:00Z', [], { active: false }),
  ] });
  expect(waiting.map(({ job, why }) => [job, why])).toEqual([
    ['MLTrainingJob old', 'insufficient quota for nvidia.com/gpu'], ['MLTrainingJob checked', 'It has quota, and waits for admission checks.'],
    ['Workload alone', 'It is suspended.'], ['MLTrainingJob new', 'Kueue has not processed it yet.'],
  ]);
});

test('without Kueue there is nothing', async () => {
  expect(await read({})).toEqual({ clusterQueues: [], localQueues: [], waiting: [], unread: ['a sentence'] });
});
