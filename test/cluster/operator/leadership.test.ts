import { clusterAccess, eventually } from '../support/cluster';
import { FakeNode } from '../support/fake-node';
import { TestKubelet } from '../support/kubelet';
import { installOperator, startOperator, type Installation, type OperatorProcess } from '../support/operator';
import { TestApi } from '../support/test-api';
import { TestJobs } from '../support/training-jobs';

let api: TestApi;
let installation: Installation;
let namespace: string;
let jobs: TestJobs;
let kubelet: TestKubelet;
const started: OperatorProcess[] = [];

function start(name: string, env: { readonly [name: string]: string } = {}): OperatorProcess {
  const operator = startOperator(installation, { POD_NAME: name, ...env });
  started.push(operator);
  return operator;
}

beforeEach(async () => {
  api = new TestApi(clusterAccess());
  installation = await installOperator(api, await api.createNamespace('operator'));
  namespace = await api.createNamespace();
  jobs = new TestJobs(api, namespace);
  kubelet = new TestKubelet(api, namespace);
});
afterEach(async () => {
  await Promise.all(started.splice(0).map(async (operator) => operator.stop()));
  await api.remove('namespaces', undefined, namespace);
  await api.remove('namespaces', undefined, installation.namespace);
  installation.removeFiles();
});

const holder = async () => (await api.get('leases', installation.namespace, 'trainyard-operator')).spec.holderIdentity as string;
const hasActed = (operator: OperatorProcess) => operator.log().some(({ msg }) => msg === 'controller started');

test('of two operators one acts, and the other takes over at once when the first is stopped', async () => {
  const first = start('first');
  await first.logs('controller started');
  const second = start('second');
  await second.logs('operator starts');
  await jobs.create('net', { replicas: 2 });
  await kubelet.runAll('net', 2);
  await jobs.untilCondition('net', 'Running');
  expect([await holder(), hasActed(first), hasActed(second)]).toEqual(['first', true, false]);

  expect(await first.stop()).toBe(0);
  await second.logs('controller started');
  expect(await holder()).toBe('second');
  await kubelet.end('net-master');
  await jobs.untilCondition('net', 'Succeeded');
  expect([...first.complaints(), ...second.complaints()]).toEqual([]);
});

test('when the leader is killed, the other takes over as soon as the lease has run out', async () => {
  const first = start('first', { LEASE_SECONDS: '4' });
  await first.logs('controller started');
  const second = start('second', { LEASE_SECONDS: '4' });
  await second.logs('operator starts');
  await jobs.create('net');
  await kubelet.runAll('net', 1);
  await jobs.untilCondition('net', 'Running');
  await first.kill();
  await kubelet.end('net-master');
  await second.logs('controller started');
  await jobs.untilCondition('net', 'Succeeded');
  expect(second.complaints()).toEqual([]);
});

test('when the leader is lost with a node, its successor knows how long that node has been silent', async () => {
  const node = await FakeNode.create(api);
  await node.renewLease();
  await api.create('pods', installation.namespace, {
    apiVersion: 'v1', kind: 'Pod', metadata: { name: 'first' }, spec: { nodeName: node.name, containers: [{ name: 'operator', image: 'example/operator' }] },
  });
  const first = start('first', { LEASE_SECONDS: '6' });
  await first.logs('controller started');
  const second = start('second', { LEASE_SECONDS: '6' });
  await second.logs('operator starts');
  const nodeLoss = { leaseGraceSeconds: 4, graceSeconds: 3600, forceDeleteAfterSeconds: 3600 };
  await jobs.create('net', { replicas: 2, runPolicy: { nodeLoss } });
  await kubelet.pods('net', 2);
  await kubelet.bind('net-worker-0', node.name);
  await kubelet.run('net-master', 'net-worker-0');
  await jobs.untilCondition('net', 'Running');

  await first.kill();
  await kubelet.end('net-master', { exitCode: 1, message: 'RuntimeError: Connection closed by peer' });
  const { ts } = await second.logs('became the leader');
  const { status } = await jobs.until('net', 'disrupted', ({ disruptions }) => disruptions === 1);
  expect(status).toMatchObject({ restarts: 0, lastFailure: { pod: 'net-worker-0', node: node.name, reason: 'NodeSilent' } });
  const [, since] = /not renewed its Lease since (\S+)\.$/.exec(status!.lastFailure!.message!)!;
  expect(Date.parse(since)).toBeLessThan(Date.parse(ts as string));
  await node.remove();
});

test('a leader whose lease is taken ends with an error instead of acting beside the new one', async () => {
  const first = start('first', { LEASE_SECONDS: '4' });
  await first.logs('controller started');
  await api.patch('leases', installation.namespace, 'trainyard-operator', { spec: { holderIdentity: 'usurper', renewTime: new Date().toISOString().replace('Z', '000Z') } });
  expect((await first.child.exited).code).toBe(1);
  expect(first.log().find(({ level }) => level === 'error')).toMatchObject({ msg: 'lost leadership', leader: 'usurper' });
});

test('a container that was killed and starts again under its name does not wait for its own lease', async () => {
  const first = start('pod-0');
  await first.logs('controller started');
  const { spec: { leaseTransitions } } = await api.get('leases', installation.namespace, 'trainyard-operator');
  await first.kill();
  const again = start('pod-0');
  await again.logs('controller started');
  expect((await api.get('leases', installation.namespace, 'trainyard-operator')).spec.leaseTransitions).toBe(leaseTransitions);
});

test('an operator of one namespace needs no right in any other, and runs no job there', async () => {
  installation.removeFiles();
  installation = await installOperator(api, installation.namespace, [namespace]);
  // The binding of the first installation gives rights in all namespaces.
  await api.remove('clusterrolebindings', undefined, 'trainyard-operator');
  const elsewhere = await api.createNamespace();
  try {
    const operator = start('single', { WATCH_NAMESPACES: namespace });
    await operator.logs('controller started');
    await new TestJobs(api, elsewhere).create('net');
    await jobs.create('net');
    await kubelet.runAll('net', 1);
    await kubelet.end('net-master');
    await jobs.untilCondition('net', 'Succeeded');
    expect((await new TestJobs(api, elsewhere).get('net')).status).toBeUndefined();
    expect(operator.complaints()).toEqual([]);
  } finally {
    await api.remove('namespaces', undefined, elsewhere);
  }
});

test('an operator of two namespaces, one of which refuses it, runs the jobs of the other and is ready', async () => {
  installation.removeFiles();
  installation = await installOperator(api, installation.namespace, [namespace]);
  await api.remove('clusterrolebindings', undefined, 'trainyard-operator');
  const lost = await api.createNamespace();
  try {
    const operator = start('both', { WATCH_NAMESPACES: `${lost},${namespace}` });
    await jobs.create('net');
    await kubelet.runAll('net', 1);
    await kubelet.end('net-master');
    await jobs.untilCondition('net', 'Succeeded');
    const { healthPort } = await operator.logs('operator starts');
    expect((await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status).toBe(200);
    expect(await operator.logs('a namespace is unavailable; its jobs wait, those of other namespaces continue')).toMatchObject({ namespace: lost });
  } finally {
    await api.remove('namespaces', undefined, lost);
  }
});

test('answers the kubelet\'s probes', async () => {
  const operator = start('healthy');
  const { healthPort } = await operator.logs('operator starts');
  const probe = async (path: string) => (await fetch(`http://127.0.0.1:${healthPort}${path}`)).status;
  await eventually('the operator to be ready', async () => await probe('/readyz') === 200);
  expect(await probe('/healthz')).toBe(200);
});
