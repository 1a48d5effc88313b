/** What a field can name: an object by its name, or objects by their labels. Readers turn a field's value into that. */
import { BUILTIN_KINDS, groupOf } from '../objects/builtin-kinds';
import { isRecord, jsonText, filled, isFilled } from '../json-parts';
import { WORKLOAD_KINDS } from '../kinds/registry';
import { entryFor } from '../lists';
import { fieldPath, pathSteps, type PathStep, type Placed } from '../shapes';
import type { ManifestObject } from '../objects/manifest-object';

export interface NamedTarget {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** @default - that of the object that names it; none for kinds that live in no namespace */
  readonly namespace?: string;
}

export interface SelectedTarget {
  /** `pods` are those of any workload; else `GROUP/KIND`. */
  readonly of: string;
  readonly selector: LabelSelector;
  /** Namespaces, or all. @default - that of the object that selects */
  readonly namespaces?: readonly string[] | 'all';
}

export interface DefinedTarget {
  readonly defines: { readonly group: string; readonly kind: string };
}

export type Target = NamedTarget | SelectedTarget | DefinedTarget;

/** Reads targets from the value of a field; the object is the one that has the field. */
export type TargetReader = (value: unknown, object: ManifestObject) => readonly Target[];

export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}

export type Labels = { readonly [name: string]: string };

/** Custom kinds in addition to workloads that live in no namespace. */
const CLUSTER_KINDS = [
  'kueue.x-k8s.io/ClusterQueue', 'kueue.x-k8s.io/Cohort', 'kueue.x-k8s.io/ResourceFlavor', 'kueue.x-k8s.io/Topology', 'kueue.x-k8s.io/AdmissionCheck',
  'kueue.x-k8s.io/WorkloadPriorityClass', 'kueue.x-k8s.io/ProvisioningRequestConfig', 'kueue.x-k8s.io/MultiKueueConfig', 'kueue.x-k8s.io/MultiKueueCluster',
  'scheduling.volcano.sh/Queue', 'scheduling.run.ai/Queue', 'keda.sh/ClusterTriggerAuthentication',
  'gateway.networking.k8s.io/GatewayClass', 'cert-manager.io/ClusterIssuer', 'external-secrets.io/ClusterSecretStore',
  'rbac.authorization.k8s.io/User', 'rbac.authorization.k8s.io/Group',
];

const CLUSTER_SCOPED = new Set([
  ...CLUSTER_KINDS, ...WORKLOAD_KINDS.filter(({ isNamespaced = true }) => !isNamespaced).map(({ group, kind }) => kindKey(group, kind)),
  ...BUILTIN_KINDS.filter(({ namespaced }) => !namespaced).map(({ apiVersion, kind }) => kindKey(groupOf(apiVersion), kind)),
]);

/** `GROUP/KIND`; only the kind in the core group. */
export function kindKey(group: string, kind: string): string {
  return group === '' ? kind : `${group}/${kind}`;
}

/** Whether objects of a kind are known to live in no namespace. */
export function isClusterScoped(group: string, kind: string): boolean {
  return CLUSTER_SCOPED.has(kindKey(group, kind));
}

/** The value is the name of an object of a kind (`GROUP/KIND`). */
export function named(key: string): TargetReader {
  const { group, kind } = splitKey(key);
  return (value) => (isFilled(value) ? [{ group, kind, name: value }] : []);
}

/** The value has the name of an object of a kind in one of its fields. @param fields the first present one counts */
export function naming(key: string, ...fields: readonly string[]): TargetReader {
  const { group, kind } = splitKey(key);
  return (value) => {
    const holder = isRecord(value) ? value : {};
    const name = fields.map((field) => holder[field]).find(isFilled);
    return name === undefined ? [] : [{ group, kind, name, namespace: filled(holder.namespace) }];
  };
}

/**
 * The value is a reference: `name`, and where it has them `kind`, `apiVersion` or `apiGroup` (`group`), `namespace`.
 * @param byDefault `GROUP/KIND`
 */
