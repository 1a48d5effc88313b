/** Differences between two sets of objects. */
import { isContainerNodePool, readContainerNodePool } from '../../manifests/node-pools/read-container-node-pool';
import { isRecord, jsonText, record, type JsonRecord } from '../../model/json-parts';
import { LAST_APPLIED_ANNOTATION } from '../../model/labels';
import { describeReplacements, replacementsOf } from '../../model/node-pools/replacement';
import { objectTitle, type ManifestObject } from '../../model/objects/manifest-object';
import { fieldPath } from '../../model/shapes';
import { entryOf } from '../../model/lists';

/** One object that differs, or that could not be compared. */
export type ObjectChange = Change & {
  /** Folder of its environment, with which the title starts. @default - the program has one environment */
  readonly environment?: string;
};

type Change =
  | { readonly kind: 'added'; readonly title: string; readonly object: ManifestObject; readonly note?: string }
  | { readonly kind: 'removed'; readonly title: string; readonly object: ManifestObject; readonly note?: string }
  | { readonly kind: 'changed'; readonly title: string; readonly fields: readonly FieldChange[]; readonly note?: string; readonly replaced?: readonly string[] }
  | { readonly kind: 'refused'; readonly title: string; readonly why: string };

export interface Comparison {
  readonly changes: readonly ObjectChange[];
  readonly same: number;
}

/** Compares two versions of an object; undefined when they are equal. */
export function compareObjects(before: ManifestObject, after: ManifestObject, title: string, note?: string): ObjectChange | undefined {
  const clean = (object: ManifestObject) => withMaskedSecrets(withoutNoise(object));
  const fields = changesBetween(clean(before), clean(after));
  if (fields.length === 0) {
    return undefined;
  }
  const replaced = replacementsBy(before, after);
  return { kind: 'changed', title, fields, note, ...(replaced.length > 0 && { replaced }) };
}

/** An object that is only on one side. */
export function oneSided(kind: 'added' | 'removed', object: ManifestObject, title: string, note?: string): ObjectChange {
  return { kind, title, object: withMaskedSecrets(withoutNoise(object)), note };
}

/** Compares two sets of manifests. */
export function compareSets(before: readonly ManifestObject[], after: readonly ManifestObject[]): Comparison {
  const old = new Map(before.map((object) => [identityOf(object), object]));
  const fresh = new Set(after.map((object) => identityOf(object)));
  const changes: ObjectChange[] = [];
  for (const object of after) {
    const earlier = old.get(identityOf(object));
    const change = earlier === undefined ? oneSided('added', object, titleOf(object)) : compareObjects(earlier, object, titleOf(object));
    changes.push(...(change === undefined ? [] : [change]));
  }
  const gone = before.filter((object) => !fresh.has(identityOf(object)));
  return {
    changes: [...changes, ...gone.map((object) => oneSided('removed', object, titleOf(object)))],
    same: after.length - changes.length,
  };
}

/** One field that differs. */
export type FieldChange =
  | { readonly kind: 'added'; readonly path: string; readonly after: unknown }
  | { readonly kind: 'removed'; readonly path: string; readonly before: unknown }
  | { readonly kind: 'changed'; readonly path: string; readonly before: unknown; readonly after: unknown };

/** Fields that identify the entries of a list. The first that all entries have is used. */
const KEYS = ['name', 'key', 'mountPath', 'containerPort', 'port', 'type', 'ip'];

/** All fields that differ. Named entries of a list are compared by name. */
export function changesBetween(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (isSame(before, after)) {
    return [];
  }
  if (before === undefined) {
    return [{ kind: 'added', path, after }];
  }
  if (after === undefined) {
    return [{ kind: 'removed', path, before }];
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    return listChanges(before, after, path);
  }
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => changesBetween(entryOf(before, name), entryOf(after, name), path === '' ? name : fieldPath(path, name)));
  }
  return [{ kind: 'changed', path, before, after }];
}

function listChanges(before: readonly unknown[], after: readonly unknown[], path: string): FieldChange[] {
  const key = keyOf([...before, ...after]);
  if (key === undefined) {
    // The words of a command are one value. Objects in a list are compared one by one.
    return before.length === after.length && before.every(isObject) && after.every(isObject)
      ? before.flatMap((entry, index) => changesBetween(entry, after[index], `${path}[${index}]`))
      : [{ kind: 'changed', path, before, after }];
  }
  const idOf = (entry: unknown) => String((entry as JsonRecord)[key]);
  const ids = [...new Set([...before, ...after].map(idOf))];
  // Of entries with the same name the first counts.
  const byId = (list: readonly unknown[]) => new Map([...list].reverse().map((entry) => [idOf(entry), entry]));
  const [old, fresh] = [byId(before), byId(after)];
  const changes = ids.flatMap((id) => changesBetween(old.get(id), fresh.get(id), `${path}['${id}']`));
  return changes.length > 0 ? changes : [{ kind: 'changed', path: `${path} (order)`, before: before.map(idOf), after: after.map(idOf) }];
}

