/** What Trainyard writes is what `trainyard validate` accepts, without a definition from the command line. */
import { readFileSync } from 'node:fs';
import { Definitions } from '../../../src/cli/crd/definitions';
import { UpstreamSchemas } from '../../../src/cli/crd/upstream/upstream-schemas';
import { readSources } from '../../../src/cli/validate/sources';
import { validateSources } from '../../../src/cli/validate/validate-sources';
import { engines } from '../../../src/manifests/engines/registry';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { FRAMEWORK_NAMES, type FrameworkName, type TrainingJobSpec } from '../../../src/model/training-job/spec';
import { readUpstreamCrds } from '../../support/upstream-definitions';

function specOf(framework: FrameworkName): TrainingJobSpec {
  return { framework, image: 'registry.example/train:1', command: ['python3', 'train.py'], replicas: 2, resources: { gpu: 1, cpu: '2', memory: '8Gi' } };
}

function validate(objects: readonly object[]) {
  const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  return validateSources(readSources(['-'], () => text), { engine: OPERATOR_ENGINE, definitions: Definitions.PACKAGED });
}

const diagnose = (objects: readonly object[]) => validate(objects).diagnostics;

describe.each(engines().map((engine) => [engine.name, engine] as const))('what the engine %s writes is accepted', (_, engine) => {
  const frameworks = FRAMEWORK_NAMES.filter((framework) => validateForEngine(engine, 'train', specOf(framework)).length === 0);

  test('of some framework', () => {
    expect(frameworks).not.toEqual([]);
  });

  test.each(frameworks)('of a job of %s', (framework) => {
    const { job, companions } = engine.render({ name: 'train', namespace: 'ml', spec: specOf(framework) });
    const objects = [...companions, job].map((object) => ({ ...object, metadata: { ...object.metadata, namespace: 'ml' } }));
    expect(diagnose(objects)).toEqual([]);
  });
});

test.each([
  ['ray.io/v1beta1', 'RayJob', 'apiVersion', /^does not contain RayJob in kuberay v1\.\d+\.\d+; did you mean ray\.io\/v1 or ray\.io\/v1alpha1\? If .*--crds/],
  ['batch.volcano.sh/v1', 'Job', 'apiVersion', /in volcano v\S+; did you mean batch\.volcano\.sh\/v1alpha1\?/],
  ['batch/v1beta1', 'CronJob', 'apiVersion', /^does not contain CronJob in kubernetes v\S+; did you mean batch\/v1\?$/],
  ['jobset.x-k8s.io/v1alpha2', 'JobSets', 'kind', /Did you mean 'JobSet'\?/],
  ['kubeflow.org/v11', 'PyTorchJob', 'apiVersion', /did you mean kubeflow\.org\/v1\b/],
])('%s, kind %s is refused', (apiVersion, kind, path, message) => {
  expect(diagnose([{ apiVersion, kind, metadata: { name: 'train' } }])).toEqual([expect.objectContaining({ rule: 'kind', path, message: expect.stringMatching(message) })]);
});

test.each([
  // Kinds of other groups that have the name of a kind that is known.
  ['scheduling.k8s.io/v1alpha2', 'Workload'], ['tekton.dev/v1', 'Pipeline'], ['app.k8s.io/v1beta1', 'Application'], ['networking.gke.io/v1', 'GKENetworkParamSet'],
  // Versions and kinds beside those that engines write.
  ['kueue.x-k8s.io/v1beta1', 'LocalQueue'], ['networking.istio.io/v1beta1', 'Gateway'], ['kubeflow.org/v1', 'MXJob'],
])('%s, kind %s is accepted', (apiVersion, kind) => {
  expect(diagnose([{ apiVersion, kind, metadata: { name: 'train' }, spec: {} }])).toEqual([]);
});

test.each([
  { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'ClusterQueue', spec: { namespaceSelector: {} } }, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', rules: [] },
  { apiVersion: 'v1', kind: 'Namespace' },
])('a namespace of an object of the whole cluster has no effect, which is a warning: $kind', ({ kind, ...rest }) => {
  const inNamespace = (namespace: string, annotations?: object) => validate([{ ...rest, kind, metadata: { name: 'train', namespace, annotations } }]);
  for (const namespace of ['ml', 'no namespace at all']) {
    const { diagnostics, warnings } = inNamespace(namespace);
    expect(diagnostics).toEqual([]);
    expect(warnings).toMatchObject([{
      rule: 'mistake', id: 'cluster-scope', path: 'metadata.namespace', value: namespace,
      message: `has no effect: a ${kind} is cluster-scoped, and the API server drops its namespace. Remove it.`,
    }]);
  }
  expect(inNamespace('ml', { 'ml.collabnix.io/acknowledged': 'cluster-scope' }).warnings).toEqual([]);
});

test.each([
  ['kind.x-k8s.io/v1alpha4', 'Cluster', 'configuration of kind'], ['kustomize.config.k8s.io/v1beta1', 'Kustomization', 'configuration of kustomize'], ['v1', 'Config', 'configuration of kubectl'],
])('%s, kind %s is a file of a tool, which is told and is no mistake', (apiVersion, kind, words) => {
  const { diagnostics, unchecked } = validateSources(readSources(['-'], () => JSON.stringify({ apiVersion, kind })), { engine: OPERATOR_ENGINE, definitions: Definitions.PACKAGED });
  expect(diagnostics).toEqual([]);
  expect(unchecked).toMatchObject([{ what: 'file', message: expect.stringContaining(words) }]);
});

test('the definitions that tests have are of kinds whose structures come with Trainyard', () => {
  const kinds = readUpstreamCrds().flatMap(({ files }) => files).flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const [, group] = /^ {2}group: (\S+)$/m.exec(text) ?? [];
    const [, kind] = /^ {4}kind: (\S+)$/m.exec(text) ?? [];
    return group === undefined ? [] : [`${group}/${kind}`];
  });
  expect(kinds.length).toBeGreaterThan(100);
  const known = UpstreamSchemas.packaged().entries.flatMap((system) => Object.entries(system.kinds).flatMap(([group, names]) => names.map((kind) => `${group}/${kind}`)));
  expect(kinds.filter((kind) => !known.includes(kind))).toEqual([]);
});
