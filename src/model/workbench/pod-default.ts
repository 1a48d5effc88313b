/**
 * A PodDefault: what Kubeflow's webhook adds to pods that carry its labels. Where two of them, or one and the pod, say different things under one
 * name the webhook refuses the pod: those conflicts are found here.
 * @see https://github.com/kubeflow/kubeflow/tree/master/components/admission-webhook
 */
import { isEqual, type JsonRecord } from '../json-parts';
import { isSubdomain } from '../names';
import type { PodSettings } from '../pod-settings';
import { ViolationCollector, type Violation } from '../violations';

/** What pods have several of, and a PodDefault adds to. */
export type PodAdditions = Required<Pick<PodSettings, 'env' | 'envFrom' | 'volumes' | 'volumeMounts' | 'tolerations' | 'imagePullSecrets'>>;

export interface PodDefaultSpec
  extends Pick<PodSettings, 'command' | 'args' | 'serviceAccountName' | 'labels' | 'annotations'>, PodAdditions {
  readonly description?: string;
  readonly selector: { readonly [label: string]: string };
  readonly automountServiceAccountToken?: boolean;
}

/** A pod that is changed, as far as it can be in the way. */
export interface ChangedPod extends Omit<PodAdditions, 'envFrom' | 'imagePullSecrets'> {
  readonly labels?: { readonly [label: string]: string };
  readonly annotations?: { readonly [annotation: string]: string };
}

export function validatePodDefault(name: string, spec: PodDefaultSpec): Violation[] {
  const violations = new ViolationCollector();
  if (!isSubdomain(name)) {
    violations.add('metadata.name', name, 'must be a DNS name: lower-case letters, digits, \'-\' and \'.\', 253 characters at most.');
  }
  if (Object.keys(spec.selector).length === 0) {
    violations.add('spec.selector', {}, 'is empty, so every pod in the namespace would be changed. Set a label.');
  }
  const { description: _description, selector: _selector, ...what } = spec;
  if (Object.values(what).every((value) => value === undefined || (Array.isArray(value) ? value.length === 0 : Object.keys(Object(value)).length === 0 && typeof value === 'object'))) {
    violations.add('spec', undefined, 'adds nothing to pods. Set a variable, a volume or a toleration.');
  }
  const volumes = new Set(spec.volumes.map(nameOf));
  spec.volumeMounts.forEach((mount, index) => {
    if (!volumes.has(nameOf(mount))) {
      violations.add(`spec.volumeMounts[${index}].name`, nameOf(mount), 'is not a volume of the PodDefault, and pods may not have a volume with this name. Add the volume.');
    }
  });
  violations.addAll(conflicts([{ title: 'the PodDefault itself', ...EMPTY }], { title: name, ...spec }, 'spec'));
  return violations.violations;
}

/** Checks the PodDefaults of one pod against each other and against the pod. */
export function validatePodDefaultsTogether(
  podDefaults: readonly { readonly name: string; readonly spec: PodDefaultSpec }[], pod: ChangedPod,
): Violation[] {
  const violations = new ViolationCollector();
  const before: Source[] = [{ title: 'the notebook', ...pod }];
  for (const { name, spec } of podDefaults) {
    const source = { title: `PodDefault '${name}'`, ...spec };
    violations.addAll(conflicts(before, source, 'podDefaults'));
    before.push(source);
  }
  return violations.violations;
}

interface Source extends ChangedPod {
  readonly title: string;
}

const EMPTY: ChangedPod = { env: [], volumes: [], volumeMounts: [], tolerations: [] };

/** By what the webhook takes two entries for the same; labels and annotations have names of their own. */
const KEYS: readonly { readonly field: keyof ChangedPod; readonly key: string }[] = [
  { field: 'env', key: 'name' }, { field: 'volumes', key: 'name' }, { field: 'volumeMounts', key: 'name' }, { field: 'volumeMounts', key: 'mountPath' }, { field: 'tolerations', key: 'key' },
  { field: 'labels', key: '' }, { field: 'annotations', key: '' },
];

/**
 * Entries of a source that differ from what the webhook has under their name by then: the last entry of the pod, else the first of a PodDefault.
 * @param before the pod, then PodDefaults in their order
 */
function conflicts(before: readonly Source[], source: Source, path: string): Violation[] {
  const violations = new ViolationCollector();
  for (const { field, key } of KEYS) {
    const known = new Map<unknown, { readonly title: string; readonly entry: unknown }>();
    [...before, source].forEach((each, index) => {
      for (const { name, entry } of entriesOf(each, field, key)) {
        const found = known.get(name);
        if (found === undefined || index === 0) {
          known.set(name, { title: each.title, entry });
        } else if (each === source && !isEqual(found.entry, entry)) {
          violations.add(`${path}.${field}`, name, `differs between ${found.title} and ${source.title}, and the webhook rejects such a pod. Make them the same, or rename one.`);
        }
      }
    });
  }
  return violations.violations;
}

function entriesOf(source: Source, field: keyof ChangedPod, key: string): { readonly name: unknown; readonly entry: unknown }[] {
  const entries = source[field] ?? {};
  return Array.isArray(entries) ? (entries as readonly JsonRecord[]).map((entry) => ({ name: entry[key], entry }))
    : Object.entries(entries).map(([name, entry]) => ({ name, entry }));
}

function nameOf({ name }: JsonRecord): unknown {
  return name;
}
