import path from 'node:path';
import { chooseReplicas, dotenvLines, exampleReplicas, tableLines } from '../../../src/cli/env/output';
import { seenReplicas, type SeenReplica } from '../../../src/cli/env/seen-variables';
import { painter } from '../../../src/local/output/colours';
import { engines } from '../../../src/manifests/engines/registry';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import type { ConfigMap } from '../../../src/manifests/kubernetes';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { computingMs, LITTLE_MS } from '../../support/cpu-time';
import { trainyard } from '../support/command';

const EXAMPLES = path.join(__dirname, '..', '..', '..', 'examples');
const SETTINGS: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { LEVEL: 'info', PRICE: '$5' } } as ConfigMap;

function seen(more: Partial<TrainingJobSpec>, engine = OPERATOR_ENGINE): SeenReplica[] {
  return seenReplicas(engine, { name: 'train', spec: { framework: 'jax', image: 'image', replicas: 2, ...more } }, [SETTINGS]);
}

const variable = (replica: SeenReplica, name: string) => replica.variables.find((candidate) => candidate.name === name);

test('each replica has its role, index, rank and pod, and its framework\'s variables', () => {
  const replicas = seen({});
  expect(replicas.map(({ role, index, rank, pod }) => [role, index, rank, pod])).toEqual([['worker', 0, 0, 'train-worker-0'], ['worker', 1, 1, 'train-worker-1']]);
  expect(replicas.map((replica) => variable(replica, 'JAX_PROCESS_ID')?.value)).toEqual(['0', '1']);
});

test('every engine that can run a job gives each of its replicas a rank', () => {
  for (const engine of engines()) {
    expect([engine.name, ...seen({ runPolicy: { restartPolicy: 'Never' } }, engine).map((replica) => variable(replica, 'RANK')?.value)]).toEqual([engine.name, '0', '1']);
  }
});

test('ranks of elastic jobs are not told: they change', () => {
  expect(seen({ framework: 'pytorch', elastic: { minReplicas: 1, maxReplicas: 2 } }).map(({ rank }) => rank)).toEqual([undefined, undefined]);
});

test('references are expanded as the kubelet does it, and say where they lead', () => {
  const [replica] = seen({
    env: [
      { name: 'BASE', value: '/data' },
      { name: 'PATHS', value: '$(BASE)/a:$(NOBODY):$$(BASE)' },
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 's3', key: 'token' } } },
      { name: 'MAYBE', valueFrom: { secretKeyRef: { name: 's3', key: 'other', optional: true } } },
      { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'LEVEL' } } },
      { name: 'FOREIGN', valueFrom: { configMapKeyRef: { name: 'foreign', key: 'x' } } },
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      { name: 'CPUS', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      { name: 'WITH_TOKEN', value: 'x$(TOKEN)' },
    ],
  });
  const shown = Object.fromEntries(['PATHS', 'TOKEN', 'MAYBE', 'LEVEL', 'FOREIGN', 'POD', 'NODE', 'CPUS', 'WITH_TOKEN'].map((name) => [name, variable(replica, name)?.value ?? variable(replica, name)?.from]));
  expect(shown).toEqual({
    PATHS: '/data/a:$(NOBODY):$(BASE)',
    TOKEN: { kind: 'Secret', name: 's3', key: 'token' },
    MAYBE: { kind: 'Secret', name: 's3', key: 'other', optional: true },
    LEVEL: 'info',
    FOREIGN: { kind: 'ConfigMap', name: 'foreign', key: 'x' },
    POD: 'train-worker-0',
    NODE: { kind: 'pod', key: 'spec.nodeName' },
    CPUS: { kind: 'resource', key: 'limits.cpu' },
    WITH_TOKEN: 'x$(TOKEN)',
  });
});

test('what templates give to the training container is seen too, and whole objects key by key where they are at hand', () => {
  const [replica] = seen({
    template: {
      spec: {
        containers: [
          { name: 'training', env: [{ name: 'A', value: '1' }], envFrom: [{ prefix: 'S_', configMapRef: { name: 'settings' } }, { secretRef: { name: 's3' } }] },
          { name: 'sidecar', image: 'x', env: [{ name: 'B', value: '2' }] },
        ],
      },
    },
  });
  expect(variable(replica, 'A')?.value).toBe('1');
  expect(variable(replica, 'B')).toBeUndefined();
  expect([variable(replica, 'S_LEVEL')?.value, variable(replica, 'S_PRICE')?.value]).toEqual(['info', '$5']);
  expect(replica.variables).toContainEqual({ from: { kind: 'Secret', name: 's3' } });
});

describe('replicas are chosen', () => {
  const replicas = seen({ framework: 'tensorflow', replicas: undefined, roles: [{ name: 'chief' }, { name: 'worker', replicas: 4 }, { name: 'ps', replicas: 2 }] });
  const names = (chosen: readonly SeenReplica[]) => chosen.map(({ role, index }) => `${role}-${index}`);

  test('by rank and by role', () => {
    expect(names(chooseReplicas(replicas, { rank: 2 }))).toEqual(['worker-1']);
    expect(names(chooseReplicas(replicas, { role: 'ps' }))).toEqual(['ps-0', 'ps-1']);
    expect(names(chooseReplicas(replicas, { role: 'worker', rank: 4 }))).toEqual(['worker-3']);
  });

  test('and a wrong choice is told with what there is', () => {
    expect(() => chooseReplicas(replicas, { role: 'wroker' })).toThrow("Roles: chief, worker, ps. Did you mean 'worker'?");
    expect(() => chooseReplicas(replicas, { rank: 9 })).toThrow('--rank 9: the job has the ranks 0 to 4.');
    expect(() => chooseReplicas(replicas, { rank: 0, role: 'worker' })).toThrow('the role worker has the ranks 1 to 4.');
    expect(() => chooseReplicas(replicas, { rank: 0, role: 'ps' })).toThrow('these replicas have no fixed ranks');
  });

  test('as examples where there are many: the first two and the last of each role', () => {
    expect(names(exampleReplicas(replicas))).toEqual(['chief-0', 'worker-0', 'worker-1', 'worker-3', 'ps-0', 'ps-1']);
    expect(names(exampleReplicas(seen({ replicas: 4 })))).toHaveLength(4);
  });
});

