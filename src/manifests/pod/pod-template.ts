/**
 * Merges pod templates: what the operator constructs, then the job's template, then the role's. The rules are those of Kubernetes' strategic merge
 * patch, in two tables: lists of named items are merged by their key, maps key by key, lists without a key are joined, and otherwise the later value
 * wins. Items with one of several sources (a volume, a variable) are replaced as a whole, because half of one and half of another would be invalid.
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
import type { Container, PodSpec } from '../kubernetes';
import type { PodTemplateSpec } from '../../model/training-job/spec';
import { isRecord } from '../../model/json-parts';

/** Field values straight from a user's template. */
type Fields = { readonly [field: string]: unknown };

/** Merges two values of a field. */
type Merge = (base: unknown, over: unknown) => unknown;

/** Keys of both; the later value wins. */
const maps: Merge = (base, over) => (isRecord(base) && isRecord(over) ? { ...base, ...over } : over);

/** Items of both, each once. A value that is not a list is unchanged; the checks of the template report it. */
const union: Merge = (base, over) => {
  if (!Array.isArray(base) || !Array.isArray(over)) {
    return over;
  }
  const seen = new Set<string>();
  return [...base as unknown[], ...over as unknown[]].filter((item) => {
    const text = JSON.stringify(item);
    return !seen.has(text) && seen.add(text);
  });
};

/** Items of both. Items with the same key are merged with `merge`, in the place of the first. */
function byKey(keyOf: (item: Fields) => unknown, merge: (base: Fields, over: Fields) => Fields = (_base, over) => over): Merge {
  return (base, over) => {
    if (!isListOfFields(base) || !isListOfFields(over)) {
      return over;
    }
    const merged = new Map<unknown, Fields>();
    for (const item of [...base, ...over]) {
      const earlier = merged.get(keyOf(item));
      merged.set(keyOf(item), earlier === undefined ? item : merge(earlier, item));
    }
    return [...merged.values()];
  };
}

function isListOfFields(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every(isRecord);
}

const byName = byKey((item) => item.name);

/** Fields of a container with several values. */
const CONTAINER_RULES: { readonly [field: string]: Merge } = {
  env: byName,
  envFrom: union,
  volumeMounts: byKey((mount) => mount.mountPath),
  volumeDevices: byKey((device) => device.devicePath),
  ports: byKey((port) => `${port.containerPort}/${port.protocol ?? 'TCP'}`),
  securityContext: maps,
  resources: (base, over) => (isRecord(base) && isRecord(over) ? mergeFields(base, over, { limits: maps, requests: maps, claims: byName }) : over),
};

const containers = byKey((item) => item.name, (base, over) => mergeFields(base, over, CONTAINER_RULES));

/** Fields of a pod with several values. */
const POD_RULES: { readonly [field: string]: Merge } = {
  containers,
  initContainers: containers,
  volumes: byName,
  tolerations: union,
  imagePullSecrets: union,
  readinessGates: union,
  schedulingGates: byName,
  resourceClaims: byName,
  hostAliases: byKey((alias) => alias.ip),
  topologySpreadConstraints: byKey((constraint) => constraint.topologyKey),
  nodeSelector: maps,
  securityContext: maps,
  affinity: maps,
  dnsConfig: maps,
};

function mergeFields(base: Fields, over: Fields, rules: { readonly [field: string]: Merge }): Fields {
  const merged: { [field: string]: unknown } = { ...base };
  for (const [field, value] of Object.entries(over)) {
    if (value !== undefined && value !== null) {
      const earlier = Object.hasOwn(merged, field) ? merged[field] : undefined;
      const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
      merged[field] = rule === undefined || earlier === undefined ? value : rule(earlier, value);
    }
  }
  return merged;
}

/** Merges the second container into the first; both have the same name. */
export function mergeContainer(base: Container, over: Partial<Container> | undefined): Container {
  return over === undefined ? base : mergeFields(base, over, CONTAINER_RULES) as Container;
}

/** Merges the second pod spec into the first. */
export function mergePodSpec(base: PodSpec, over: Partial<PodSpec>): PodSpec {
  return mergeFields(base, over, POD_RULES) as PodSpec;
}

/** Metadata of a pod template. */
export interface TemplateMetadata {
  readonly labels: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
}

export interface PodTemplate {
  readonly metadata: TemplateMetadata;
  readonly spec: PodSpec;
}

/** The merged templates of a job and of a role. */
export interface MergedTemplate {
  readonly labels: { readonly [name: string]: string };
  readonly annotations: { readonly [name: string]: string };
  readonly spec: Partial<PodSpec>;
}

/** Merges templates; later ones win. */
export function mergePodTemplates(templates: readonly PodTemplateSpec[]): MergedTemplate {
  return {
    labels: Object.assign({}, ...templates.map((template) => template.metadata?.labels)),
    annotations: Object.assign({}, ...templates.map((template) => template.metadata?.annotations)),
    spec: templates.reduce<Fields>((merged, template) => mergeFields(merged, template.spec ?? {}, POD_RULES), {}) as Partial<PodSpec>,
  };
}
