/** The whole stack, and the example that is made of it: the graph of each of its four environments. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { transformSync } from '@swc/core';
import { parse } from 'yaml';
import * as trainyard from '../../src';
import * as stacks from '../../src/stacks';
import { TrainingStack, type TrainingStackArgs } from '../../src/stacks';
import { settled, startRecording, type Recorder } from './support/mocks';

const EXAMPLE = path.join(__dirname, '..', '..', 'examples', 'gke-training');
const ARGS: TrainingStackArgs = { project: 'ml-test', location: 'europe-west4-a' };
const OBJECT = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ml' } };

afterEach(() => jest.restoreAllMocks());

async function runExample(stack: string): Promise<Recorder> {
  const { config } = parse(readFileSync(path.join(EXAMPLE, `Pulumi.${stack}.yaml`), 'utf8')) as { readonly config: { readonly [key: string]: unknown } };
  pulumi.runtime.setAllConfig(Object.fromEntries(Object.entries(config).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)])));
  const recorder = await startRecording({ stack, project: 'gke-training' });
  // Evaluated for each environment anew, with the modules of this test: a second copy of Pulumi would have an engine of its own.
  const { code } = transformSync(readFileSync(path.join(EXAMPLE, 'index.ts'), 'utf8'), { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } });
  const modules: { readonly [name: string]: unknown } = { '@pulumi/pulumi': pulumi, 'trainyard': trainyard, 'trainyard/stacks': stacks };
  new Function('require', 'exports', code)((name: string) => modules[name] ?? jest.requireActual(name), {});
  await settled();
  return recorder;
}

describe('the example', () => {
  test.each(['dev', 'qa', 'stress', 'prod'])('%s is these resources', async (stack) => {
    const recorder = await runExample(stack);
    // The operator's code has its hash in a name.
    expect(recorder.graph().replace(/-code-[0-9a-f]{12}/g, '-code-HASH')).toMatchSnapshot();
    expect(recorder.of('gcp:container/nodePool:NodePool').map(({ inputs }) => inputs)).toMatchSnapshot();
  });
});

test('charts come after those that they name, and after the nodes that they run on', async () => {
  const recorder = await startRecording();
  const stack = new TrainingStack('train', { ...ARGS, charts: { team: { chart: [OBJECT], after: ['operator'] }, operator: { chart: [{ ...OBJECT, metadata: { name: 'system' } }] } } });
  await settled();
  expect([...stack.charts.keys()]).toEqual(['operator', 'team']);
  expect(recorder.edges.get('kubernetes:core/v1:Namespace train-team:Namespace/ml')!.dependencies).toContain('train-operator:Namespace/system');
});

test('identities write all buckets, or those that they name', async () => {
  const recorder = await startRecording();
  new TrainingStack('train', {
    ...ARGS, buckets: { runs: { name: 'ml-runs' }, data: { name: 'ml-data' } },
    identities: { trainer: { namespace: 'ml', account: 'trainer' }, loader: { namespace: 'ml', account: 'loader', buckets: ['data'] } },
  });
  await settled();
  const grants = recorder.of('gcp:storage/bucketIAMMember:BucketIAMMember').map(({ inputs }) => `${inputs.member.split('/').at(-1)} ${inputs.bucket}`);
  expect(grants.sort()).toEqual(['loader ml-data', 'trainer ml-data', 'trainer ml-runs']);
});

test.each<[string, Partial<TrainingStackArgs>, string]>([
  ['bucket', { buckets: { runs: {} }, identities: { a: { namespace: 'ml', account: 'a', buckets: ['rnus'] } } }, "identities.a.buckets[0]: \"rnus\": is no bucket of this stack. Did you mean 'runs'?"],
  ['chart', { charts: { team: { chart: [OBJECT], after: ['operator'] } } }, 'charts.team.after[0]: "operator": is no chart of this stack. There is team.'],
  ['circle', { charts: { a: { chart: [OBJECT], after: ['b'] }, b: { chart: [OBJECT], after: ['a'] } } }, 'charts: "a -> b -> a": wait for each other.'],
])('a name of a %s that is wrong is refused before anything is registered', async (_what, args, message) => {
  const recorder = await startRecording();
  expect(() => new TrainingStack('train', { ...ARGS, ...args })).toThrow(message);
  expect(recorder.resources).toEqual([]);
});
