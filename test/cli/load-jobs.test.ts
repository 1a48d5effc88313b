import fs from 'node:fs';
import path from 'node:path';
import { loadJob } from '../../src/cli/load-jobs';
import { temporaryFolder } from '../local/support/temporary-folder';

const root = temporaryFolder();
const REPOSITORY = path.join(__dirname, '..', '..');
let files = 0;

function write(content: string, ending = 'yaml'): string {
  const file = path.join(root, `jobs-${++files}.${ending}`);
  fs.writeFileSync(file, content);
  return file;
}

function job(name: string, extra = ''): string {
  return `apiVersion: ml.collabnix.io/v1alpha1\nkind: MLTrainingJob\nmetadata:\n  name: ${name}\n${extra}spec: { framework: jax, image: img, replicas: 2 }\n`;
}

test('loads the only job of a file, with its folder', () => {
  expect(loadJob(write(job('one', '  namespace: ml\n')))).toMatchObject({
    name: 'one', namespace: 'ml', folder: root, spec: { framework: 'jax', image: 'img', replicas: 2 }, configMaps: [], secrets: [],
  });
});

test('loads the blog\'s manifest', () => {
  expect(loadJob(path.join(REPOSITORY, 'examples/blog/training-job.yaml'))).toMatchObject({ name: 'pytorch-distributed-training', namespace: 'ml-workloads' });
});

test('finds the job among other documents, inside lists, and the config maps and secrets of its namespace', () => {
  const file = write([
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { a: "1" }\n',
    '# nothing but a comment\n',
    `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: { name: keys, namespace: ml }\n- ${job('inner', '  namespace: ml\n').trimEnd().replace(/\n/g, '\n  ')}\n`,
    'apiVersion: v1\nkind: Secret\nmetadata: { name: foreign, namespace: other }\n',
  ].join('---\n'));
  const loaded = loadJob(file);
  expect(loaded.name).toBe('inner');
  expect(loaded.where).toBe(`${file}, document 3, items[1]`);
  expect(loaded.configMaps.map(({ metadata }) => metadata.name)).toEqual(['settings']);
  expect(loaded.secrets.map(({ metadata }) => metadata.name)).toEqual(['keys']);
});

test('reads JSON', () => {
  expect(loadJob(write(JSON.stringify({ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'j' }, spec: {} }), 'json')).name).toBe('j');
});

test('asks which job when there are several, and takes the one that is named', () => {
  const file = write(`${job('first')}---\n${job('second')}`);
  expect(() => loadJob(file)).toThrow(`${file} has 2 jobs: first, second. Choose one with --job NAME.`);
  expect(loadJob(file, { job: 'second' }).name).toBe('second');
  expect(() => loadJob(file, { job: 'secnd' })).toThrow("has no job 'secnd'; it has first, second. Did you mean 'second'?");
});

test('tells jobs of one name apart by their namespace', () => {
  const file = write(`${job('same', '  namespace: a\n')}---\n${job('same', '  namespace: b\n')}`);
  expect(() => loadJob(file, { job: 'same' })).toThrow(/has 2 jobs 'same': a in .*; b in .*Choose one with --namespace/);
  expect(loadJob(file, { job: 'same', namespace: 'b' }).namespace).toBe('b');
  expect(() => loadJob(file, { namespace: 'c' })).toThrow("has no job in namespace 'c'; its jobs are in a, b.");
});

test('puts a job that names no namespace where it is told', () => {
  expect(loadJob(write(job('j')), { namespace: 'mine' }).namespace).toBe('mine');
  expect(loadJob(write(job('j'))).namespace).toBe('default');
});

test('says what a file without a job has instead', () => {
  expect(() => loadJob(write('apiVersion: v1\nkind: Pod\nmetadata: { name: p }\n'))).toThrow(/has no MLTrainingJob \(ml\.collabnix\.io\/v1alpha1\): it has Pod\./);
  expect(() => loadJob(write('apiVersion: x\nkind: MLTraningJob\n'))).toThrow("it has MLTraningJob. Did you mean 'MLTrainingJob'?");
  expect(() => loadJob(write('apiVersion: ml.example.com/v1\nkind: MLTrainingJob\nmetadata: { name: x }\n'))).toThrow('Its apiVersion is "ml.example.com/v1".');
  expect(() => loadJob(write('# empty\n'))).toThrow('it is empty.');
});

test('says which part of a job is missing', () => {
  const head = 'apiVersion: ml.collabnix.io/v1alpha1\nkind: MLTrainingJob\n';
  expect(() => loadJob(write(head))).toThrow('the MLTrainingJob has no metadata.name. Add one.');
  expect(() => loadJob(write(`${head}metadata: { name: x }\n`))).toThrow("MLTrainingJob 'x' has no spec.");
  expect(() => loadJob(write('apiVersion: ml.collabnix.io/v2\nkind: MLTrainingJob\nmetadata: { name: x }\n'))).toThrow('this version of trainyard supports ml.collabnix.io/v1alpha1');
});

test('says where a file is no YAML, or holds no object', () => {
  const broken = write(`${job('ok')}---\na: [1,\nb: }\n`);
  expect(() => loadJob(broken)).toThrow(new RegExp(`Reading ${broken}, document 2: line \\d+ is not valid YAML: `));
  expect(() => loadJob(write('just words\n'))).toThrow('this is the string "just words", not a Kubernetes object');
  expect(() => loadJob(write('- a\n- b\n'))).toThrow('this is a list, not a Kubernetes object');
});

test('proposes the nearest file when there is none of that name', () => {
  const file = write(job('x'));
  expect(() => loadJob(file.replace('jobs-', 'job-'))).toThrow(/no such file\. Did you mean 'jobs-/);
});

test('synthesizes a cdk8s app and takes the job from what it wrote', () => {
  const program = `
    const { App, Chart, ApiObject } = require('${path.join(REPOSITORY, 'node_modules/cdk8s')}');
    const app = new App();
    new ApiObject(new Chart(app, 'c'), 'job', { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'made' }, spec: { framework: 'jax' } });
    app.synth();`;
  expect(loadJob(write(program, 'cjs'))).toMatchObject({ name: 'made', folder: root, spec: { framework: 'jax' } });
});

test('runs the command of a cdk8s project\'s folder', () => {
  const folder = path.join(root, 'project');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'cdk8s.yaml'), 'app: cp job.yaml "$CDK8S_OUTDIR/"\n');
  fs.writeFileSync(path.join(folder, 'job.yaml'), job('project'));
  expect(loadJob(folder)).toMatchObject({ name: 'project', folder });
});

test('says what is wrong with an app', () => {
  expect(() => loadJob(write('process.exit(3)', 'cjs'))).toThrow('the app ended with code 3');
  expect(() => loadJob(write('', 'cjs'))).toThrow('wrote no manifest. Check that it ends with app.synth()');
  expect(() => loadJob(root)).toThrow('is a folder without cdk8s.yaml');
});
