/** Checks of objects that are no pods, and of objects against each other. */
import type { SecurityFindingSpec } from './checks';

interface Fields { readonly [field: string]: unknown }

/** An object of a program. */
export interface CheckedObject extends Fields {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: { readonly [label: string]: string } };
}

/** Rights that are given without saying which. */
export function rbacFindings({ kind, rules, roleRef }: CheckedObject): SecurityFindingSpec[] {
  if (kind === 'Role' || kind === 'ClusterRole') {
    return list(rules).flatMap((rule, index) => ['apiGroups', 'resources', 'verbs'].filter((field) => texts(rule[field]).includes('*')).map((field) => ({
      check: 'wildcard-rbac' as const, path: `rules[${index}].${field}`, value: rule[field], message: 'must be written out: * covers what nobody thought of.',
    })));
  }
  const role = record(roleRef).name;
  return (kind === 'RoleBinding' || kind === 'ClusterRoleBinding') && role === 'cluster-admin'
    ? [{ check: 'wildcard-rbac', path: 'roleRef.name', value: role, message: 'may do everything. Bind a role with exact rules.' }] : [];
}

/** Services of several replicas that no budget keeps alive while nodes are drained. */
export function budgetFindings({ kind, apiVersion, metadata, spec }: CheckedObject, all: readonly CheckedObject[]): SecurityFindingSpec[] {
  const { replicas, template } = record(spec);
  if (apiVersion !== 'apps/v1' || (kind !== 'Deployment' && kind !== 'StatefulSet') || typeof replicas !== 'number' || replicas < 2) {
    return [];
  }
  const labels = record(record(record(template).metadata).labels);
  const kept = all.some((other) => other.kind === 'PodDisruptionBudget' && other.metadata.namespace === metadata.namespace && selects(record(record(other.spec).selector), labels));
  return kept ? [] : [{ check: 'disruption-budget', path: 'spec.replicas', value: replicas, message: 'has no PodDisruptionBudget whose selector matches its pods. Add one.' }];
}

/** Label and annotation by which Istio's webhook is told to leave a pod alone. */
const INJECT = 'sidecar.istio.io/inject';

/** Namespaces of the program into whose pods a mesh puts sidecars. */
export function meshNamespaces(all: readonly CheckedObject[]): readonly string[] {
  return all.filter(({ kind, metadata: { labels = {} } }) => kind === 'Namespace' && (labels['istio-injection'] === 'enabled' || labels['istio.io/rev'] !== undefined)).map(({ metadata }) => metadata.name);
}

/**
 * Whether a mesh would put a sidecar into pods that have to end.
 * @param metadata of the pod
 */
export function meshFindings(metadata: Fields, path: string): SecurityFindingSpec[] {
  const said = record(metadata.labels)[INJECT] ?? record(metadata.annotations)[INJECT];
  return said === 'false' ? [] : [{
    check: 'mesh-injection', path: `${path}.metadata.labels['${INJECT}']`, value: said, message: 'must be "false", because the mesh puts sidecars into pods of this namespace.',
  }];
}

/** Whether a budget's selector matches labels; a selector that is empty matches all. */
function selects({ matchLabels, matchExpressions }: Fields, labels: Fields): boolean {
  return Object.entries(record(matchLabels)).every(([label, value]) => labels[label] === value) && list(matchExpressions).length === 0;
}

function record(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Fields : {};
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(record) : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value as string[] : [];
}
