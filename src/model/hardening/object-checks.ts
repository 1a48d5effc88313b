/** Checks of objects that are no pods, and of objects against each other. */
import type { SecurityFindingSpec } from './checks';
import { record, records, texts, type JsonRecord } from '../json-parts';
import { MESH_INJECTION_LABEL, MESH_REVISION_LABEL } from '../mesh';
import { LEAST_REPLICAS_OF_BUDGET, llmPodLabels, servingPodLabels } from '../serving/disruptions';

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
