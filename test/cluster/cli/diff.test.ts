/** `trainyard diff --live` against a real API server: its defaults are no differences, and it says itself what applying would change. */
import fs from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { trainyard, type Finished } from '../../cli/support/command';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { clusterKubeconfig, mustRequest } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';

const folder = temporaryFolder();
let namespace: string;
let files = 0;

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd()]);
  namespace = await createNamespace('diff');
});
afterAll(async () => deleteNamespace(namespace));

function write(...objects: object[]): string {
  const file = path.join(folder, `objects-${++files}.yaml`);
  fs.writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
  return file;
}

const diff = async (file: string, ...flags: string[]): Promise<Finished> => trainyard(['diff', file, '--live', '--kubeconfig', clusterKubeconfig(), '-n', namespace, ...flags]);
const deployment = (image: string, more: object = {}) => ({
  apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image, env: [{ name: 'A', value: '1' }], ...more }] } },
  },
});
const job = (spec: object) => ({ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'train' }, spec: { framework: 'jax', image: 'image', replicas: 2, ...spec } });
const collection = (kind: string) => ({ Deployment: 'apis/apps/v1', MLTrainingJob: 'apis/ml.collabnix.io/v1alpha1' }[kind] ?? 'api/v1');
const pathOf = ({ kind, metadata }: { kind: string; metadata: { name: string } }) => `/${collection(kind)}/namespaces/${namespace}/${kind.toLowerCase()}s/${metadata.name}`;

async function apply(object: { kind: string; metadata: { name: string } }, manager = 'kubectl'): Promise<void> {
  await mustRequest('PATCH', `${pathOf(object)}?fieldManager=${manager}&force=true`, object, 'application/apply-patch+yaml');
}

test('what was applied is the same, whatever the server has filled in', async () => {
  const objects = [deployment('web:1'), job({}), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { token: 'hush' } }] as const;
  for (const object of objects) {
    await apply(object);
  }
  expect(await diff(write(...objects))).toEqual({ code: 0, out: '', err: 'trainyard: 3 the same\n' });
});

test('what is new, what changes and what is left out are told, and nothing is changed', async () => {
  await apply(deployment('web:1', { args: ['--slow'] }));
  const file = write({ ...deployment('web:2'), metadata: { name: 'web' } }, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } });
  const { code, out, err } = await diff(file);
  expect(out).toBe([
    `~ Deployment ${namespace}/web`,
    '-   metadata.labels: {"app":"web"}',
    "~   spec.template.spec.containers['main'].image: \"web:1\" -> \"web:2\"",
    "-   spec.template.spec.containers['main'].args: [\"--slow\"]",
    '',
    `+ ConfigMap ${namespace}/settings`,
    '',
  ].join('\n'));
  expect({ code, err }).toEqual({ code: 1, err: 'trainyard: 1 to add, 1 to change\n' });
  expect((await diff(write(deployment('web:1', { args: ['--slow'] })))).code).toBe(0);
});

test('values of Secrets are not shown', async () => {
  await apply({ kind: 'Secret', metadata: { name: 'keys' }, apiVersion: 'v1', stringData: { token: 'hush', other: 'same' } } as never);
  const { out } = await diff(write({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { token: 'changed', other: 'same' } }));
  expect(out).toBe(`~ Secret ${namespace}/keys\n~   data.token: (masked, another value)\n`);
});

test('fields that kubectl apply of the client\'s side gave, and does not any more, would be removed', async () => {
  const before = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'old-style', labels: { team: 'a', tier: 'b' }, annotations: {} }, data: { kept: '1', dropped: '2' } };
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(before) };
  await mustRequest('POST', `/api/v1/namespaces/${namespace}/configmaps?fieldManager=kubectl-client-side-apply`, { ...before, metadata: { ...before.metadata, annotations } });
  const { out } = await diff(write({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'old-style', labels: { team: 'a' } }, data: { kept: '1' } }));
  expect(out).toBe(`~ ConfigMap ${namespace}/old-style\n-   metadata.labels.tier: "b"\n-   data.dropped: "2"\n`);
});

test('fields of another applier stay, and those of the one that owns the object go', async () => {
  await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data: { argo: '1', both: '1' } } as never, 'argocd-controller');
  await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data: { hpa: '1' } } as never, 'somebody-else');
  const file = write({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data: { both: '1' } });
  expect((await diff(file)).out).toBe(`~ ConfigMap ${namespace}/shared\n-   data.argo: "1"\n`);
  expect((await diff(file, '--field-manager', 'third')).code).toBe(0);
});

