/** Snapshots of clusters, put together from what the API would show: all is well, and a test breaks one thing. */
import type { NamespaceFacts, ClusterSnapshot, KindFacts, OperatorFacts, ReferenceFacts, ReferencedObject } from '../../../src/cli/doctor/snapshot';
import { readProgram, type Program } from '../../../src/cli/doctor/program';
import type { NodeObject } from '../../../src/cli/explain/job/snapshot';
import type { AnyObject, PodObject } from '../../../src/cli/jobs/objects';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { constructOperatorRoles } from '../../../src/manifests/operator/access';
import { constructOperatorDeployment } from '../../../src/manifests/operator/deployment';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';
import { NOW, ago, condition } from '../explain/snapshots';

type Fields = { readonly [field: string]: unknown };

/** Namespace of the program. */
export const NAMESPACE = 'ml';

/** Hash of the operator's code of this version. */
export const CODE = 'abcdef012345';

/** A job of two replicas with a GPU each. */
export function trainingJob(spec: Fields = {}, name = 'train'): ManifestObject {
  return {
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name, namespace: NAMESPACE },
    spec: { framework: 'jax', image: 'ghcr.io/acme/train:1', replicas: 2, resources: { cpu: '2', memory: '8Gi', gpu: 1 }, ...spec },
  };
}

/** An object of another kind. */
export function object(apiVersion: string, kind: string, name: string, fields: Fields = {}, metadata: Fields = {}): ManifestObject {
  return { apiVersion, kind, metadata: { name, namespace: NAMESPACE, ...metadata }, ...fields } as ManifestObject;
}

/** A JobSet of two pods. */
export function jobSet(pod: Fields = {}, metadata: Fields = {}, name = 'set'): ManifestObject {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'ghcr.io/acme/train:1', resources: { limits: { 'cpu': '2', 'memory': '8Gi', 'nvidia.com/gpu': '1' } } }], ...pod } };
  return object('jobset.x-k8s.io/v1alpha2', 'JobSet', name, { spec: { replicatedJobs: [{ name: 'worker', replicas: 1, template: { spec: { parallelism: 2, completions: 2, template } } }] } }, metadata);
}

/** A program of these objects. */
export function program(...objects: readonly ManifestObject[]): Program {
  return readProgram('job.yaml', objects, NAMESPACE);
}

/** A node with 8 GPUs. */
export function gpuNode(name = 'node-1', more: { readonly labels?: Fields; readonly allocatable?: Fields; readonly taints?: readonly object[]; readonly conditions?: readonly object[] } = {}): NodeObject {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...more.labels } },
    spec: { taints: more.taints },
    status: { allocatable: { 'cpu': '64', 'memory': '512Gi', 'nvidia.com/gpu': '8', ...more.allocatable }, conditions: [condition('Ready', 'True', 'KubeletReady'), ...more.conditions ?? []] },
  } as NodeObject;
}

/** How the operator is installed. */
interface DeploymentFacts {
  readonly watchNamespaces?: readonly string[];
  readonly ready?: number;
  readonly replicas?: number;
  readonly namespace?: string;
  readonly hash?: string;
  readonly image?: string;
}

/** The operator's Deployment as the construct renders it, with a status. */
export function deployment(more: DeploymentFacts = {}): AnyObject {
  const { watchNamespaces = [], ready = 2, replicas = 2, namespace = 'trainyard-system', hash = CODE, image } = more;
  const manifest = constructOperatorDeployment({
    namespace, replicas, image: image ?? 'node:22', logLevel: 'info', watchNamespaces, progress: true, resources: {}, ...(image === undefined && { code: { configMapNames: ['code'], hash } }),
  });
  return { ...manifest, status: { readyReplicas: ready, replicas } } as unknown as AnyObject;
}

/** A pod of the operator. */
export function operatorPod(status: Fields, name = 'trainyard-operator-x'): PodObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'trainyard-system' }, spec: { containers: [] }, status } as unknown as PodObject;
}

