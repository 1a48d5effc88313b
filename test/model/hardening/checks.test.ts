/** What is found in objects, and what is not. */
import { securityFindings } from '../../../src/manifests/hardening/findings';
import type { CheckedObject } from '../../../src/model/hardening/checks';

const hardContainer = {
  name: 'c', image: 'i', resources: { requests: { cpu: '1', memory: '1Gi' } },
  securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
};
const hardPod = { automountServiceAccountToken: false, securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } } };
const pod = (spec: object = {}, container: object = {}): CheckedObject => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' }, spec: { ...hardPod, containers: [{ ...hardContainer, ...container }], ...spec },
});
const context = (change: object) => ({ securityContext: { ...hardContainer.securityContext, ...change } });
const found = (...objects: CheckedObject[]) => securityFindings(objects).flatMap(({ findings }) => findings.map(({ check, path }) => `${check} at ${path}`));

test('a hardened pod has nothing to tell', () => {
  expect(found(pod())).toEqual([]);
  expect(found(pod({ securityContext: {} }, context({ runAsNonRoot: true, seccompProfile: { type: 'Localhost' }, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } })))).toEqual([]);
  expect(found(pod({ automountServiceAccountToken: undefined, serviceAccountName: 'a' }, { resources: { limits: { cpu: '1', memory: '1Gi' } } }))).toEqual([]);
});

test.each<[string, CheckedObject, string]>([
  ['a privileged container', pod({}, context({ privileged: true })), 'privileged at spec.containers[0].securityContext.privileged'],
  ['the network of the node', pod({ hostNetwork: true }), 'host-namespaces at spec.hostNetwork'],
  ['the processes of the node', pod({ hostPID: true }), 'host-namespaces at spec.hostPID'],
  ['the memory of the node', pod({ hostIPC: true }), 'host-namespaces at spec.hostIPC'],
  ['a path of the node', pod({ volumes: [{ name: 'v', hostPath: { path: '/' } }] }), 'host-paths at spec.volumes[0]'],
  ['a port of the node', pod({}, { ports: [{ containerPort: 1, hostPort: 1 }] }), 'host-ports at spec.containers[0].ports[0].hostPort'],
  ['capabilities that stay', pod({}, context({ capabilities: {} })), 'capabilities at spec.containers[0].securityContext.capabilities.drop'],
  ['a capability more', pod({}, context({ capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } })), 'capabilities at spec.containers[0].securityContext.capabilities.add'],
  ['more rights later', pod({}, context({ allowPrivilegeEscalation: undefined })), 'privilege-escalation at spec.containers[0].securityContext.allowPrivilegeEscalation'],
  ['perhaps root', pod({ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }), 'run-as-non-root at spec.containers[0].securityContext.runAsNonRoot'],
  ['root for certain', pod({}, context({ runAsUser: 0 })), 'run-as-non-root at spec.containers[0].securityContext.runAsUser'],
  ['a container that undoes what its pod says', pod({}, context({ runAsNonRoot: false })), 'run-as-non-root at spec.containers[0].securityContext.runAsNonRoot'],
  ['all system calls', pod({ securityContext: { runAsNonRoot: true, seccompProfile: { type: 'Unconfined' } } }), 'seccomp at spec.containers[0].securityContext.seccompProfile.type'],
  ['a root that can be written', pod({}, context({ readOnlyRootFilesystem: undefined })), 'read-only-root at spec.containers[0].securityContext.readOnlyRootFilesystem'],
  ['no requests', pod({}, { resources: { requests: { cpu: '1' } } }), 'resource-requests at spec.containers[0].resources.requests'],
  ['a token', pod({ automountServiceAccountToken: undefined }), 'service-account-token at spec.automountServiceAccountToken'],
  ['an init container', pod({ initContainers: [{ ...hardContainer, ...context({ privileged: true }) }] }), 'privileged at spec.initContainers[0].securityContext.privileged'],
  ['a role for everything', { kind: 'Role', metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }, { apiGroups: [''], resources: ['pods'], verbs: ['*'] }] }, 'wildcard-rbac at rules[1].verbs'],
  ['an administrator', { kind: 'ClusterRoleBinding', metadata: { name: 'b' }, roleRef: { name: 'cluster-admin' } }, 'wildcard-rbac at roleRef.name'],
])('finds %s', (_what, object, finding) => {
  expect(found(object)).toEqual([finding]);
});

const deployment = (replicas: number): CheckedObject => ({
  apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', namespace: 'n' },
  spec: { replicas, template: { metadata: { labels: { app: 'a' } }, spec: { ...hardPod, containers: [hardContainer] } } },
});
const budget = (namespace: string, app: string): CheckedObject => ({ kind: 'PodDisruptionBudget', metadata: { name: 'b', namespace }, spec: { selector: { matchLabels: { app } } } });

test('several replicas want a budget that is about them', () => {
  expect(found(deployment(1))).toEqual([]);
  expect(found(deployment(2))).toEqual(['disruption-budget at spec.replicas']);
  expect(found(deployment(2), budget('n', 'a'))).toEqual([]);
  expect(found(deployment(2), budget('other', 'a'))).toEqual(['disruption-budget at spec.replicas']);
  expect(found(deployment(2), budget('n', 'b'))).toEqual(['disruption-budget at spec.replicas']);
});

