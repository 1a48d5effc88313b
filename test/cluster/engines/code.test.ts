/** Jobs with code bundles on every engine, as a real API server with the upstream definitions and strict field validation sees them. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Testing } from 'cdk8s';
import { Secret } from 'cdk8s-plus-28';
import { remove } from './support/upstream';
import { CodeBundle, Engine, Framework, TrainingJob } from '../../../src';
import { CODE_CONFIG_MAPS_MAX_BYTES, constructCodeConfigMaps } from '../../../src/manifests/code/code-config-map';
import { sha256 } from '../../../src/manifests/code/oci-artifact';
import type { Container, Manifest, PodSpec } from '../../../src/manifests/kubernetes';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { upstreamCrds } from '../../support/upstream-definitions';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { jobManifest, jobsPath, judge, NOBODY } from '../support/submit';

const PLURALS: { readonly [kind: string]: string } = {
  ConfigMap: 'configmaps', Service: 'services', Pod: 'pods', Job: 'jobs', JobSet: 'jobsets', TrainJob: 'trainjobs', TrainingRuntime: 'trainingruntimes',
  PyTorchJob: 'pytorchjobs', MLTrainingJob: 'mltrainingjobs',
};

const root = temporaryFolder();
let namespace: string;

beforeAll(async () => {
  namespace = await createNamespace('code');
  await installCrds([constructTrainingJobCrd(), ...upstreamCrds('kubeflow-trainer', 'kubeflow-training-operator', 'jobset', 'volcano')]);
  fs.writeFileSync(path.join(root, 'train.py'), 'print("trained")\n');
});
afterAll(async () => {
  await deleteNamespace(namespace);
  await remove([['trainingruntimes.trainer.kubeflow.org', 'v1alpha1'], ['trainjobs.trainer.kubeflow.org', 'v1alpha1']]);
});

/** The API server's words on what it refuses, or warns of. */
async function complaints(manifest: Manifest): Promise<string[]> {
  const api = manifest.apiVersion.includes('/') ? `/apis/${manifest.apiVersion}` : `/api/${manifest.apiVersion}`;
  const { status, message, warnings } = await judge(`${api}/namespaces/${namespace}/${PLURALS[manifest.kind]}`, {
    ...manifest, metadata: { ...manifest.metadata, namespace },
  });
  return [...(status === 201 ? [] : [message]), ...warnings].map((words) => `${manifest.kind} ${manifest.metadata.name}: ${words}`);
}

/** Pods of the templates in objects, complete where the engine's controller completes them. */
function podsIn(value: unknown): PodSpec[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const spec = value as PodSpec;
  const isPod = Array.isArray(spec.containers) && spec.initContainers !== undefined;
  const complete = (container: Container): Container => ({ image: 'img', ...container });
  return isPod ? [{ ...spec, restartPolicy: 'Never', containers: spec.containers.map(complete) }] : Object.values(value).flatMap(podsIn);
}

const ENGINES = [Engine.operator(), Engine.trainer(), Engine.trainingOperatorV1(), Engine.jobSet(), Engine.job(), Engine.volcano()];

describe('the API server accepts jobs with code, and their pods, on', () => {
  test.each(ENGINES.map((engine) => [engine.name, engine] as const))('%s', async (_name, engine) => {
    const chart = Testing.chart();
    const bundles = [
      CodeBundle.fromDirectory(root),
      CodeBundle.fromDirectory(root, {
        upload: 'oci://registry.example/team/code', mountPath: '/src', fetchImage: 'python:3.12-alpine', credentials: Secret.fromSecretName(chart, 'Secret', 'registry'),
      }),
    ];
    bundles.forEach((code, index) => new TrainingJob(chart, `Job${index}`, {
      metadata: { name: `net-${index}` }, framework: Framework.pytorch(), image: 'img', command: ['python3', 'train.py'], replicas: 2, code, engine,
    }));
    const objects = Testing.synth(chart) as Manifest[];
    const pods = podsIn(objects).map((spec, index): Manifest & { spec: PodSpec } => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `pod-${index}` }, spec }));
    expect(pods.length).toBeGreaterThanOrEqual(engine.name === 'operator' ? 0 : 2);
    const found = await Promise.all([...objects, ...pods].map(complaints));
    expect(found.flat()).toEqual([]);
  });
});

test('ConfigMaps that are as full as they may be are accepted', async () => {
  const content = Buffer.concat(Array.from({ length: CODE_CONFIG_MAPS_MAX_BYTES / 32 }, (_, part) => createHash('sha256').update(String(part)).digest()));
  const found = await Promise.all(constructCodeConfigMaps({ content, digest: sha256(content) }).map((configMap) => complaints({
    // As `kubectl apply` creates it.
    ...configMap, metadata: { ...configMap.metadata, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(configMap) } },
  } as never)));
  expect(found.flat()).toEqual([]);
});

const digest = `sha256:${'a'.repeat(64)}`;
const submit = (code: object) => judge(jobsPath(namespace), jobManifest('net', { framework: 'pytorch', image: 'img', replicas: 2, managedBy: NOBODY, code }));

test('the definition fills in where files go', async () => {
  const { status, object } = await submit({ digest, configMap: 'code' });
  expect(status).toBe(201);
  expect((object as unknown as { spec: { code: object } }).spec.code).toEqual({ digest, configMap: 'code', mountPath: '/workspace/code' });
});

test.each([
  ['no digest', { configMap: 'c' }, 'spec.code.digest'],
  ['a digest that is none', { digest: 'sha256:abc', configMap: 'c' }, 'spec.code.digest'],
  ['no place', { digest }, 'spec.code'],
  ['two places', { digest, configMap: 'c', url: 'gs://b/c' }, 'spec.code'],
  ['one ConfigMap and several', { digest, configMap: 'c', configMaps: ['c'] }, 'spec.code'],
  ['a list of no ConfigMaps', { digest, configMaps: [] }, 'spec.code.configMaps'],
  ['credentials for a ConfigMap', { digest, configMap: 'c', secretName: 's' }, 'spec.code.secretName'],
  ['a URL of another kind', { digest, url: 'http://files.example/c' }, 'spec.code.url'],
  ['a tag of a registry', { digest, url: 'oci://registry.example/code:v1' }, 'spec.code.url'],
  ['a relative folder', { digest, configMap: 'c', mountPath: 'src' }, 'spec.code.mountPath'],
])('the definition refuses %s', async (_what, code, field) => {
  const { status, complaints: found } = await submit(code);
  expect(status).toBe(422);
  expect(found.map((complaint) => complaint.field)).toContain(field);
});
