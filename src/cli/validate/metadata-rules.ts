/**
 * Rules for `metadata` of all kinds.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */
import { isRecord } from '../../model/json-parts';
import { isDns1123Label, isLabelValue, isSubdomain } from '../../model/names';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { TEXT, checkShape, fieldPath, listOf, mapOf, matching, openRecord, record } from '../../model/shapes';
import { ViolationCollector, type Violation } from '../../model/violations';

const FIELDS = [
  'name', 'generateName', 'namespace', 'labels', 'annotations', 'finalizers', 'ownerReferences', 'uid', 'resourceVersion', 'generation', 'creationTimestamp',
  'deletionTimestamp', 'deletionGracePeriodSeconds', 'managedFields', 'selfLink',
] as const;

/** For fields of the server, which it ignores or overwrites. */
const ANYTHING = matching(() => true, '');

const SHAPE = record<(typeof FIELDS)[number]>('metadata', {
  ...Object.fromEntries(FIELDS.map((field) => [field, ANYTHING])) as { [field in (typeof FIELDS)[number]]: typeof ANYTHING },
  name: TEXT,
  generateName: TEXT,
  namespace: TEXT,
  labels: mapOf(TEXT),
  annotations: mapOf(TEXT),
  finalizers: listOf(TEXT),
  ownerReferences: listOf(openRecord({ apiVersion: TEXT, kind: TEXT, name: TEXT, uid: TEXT })),
});

/** Kinds whose names can be any path segment, such as `system:node`. */
const FREE_NAMES = ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'];

/** Kubernetes' limit on all annotations of an object together, in bytes. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

interface MetadataOptions {
  /** Whether rules of the model check the name. @default false */
  readonly nameIsChecked?: boolean;
  /** @default - unknown */
  readonly namespaced?: boolean;
}

export function checkMetadata({ kind, metadata }: ManifestObject, { nameIsChecked, namespaced }: MetadataOptions): Violation[] {
  const violations = new ViolationCollector();
  if (metadata === undefined || metadata === null) {
    violations.add('metadata', metadata, 'is required, with the name of the object: metadata: { name: my-job }.');
    return violations.violations;
  }
  // The API server accepts null for an empty map, which templates often produce.
  const given = isRecord(metadata) ? Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null)) : metadata;
  const shape = checkShape(SHAPE, given, 'metadata');
  if (shape.length > 0) {
    return shape;
  }
  const { name, generateName, namespace, labels, annotations } = given as Metadata;
  if ((name === undefined || name === '') && (generateName === undefined || nameIsChecked)) {
    violations.add('metadata.name', name, 'is required. Add a name for the object.');
  } else if (name !== undefined && !nameIsChecked && !FREE_NAMES.includes(kind ?? '') && !isSubdomain(name)) {
    violations.add('metadata.name', name, 'must be at most 253 lower-case letters, digits, \'-\' and \'.\', with a letter or digit at both ends. Rename it.');
  }
  // A namespace of a cluster-scoped object is a separate warning.
  if (namespace !== undefined && namespaced !== false && !isDns1123Label(namespace)) {
    violations.add('metadata.namespace', namespace, 'must be at most 63 lower-case letters, digits and \'-\', with a letter or digit at both ends.');
  }
  for (const [key, value] of Object.entries(labels ?? {})) {
    checkKey('metadata.labels', key, value, violations);
    if (!isLabelValue(value)) {
      violations.add(fieldPath('metadata.labels', key), value,
        'must be at most 63 letters, digits, \'-\', \'_\' and \'.\', with a letter or digit at both ends. Move longer texts to an annotation.');
    }
  }
  Object.entries(annotations ?? {}).forEach(([key, value]) => checkKey('metadata.annotations', key, value, violations));
  const bytes = Object.entries(annotations ?? {}).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (bytes > ANNOTATIONS_MAX_BYTES) {
    violations.add('metadata.annotations', `${bytes} bytes`, 'all annotations together have at most 256 KiB. Put large texts into a ConfigMap.');
  }
  return violations.violations;
}

interface Metadata {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
}

function checkKey(path: string, key: string, value: string, violations: ViolationCollector): void {
  const parts = key.split('/');
  const name = parts.at(-1)!;
  const domain = parts.length === 2 ? parts[0] : 'none';
  if (parts.length > 2 || name === '' || !isLabelValue(name) || !isSubdomain(domain)) {
    violations.add(fieldPath(path, key), value,
      'has a key that is not valid: use an optional domain and \'/\', then at most 63 letters, digits, \'-\', \'_\' and \'.\'. Rename it.');
  }
}
