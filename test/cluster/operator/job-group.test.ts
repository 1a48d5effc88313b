/** Groups on the real API server: pods of the primary and of helpers, and what becomes of helpers. */
import { describeOperator } from '../support/operator-suite';
import { eventually, type TestObject } from '../support/cluster';
import { conditionOf, type TestJob } from '../support/training-jobs';
import type { HelperFailurePolicy } from '../../../src/model/training-job/replicas/role-specs';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

const suite = describeOperator();

const create = async (onFailure?: HelperFailurePolicy, fields: Partial<TrainingJobSpec> = {}): Promise<TestJob> => suite.jobs.create('net', {
  replicas: 2, helpers: [{ name: 'actor', replicas: 2, image: 'actor:1', command: ['act'], resources: { cpu: '2' }, ...(onFailure && { onFailure }) }], ...fields,
});

async function running(onFailure?: HelperFailurePolicy, fields?: Partial<TrainingJobSpec>): Promise<TestObject[]> {
  await create(onFailure, fields);
  await suite.kubelet.runAll('net', 4);
  await suite.jobs.untilCondition('net', 'Running');
  return suite.kubelet.pods('net', 4);
}

const environmentOf = (pod: TestObject): { [name: string]: string } =>
  Object.fromEntries(pod.spec.containers[0].env.map(({ name, value }: { name: string; value: string }) => [name, value]));
const podNamed = (pods: readonly TestObject[], name: string) => pods.find(({ metadata }) => metadata.name === name)!;

test('all start together, helpers with their own image and compute, and each finds all others', async () => {
  const pods = await running();
  expect(pods.map(({ metadata }) => metadata.name).sort()).toEqual(['net-actor-0', 'net-actor-1', 'net-master', 'net-worker-0']);
  const [actor, master] = [podNamed(pods, 'net-actor-1'), podNamed(pods, 'net-master')];
  expect(actor.spec.containers[0]).toMatchObject({ image: 'actor:1', command: ['act'], resources: { limits: { cpu: '2' } } });
  expect(environmentOf(actor)).toMatchObject({ ROLE: 'actor', TRAINYARD_PRIMARY_HOSTS: 'net-master:29600,net-worker-0.net:29600', TRAINYARD_PORT: '29600' });
  expect(environmentOf(actor)).not.toHaveProperty('RANK');
  expect(environmentOf(master)).toMatchObject({ RANK: '0', WORLD_SIZE: '2', TRAINYARD_ACTOR_HOSTS: 'net-actor-0.net:29600,net-actor-1.net:29600' });
  expect((await suite.api.list('services', suite.namespace)).map(({ metadata }) => metadata.name).sort()).toEqual(['net', 'net-master']);
});

test('the job succeeds with its primary, and helpers are ended, also where pods are kept', async () => {
  await running('Restart', { runPolicy: { cleanPodPolicy: 'None' } });
  await suite.kubelet.end('net-master');
  await suite.jobs.untilCondition('net', 'Succeeded');
  await eventually('helpers to be gone', async () => (
    (await suite.api.list('pods', suite.namespace, 'job=net')).map(({ metadata }) => metadata.name).sort().join() === 'net-master,net-worker-0'));
});

test('a failed helper is replaced while the others train on', async () => {
  const before = await running('Restart', { runPolicy: { backoff: { initialSeconds: 0 } } });
  await suite.kubelet.end('net-actor-0', { exitCode: 1 });
  await eventually('a successor', async () => {
    const pods = await suite.api.list('pods', suite.namespace, 'job=net');
    const successor = pods.find(({ metadata }) => metadata.name === 'net-actor-0');
    return successor !== undefined && successor.metadata.uid !== podNamed(before, 'net-actor-0').metadata.uid;
  });
  const job = await suite.jobs.get('net');
  expect(job.status).toMatchObject({ phase: 'Running', restarts: 1, attempt: 0, lastFailure: { pod: 'net-actor-0', role: 'actor', exitCode: 1 } });
  const after = await suite.kubelet.pods('net', 4);
  ['net-master', 'net-worker-0', 'net-actor-1'].forEach((name) => expect(podNamed(after, name).metadata.uid).toBe(podNamed(before, name).metadata.uid));
});

test('a failed helper ends the job where it is said so', async () => {
  await running('Fail');
  await suite.kubelet.end('net-actor-0', { exitCode: 3 });
  expect(conditionOf(await suite.jobs.untilCondition('net', 'Failed'), 'Failed')).toMatchObject({
    reason: 'ReplicaFailed', message: expect.stringContaining('net-actor-0 (actor)'),
  });
  await eventually('the others to be gone', async () => (await suite.api.list('pods', suite.namespace, 'job=net')).length === 1);
});

test('a failed helper is nothing to the job where it is said so', async () => {
  await running('Ignore');
  await suite.kubelet.end('net-actor-0', { exitCode: 3 });
  await suite.jobs.until('net', 'with a failed helper', ({ workerStatuses = [] }) => workerStatuses.some(({ role, failed }) => role === 'actor' && failed === 1));
  await suite.kubelet.end('net-master');
  const done = await suite.jobs.untilCondition('net', 'Succeeded');
  expect(done.status).toMatchObject({ phase: 'Completed', restarts: 0 });
});

test('when those that train start again, helpers start again with them', async () => {
  const before = await running('Restart', { runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 0 } } });
  await suite.kubelet.end('net-worker-0', { exitCode: 1 });
  await eventually('four others', async () => {
    const pods = await suite.api.list('pods', suite.namespace, 'job=net');
    return pods.length === 4 && pods.every(({ metadata }) => !before.some((pod) => pod.metadata.uid === metadata.uid));
  });
  expect((await suite.jobs.get('net')).status).toMatchObject({ attempt: 1, restarts: 1 });
});

test('helpers stay as they are while the job exists', async () => {
  await create();
  await expect(suite.jobs.change('net', { helpers: [] })).rejects.toThrow('cannot change while the job exists');
});
