/** What is looked for in objects: names, and why. */
import { record, records, texts, type JsonRecord } from '../json-parts';
import { MESH_INJECTION_LABEL, MESH_REVISION_LABEL } from '../mesh';
import { LEAST_REPLICAS_OF_BUDGET, llmPodLabels, servingPodLabels } from '../serving/disruptions';

const STANDARDS = 'https://kubernetes.io/docs/concepts/security/pod-security-standards/';
const CHECKLIST = 'https://kubernetes.io/docs/concepts/security/application-security-checklist/';

/** All checks by their id. */
export const SECURITY_CHECKS = {
  'privileged': { why: 'a privileged container is root on the node', source: STANDARDS },
  'host-namespaces': { why: 'the pod sees the node\'s processes or network', source: STANDARDS },
  'host-paths': { why: 'the pod reads or writes files of the node', source: STANDARDS },
  'host-ports': { why: 'the pod takes a port of the node', source: STANDARDS },
  'capabilities': { why: 'the container keeps rights of root that it does not need', source: STANDARDS },
  'privilege-escalation': { why: 'a program of the container can get more rights than it was started with', source: STANDARDS },
  'run-as-non-root': { why: 'the container may run as root', source: STANDARDS },
  'seccomp': { why: 'the container may make any system call', source: STANDARDS },
  'read-only-root': { why: 'an attacker in the container can change its programs', source: CHECKLIST },
  'resource-requests': { why: 'the scheduler does not know what the container needs, and the pod is the first to be evicted', source: CHECKLIST },
  'service-account-token': { why: 'the pod has a token of the default account that nothing needs', source: CHECKLIST },
  'wildcard-rbac': { why: 'the permissions cover unintended resources, and whatever is installed later', source: 'https://kubernetes.io/docs/concepts/security/rbac-good-practices/' },
  'disruption-budget': { why: 'a drain of nodes may stop all replicas at once', source: 'https://kubernetes.io/docs/tasks/run-application/configure-pdb/' },
  'mesh-injection': { why: 'a sidecar keeps the pods of a job running after the training has ended', source: 'https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/' },
} as const;

export type SecurityCheckId = keyof typeof SECURITY_CHECKS;

export const SECURITY_CHECK_IDS = Object.keys(SECURITY_CHECKS) as SecurityCheckId[];

export interface SecurityFindingSpec {
  readonly check: SecurityCheckId;
  readonly path: string;
  readonly value: unknown;
  /** The rule and the fix. */
  readonly message: string;
}

export interface CheckedObject extends JsonRecord {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: { readonly [label: string]: string } };
}

/** Rights that are given without saying which. */
export function rbacFindings({ kind, rules, roleRef }: CheckedObject): SecurityFindingSpec[] {
  if (kind === 'Role' || kind === 'ClusterRole') {
    return records(rules).flatMap((rule, index) => ['apiGroups', 'resources', 'verbs'].filter((field) => texts(rule[field]).includes('*')).map((field) => ({
      check: 'wildcard-rbac' as const, path: `rules[${index}].${field}`, value: rule[field], message: 'must be listed explicitly: * covers unintended resources.',
    })));
  }
  const role = record(roleRef).name;
  return (kind === 'RoleBinding' || kind === 'ClusterRoleBinding') && role === 'cluster-admin'
    ? [{ check: 'wildcard-rbac', path: 'roleRef.name', value: role, message: 'is allowed everything. Bind a role with exact rules.' }] : [];
}