test.each<[string, string, string, object, object, string]>([
  ['InferenceService', 'serving.kserve.io/v1beta1', 'its predictor', { predictor: { minReplicas: 2 } },
    { 'serving.kserve.io/inferenceservice': 's', 'component': 'predictor' }, 'spec.predictor.minReplicas'],
  ['LLMInferenceService', 'serving.kserve.io/v1alpha2', 'its replicas', { replicas: 2 },
    { 'app.kubernetes.io/name': 's', 'app.kubernetes.io/component': 'llminferenceservice-workload' }, 'spec.replicas'],
  ['LLMInferenceService', 'serving.kserve.io/v1alpha2', 'its scaled replicas', { replicas: 9, scaling: { minReplicas: 2 } },
    { 'app.kubernetes.io/name': 's' }, 'spec.scaling.minReplicas'],
  ['RayService', 'ray.io/v1', 'its workers', { rayClusterConfig: { workerGroupSpecs: [{ replicas: 2, template: { metadata: { labels: { app: 'a' } } } }] } },
    { app: 'a' }, 'spec.rayClusterConfig.workerGroupSpecs[0]'],
])('%s of %s wants a budget for %s', (kind, apiVersion, _what, spec, labels, where) => {
  const service = { apiVersion, kind, metadata: { name: 's', namespace: 'n' }, spec };
  const itsBudget = { kind: 'PodDisruptionBudget', metadata: { name: 'b', namespace: 'n' }, spec: { selector: { matchLabels: labels } } };
  expect(found(service)).toEqual([`disruption-budget at ${where}`]);
  expect(found(service, itsBudget)).toEqual([]);
});

test('replicas over several nodes are no pods that a budget could keep', () => {
  const kserve = (kind: string, spec: object): CheckedObject => ({ apiVersion: 'serving.kserve.io/v1', kind, metadata: { name: 's', namespace: 'n' }, spec });
  expect(found(kserve('InferenceService', { predictor: { minReplicas: 2, workerSpec: {} } }), kserve('LLMInferenceService', { replicas: 2, worker: {} }))).toEqual([]);
});

describe('sidecars', () => {
  const namespace = (labels: { readonly [label: string]: string }): CheckedObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', labels } });
  const job = (labels: object): CheckedObject => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'n' }, spec: { template: { metadata: { labels }, spec: { ...hardPod, containers: [hardContainer] } } } });

  test('are found in pods that end, where a mesh puts them', () => {
    expect(found(namespace({ 'istio-injection': 'enabled' }), job({}))).toEqual(["mesh-injection at spec.template.metadata.labels['sidecar.istio.io/inject']"]);
    expect(found(namespace({ 'istio.io/rev': 'stable' }), job({}))).toHaveLength(1);
    expect(securityFindings([job({})], ['n'])).toHaveLength(1);
  });

  test('are fine elsewhere, and where the pod says no', () => {
    expect(found(namespace({}), job({}))).toEqual([]);
    expect(found(namespace({ 'istio-injection': 'enabled' }), job({ 'sidecar.istio.io/inject': 'false' }))).toEqual([]);
    expect(found(namespace({ 'istio-injection': 'enabled' }), deployment(1))).toEqual([]);
  });
});

describe('pods of Spark', () => {
  const spark = (kind: string, spec: object): CheckedObject => ({ apiVersion: 'sparkoperator.k8s.io/v1beta2', kind, metadata: { name: 's', namespace: 'n' }, spec });
  const { image: _image, resources: _resources, ...container } = hardContainer;
  const template = (more: object = {}) => ({ spec: { ...hardPod, containers: [{ ...container, name: 'spark-kubernetes-driver' }], ...more } });

  test('are their templates, to which Spark adds image, cores and memory, and the application the account', () => {
    expect(found(spark('SparkApplication', { driver: { template: template() }, executor: { template: template() } }))).toEqual([]);
    expect(found(spark('SparkApplication', { driver: { serviceAccount: 'driver', template: template({ automountServiceAccountToken: undefined }) } }))).toEqual([]);
    expect(found(spark('SparkConnect', { server: { template: template({ hostPID: true }) } }))).toEqual(['host-namespaces at spec.server.template.spec.hostPID']);
    expect(found(spark('ScheduledSparkApplication', { template: { executor: { template: template({ hostPID: true }) } } }))).toEqual(['host-namespaces at spec.template.executor.template.spec.hostPID']);
  });

  test('end, so that a mesh leaves them alone', () => {
    expect(securityFindings([spark('SparkApplication', { driver: { template: template() } })], ['n']).flatMap(({ findings }) => findings.map(({ path }) => path)))
      .toEqual(["spec.driver.template.metadata.labels['sidecar.istio.io/inject']"]);
  });
});

test('pods are found in any kind, and those of training jobs as the operator makes them', () => {
  const rayJob = { apiVersion: 'ray.io/v1', kind: 'RayJob', metadata: { name: 'r' }, spec: { rayClusterSpec: { workerGroupSpecs: [{ template: pod({ hostNetwork: true }) }] } } };
  expect(found(rayJob as unknown as CheckedObject)).toEqual(['host-namespaces at spec.rayClusterSpec.workerGroupSpecs[0].template.spec.hostNetwork']);
  const training = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'j' }, spec: { framework: 'pytorch', image: 'i', replicas: 2 } };
  expect(found(training)).toEqual(expect.arrayContaining(["run-as-non-root at pods of role 'worker'.containers[0].securityContext.runAsNonRoot"]));
  expect(found({ ...training, spec: { framework: 'pytorch' } })).toEqual([]);
});
