/**
 * Pod templates in the form that results when a controller reads an object into Kubernetes' Go types and writes it back, as KubeRay does when it adds
 * its finalizer. A template in this form is not changed by that. In any other form, the controller then owns the changed fields, and if they are in
 * an atomic list, a second server-side apply of the same manifest is a conflict.
 * @see https://github.com/kubernetes/api/blob/v0.36.0/core/v1/types.go
 */
import type { Container, PodSpec } from '../kubernetes';
import { canonicalQuantity } from '../../model/quantities';

type PodTemplate<M> = { readonly metadata: M; readonly spec: PodSpec };

type Fields = { readonly [field: string]: unknown };

/**
 * Fields of containers, pods and nested objects that Go omits if they are `false`, 0 or an empty string. For other fields it knows whether they are
 * set.
 */
const OMITTED_WHEN_EMPTY: ReadonlySet<string> = new Set([
  'hostNetwork', 'hostPID', 'hostIPC', 'stdin', 'stdinOnce', 'tty', 'readOnly', 'subPath', 'subPathExpr', 'workingDir', 'hostIP', 'hostPort',
  'initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold', 'hostname', 'subdomain', 'nodeName', 'schedulerName',
  'priorityClassName', 'serviceAccountName', 'restartPolicy', 'dnsPolicy', 'terminationMessagePath', 'terminationMessagePolicy', 'imagePullPolicy', 'image',
  'protocol', 'medium', 'secretName', 'fsType', 'prefix',
]);

/** Fields whose value is a map from names to quantities. */
const QUANTITY_MAPS: ReadonlySet<string> = new Set(['limits', 'requests', 'overhead']);

/** Fields whose value is a quantity. */
const QUANTITIES: ReadonlySet<string> = new Set(['sizeLimit', 'divisor']);

/** Lists whose items lose empty strings. */
const TEXT_ITEMS: ReadonlySet<string> = new Set(['env', 'tolerations', 'ports']);

/** Fields that Go always writes in structures. */
const STRUCTS: { readonly [field: string]: Fields | undefined } = {
  resourceFieldRef: { divisor: '0' },
  volumeClaimTemplate: { metadata: {}, spec: {} },
};

/** Maps of strings, whose keys are not fields. */
const TEXT_MAPS: ReadonlySet<string> = new Set(['nodeSelector', 'matchLabels', 'labels', 'annotations', 'volumeAttributes', 'options']);

/** A pod template as Go writes it: with its metadata, and with `resources` in each container. */
export function typedPodTemplate<M extends object>({ metadata, spec }: PodTemplate<M>): PodTemplate<M> {
  return { metadata, spec: typedPodSpec(spec) };
}

/** A pod's spec as Go writes it: with `resources` in each container, canonical quantities, and without empty fields. */
export function typedPodSpec<T extends Partial<PodSpec>>(spec: T): T {
  const { containers, initContainers, ...rest }: Partial<PodSpec> = canonicalPodSpec(spec);
  const withResources = (container: Container) => ({ ...container, resources: container.resources ?? {} });
  return {
    ...rest,
    ...(containers && { containers: containers.map(withResources) }),
    ...(initContainers && { initContainers: initContainers.map(withResources) }),
  } as T;
}

/** The same without `resources: {}`, which only atomic lists need. */
export function canonicalPodSpec<T extends object>(spec: T): T {
  return fieldsOf(spec) as T;
}

function fieldsOf(fields: object): Fields {
  return Object.fromEntries(Object.entries(fields).flatMap(([field, value]) => {
    const typed = typedValue(field, value);
    return typed === undefined ? [] : [[field, typed]];
  }));
}

function typedValue(field: string, value: unknown): unknown {
  if (TEXT_MAPS.has(field)) {
    return value;
  }
  if (QUANTITY_MAPS.has(field) && isFields(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, quantity]) => [name, quantityText(quantity)]));
  }
  if (QUANTITIES.has(field)) {
    return quantityText(value);
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map((item: unknown) => (isFields(item) ? typedItem(field, item) : item));
  }
  if (isFields(value)) {
    return { ...STRUCTS[field], ...fieldsOf(value) };
  }
  return OMITTED_WHEN_EMPTY.has(field) && (value === '' || value === 0 || value === false) ? undefined : value;
}

/** Items of some lists lose empty strings; headers of probes and selectors of other pods keep them. */
function typedItem(field: string, item: Fields): Fields {
  const fields = Object.entries(fieldsOf(item));
  return Object.fromEntries(TEXT_ITEMS.has(field) ? fields.filter(([, value]) => value !== '') : fields);
}

function quantityText(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'number' ? canonicalQuantity(String(value)) : value;
}

/** Whether a value is a plain object, not a value that cdk8s resolves at the end of synthesis. */
function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
