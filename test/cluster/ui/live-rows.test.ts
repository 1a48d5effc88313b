/** Rows that are kept by a watch, on a real API server: they follow the cluster, cost no second list, and end with the rights of their user. */
import { randomBytes } from 'node:crypto';
import { LiveRows, RowBudget, type LiveRowsOptions } from '../../../src/cli/ui/live-rows';
import { COMMAND_KINDS } from '../../../src/cli/jobs/kinds';
import { Reader } from '../../../src/cli/jobs/reader';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { API_GROUP, GROUP_VERSION, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL } from '../../../src/model/labels';
import { StaticCredentials } from '../../../src/operator/runtime/credentials/credentials';
import { loadConnection, type ClusterConnection } from '../../../src/operator/runtime/credentials/kubeconfig';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import { clusterKubeconfig, eventually, mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { jobManifest, jobsPath } from '../support/submit';
import { untilGranted } from '../support/rights';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const KIND = COMMAND_KINDS.find(({ kind }) => kind === TRAINING_JOB_KIND)!;
const LIMITS = { worthAWatch: 3 };
const SPEC = { framework: 'plain', image: 'registry.example/train:1', replicas: 1 };

let namespace = '';
let connection: ClusterConnection;
const clients: KubeClient[] = [];

const create = async (name: string) => mustRequest('POST', jobsPath(namespace), jobManifest(name, SPEC));
const setPhase = async (name: string, phase: string) => (
  mustRequest('PATCH', `${jobsPath(namespace)}/${name}/status`, { status: { phase } }, 'application/merge-patch+json'));

/** A service account that may do this with jobs of the namespace, until `revoke` is called, and what it sees. */
async function userWith(verbs: readonly string[], options: Partial<LiveRowsOptions> = {}) {
  const name = `user-${randomBytes(3).toString('hex')}`;
  await mustRequest('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
  await mustRequest('POST', `${RBAC}/namespaces/${namespace}/roles`, { metadata: { name }, rules: [{ apiGroups: [API_GROUP], resources: [TRAINING_JOB_PLURAL], verbs }] });
  await mustRequest('POST', `${RBAC}/namespaces/${namespace}/rolebindings`, {
    metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }, subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
  for (const verb of verbs) {
    await untilGranted({ user: `system:serviceaccount:${namespace}:${name}`, verb, group: API_GROUP, resource: TRAINING_JOB_PLURAL, namespace });
  }
  const { body } = await mustRequest<TestObject>('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} });
  const client = new KubeClient({ connection: { ...connection, credentials: new StaticCredentials({ headers: { authorization: `Bearer ${body.status.token}` } }) } });
  clients.push(client);
  const [lists, watches] = [jest.spyOn(client, 'listPage'), jest.spyOn(client, 'watch')];
  const live = new LiveRows(client, { budget: new RowBudget(), ...LIMITS, ...options });
  const look = async () => {
    const reader = new Reader(client);
    const rows = await live.read(reader, KIND, namespace);
    return { states: Object.fromEntries(rows.map(({ row }) => [row.name, row.phase])), unread: reader.unread };
  };
  return {
    live, look, watches,
    wholeLists: () => lists.mock.calls.filter(([, select]) => select?.limit !== 1).length,
    names: async () => Object.keys((await look()).states).sort(),
    /** Until a look needs no whole list any more. */
    untilWatched: async () => eventually('rows to be kept', async () => {
      const before = lists.mock.calls.length;
      await look();
      return lists.mock.calls.slice(before).every(([, select]) => select?.limit === 1);
    }),
    revoke: async () => mustRequest('DELETE', `${RBAC}/namespaces/${namespace}/rolebindings/${name}`),
  };
}

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd()]);
  connection = await loadConnection({ kubeconfig: clusterKubeconfig() });
});
beforeEach(async () => {
  namespace = await createNamespace('live-rows');
  for (const name of ['one', 'two', 'three']) {
    await create(name);
  }
});
afterEach(async () => {
  clients.splice(0).forEach((client) => client.close());
  await deleteNamespace(namespace);
});

