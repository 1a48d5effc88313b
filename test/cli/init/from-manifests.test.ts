/** `trainyard init --from`: manifests of Kubeflow as a project, whose objects correspond to them. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { appEnvironment } from '../../support/bundled';
import { typeErrors } from '../../support/type-errors';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { trainyard } from '../support/command';

const ROOT = path.join(__dirname, '..', '..', '..');
const root = temporaryFolder();

const SETTINGS = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'ml' }, data: { batch: '32' } };
const NIGHTLY = {
  apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'nightly', namespace: 'ml' },
  spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example/report:1' }] } } } } },
};
const container = (name: string, image: string) => ({
  name, image: `registry.example/${image}:1`, command: ['python', 'train.py'], resources: { limits: { 'nvidia.com/gpu': 1 } },
});
const MNIST = {
  apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', metadata: { name: 'mnist', namespace: 'ml' },
  spec: {
    runPolicy: { backoffLimit: 3 },
    pytorchReplicaSpecs: {
      Master: { replicas: 1, restartPolicy: 'OnFailure', template: { spec: { containers: [{ ...container('pytorch', 'mnist'), envFrom: [{ configMapRef: { name: 'settings' } }] }] } } },
      Worker: { replicas: 3, restartPolicy: 'OnFailure', template: { spec: { containers: [{ ...container('pytorch', 'mnist'), envFrom: [{ configMapRef: { name: 'settings' } }] }] } } },
    },
  },
};
const RANKER = {
  apiVersion: 'kubeflow.org/v1', kind: 'TFJob', metadata: { name: 'ranker', namespace: 'ml' },
  spec: {
    runPolicy: { cleanPodPolicy: 'All' },
    tfReplicaSpecs: {
      Chief: { replicas: 1, restartPolicy: 'Never', template: { spec: { containers: [container('tensorflow', 'ranker')] } } },
      PS: { replicas: 2, restartPolicy: 'Never', template: { spec: { containers: [{ ...container('tensorflow', 'ranker'), resources: {} }] } } },
      Worker: { replicas: 4, restartPolicy: 'Never', template: { spec: { containers: [container('tensorflow', 'ranker')] } } },
    },
  },
};
/** No job: the API server took it once, and no controller runs it. */
const EMPTY = { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', metadata: { name: 'empty', namespace: 'ml' }, spec: {} };

const yaml = (...objects: readonly object[]) => objects.map((object) => JSON.stringify(object)).join('\n---\n');

function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  fs.writeFileSync(path.join(root, file), text);
}

/** Runs the program of a project, which finds cdk8s and the library in this repository. @returns what it writes, by kind and name */
function synthesize(project: string): { readonly [name: string]: unknown } {
  fs.mkdirSync(path.join(ROOT, '.trainyard'), { recursive: true });
  const folder = fs.mkdtempSync(path.join(ROOT, '.trainyard', 'from-'));
  try {
    fs.cpSync(path.join(root, project), folder, { recursive: true });
    const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'main.ts'], { cwd: folder, env: { ...process.env, ...appEnvironment(), CDK8S_OUTDIR: 'written' }, encoding: 'utf8' });
    expect({ status, errors: status === 0 ? '' : stderr }).toEqual({ status: 0, errors: '' });
    const documents = fs.readdirSync(path.join(folder, 'written')).flatMap((file) => parseAllDocuments(fs.readFileSync(path.join(folder, 'written', file), 'utf8')));
    const objects = documents.map((document) => document.toJS() as { readonly kind: string; readonly metadata: { readonly name: string } });
    return Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

test('jobs of a folder become training jobs, and everything else stays what it was', async () => {
  write('kubeflow/config.yaml', yaml(SETTINGS));
  write('kubeflow/jobs/torch.yaml', yaml(MNIST, EMPTY));
  write('kubeflow/jobs/tf.yml', yaml(RANKER));
  write('kubeflow/nightly.json', JSON.stringify(NIGHTLY));
  write('kubeflow/.git/config.yaml', 'not: read');
  write('kubeflow/README.md', '# not read');
  const { code, out, err } = await trainyard(['init', 'project', '--from', 'kubeflow', '--name', 'vision'], { cwd: root });
  expect({ code, next: out.includes('npm run synth') }).toEqual({ code: 0, next: true });
  const files = fs.readdirSync(path.join(root, 'project'), { recursive: true, encoding: 'utf8' }).sort();
  expect(files).toEqual([
    '.gitignore', 'cdk8s.yaml', 'included', 'included/cronjob-nightly.yaml', 'included/pytorchjob-empty.yaml', 'main.ts', 'package.json', 'test', 'test/manifests.test.mjs', 'tsconfig.json',
  ]);
  expect(err).toContain('CronJob nightly is included unchanged, from included/cronjob-nightly.yaml: creates Jobs on a schedule.');
  expect(err).toContain('2 jobs written: 0 lost');
  const program = fs.readFileSync(path.join(root, 'project', 'main.ts'), 'utf8');
  expect(program).toContain('// Included unchanged, because it cannot be migrated to a training job: creates Jobs on a schedule.');
  expect(program).toContain('// Included unchanged, because it cannot be migrated to a training job: spec.pytorchReplicaSpecs: has no replicas.');
  expect(typeErrors([{ where: 'main.ts', program }], { noUnusedLocals: true })).toEqual([]);
  const written = synthesize('project');
  expect(Object.keys(written).sort()).toEqual(['ConfigMap settings', 'CronJob nightly', 'MLTrainingJob mnist', 'MLTrainingJob ranker', 'PyTorchJob empty']);
  expect([written['ConfigMap settings'], written['CronJob nightly'], written['PyTorchJob empty']]).toEqual([SETTINGS, NIGHTLY, EMPTY]);
  expect(written['MLTrainingJob mnist']).toMatchObject({
    metadata: { name: 'mnist', namespace: 'ml' },
    spec: {
      framework: 'pytorch', image: 'registry.example/mnist:1', replicas: 4, command: ['python', 'train.py'], resources: { gpu: 1 },
      runPolicy: { backoffLimit: 3, restartPolicy: 'OnFailure' },
      template: { spec: { containers: [{ name: 'training', envFrom: [{ configMapRef: { name: 'settings' } }] }] } },
    },
  });
  expect(written['MLTrainingJob ranker']).toMatchObject({
    spec: {
      framework: 'tensorflow', image: 'registry.example/ranker:1', runPolicy: { cleanPodPolicy: 'All' },
      roles: expect.arrayContaining([
        expect.objectContaining({ name: 'chief', replicas: 1, resources: { gpu: 1 } }), expect.objectContaining({ name: 'ps', replicas: 2 }), expect.objectContaining({ name: 'worker', replicas: 4, resources: { gpu: 1 } }),
      ]) as unknown,
    },
  });
});

