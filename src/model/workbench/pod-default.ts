/**
 * A PodDefault: what Kubeflow's webhook adds to pods that carry its labels. Where two of them, or one and the pod, say different things under one
 * name the webhook refuses the pod: those conflicts are found here.
 * @see https://github.com/kubeflow/kubeflow/tree/master/components/admission-webhook
 */
import type { JsonRecord } from '../json-parts';
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
export type ChangedPod = Omit<PodAdditions, 'envFrom' | 'imagePullSecrets'>;

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

/** By what the webhook takes two entries for the same. */
const KEYS: readonly { readonly field: keyof ChangedPod; readonly key: string }[] = [
  { field: 'env', key: 'name' }, { field: 'volumes', key: 'name' }, { field: 'volumeMounts', key: 'name' }, { field: 'volumeMounts', key: 'mountPath' }, { field: 'tolerations', key: 'key' },
];

/** Entries of a source that say something else than an earlier one, or than each other, under one name. */
function conflicts(before: readonly Source[], source: Source, path: string): Violation[] {
  return KEYS.flatMap(({ field, key }) => {
    const entries = source[field] as readonly JsonRecord[];
    return entries.flatMap((entry, index) => {
      const earlier = [
        ...before.map(({ title, ...pod }) => ({ title, entries: pod[field] as readonly JsonRecord[] })),
        { title: source.title, entries: entries.slice(0, index) },
      ];
      const isOther = (one: JsonRecord) => one[key] === entry[key] && JSON.stringify(one) !== JSON.stringify(entry);
      const other = earlier.find((candidate) => candidate.entries.some(isOther));
      return other === undefined ? [] : [{
        path: `${path}.${field}`, value: entry[key], message: `differs between ${other.title} and ${source.title}, and the webhook rejects such a pod. Make them the same, or rename one.`,
      }];
    });
  });
}

function nameOf({ name }: JsonRecord): unknown {
  return name;
}