const plain = painter(false);
const replica = (index: number, variables: SeenReplica['variables']): SeenReplica => ({ role: 'worker', index, rank: index, pod: `p-${index}`, variables });

test('the table says once what all replicas share, and puts side by side what differs', () => {
  const shared = [{ name: 'HOST', value: 'a' }, { name: 'TOKEN', from: { kind: 'Secret', name: 's3', key: 'token' } }] as const;
  const long = (index: number) => ({ name: 'CONFIG', value: `{"task":{"type":"worker","index":${index}}}` });
  const all = [replica(0, [...shared, { name: 'RANK', value: '0' }, long(0)]), replica(1, [...shared, { name: 'RANK', value: '1' }, long(1), { name: 'EXTRA', value: 'x' }])];
  expect(tableLines(all, all, plain)).toEqual([
    'All replicas:',
    '  HOST   a',
    '  TOKEN  from Secret s3 key token',
    '',
    'By replica:',
    '         worker-0 (rank 0)  worker-1 (rank 1)',
    '  RANK   0                  1',
    '  EXTRA  -                  x',
    '  CONFIG',
    '    worker-0 (rank 0)  {"task":{"type":"worker","index":0}}',
    '    worker-1 (rank 1)  {"task":{"type":"worker","index":1}}',
    '',
  ]);
});

test('what differs from a replica that is not shown is no shared variable', () => {
  const all = [replica(0, [{ name: 'RANK', value: '0' }]), replica(1, [{ name: 'RANK', value: '1' }])];
  expect(tableLines(all, [all[1]], plain)).toEqual(['By replica:', '        worker-1 (rank 1)', '  RANK  1', '']);
});

test('dotenv is read back by a shell as it was, and secrets are comments', () => {
  expect(dotenvLines(replica(0, [
    { name: 'PLAIN', value: 'a/b:c=1,2' }, { name: 'SPACE', value: 'a b $HOME `x`' }, { name: 'QUOTE', value: 'it\'s\n"so" $5' }, { name: 'EMPTY', value: '' },
    { name: 'TOKEN', from: { kind: 'Secret', name: 's3', key: 'token', optional: true } }, { from: { kind: 'ConfigMap', name: 'all' } },
  ]))).toEqual([
    'PLAIN=a/b:c=1,2', 'SPACE=\'a b $HOME `x`\'', 'QUOTE="it\'s\\n\\"so\\" \\$5"', 'EMPTY=', '# TOKEN from Secret s3 key token, if it exists', '# from ConfigMap all, all keys',
  ]);
});

describe('the command', () => {
  test('prints one rank as JSON', async () => {
    const { code, out } = await trainyard(['env', path.join(EXAMPLES, 'blog/training-job.yaml'), '--rank', '1', '--output', 'json']);
    const { job, engine, replicas } = JSON.parse(out);
    expect([code, job, engine, replicas.length, replicas[0].pod]).toEqual([0, 'pytorch-distributed-training', 'operator', 1, 'pytorch-distributed-training-worker-0']);
  });

  test('says why a job cannot run on an engine', async () => {
    const spec = { framework: 'jax', image: 'image', replicas: 2, runPolicy: { stall: { timeoutSeconds: 60 } } };
    const { code, err } = await trainyard(['env', '-', '-e', 'trainer'], { input: JSON.stringify({ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'net' }, spec }) });
    expect(err).toMatch(/^trainyard: 'net' \(standard input\) cannot run on Kubeflow Trainer:\n {2}spec\.runPolicy\.stall\.timeoutSeconds: 60: /);
    expect(code).toBe(2);
  });

  test.each([[['--rank', 'x'], 'It must be a whole number, 0 or more.'], [['--role', 'ps'], 'the job has no such role'], [['--engine', 'tariner'], "Did you mean 'trainer'?"]])('%j is wrong', async (flags, words) => {
    const { code, err } = await trainyard(['env', path.join(EXAMPLES, 'blog/training-job.yaml'), ...flags]);
    expect(err).toContain(words);
    expect(code).toBe(2);
  });
});

describe('variables that somebody wrote to do harm', () => {
  test('references that double the text with each variable stay references at some length', () => {
    const env = Array.from({ length: 40 }, (_, i) => ({ name: `V${i}`, value: i === 0 ? 'x'.repeat(1000) : `$(V${i - 1})$(V${i - 1})` }));
    const replicas = seen({ env });
    const length = replicas.flatMap(({ variables }) => variables).reduce((sum, { value = '' }) => sum + value.length, 0);
    expect(length).toBeLessThan(80 * 1024 * 1024);
    expect(variable(replicas[0], 'V3')!.value).toBe('x'.repeat(8_000));
  });

  test('many of them are put into their columns in no time', () => {
    const replicas = seen({ env: Array.from({ length: 20_000 }, (_, i) => ({ name: `V${i}`, value: 'x' })) });
    expect(computingMs(() => tableLines(replicas, replicas, painter(false)))).toBeLessThan(LITTLE_MS);
  });
});