test('several files, and standard input, are one program', async () => {
  write('one.yaml', yaml(MNIST));
  expect(await trainyard(['init', 'both', '--from', 'one.yaml', '--from', '-'], { cwd: root, input: yaml(RANKER) })).toMatchObject({ code: 0 });
  expect(Object.keys(synthesize('both')).sort()).toEqual(['MLTrainingJob mnist', 'MLTrainingJob ranker']);
});

test('two objects of one name are included from two files', async () => {
  write('twice.yaml', yaml(NIGHTLY, { ...NIGHTLY, metadata: { name: 'nightly', namespace: 'other' } }));
  await trainyard(['init', 'twice', '--from', 'twice.yaml'], { cwd: root });
  expect(fs.readdirSync(path.join(root, 'twice', 'included'))).toEqual(['cronjob-nightly-2.yaml', 'cronjob-nightly.yaml']);
});

test('what cannot be read is reported, with another exit code, and the rest is written', async () => {
  write('half.yaml', `${yaml(MNIST)}\n---\nkind: [\n`);
  const { code, err } = await trainyard(['init', 'half', '--from', 'half.yaml'], { cwd: root });
  expect({ code, error: err.includes('error: half.yaml, document 2') }).toEqual({ code: 1, error: true });
  expect(Object.keys(synthesize('half'))).toEqual(['MLTrainingJob mnist']);
});

test('names and values of manifests are text, in the program and on the terminal', async () => {
  const name = "x'); process.exit(7); //\n*/ \u001b[31m";
  write('hostile.yaml', yaml({ ...NIGHTLY, metadata: { name } }, { ...SETTINGS, data: { key: '${process.exit(8)}`' } }));
  const { code, err } = await trainyard(['init', 'hostile', '--from', 'hostile.yaml'], { cwd: root });
  expect({ code, escape: err.includes('\u001b') }).toEqual({ code: 0, escape: false });
  expect(Object.values(synthesize('hostile'))).toEqual(expect.arrayContaining([expect.objectContaining({ metadata: { name } })]));
});

describe('nothing is written', () => {
  test.each<readonly [string, readonly string[], string]>([
    ['for a file that is not there', ['--from', 'none.yaml'], 'none.yaml: no such file.'],
    ['for a folder without manifests', ['--from', 'bare'], '--from bare: has no manifests (*.yaml, *.json). Name a file, or another folder.'],
    ['for a folder that kustomize reads', ['--from', 'overlay'], 'kubectl kustomize overlay/base | trainyard init --from -'],
    ['for a file without objects', ['--from', 'empty.yaml'], '--from: nothing can be started from, and nothing was written.'],
    ['with a template', ['--from', 'empty.yaml', '--template', 'teams'], "option '--from <path>' cannot be used with option '-t, --template <name>'"],
  ])('%s', async (_what, words, message) => {
    fs.mkdirSync(path.join(root, 'bare'), { recursive: true });
    write('overlay/base/kustomization.yaml', 'resources: [job.yaml]\n');
    write('empty.yaml', '# nothing\n');
    const { code, err } = await trainyard(['init', 'nothing', ...words], { cwd: root });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) as string });
    expect(fs.existsSync(path.join(root, 'nothing'))).toBe(false);
  });

  test('next to a program, which is kept', async () => {
    write('existing/main.ts', '// mine\n');
    write('one.yaml', yaml(MNIST));
    expect(await trainyard(['init', 'existing', '--from', 'one.yaml'], { cwd: root })).toMatchObject({ code: 2, err: expect.stringContaining('main.ts exists, and --from writes a new program.') as string });
    expect(fs.readdirSync(path.join(root, 'existing'))).toEqual(['main.ts']);
  });
});
