/**
 * Metadata of an object in one walk. cdk8s shows what was added to metadata (labels, annotations, owners) only when all of it is written, and that
 * shows each value to each resolver. So what it keeps is read where it is kept, as long as it keeps exactly what is known here; a version of cdk8s
 * that keeps anything else writes its metadata itself.
 */
import type { ApiObjectMetadataDefinition } from 'cdk8s';
import { NOT_PLAIN, sortedCopy } from './sorted-copy';

/** What cdk8s writes, under its own names. What was given without a field of its own stands in `_additionalAttributes`. */
interface KeptMetadata {
  readonly _additionalAttributes: { readonly [field: string]: unknown };
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly labels?: unknown;
  readonly annotations?: unknown;
  readonly finalizers?: unknown;
  readonly ownerReferences?: unknown;
}

/** All that cdk8s keeps: what it writes, and the object that the metadata belongs to. */
const KEPT: readonly string[] = [
  'name', 'labels', 'annotations', 'namespace', 'finalizers', 'ownerReferences', 'apiObject', '_additionalAttributes',
];

/** @returns the metadata, or {@link NOT_PLAIN} where only cdk8s can tell */
export function plainMetadata(metadata: ApiObjectMetadataDefinition): unknown {
  if (Object.keys(metadata).length !== KEPT.length || !KEPT.every((field) => field in metadata)) {
    return NOT_PLAIN;
  }
  const { _additionalAttributes: further, name, namespace, labels, annotations, finalizers, ownerReferences } = metadata as unknown as KeptMetadata;
  const written: { [field: string]: unknown } = { name, namespace, labels, annotations, finalizers, ownerReferences };
  for (const field of Object.keys(further)) {
    // Mostly the same fields once more, as they were given.
    if (!Object.hasOwn(written, field)) {
      written[field] = further[field];
    }
  }
  return sortedCopy(written, 'dropped');
}