/** The operator, running and leading. */
export function operator(more: Partial<OperatorFacts> = {}): OperatorFacts {
  const roles = constructOperatorRoles('trainyard-system', []) as unknown as AnyObject[];
  const named = (kind: string) => ({ found: roles.find((role) => role.kind === kind && role.metadata?.name === 'trainyard-operator')! });
  return {
    isReadable: true, deployments: [deployment()], pods: [], logs: [], events: [],
    leases: [{ metadata: { name: 'trainyard-operator', namespace: 'trainyard-system' }, spec: { holderIdentity: 'trainyard-operator-x', leaseDurationSeconds: 15, renewTime: ago(2) } }],
    clusterRole: named('ClusterRole'), clusterRoleBinding: named('ClusterRoleBinding'), ...more,
  };
}

/** A kind that is served. */
export function kind(apiVersion: string, name: string, plural: string, more: Partial<KindFacts> = {}): KindFacts {
  return {
    apiVersion, kind: name, plural, isServed: true, servedVersions: [apiVersion.split('/')[1]],
    definition: { found: { kind: 'CustomResourceDefinition', metadata: { name: `${plural}.${apiVersion.split('/')[0]}` }, spec: {}, status: { conditions: [condition('Established', 'True', 'InitialNamesAccepted')] } } }, ...more,
  };
}

/** The definition of our own jobs. */
export const ownKind = (more: Partial<KindFacts> = {}, definition: Fields = {}): KindFacts => kind('ml.collabnix.io/v1alpha1', 'MLTrainingJob', 'mltrainingjobs', {
  definition: { found: { ...constructTrainingJobCrd(), ...definition } as AnyObject }, ...more,
});

/** JobSet's definition. */
export const jobSetKind = (more: Partial<KindFacts> = {}): KindFacts => kind('jobset.x-k8s.io/v1alpha2', 'JobSet', 'jobsets', more);

/** A controller that runs. */
export function controller(name: string, ready = 1, namespace = `${name}-system`): AnyObject {
  return { kind: 'Deployment', metadata: { name, namespace }, spec: { replicas: 1 }, status: { readyReplicas: ready } };
}

/** The namespace. */
export function namespace(more: Partial<NamespaceFacts> = {}, labels: Fields = {}): NamespaceFacts {
  return {
    name: NAMESPACE, namespace: { found: { kind: 'Namespace', metadata: { name: NAMESPACE, labels: labels as { [label: string]: string } }, status: { phase: 'Active' } } },
    quotas: [], limits: [], networkPolicies: [], defaultAccount: { found: { kind: 'ServiceAccount', metadata: { name: 'default', namespace: NAMESPACE } } }, ...more,
  };
}

/** Something that the program names. */
export function reference(kindName: string, name: string, seen: ReferenceFacts['seen'], more: Partial<ReferenceFacts> = {}): ReferenceFacts {
  return { group: '', kind: kindName, name, namespace: NAMESPACE, usedBy: `MLTrainingJob ${NAMESPACE}/train: spec.x`, isPullSecret: false, seen, ...more };
}

/** A referenced object that is there. */
export const found = (fields: Fields): { readonly found: ReferencedObject } => ({ found: fields as ReferencedObject });

/** A cluster in which all is well, and a program of one job. */
export function cluster(more: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return {
    now: NOW, serverNow: NOW, server: 'https://cluster.example/', kubernetes: 'v1.36.2', user: 'ann', version: '1.0.0', operatorCode: CODE, namespace: NAMESPACE, isAutoscaled: false,
    operator: operator(), kinds: [ownKind()], webhooks: [], policies: [], policyBindings: [], nodes: [gpuNode()], daemonSets: [], deployments: [],
    storageClasses: [{ kind: 'StorageClass', metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }, provisioner: 'pd.csi.storage.gke.io' } as AnyObject],
    rights: [], program: program(trainingJob()), namespaces: [namespace()], references: [], unread: [], ...more,
  };
}
