/**
 * What goes wrong with a job that Argo CD keeps. Argo CD makes what is missing, so that a job which deletes itself is made again, forever; and a
 * field that Kueue writes cannot be Git's, too.
 */
import { HOOK_ANNOTATION } from './annotations';
import { jobKindOf } from '../kinds/registry';
import { QUEUE_NAME_LABEL } from '../kueue-names';
import type { Violation } from '../violations';
import { createHash } from 'node:crypto';
import { expressionOf, quotedPattern } from '../text/expressions';
import { trimmedEnd } from '../text/trim';

export interface RenderedJob {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly labels?: { readonly [name: string]: string };
    readonly annotations?: { readonly [name: string]: string };
  };
  readonly spec?: unknown;
}

const FIX = 'Remove it, or make the job a hook, which Argo CD does not create again: ArgoCdSync.hook(job)';

export function jobFindings(job: RenderedJob): Violation[] {
  const kind = jobKindOf(job);
  if (kind === undefined) {
    return [];
  }
  const isHook = job.metadata.annotations?.[HOOK_ANNOTATION] !== undefined;
  const [ttl, suspend] = [valueAt(job, kind.ttl), valueAt(job, kind.suspend)];
  const deletesSelf = valueAt(job, ['spec', 'deletionStrategy', 'deletionRules']);
  const rule = kind.kind === 'RayJob' && Array.isArray(deletesSelf) ? deletesSelf.findIndex((each: { policy?: unknown } | null) => each?.policy === 'DeleteSelf') : -1;
  return [
    ...(ttl === undefined || isHook ? [] : [{
      path: kind.ttl!.join('.'), value: ttl, message: `deletes the ${kind.kind} when it has ended, and Argo CD recreates what is missing: it would run again, forever. ${FIX}.`,
    }]),
    ...(rule < 0 || isHook ? [] : [{
      path: `spec.deletionStrategy.deletionRules[${rule}].policy`, value: 'DeleteSelf',
      message: `deletes the RayJob when it has ended, and Argo CD recreates what is missing: it would run again, forever. Use DeleteCluster. ${FIX}.`,
    }]),
    ...(suspend === undefined || job.metadata.labels?.[QUEUE_NAME_LABEL] === undefined ? [] : [{
      path: kind.suspend!.join('.'), value: suspend,
      message: `belongs to Kueue for objects with the label ${QUEUE_NAME_LABEL} ("${job.metadata.labels[QUEUE_NAME_LABEL]}"): Argo CD would write it back. Remove it.`,
    }]),
  ];
}

/** Leaves out `undefined` and `null`, which say nothing. */
function valueAt(job: RenderedJob, path: readonly string[] | undefined): unknown {
  const found = path?.reduce<unknown>((value, name) => (
    typeof value === 'object' && value !== null ? (value as { readonly [field: string]: unknown })[name] : undefined), job);
  return found ?? undefined;
}

const HASH_LENGTH = 8;

/** Leaves room for what controllers append to the name of a job: roles, indexes, suffixes of pods. The shortest limit is RayJob's. */
const NAME_MAX_LENGTH = 46;

/** The name with a hash of the content behind it; a long one is cut. */
export function contentName(name: string, content: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, HASH_LENGTH);
  return `${trimmedEnd(name.slice(0, NAME_MAX_LENGTH - HASH_LENGTH - 1), '-.')}-${hash}`;
}

/** Text fields whose names are not about other objects. */
const HARMLESS = ['name', 'image'];

/**
 * Where something says the name of the object, as itself or as the beginning of a host name: it would still say the old one. Paths of files that
 * have the name in them (`/checkpoints/train`) are none.
 * @param allowed names of other objects, which stay as they are
 */
export function mentionsOf(name: string, value: unknown, path: string, allowed: ReadonlySet<string>): string[] {
  const mention = expressionOf(`(^|[^\\w./-])${quotedPattern(name)}($|[-.:][a-z0-9])`);
  const search = (each: unknown, at: string): string[] => {
    if (typeof each === 'string') {
      return !allowed.has(each) && (each === name || mention.test(each)) ? [at] : [];
    }
    if (Array.isArray(each)) {
      return each.flatMap((one, index) => search(one, `${at}[${index}]`));
    }
    return typeof each === 'object' && each !== null
      ? Object.entries(each).flatMap(([key, one]) => (HARMLESS.includes(key) && typeof one === 'string' ? [] : search(one, `${at}.${key}`))) : [];
  };
  return search(value, path);
}
