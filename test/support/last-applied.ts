/** What `kubectl apply` adds to each object: an annotation with the whole object, which `kubectl apply --server-side` does without. */

/** Most bytes that it may have: the annotations of one object have room for 256 KiB, and 4 KiB are left to the others. */
export const LAST_APPLIED_MAX_BYTES = 252 * 1024;

/** Bytes of that annotation: the object as Go writes JSON, which escapes some characters, and a line feed. */
export function lastAppliedBytes(object: object): number {
  return Buffer.byteLength(JSON.stringify(object).replace(/[<>&\u2028\u2029]/g, '\\u0000')) + 1;
}
