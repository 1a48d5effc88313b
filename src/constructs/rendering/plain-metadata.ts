/**
 * Metadata of an object in one walk. cdk8s shows what was added to metadata (labels, annotations, owners) only when all of it is written, and that
 * shows each value to each resolver. So what it keeps is read where it is kept, as long as it keeps exactly what is known here; a version of cdk8s
 * that keeps anything else writes its metadata itself.
 */
import type { ApiObjectMetadataDefinition } from 'cdk8s';
import { NOT_PLAIN, sortedCopy } from './sorted-copy';

/** What cdk8s writes, under its own names. What was given without a field of its own stands in `_additionalAttributes`. */
interface KeptMetadata {
  readonly _additionalAttributes: object;
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
  const fields = Object.keys(metadata);
  if (fields.length !== KEPT.length || !fields.every((field) => KEPT.includes(field))) {
    return NOT_PLAIN;
  }
  const { _additionalAttributes, name, namespace, labels, annotations, finalizers, ownerReferences } = metadata as unknown as KeptMetadata;
  return sortedCopy({ ..._additionalAttributes, name, namespace, labels, annotations, finalizers, ownerReferences }, 'dropped');
}
