/**
 * Every program of Pulumi on a page compiles, and runs with Pulumi's mocks: what it asks for keeps all rules. docs/platform/stacks.md shows nothing
 * else, so that each of its blocks can be copied.
 */
import * as pulumi from '@pulumi/pulumi';
import { transformSync } from '@swc/core';
import { PAGES, stacksOf } from '../support/snippets';
import { typeErrors } from '../support/type-errors';
import { settled, shutDown, startRecording, type Recorder } from '../stacks/support/mocks';
import * as stacks from '../../src/stacks';
import { MODULES } from '../support/library';

const PROGRAMS = PAGES.flatMap((page) => stacksOf(page).programs.map((program, index) => ({ where: `${page}, program ${index + 1}`, program })));

/** Settings that people make by `pulumi config set`. */
const SETTINGS = ['databasePassword', 'featurePassword', 'dexClientSecret', 'cookieSecret', 'googleClientSecret'];

beforeEach(() => jest.spyOn(pulumi.log, 'warn').mockResolvedValue());

afterEach(() => {
  jest.restoreAllMocks();
  shutDown();
});

async function run(program: string): Promise<Recorder> {
  pulumi.runtime.setAllConfig({ 'gcp:project': 'ml-docs', ...Object.fromEntries(SETTINGS.map((name) => [`docs:${name}`, 'made-up'])) });
  const recorder = await startRecording({ project: 'docs' });
  const { code } = transformSync(program, { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } });
  const modules: { readonly [name: string]: unknown } = { '@pulumi/pulumi': pulumi, ...MODULES, 'trainyard/stacks': stacks };
  new Function('require', 'exports', code)((name: string) => modules[name] ?? jest.requireActual(name), {});
  await settled();
  return recorder;
}

test('docs/platform/stacks.md shows programs only, for every kind of component that has a block', () => {
  const { programs, others } = stacksOf('docs/platform/stacks.md');
  expect(others).toEqual([]);
  const shown = ['AlloyDb', 'BigQueryDataset', 'ChartDeployment', 'CheckpointBucket', 'CloudSqlForKubeflow', 'GkeCluster', 'GpuNetwork', 'GpuNodePool', 'KubeflowOnGkeStack',
    'PlatformDeployment', 'PrivateServiceAccess', 'PubSubTopic', 'TrainingStack', 'WorkloadIdentityBinding'];
  expect(shown.filter((name) => !programs.some((program) => program.includes(`new ${name}(`)))).toEqual([]);
});

test.each(PROGRAMS)('$where runs', async ({ program }) => {
  const recorder = await run(program);
  // A component is not a resource of a cloud by itself.
  expect(recorder.resources.filter(({ type }) => !type.startsWith('trainyard:'))).not.toEqual([]);
});

test('all of them have the right types', () => {
  expect(typeErrors(PROGRAMS)).toEqual([]);
});
