/**
 * Every program of Pulumi on a page compiles, and runs with Pulumi's mocks: what it asks for keeps all rules. docs/stacks.md shows nothing else, so
 * that each of its blocks can be copied.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { transformSync } from '@swc/core';
import * as ts from 'typescript';
import { PAGES, ROOT, stacksOf } from '../support/snippets';
import { settled, shutDown, startRecording, type Recorder } from '../stacks/support/mocks';
import * as trainyard from '../../src';
import * as stacks from '../../src/stacks';

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
  const modules: { readonly [name: string]: unknown } = { '@pulumi/pulumi': pulumi, 'trainyard': trainyard, 'trainyard/stacks': stacks };
  new Function('require', 'exports', code)((name: string) => modules[name] ?? jest.requireActual(name), {});
  await settled();
  return recorder;
}

test('docs/stacks.md shows programs only, for every kind of component that has a block', () => {
  const { programs, others } = stacksOf('docs/stacks.md');
  expect(others).toEqual([]);
  const shown = ['AlloyDb', 'BigQueryDataset', 'ChartDeployment', 'CheckpointBucket', 'CloudSqlForKubeflow', 'GkeCluster', 'GpuNetwork', 'GpuNodePool', 'KubeflowOnGkeStack',
    'PlatformDeployment', 'PrivateServiceAccess', 'PubSubTopic', 'TrainingStack', 'WorkloadIdentityBinding'];
  expect(shown.filter((name) => !programs.some((program) => program.includes(`new ${name}(`)))).toEqual([]);
});

test.each(PROGRAMS)('$where runs', async ({ program }) => {
  const recorder = await run(program);
  // A component is no resource of a cloud by itself.
  expect(recorder.resources.filter(({ type }) => !type.startsWith('trainyard:'))).not.toEqual([]);
});

test('all of them have the right types', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'trainyard-stacks-page-'));
  try {
    const files = PROGRAMS.map(({ program }, index) => {
      const file = path.join(folder, `program-${index}.ts`);
      writeFileSync(file, program);
      return file;
    });
    const { options } = ts.convertCompilerOptionsFromJson({
      target: 'es2022', module: 'esnext', moduleResolution: 'bundler', strict: true, noEmit: true, skipLibCheck: true, types: ['node'],
      typeRoots: [path.join(ROOT, 'node_modules', '@types')],
      paths: {
        'trainyard': [path.join(ROOT, 'src', 'index.ts')],
        'trainyard/stacks': [path.join(ROOT, 'src', 'stacks', 'index.ts')],
        ...Object.fromEntries(['@pulumi/kubernetes', '@pulumi/pulumi', 'cdk8s', 'cdk8s-plus-28'].map((name) => [name, [path.join(ROOT, 'node_modules', name)]])),
      },
    }, ROOT);
    const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram(files, options));
    expect(diagnostics.map((diagnostic) => {
      const index = files.indexOf(diagnostic.file?.fileName ?? '');
      return `${PROGRAMS[index]?.where ?? diagnostic.file?.fileName}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`;
    })).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