/** Services of several replicas that no budget keeps alive while nodes are drained. */
export function budgetFindings(object: CheckedObject, all: readonly CheckedObject[]): SecurityFindingSpec[] {
  const budgets = all.filter(({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.namespace === object.metadata.namespace);
  return replicatedPods(object)
    .filter(({ replicas, labels }) => typeof replicas === 'number' && replicas >= LEAST_REPLICAS_OF_BUDGET
      && !budgets.some(({ spec }) => selects(record(record(spec).selector), labels)))
    .map(({ path, replicas }) => ({ check: 'disruption-budget', path, value: replicas, message: 'has no PodDisruptionBudget whose selector matches its pods. Add one.' }));
}

/** Pods of one kind, where an object says how many there are at the least. */
interface ReplicatedPods {
  readonly path: string;
  readonly replicas: unknown;
  readonly labels: JsonRecord;
}

/** What serves, as far as its pods' labels are known. Replicas over several nodes are groups, which no budget of pods keeps. */
function replicatedPods({ kind, apiVersion = '', metadata: { name }, spec: written }: CheckedObject): ReplicatedPods[] {
  const spec = record(written);
  const [group] = apiVersion.split('/');
  switch (`${group} ${kind}`) {
    case 'apps Deployment':
    case 'apps StatefulSet':
      return [{ path: 'spec.replicas', replicas: spec.replicas, labels: labelsOf(spec.template) }];
    case 'serving.kserve.io InferenceService':
      return ['predictor', 'transformer', 'explainer'].filter((role) => record(spec[role]).workerSpec === undefined).map((role) => (
        { path: `spec.${role}.minReplicas`, replicas: record(spec[role]).minReplicas, labels: servingPodLabels(name, role) }));
    case 'serving.kserve.io LLMInferenceService':
      return [...llmReplicas('spec', spec, llmPodLabels(name, 'workload')), ...llmReplicas('spec.prefill', record(spec.prefill), llmPodLabels(name, 'workload-prefill'))];
    case 'ray.io RayService':
      return records(record(spec.rayClusterConfig).workerGroupSpecs).map(({ minReplicas, replicas, template }, index) => (
        { path: `spec.rayClusterConfig.workerGroupSpecs[${index}]`, replicas: minReplicas ?? replicas, labels: labelsOf(template) }));
    default:
      return [];
  }
}

function llmReplicas(path: string, { replicas, scaling, worker }: JsonRecord, labels: JsonRecord): ReplicatedPods[] {
  const { minReplicas } = record(scaling);
  return worker !== undefined ? [] : [{ path: minReplicas === undefined ? `${path}.replicas` : `${path}.scaling.minReplicas`, replicas: minReplicas ?? replicas, labels }];
}

function labelsOf(template: unknown): JsonRecord {
  return record(record(record(template).metadata).labels);
}

/** Namespaces of the program into whose pods a mesh puts sidecars. */
export function meshNamespaces(all: readonly CheckedObject[]): readonly string[] {
  return all.filter(({ kind, metadata: { labels = {} } }) => kind === 'Namespace' && (labels['istio-injection'] === 'enabled' || labels[MESH_REVISION_LABEL] !== undefined)).map(({ metadata }) => metadata.name);
}

/** Whether a mesh would put a sidecar into pods that have to end. @param metadata of the pod */
export function meshFindings(metadata: JsonRecord, path: string): SecurityFindingSpec[] {
  const said = record(metadata.labels)[MESH_INJECTION_LABEL] ?? record(metadata.annotations)[MESH_INJECTION_LABEL];
  return said === 'false' ? [] : [{
    check: 'mesh-injection', path: `${path}.metadata.labels['${MESH_INJECTION_LABEL}']`, value: said, message: 'must be "false", because the mesh puts sidecars into pods of this namespace.',
  }];
}

/** Whether a budget's selector matches labels; a selector that is empty matches all. */
function selects({ matchLabels, matchExpressions }: JsonRecord, labels: JsonRecord): boolean {
  return Object.entries(record(matchLabels)).every(([label, value]) => labels[label] === value) && records(matchExpressions).length === 0;
}

type Tell = (check: SecurityCheckId, path: string, value: unknown, message: string) => void;

/**
 * What is wrong with a pod: the restricted Pod Security Standard, and what goes beyond it.
 * @param path where its spec stands
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
export function podFindings(spec: JsonRecord, path: string): SecurityFindingSpec[] {
  const found: SecurityFindingSpec[] = [];
  const tell: Tell = (check, at, value, message) => found.push({ check, path: at, value, message });
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) {
    if (spec[field] === true) {
      tell('host-namespaces', `${path}.${field}`, true, 'shares the node\'s namespaces. Remove it.');
    }
  }
  records(spec.volumes).forEach((volume, index) => {
    if (volume.hostPath !== undefined) {
      tell('host-paths', `${path}.volumes[${index}]`, volume.name, 'is a path of the node. Use a claim, an emptyDir or a CSI driver.');
    }
  });
  if (spec.automountServiceAccountToken !== false && spec.serviceAccountName === undefined && spec.serviceAccount === undefined) {
    tell('service-account-token', `${path}.automountServiceAccountToken`, spec.automountServiceAccountToken, 'must be false if no service account is named.');
  }
  const pod = record(spec.securityContext);
  for (const group of ['containers', 'initContainers']) {
    records(spec[group]).forEach((container, index) => containerFindings(container, pod, `${path}.${group}[${index}]`, tell));
  }
  return found;
}

function containerFindings(container: JsonRecord, pod: JsonRecord, path: string, tell: Tell): void {
  const own = record(container.securityContext);
  const at = `${path}.securityContext`;
  if (own.privileged === true) {
    tell('privileged', `${at}.privileged`, true, 'must not be true. Remove it.');
  }
  records(container.ports).forEach((port, index) => {
    if (port.hostPort !== undefined && port.hostPort !== 0) {
      tell('host-ports', `${path}.ports[${index}].hostPort`, port.hostPort, 'must not be set. Use a Service.');
    }
  });
  const { drop, add } = record(own.capabilities);
  if (!texts(drop).includes('ALL')) {
    tell('capabilities', `${at}.capabilities.drop`, drop, 'must contain ALL.');
  }
  const further = texts(add).filter((capability) => capability !== 'NET_BIND_SERVICE');
  if (further.length > 0) {
    tell('capabilities', `${at}.capabilities.add`, further, 'may only contain NET_BIND_SERVICE. Remove the others.');
  }
  if (own.allowPrivilegeEscalation !== false) {
    tell('privilege-escalation', `${at}.allowPrivilegeEscalation`, own.allowPrivilegeEscalation, 'must be false.');
  }
  const user = own.runAsUser ?? pod.runAsUser;
  if ((own.runAsNonRoot ?? pod.runAsNonRoot) !== true || user === 0) {
    tell('run-as-non-root', user === 0 ? `${at}.runAsUser` : `${at}.runAsNonRoot`, user === 0 ? 0 : own.runAsNonRoot ?? pod.runAsNonRoot,
      user === 0 ? 'is root. Use the number of another user.' : 'must be true, on the container or its pod.');
  }
  const seccomp = record(own.seccompProfile ?? pod.seccompProfile).type;
  if (seccomp !== 'RuntimeDefault' && seccomp !== 'Localhost') {
    tell('seccomp', `${at}.seccompProfile.type`, seccomp, 'must be RuntimeDefault or Localhost, on the container or its pod.');
  }
  if (own.readOnlyRootFilesystem !== true) {
    tell('read-only-root', `${at}.readOnlyRootFilesystem`, own.readOnlyRootFilesystem, 'must be true. Mount an emptyDir where the program writes.');
  }
  const { requests, limits } = record(container.resources);
  const missing = ['cpu', 'memory'].filter((resource) => record(requests)[resource] === undefined && record(limits)[resource] === undefined);
  if (missing.length > 0) {
    tell('resource-requests', `${path}.resources.requests`, requests, `must hold ${missing.join(' and ')}.`);
  }
}
