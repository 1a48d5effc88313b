/** Creates a job, under a new name if the user asks for one, and never over another job. */
import { randomInt } from 'node:crypto';
import { CliError } from '../../cli-error';
import type { CommandKind } from '../kinds';
import type { AnyObject } from '../objects';
import { record, type JsonRecord } from '../../../model/json-parts';
import { TRAINING_JOB_KIND } from '../../../model/labels';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { validateTrainingJob } from '../../../model/training-job/validation/validation';
import { ApiError } from '../../../operator/runtime/http/api-error';
import type { KubeClient } from '../../../operator/runtime/kube-client';
import type { KubeObject } from '../../../operator/runtime/kube-object';
import { indentedViolations } from '../../text';

/** Number of names that are tried. */
const MAX_TRIES = 50;

/** The letters that Kubernetes uses: no vowels, so no words. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** NAME-x7k2p. */
export function randomName(base: string): string {
  return `${base}-${Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`;
}

/** NAME-2, NAME-3 and so on; of NAME-2 the next is NAME-3. */
export function* numberedNames(name: string): Generator<string> {
  const [, base, last] = /^(.{1,250}?)-(\d{1,4})$/.exec(name) ?? [undefined, name, '1'];
  for (let number = Number(last) + 1; ; number++) {
    yield `${base}-${number}`;
  }
}

/**
 * Creates a job under the first of some names that is free.
 * @param make the job under a name
 * @throws CliError when the only name is taken, or the job breaks rules
 */
export async function createUnder(
  client: KubeClient, kind: CommandKind, names: Iterable<string>, make: (name: string) => ManifestObject,
): Promise<AnyObject> {
  let last = '';
  let tries = 0;
  for (const name of names) {
    const object = make(name);
    checkJob(object);
    try {
      return await client.create<AnyObject>(kind, object as KubeObject, { fieldManager: 'trainyard', fieldValidation: 'Strict' });
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isAlreadyExists) {
        throw error;
      }
      last = name;
    }
    tries += 1;
    if (tries >= MAX_TRIES) {
      break;
    }
  }
  throw new CliError(`${kind.kind} '${last}' exists. Nothing was changed. Choose another name with --name, or delete that one first.`);
}

/** Checks the rules of our own jobs. The API server checks jobs of other kinds. */
function checkJob({ kind, metadata, spec }: ManifestObject): void {
  const violations = kind === TRAINING_JOB_KIND ? validateTrainingJob(metadata?.name ?? '', spec as TrainingJobSpec) : [];
  if (violations.length > 0) {
    throw new CliError(`${kind} '${metadata?.name}' has mistakes:\n${indentedViolations(violations)}`);
  }
}

/** Fields in which the job's name may be a folder. */
const PLACES: readonly (readonly string[])[] = [['checkpointPath'], ['checkpoint', 'subPath']];

export interface MovedCheckpoints {
  readonly spec: JsonRecord;
  /** Whether the path has changed. */
  readonly moved: boolean;
}

/** Replaces the job's name in the path of its checkpoints, if it is a folder there. */
export function withOwnCheckpoints(spec: JsonRecord, from: string, to: string): MovedCheckpoints {
  let moved = false;
  const changed = PLACES.reduce<JsonRecord>((fields, path) => {
    const [block, field] = path.length === 1 ? [fields, path[0]] : [record(fields[path[0]]), path[1]];
    const place = block[field];
    if (typeof place !== 'string') {
      return fields;
    }
    const renamed = place.split('/').map((part) => (part === from ? to : part)).join('/');
    moved ||= renamed !== place;
    return path.length === 1 ? { ...fields, [field]: renamed } : { ...fields, [path[0]]: { ...block, [field]: renamed } };
  }, spec);
  return { spec: changed, moved };
}

/** Whether a spec has a place for checkpoints. */
export function hasCheckpoints(spec: JsonRecord): boolean {
  return spec.checkpointPath !== undefined || record(spec.checkpoint).claimName !== undefined;
}