export function reference(byDefault?: string): TargetReader {
  const { group: defaultGroup, kind: defaultKind } = splitKey(byDefault ?? '');
  return (value) => {
    const { name, kind = defaultKind, apiVersion, apiGroup, group = apiGroup, namespace } = isRecord(value) ? value : {};
    if (!isFilled(name) || !isFilled(kind)) {
      return [];
    }
    // An empty group is the core's, and means so.
    const given = typeof group === 'string' ? group : isFilled(apiVersion) ? groupOf(apiVersion) : kind === 'ServiceAccount' ? '' : defaultGroup;
    return [{ group: given, kind, name, namespace: filled(namespace) }];
  };
}

/** The value is a map of labels; an empty one selects nothing. @see https://kubernetes.io/docs/concepts/services-networking/service/ */
export const selectingByLabels: TargetReader = (value) => (
  isRecord(value) && Object.keys(value).length > 0 ? [{ of: 'pods', selector: { matchLabels: value as Labels } }] : []);

/** The value is a label selector; an empty one selects everything. @param of `pods`, or `GROUP/KIND` */
export function selecting(of: string): TargetReader {
  return (value, object) => (isRecord(value) ? [{ of, selector: value as LabelSelector, namespaces: selectedNamespaces(object) }] : []);
}

/** What monitors of Prometheus say about namespaces. */
function selectedNamespaces(object: ManifestObject): readonly string[] | 'all' | undefined {
  const [any] = valuesAt(object, 'spec.namespaceSelector.any');
  const names = valuesAt(object, 'spec.namespaceSelector.matchNames.*').filter(isFilled);
  return any === true ? 'all' : names.length > 0 ? names : undefined;
}

export function isSelected({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value)
    && matchExpressions.every(({ key, operator, values = [] }) => {
      const value: string | undefined = labels[key];
      switch (operator) {
        case 'In': return value !== undefined && values.includes(value);
        case 'NotIn': return value === undefined || !values.includes(value);
        case 'Exists': return value !== undefined;
        case 'DoesNotExist': return value === undefined;
        default: return false;
      }
    });
}

/** `app=web, tier in (a, b)`, as kubectl writes selectors; empty when everything is selected. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  return [
    ...Object.entries(matchLabels).map(([name, value]) => `${name}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      switch (operator) {
        case 'Exists': return key;
        case 'DoesNotExist': return `!${key}`;
        default: return `${key} ${operator === 'NotIn' ? 'notin' : 'in'} (${values.join(', ')})`;
      }
    }),
  ].join(', ');
}

/** Paths taken apart; they are the few of this folder, each asked for of every object. */
const STEPS = new Map<string, readonly PathStep[]>();

/** Values at a path such as `spec.rules.*.host`, where `*` is every item of a list, or every value of a map. */
export function valuesAt(value: unknown, path: string): unknown[] {
  return placedAt(value, path).map((placed) => placed.value);
}

/** The same, each with its own path. */
export function placedAt(value: unknown, path: string): Placed[] {
  const steps = entryFor(STEPS, path, () => pathSteps(path));
  if (!mayHave(value, steps)) {
    return [];
  }
  let values: Placed[] = [{ value, path: '' }];
  for (const step of steps) {
    values = values.length === 1 ? placedIn(values[0], step) : values.flatMap((placed) => placedIn(placed, step));
  }
  return values;
}

/** Whether an object has what the beginning of a path leads to: most have little of what a relation could be in. */
function mayHave(value: unknown, steps: readonly PathStep[]): boolean {
  let inner = value;
  for (const step of steps) {
    if (step === '*') {
      return true;
    }
    inner = isRecord(inner) ? inner[step] : undefined;
    if (inner === undefined) {
      return false;
    }
  }
  return true;
}

function placedIn({ value, path }: Placed, step: PathStep): Placed[] {
  if (step === '*') {
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return entries.map(([name, inner]) => ({ value: inner as unknown, path: Array.isArray(value) ? `${path}[${name}]` : fieldPath(path, name) }));
  }
  const inner = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return inner === undefined ? [] : [{ value: inner, path: path === '' ? jsonText(step) : fieldPath(path, jsonText(step)) }];
}

/** Takes a `GROUP/KIND` apart. */
export function splitKey(key: string): { readonly group: string; readonly kind: string } {
  const slash = key.indexOf('/');
  return { group: key.slice(0, Math.max(slash, 0)), kind: key.slice(slash + 1) };
}