/** A field that identifies the entries. */
function keyOf(entries: readonly unknown[]): string | undefined {
  if (entries.length === 0 || !entries.every(isObject)) {
    return undefined;
  }
  return KEYS.find((key) => entries.every((entry) => ['string', 'number'].includes(typeof (entry as JsonRecord)[key])));
}

function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Masked && other instanceof Masked) {
    return one.equals(other);
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((entry, index) => isSame(entry, other[index]));
  }
  if (isObject(one) && isObject(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) => isSame(entryOf(one, name), entryOf(other, name)));
  }
  return one === other;
}

function isObject(value: unknown): value is JsonRecord {
  return isRecord(value) && !(value instanceof Masked);
}

/** The identity of an object. The version of its group is not part of it. */
export function identityOf({ apiVersion = '', kind = '', metadata }: ManifestObject, namespace?: string): string {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  return JSON.stringify([group, kind, metadata?.namespace ?? namespace ?? '', metadata?.name ?? '']);
}

/** `Job ml/train`. */
export function titleOf({ kind, metadata }: ManifestObject, namespace?: string): string {
  return objectTitle({ kind, namespace: metadata?.namespace ?? namespace, name: metadata?.name });
}

/** Fields of metadata that only the server writes. */
const SERVER_METADATA = ['managedFields', 'resourceVersion', 'uid', 'creationTimestamp', 'generation', 'selfLink'];

/** Annotations that tools write for themselves. */
const TOOL_ANNOTATIONS = [LAST_APPLIED_ANNOTATION, 'deployment.kubernetes.io/revision'];

/** The object without status, server metadata and annotations of tools. */
export function withoutNoise(object: ManifestObject): ManifestObject {
  const { status: _status, apiVersion, kind, metadata = {}, ...content } = object;
  // In the usual order, because differences are listed from top to bottom. Metadata of another type is kept.
  return { apiVersion, kind, metadata: isRecord(metadata) ? withoutServerMetadata(metadata) : metadata, ...content };
}

function withoutServerMetadata(metadata: JsonRecord): JsonRecord {
  const { annotations, ...others } = Object.fromEntries(Object.entries(metadata).filter(([field]) => !SERVER_METADATA.includes(field)));
  if (annotations !== undefined && annotations !== null && !isRecord(annotations)) {
    return { ...others, annotations };
  }
  const kept = Object.entries(record(annotations)).filter(([name]) => !TOOL_ANNOTATIONS.includes(name));
  return { ...others, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) };
}

/** Replaces a secret value. It shows only whether two values are equal. */
export class Masked {
  public constructor(private readonly content: string) {}

  public equals(other: Masked): boolean {
    return this.content === other.content;
  }

  public toJSON(): string {
    return '(masked)';
  }
}

/** Masks the values of Secrets, and of objects with `stringData`, which the server would encode. */
export function withMaskedSecrets(object: ManifestObject): ManifestObject {
  if (object.kind !== 'Secret' && object.stringData === undefined) {
    return object;
  }
  const { stringData, data, ...rest } = object;
  const wrong = [stringData, data].filter((part) => part !== undefined && part !== null && !isRecord(part));
  if (wrong.length > 0) {
    return { ...rest, data: new Masked(jsonText(wrong)) };
  }
  const encoded = Object.entries(record(stringData)).map(([key, value]) => [key, Buffer.from(jsonText(value)).toString('base64')]);
  const all = Object.entries({ ...record(data), ...Object.fromEntries(encoded) as JsonRecord });
  return all.length === 0 ? rest : { ...rest, data: Object.fromEntries(all.map(([key, value]) => [key, new Masked(jsonText(value))])) };
}

/** Messages about changes that replace a node pool, with everything that runs on it. */
function replacementsBy(before: ManifestObject, after: ManifestObject): string[] {
  if (!isContainerNodePool(before) || !isContainerNodePool(after)) {
    return [];
  }
  const name = after.metadata?.name ?? '';
  const replacements = replacementsOf(readContainerNodePool(name, before.spec), readContainerNodePool(name, after.spec), 'configConnector');
  return replacements.length === 0
    ? [] : [`${describeReplacements(name, replacements)} Without it Config Connector refuses the change until the object is deleted.`];
}
