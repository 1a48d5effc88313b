/**
 * What goes wrong with a job that Argo CD keeps. Argo CD makes what is missing, so that a job which deletes itself is made again, for ever; and a
 * field that Kueue writes cannot be Git's, too.
 */
import { HOOK_ANNOTATION } from './annotations';
import { jobKindOf } from '../kinds/registry';
import { QUEUE_NAME_LABEL } from '../kueue-names';
import type { Violation } from '../violations';

/** An object as it is synthesized. */
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

/** What is wrong with it, if it is a job at all. */
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