test('what the server refuses is told with its words, and is trouble', async () => {
  const frozen = (a: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'frozen' }, immutable: true, data: { a } });
  await apply(frozen('1'));
  await apply(job({}));
  const { code, out, err } = await diff(write(job({ image: 'other' }), job({ unknown: 1 }), frozen('2'), { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'x' } }));
  expect(out).toContain(`! MLTrainingJob ${namespace}/train\n`);
  expect(out).toContain('cannot change while the job exists. Delete the job and create it again (kubectl replace --force -f FILE)\n');
  expect(out).toContain('(Replace it: delete the object and apply it again.)');
  expect(out).toContain('.spec.unknown: field not declared in schema');
  expect(out).toContain('! Thing x\n    The cluster has no Thing of example.com/v1. Install its definition first.');
  expect({ code, err }).toEqual({ code: 2, err: 'trainyard: 4 refused\n' });
});

test('objects of definitions and namespaces that the app brings along are new', async () => {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'gadgets.diff.trainyard.dev' },
    spec: {
      group: 'diff.trainyard.dev', scope: 'Namespaced', names: { kind: 'Gadget', plural: 'gadgets' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
  const { code, out } = await diff(write(
    crd, { apiVersion: 'diff.trainyard.dev/v1', kind: 'Gadget', metadata: { name: 'g' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${namespace}-new` } }, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: `${namespace}-new` } },
  ));
  expect(out.split('\n').filter((line) => line !== '')).toEqual([
    '+ CustomResourceDefinition gadgets.diff.trainyard.dev', '+ Gadget g (its definition is added as well, so the server has not checked it)',
    `+ Namespace ${namespace}-new`, `+ ConfigMap ${namespace}-new/c (its namespace is added as well, so the server has not checked it)`,
  ]);
  expect(code).toBe(1);
});

test('what an earlier synth had and the app has no longer is told when it is still there', async () => {
  await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'gone' }, data: {} } as never);
  const earlier = write({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'gone' } }, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'never-applied' } });
  const { code, out } = await diff(write({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'fresh' } }), '--against', earlier);
  expect(out).toBe(`+ ConfigMap ${namespace}/fresh\n\n- ConfigMap ${namespace}/gone (it stays in the cluster unless it is pruned or deleted)\n`);
  expect(code).toBe(1);
});

test('drift holds one environment of a program against the cluster', async () => {
  const project = path.join(folder, 'project');
  const modules = path.join(__dirname, '..', '..', '..', 'node_modules');
  fs.mkdirSync(path.join(project, 'node_modules'), { recursive: true });
  ['cdk8s', 'constructs'].forEach((name) => fs.symlinkSync(path.join(modules, name), path.join(project, 'node_modules', name)));
  fs.writeFileSync(path.join(project, 'main.mjs'), `import { ApiObject, App, Chart } from 'cdk8s';
for (const [name, replicas] of [['dev', '1'], ['prod', '8']]) {
  const app = new App({ outdir: (process.env.CDK8S_OUTDIR ?? 'dist') + '/' + name });
  new ApiObject(new Chart(app, 'team'), 'Sizes', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sizes' }, data: { replicas } });
  app.synth();
}
`);
  const drift = async (...flags: string[]): Promise<Finished> => trainyard(['drift', path.join(project, 'main.mjs'), '--live', '--kubeconfig', clusterKubeconfig(), '-n', namespace, ...flags]);
  const sizes = (replicas: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sizes' }, data: { replicas } });
  await mustRequest('PATCH', `/api/v1/namespaces/${namespace}/configmaps/sizes?fieldManager=kubectl&force=true`, sizes('8'), 'application/apply-patch+yaml');
  expect(await drift('-e', 'prod')).toEqual({ code: 0, out: '', err: 'trainyard: 1 the same\n' });
  await mustRequest('PATCH', `/api/v1/namespaces/${namespace}/configmaps/sizes?fieldManager=somebody`, { data: { replicas: '80' } }, 'application/merge-patch+json');
  expect(await drift('-e', 'prod')).toEqual({
    code: 1, out: `~ prod: ConfigMap ${namespace}/sizes\n~   data.replicas: "80" -> "8"\n`, err: 'trainyard: 1 to change\n',
  });
  expect(await drift()).toMatchObject({ code: 2, err: expect.stringContaining('The app has several environments (dev, prod)') as string });
});