test('rows follow the cluster without a second list', async () => {
  const user = await userWith(['list', 'watch']);
  expect(await user.names()).toEqual(['one', 'three', 'two']);
  await user.untilWatched();
  const lists = user.wholeLists();
  await create('four');
  await setPhase('one', 'Running');
  await mustRequest('DELETE', `${jobsPath(namespace)}/two`);
  await eventually('the changes', async () => {
    const { states } = await user.look();
    return states.one === 'Running' && 'four' in states && !('two' in states);
  });
  // What belongs to another object is a part of that.
  const { body } = await mustRequest<TestObject>('GET', `${jobsPath(namespace)}/one`);
  const owner = { apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, name: 'one', uid: body.metadata!.uid };
  await mustRequest('PATCH', `${jobsPath(namespace)}/four`, { metadata: { ownerReferences: [owner] } }, 'application/merge-patch+json');
  await eventually('the part to be left out', async () => (await user.names()).join() === 'one,three');
  expect(user.wholeLists()).toBe(lists);
  expect(user.watches).toHaveBeenCalledTimes(1);
});

test('whose right is taken away sees nothing at the next look, also while another one looks', async () => {
  const [user, other, nobody] = [await userWith(['list', 'watch']), await userWith(['list', 'watch']), await userWith(['watch'])];
  await user.untilWatched();
  await other.untilWatched();
  expect(await nobody.look()).toEqual({ states: {}, unread: [`You do not have permission to read ${TRAINING_JOB_PLURAL}.${API_GROUP}: their information is missing here.`] });
  await user.revoke();
  const refused = await eventually('the API server to refuse the list', async () => {
    const seen = await user.look();
    return seen.unread.length > 0 && seen;
  });
  expect(refused.states).toEqual({});
  await eventually('the watch to end', async () => user.live.watches === 0);
  expect(await other.names()).toEqual(['one', 'three', 'two']);
  expect(other.live.watches).toBe(1);
});

test('who may list and not watch sees the same, by lists, and is refused a watch once', async () => {
  const user = await userWith(['list']);
  expect(await user.names()).toEqual(['one', 'three', 'two']);
  await eventually('the watch to be refused', async () => user.live.watches === 0);
  await create('four');
  expect(await user.names()).toEqual(['four', 'one', 'three', 'two']);
  expect(await user.names()).toEqual(['four', 'one', 'three', 'two']);
  expect(user.watches).toHaveBeenCalledTimes(1);
});

test('few jobs are listed', async () => {
  const user = await userWith(['list', 'watch'], { worthAWatch: 4 });
  expect(await user.names()).toEqual(['one', 'three', 'two']);
  expect(user.watches).not.toHaveBeenCalled();
});

test('rows at which nobody looks are forgotten', async () => {
  const user = await userWith(['list', 'watch'], { idleMs: 50 });
  await user.look();
  expect(user.watches).toHaveBeenCalledTimes(1);
  await eventually('the rows to be forgotten', async () => user.live.watches === 0);
  expect(await user.names()).toEqual(['one', 'three', 'two']);
});

test('users of a process have a bound together, and who is beyond it sees the same by lists', async () => {
  const budget = new RowBudget(5);
  const [first, second] = [await userWith(['list', 'watch'], { budget }), await userWith(['list', 'watch'], { budget })];
  await first.untilWatched();
  expect(await second.names()).toEqual(['one', 'three', 'two']);
  expect(second.watches).not.toHaveBeenCalled();
  // Rows that come later count too.
  for (const name of ['four', 'five', 'six']) {
    await create(name);
  }
  await eventually('the watch that has grown too large to end', async () => first.live.watches === 0);
  expect(await first.names()).toEqual(['five', 'four', 'one', 'six', 'three', 'two']);
  expect(budget.open(5)).toBe(true);
});

test('a connection that breaks is followed by a list', async () => {
  const user = await userWith(['list', 'watch']);
  await user.untilWatched();
  clients.at(-1)!.close();
  await eventually('the watch to end', async () => user.live.watches === 0);
  await create('four');
  expect(await user.names()).toEqual(['four', 'one', 'three', 'two']);
});
