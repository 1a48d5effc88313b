/** Objects that `kubectl apply` cannot keep in an annotation of theirs. */
import { CHECK_RULES } from './rule-list';
import { FindingCollector, type Finding } from '../findings';
import { jsonText, record } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';

/** Kubernetes' limit on all annotations of an object together, in bytes. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

/** Annotation that plain `kubectl apply` adds, with the whole object in it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Option by which Argo CD applies an object on the server. */
const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options';

/**
 * Checks that an object is small enough to be applied in any way.
 * @param json the object as JSON
 */
export function checkObjectSize(object: ManifestObject, json: string): Finding[] {
  // A character has at most three bytes.
  if (json.length * 3 < ANNOTATIONS_MAX_BYTES / 2) {
    return [];
  }
  // What was read from a cluster has the annotation of its last apply, which the next one replaces.
  const { [LAST_APPLIED]: known, ...annotated } = record(object.metadata?.annotations);
  const text = known === undefined ? json : JSON.stringify({ ...object, metadata: { ...object.metadata, annotations: annotated } });
  const annotations = Object.entries(annotated);
  const own = annotations.reduce((sum, [name, value]) => sum + bytesOf(name) + bytesOf(jsonText(value)), 0);
  // kubectl writes the object in one line, with a line break behind it.
  const bytes = bytesOf(text) + 1 + LAST_APPLIED.length + own;
  const isAppliedOnServer = annotations.some(([name, value]) => name === SYNC_OPTIONS && jsonText(value).includes('ServerSideApply=true'));
  if (bytes <= ANNOTATIONS_MAX_BYTES || isAppliedOnServer) {
    return [];
  }
  const findings = new FindingCollector();
  findings.error(CHECK_RULES.objectSize, 'metadata.annotations', `${bytes} bytes`,
    `is the total size of all annotations after plain kubectl apply, which stores a copy of the object in one, and the limit is ${ANNOTATIONS_MAX_BYTES}: the API server would reject it. Use kubectl apply --server-side and acknowledge this, or split the object.`);
  return findings.findings;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
