/** What `trainyard init` of the installed package writes: each template is checked, synthesized, tested and applied as its README says. */
import fs from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { clusterEnvironment, Definitions, ensureNamespaces } from './support/cluster';
import { makeWorkspace, ROOT } from './support/project';
import { mustShell, shell } from './support/shell';
import { TEMPLATES } from '../../src/cli/init/templates';
import type { TestObject } from '../cluster/support/cluster';

const definitions = new Definitions();

/** In Python, without a package of npm: test/outside/python.test.ts has it, with the package for Python. */
const { python: _python, ...templates } = TEMPLATES;

/**
 * Pulumi is as large as everything else together: it is that of this repository. The installed package is copied, so that it finds it. Types of Node
 * are newer than those of `cdk8s init`.
 */
function linkPulumi(cwd: string): void {
  const place = (name: string) => path.join(cwd, 'node_modules', name);
  const installed = fs.realpathSync(place('trainyard'));
  fs.rmSync(place('trainyard'));
  fs.cpSync(installed, place('trainyard'), { recursive: true });
  fs.rmSync(place('@types'));
  ['@pulumi', '@types'].forEach((name) => fs.symlinkSync(path.join(ROOT, 'node_modules', name), place(name)));
}

const KUBEFLOW = `apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { batch: "32" }
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: mnist }
spec:
  pytorchReplicaSpecs:
    Master: &replica
      replicas: 1
      restartPolicy: OnFailure
      template: { spec: { containers: [{ name: pytorch, image: "registry.example/mnist:1", envFrom: [{ configMapRef: { name: settings } }], resources: { limits: { nvidia.com/gpu: 1 } } }] } }
    Worker: { <<: *replica, replicas: 3 }
---
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: { name: ranker }
spec:
  tfReplicaSpecs:
    Chief: &tf { replicas: 1, template: { spec: { containers: [{ name: tensorflow, image: "registry.example/ranker:1", resources: { limits: { cpu: 2, memory: 4Gi } } }] } } }
    Worker: { <<: *tf, replicas: 2 }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  schedule: "0 3 * * *"
  jobTemplate: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: main, image: "registry.example/report:1" }] } } } }
`;

/** Applies files, whose kinds and foreign namespaces are there, and takes away what they made: pages use the same control plane. */
async function apply(cwd: string, namespace: string, folder: string): Promise<void> {
  const files = fs.readdirSync(path.join(cwd, folder)).map((file) => path.join(folder, file));
  const objects = files.flatMap((file) => parseAllDocuments(fs.readFileSync(path.join(cwd, file), 'utf8')).map((document) => document.toJS() as TestObject));
  await definitions.install(objects);
  const own = objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name);
  await ensureNamespaces([namespace, ...objects.flatMap(({ metadata }) => metadata.namespace ?? [])].filter((each) => !own.includes(each)));
  const env = clusterEnvironment(cwd, namespace);
  // What is in a namespace that another file creates is there after a second time.
  await shell(`kubectl apply -f ${folder}`, { cwd, env });
  const { stdout } = await mustShell(`kubectl apply -f ${folder}`, { cwd, env });
  expect(stdout.trim().split('\n')).toHaveLength(objects.length);
  const ends = objects.filter(({ kind }) => kind !== 'Namespace' && kind !== 'CustomResourceDefinition');
  fs.writeFileSync(path.join(cwd, 'applied.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: ends }));
  await mustShell('kubectl delete --wait=false -f applied.json', { cwd, env });
}

/** An empty folder in which the package is installed. */
function makeFolder(name: string): string {
  const cwd = makeWorkspace(`template-${name}`);
  for (const entry of fs.readdirSync(cwd).filter((each) => each !== 'node_modules')) {
    fs.rmSync(path.join(cwd, entry), { recursive: true });
  }
  return cwd;
}

describe.each(Object.entries(templates))('the template %s', (name, { pipeline }) => {
  let cwd: string;

  beforeAll(async () => {
    cwd = makeFolder(name);
    if (name === 'gke') {
      linkPulumi(cwd);
    }
    await mustShell(`npx trainyard init --template ${name}`, { cwd });
  });

  test('is checked, synthesized and valid', async () => {
    await mustShell('npm run lint && npm run synth && npm run validate', { cwd });
    expect(fs.readFileSync(path.join(cwd, '.gitignore'), 'utf8')).not.toContain('manifests');
  });

  test('has a pipeline that is up to date, where it is meant for one', async () => {
    expect((await shell('npx trainyard ci github --check', { cwd })).code).toBe(pipeline === undefined ? 1 : 0);
  });

  test('has a test that fails when the program has changed and its manifests have not', async () => {
    await mustShell('npm test', { cwd });
    const file = fs.readdirSync(path.join(cwd, 'manifests')).map((each) => path.join(cwd, 'manifests', each))
      .find((each) => fs.readFileSync(each, 'utf8').includes('replicas: 2'))!;
    const text = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, text.replace('replicas: 2', 'replicas: 3'));
    expect((await shell('npm test', { cwd })).code).toBe(1);
    fs.writeFileSync(file, text);
  });

  test('is applied by kubectl', async () => {
    await apply(cwd, `template-${name}`, 'manifests');
  });

  if (name === 'gke') {
    test('has charts for Pulumi, which the cluster takes too', async () => {
      fs.writeFileSync(path.join(cwd, 'print-charts.ts'), "import { Testing, Yaml } from 'cdk8s';\nimport { operator, team } from './charts';\n"
        + 'console.log(Yaml.stringify(...[operator, team].flatMap((chart) => Testing.synth(chart))));\n');
      await mustShell('mkdir charts && npx tsx print-charts.ts > charts/all.yaml', { cwd });
      await apply(cwd, 'template-gke', 'charts');
    });

    test('has a test that fails when the stack is another one', async () => {
      const file = path.join(cwd, 'shared.ts');
      const text = fs.readFileSync(file, 'utf8');
      fs.writeFileSync(file, text.replace('Capacity.SPOT', 'Capacity.ON_DEMAND'));
      expect((await shell('node --import tsx --test test/stack.test.ts', { cwd })).out).toMatch(/not ok \d+ - GPUs are on spot machines/);
      fs.writeFileSync(file, text);
    });
  }
});

test('a project that starts from manifests of Kubeflow is checked, synthesized, tested and applied', async () => {
  const cwd = makeFolder('from');
  fs.mkdirSync(path.join(cwd, 'kubeflow'));
  fs.writeFileSync(path.join(cwd, 'kubeflow', 'jobs.yaml'), KUBEFLOW);
  await mustShell('npx trainyard init my-jobs --from kubeflow && mv my-jobs/* my-jobs/.gitignore .', { cwd });
  await mustShell('npm run lint && npm run synth && npm run validate && npm test', { cwd });
  const written = parseAllDocuments(fs.readFileSync(path.join(cwd, 'manifests', 'jobs.k8s.yaml'), 'utf8')).map((document) => document.toJS() as TestObject);
  expect(written.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['ConfigMap settings', 'CronJob nightly', 'MLTrainingJob mnist', 'MLTrainingJob ranker']);
  await apply(cwd, 'template-from', 'manifests');
});
