/** What the page of nodes shows. */
import { Reader } from '../../../src/cli/jobs/reader';
import { readNodes } from '../../../src/cli/ui/nodes';
import { ApiError } from '../../../src/operator/runtime/http/api-error';
import type { KubeClient } from '../../../src/operator/runtime/kube-client';

type Lists = { readonly [plural: string]: readonly object[] };

/** @param refused what may not be listed, as `PLURAL` everywhere or `PLURAL *` in all namespaces at once */
const read = async (lists: Lists, refused: readonly string[] = []) => {
  const list = async ({ plural }: { readonly plural: string }, { namespace }: { readonly namespace?: string } = {}) => {
    if (refused.includes(plural) || (namespace === undefined && refused.includes(`${plural} *`))) {
      throw new ApiError(`GET /${plural}`, 403, { reason: 'Forbidden', message: 'no' });
    }
    return { items: lists[plural] ?? [], continueToken: undefined };
  };
  return readNodes(new Reader({ list, listPage: list } as unknown as KubeClient), 'team-a');
};

const READY = { type: 'Ready', status: 'True' };
const node = (name: string, { labels = {}, gpus = '8', conditions = [READY], spec = {} } = {}) => (
  { metadata: { name, labels }, spec, status: { allocatable: { 'cpu': '96', 'memory': '1024Gi', 'nvidia.com/gpu': gpus }, conditions } });
const pod = (nodeName: string, metadata: object, gpus = '4') => ({
  metadata: { namespace: 'team-a', ...metadata },
  spec: { nodeName, containers: [{ name: 'training', resources: { requests: { 'cpu': '24', 'nvidia.com/gpu': gpus } } }] },
});
const H100 = { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' };
const owned = (kind: string) => [{ apiVersion: 'x/v1', kind, name: 'llama', uid: 'u', controller: true }];

const LISTS: Lists = {
  nodes: [node('a', { labels: H100 }), node('b', { labels: H100, conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletDown' } as never] }), node('c', { gpus: '0', spec: { unschedulable: true } })],
  pods: [
    pod('a', { labels: { job: 'llama' }, ownerReferences: owned('MLTrainingJob') }), pod('a', { labels: { job: 'other' } }, '1'),
    pod('a', { labels: { 'jobset.sigs.k8s.io/jobset-name': 'sets', 'batch.kubernetes.io/job-name': 'sets-node-0' }, ownerReferences: owned('Job') }, '2'),
  ],
  mltrainingjobs: [{ metadata: { namespace: 'team-b', name: 'sick' }, status: { suspectNodes: [
    { node: 'b', failures: 2, reason: 'Error', avoided: true }, { node: 'a', failures: 1, reason: 'Error', avoided: false },
  ] } }],
};

test('nodes stand below their accelerator, with use, jobs, and first those that are sick or avoided', async () => {
  const { groups, unread } = await read(LISTS);
  expect(unread).toEqual([]);
  expect(groups.map(({ accelerator, nodes }) => [accelerator, nodes.map(({ name }) => name)])).toEqual([['nvidia-h100-80gb', ['b', 'a']], ['nvidia.com/gpu', ['c']]]);
  const [h100, others] = groups;
  expect(h100.uses[0]).toEqual({ resource: 'nvidia.com/gpu', requested: '7', allocatable: '16', percentage: 44 });
  expect(h100.nodes[0]).toMatchObject({ state: 'NotReady', problems: ['KubeletDown', 'avoided by team-b/sick after 2 failures there (Error)'], jobs: [] });
  expect(h100.nodes[1]).toMatchObject({
    state: 'Ready', problems: [], otherPods: 1, jobs: [{ kind: 'MLTrainingJob', name: 'llama', pods: 1 }, { kind: 'JobSet', group: 'jobset.x-k8s.io', name: 'sets', pods: 1 }],
  });
  expect(others.nodes[0]).toMatchObject({ state: 'Cordoned' });
});

test('who may not list something is told which right is missing, and sees the rest', async () => {
  expect(await read(LISTS, ['nodes'])).toEqual({ groups: [], unread: [expect.stringContaining('the verb list on the resource nodes, in a ClusterRole')] });
  const narrow = await read(LISTS, ['pods *', 'mltrainingjobs']);
  expect(narrow.unread).toEqual([expect.stringContaining('in all namespaces: only the use by the namespace team-a is shown'), expect.stringContaining('list mltrainingjobs')]);
  expect(narrow.groups[0].uses[0].requested).toBe('7');
  expect((await read(LISTS, ['pods'])).unread).toEqual(['You do not have permission to list pods: the use of nodes is unknown.']);
});
