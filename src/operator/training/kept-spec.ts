/**
 * What a cache keeps of the spec of a job. A spec may be as large as the API server takes objects (more than a megabyte: of variables, say), and each
 * replica of the operator keeps all jobs, also those that have ended. So the large fields of a large spec are kept as compressed bytes, and inflated
 * when somebody reads them, which is during a pass over the job. The small ones, which tell what kind of job it is, are there as in any spec.
 */
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { RecentlyUsed } from './plan/recently-used';
import { LARGE_AT_ONCE, largeSize, noteLarge } from './plan/resolve-once';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { MAX_SPEC_DEPTH, specSize } from '../../model/training-job/fields/spec-size';

/** Characters of JSON from which a spec is large, and a field of a large spec. */
const LARGE_SPEC = 64 * 1024;
const LARGE_FIELD = 4 * 1024;

/** Objects, lists and fields from which a spec is large: 64 KiB of empty objects take more than a megabyte of memory. */
const MANY_PARTS = 2_000;

/** Specs that were looked at and are kept as they are. */
const ordinary = new WeakSet<TrainingJobSpec>();

/** Fields that were read lately, inflated, by what reads them. */
const inflated = new RecentlyUsed<() => unknown, unknown>(LARGE_AT_ONCE);

/** Whether fields of the spec are compressed. */
export function isCompressed(spec: TrainingJobSpec): boolean {
  return largeSize(spec) > 0;
}

/** The spec, in the form in which it is kept. It reads as before. */
export function keptSpec(spec: TrainingJobSpec): TrainingJobSpec {
  // An API server that does not know the schema takes jobs without a spec.
  if (spec === undefined || ordinary.has(spec) || isCompressed(spec)) {
    return spec;
  }
  const size = specSize(spec);
  if (size.characters <= LARGE_SPEC && size.parts <= MANY_PARTS) {
    ordinary.add(spec);
    return spec;
  }
  const kept = { ...spec };
  noteLarge(kept, size);
  if (size.depth > MAX_SPEC_DEPTH) {
    // It is refused, and cannot be written out.
    return Object.assign(kept, Object.fromEntries(Object.entries(spec).filter(([, value]) => typeof value === 'object').map(([field]) => [field, undefined])));
  }
  for (const [field, value] of Object.entries(spec)) {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined && text.length > LARGE_FIELD) {
      Object.defineProperty(kept, field, { enumerable: true, configurable: true, get: inflating(text) });
    }
  }
  return kept;
}

/** Reads a field. It stays inflated for a while, so that one pass inflates it once. */
function inflating(text: string): () => unknown {
  // A copy: what zlib returns is part of a larger block.
  const bytes = new Uint8Array(deflateRawSync(text, { level: constants.Z_BEST_SPEED }));
  const size = text.length;
  const read = (): unknown => {
    const known = inflated.get(read);
    if (known !== undefined) {
      return known;
    }
    const value = JSON.parse(inflateRawSync(bytes).toString('utf8')) as unknown;
    inflated.set(read, value, size);
    return value;
  };
  return read;
}
