import { containerEnvironment } from '../../../src/local/process/pod-fields';
import { MemoryObjectSource } from '../../../src/local/process/object-source';
import type { Container, EnvVar, Pod } from '../../../src/manifests/kubernetes';

const objects = new MemoryObjectSource({
  configMaps: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { LEVEL: 'info', EPOCHS: '3' } }],
  secrets: [{
    apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' }, data: { key: Buffer.from('hidden').toString('base64') }, stringData: { other: 'plain' },
  }],
});

async function environment(env: EnvVar[], extra: Partial<Container> = {}): Promise<{ [name: string]: string }> {
  const container: Container = { name: 'training', command: ['true'], env, ...extra };
  const pod: Pod = {
    metadata: { name: 'job-worker-0', namespace: 'ml', uid: 'u-1', labels: { role: 'worker' }, annotations: { 'ml.collabnix.io/rank': '1' } },
    spec: { containers: [container], nodeName: 'laptop' },
  };
  return Object.fromEntries(await containerEnvironment(pod, container, objects));
}

function from(name: string, valueFrom: EnvVar['valueFrom']): EnvVar {
  return { name, valueFrom };
}

test('expands values with the variables before them, and only those', async () => {
  expect(await environment([
    { name: 'LATER', value: '$(A)' }, { name: 'A', value: '1' }, { name: 'B', value: 'x$(A)' }, { name: 'C', value: '$$(A)' },
  ])).toEqual({ LATER: '$(A)', A: '1', B: 'x1', C: '$(A)' });
});

test('fills variables from fields of the pod', async () => {
  const fields: { readonly [name: string]: string } = {
    NAME: 'metadata.name', NAMESPACE: 'metadata.namespace', UID: 'metadata.uid', ROLE_LABEL: "metadata.labels['role']", NO_LABEL: "metadata.labels['none']",
    RANK: "metadata.annotations['ml.collabnix.io/rank']", IP: 'status.podIP', HOST: 'status.hostIP', NODE: 'spec.nodeName',
  };
  const env = Object.entries(fields).map(([name, fieldPath]) => from(name, { fieldRef: { fieldPath } }));
  expect(await environment(env)).toEqual({
    NAME: 'job-worker-0', NAMESPACE: 'ml', UID: 'u-1', ROLE_LABEL: 'worker', NO_LABEL: '', RANK: '1', IP: '127.0.0.1', HOST: '127.0.0.1', NODE: 'laptop',
  });
});

test('lets a value use a field: the trick of the Paddle contract', async () => {
  expect((await environment([from('IP', { fieldRef: { fieldPath: 'status.podIP' } }), { name: 'MASTER', value: '$(IP):29500' }])).MASTER).toBe('127.0.0.1:29500');
});

test('names the nearest field when a path is wrong', async () => {
  await expect(environment([from('X', { fieldRef: { fieldPath: 'metadata.nam' } })])).rejects.toThrow("fieldRef metadata.nam: is not a field of a pod that can be referred to. Did you mean 'metadata.name'?");
});

test('fills variables from resources, rounded up by their divisor', async () => {
  const resources = { limits: { cpu: '1500m', memory: '2Gi' }, requests: { cpu: '250m' } };
  const env = [
    from('CPUS', { resourceFieldRef: { resource: 'limits.cpu' } }),
    from('MILLIS', { resourceFieldRef: { resource: 'requests.cpu', divisor: '1m' } }),
    from('MIB', { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } }),
  ];
  expect(await environment(env, { resources })).toEqual({ CPUS: '2', MILLIS: '250', MIB: '2048' });
});

test('fills variables from config maps and secrets', async () => {
  const env = [
    from('LEVEL', { configMapKeyRef: { name: 'settings', key: 'LEVEL' } }),
    from('KEY', { secretKeyRef: { name: 'token', key: 'key' } }),
    from('OTHER', { secretKeyRef: { name: 'token', key: 'other' } }),
    from('NONE', { secretKeyRef: { name: 'none', key: 'x', optional: true } }),
  ];
  expect(await environment(env)).toEqual({ LEVEL: 'info', KEY: 'hidden', OTHER: 'plain' });
});

test('takes all keys with envFrom, and env wins', async () => {
  const envFrom = [{ configMapRef: { name: 'settings' } }, { prefix: 'S_', secretRef: { name: 'token' } }, { configMapRef: { name: 'none', optional: true } }];
  expect(await environment([{ name: 'LEVEL', value: 'debug' }], { envFrom })).toEqual({ LEVEL: 'debug', EPOCHS: '3', S_key: 'hidden', S_other: 'plain' });
});

test('says which object or key is missing, and what is there', async () => {
  await expect(environment([from('X', { configMapKeyRef: { name: 'settings', key: 'LVL' } })]))
    .rejects.toThrow("container training: variable X: the config map 'settings' has no key 'LVL'; it has LEVEL, EPOCHS.");
  await expect(environment([from('X', { secretKeyRef: { name: 'gone', key: 'k' } })])).rejects.toThrow("there is no secret 'gone'");
  await expect(environment([], { envFrom: [{ configMapRef: { name: 'gone' } }] })).rejects.toThrow("container training: envFrom: there is no config map 'gone'");
});
