/** Objects that are compared: which of two sets belong together, and what of them counts. */
import { isRecord, jsonText, record } from '../../model/json-parts';
import type { ManifestObject } from '../../model/objects/manifest-object';

/** Any object. */
export type PlainObject = { readonly [field: string]: unknown };

/** What tells objects apart. The version of the group is not part of it. */
export function identityOf({ apiVersion = '', kind = '', metadata }: ManifestObject, namespace?: string): string {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  return JSON.stringify([group, kind, metadata?.namespace ?? namespace ?? '', metadata?.name ?? '']);
}

/** `Job ml/train`. */
export function titleOf({ kind, metadata }: ManifestObject, namespace?: string): string {
  const scope = metadata?.namespace ?? namespace;
  return `${kind} ${scope === undefined ? '' : `${scope}/`}${metadata?.name ?? ''}`;
}

/** What the server writes into metadata, and nobody applies. */
const SERVER_METADATA = ['managedFields', 'resourceVersion', 'uid', 'creationTimestamp', 'generation', 'selfLink'];

/** What tools write into annotations for themselves. */
const TOOL_ANNOTATIONS = ['kubectl.kubernetes.io/last-applied-configuration', 'deployment.kubernetes.io/revision'];

/** The object without the server's own: bookkeeping, status, notes of tools. */
export function withoutNoise(object: ManifestObject): ManifestObject {
  const { status: _status, apiVersion, kind, metadata = {}, ...content } = object;
  // In its usual order: differences are told from top to bottom. Metadata of another type stay as they are.
  return { apiVersion, kind, metadata: isRecord(metadata) ? withoutServerMetadata(metadata) : metadata, ...content };
}

function withoutServerMetadata(metadata: PlainObject): PlainObject {
  const { annotations, ...others } = Object.fromEntries(Object.entries(metadata).filter(([field]) => !SERVER_METADATA.includes(field)));
  if (annotations !== undefined && annotations !== null && !isRecord(annotations)) {
    return { ...others, annotations };
  }
  const kept = Object.entries(record(annotations)).filter(([name]) => !TOOL_ANNOTATIONS.includes(name));
  return { ...others, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) };
}

/** What stands in the place of a secret value. Equal values have equal marks, and only that is told of them. */
export class Masked {
  public constructor(private readonly content: string) {}

  /** Whether both hide the same. */
  public equals(other: Masked): boolean {
    return this.content === other.content;
  }

  public toJSON(): string {
    return '(masked)';
  }
}

/** The object with the values of a Secret hidden, whatever its group and version, and of all that has `stringData`, as the server would keep it. */
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
  const all = Object.entries({ ...record(data), ...Object.fromEntries(encoded) as PlainObject });
  return all.length === 0 ? rest : { ...rest, data: Object.fromEntries(all.map(([key, value]) => [key, new Masked(jsonText(value))])) };
}
