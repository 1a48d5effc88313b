/**
 * What a cache keeps of the spec of a job. A spec may be as large as the API server takes objects (more than a megabyte: of variables, say), and each
 * replica of the operator keeps all jobs, also those that have ended. So the large fields of a large spec are kept as compressed bytes, and inflated
 * when somebody reads them, which is during a pass over the job. The small ones, which tell what kind of job it is, are there as in any spec.
 */
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { keepShortly } from './plan/resolve-once';
import type { TrainingJobSpec } from '../../model/training-job/spec';

/** Characters of JSON from which a spec is large, and a field of a large spec. */
const LARGE_SPEC = 64 * 1024;
const LARGE_FIELD = 4 * 1024;

const compressed = new WeakSet<TrainingJobSpec>();

/** Whether fields of the spec are compressed. */
export function isCompressed(spec: TrainingJobSpec): boolean {
  return compressed.has(spec);
}

/** The spec, in the form in which it is kept. It reads as before. */
export function keptSpec(spec: TrainingJobSpec): TrainingJobSpec {
  // An API server that does not know the schema takes jobs without a spec.
  if (isCompressed(spec) || (JSON.stringify(spec) ?? '').length <= LARGE_SPEC) {
    return spec;
  }
  const kept = { ...spec };
  for (const [field, value] of Object.entries(spec)) {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined && text.length > LARGE_FIELD) {
      Object.defineProperty(kept, field, { enumerable: true, configurable: true, get: inflating(text) });
    }
  }
  compressed.add(kept);
  keepShortly(kept);
  return kept;
}

/** Reads a field. It stays inflated while somebody holds it, so that one pass inflates it once. */
function inflating(text: string): () => unknown {
  // A copy: what zlib returns is part of a larger block.
  const bytes = new Uint8Array(deflateRawSync(text, { level: constants.Z_BEST_SPEED }));
  let held: WeakRef<object> | undefined;
  return () => {
    const known = held?.deref();
    if (known !== undefined) {
      return known;
    }
    const value = JSON.parse(inflateRawSync(bytes).toString('utf8')) as unknown;
    held = typeof value === 'object' && value !== null ? new WeakRef(value) : undefined;
    return value;
  };
}
