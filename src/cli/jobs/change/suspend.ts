/** A job or service is stopped and kept, or goes on. */
import { isOwnedBy } from '../objects';
import { CliError } from '../../cli-error';
import { queueOf } from '../job-row';
import { standingOfJob, titleOf, type Target } from '../target';
import { record, type JsonRecord } from '../../../model/json-parts';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../../model/kueue-names';
import { RESUME_ANNOTATION, TRAINING_JOB_KIND } from '../../../model/labels';
import type { KubeObject } from '../../../operator/runtime/kube-object';
import type { ResourceKind } from '../../../operator/runtime/resource-kind';

const WORKLOADS: ResourceKind = { group: KUEUE_GROUP, version: KUEUE_VERSION, plural: 'workloads', kind: 'Workload', namespaced: true };

/** Suspends or resumes it. @returns what was done, as a sentence @throws CliError when the kind cannot be suspended, or the job has ended */
export async function setSuspended(target: Target, suspend: boolean): Promise<string> {
  const { job, kind, client, ref } = target;
  const { state } = standingOfJob(job);
  const title = titleOf(target);
  if (kind.workload.suspend === undefined) {
    throw new CliError(`${title}: a ${kind.kind} cannot be suspended. Delete it, or scale it down where it has a scale.`);
  }
  if (kind.workload.isJob && (state === 'Succeeded' || state === 'Failed')) {
    throw new CliError(`${title} has ended: there is nothing to ${suspend ? 'suspend' : 'resume'}. Run it again with trainyard rerun.`);
  }
  const workload = kind.workload.isQueued && queueOf(job) !== undefined ? await workloadOf(target) : undefined;
  if (workload !== undefined) {
    await client.patch(WORKLOADS, { namespace: ref.namespace, name: workload.metadata!.name! }, { spec: { active: !suspend } });
    return `${title} is ${suspend ? 'suspended' : 'in its queue again'}, through its Workload ${workload.metadata!.name}.`;
  }
  await client.patch(kind, ref, patchOf(target, suspend));
  return `${title} is ${suspend ? 'suspended' : 'resumed'}.`;
}

/** Kueue's object for the job. Without it Kueue is not installed, or does not see the job: the field of the job itself counts. */
async function workloadOf({ reader, namespace, job }: Target): Promise<KubeObject | undefined> {
  const workloads = await reader.list<KubeObject>(WORKLOADS, namespace);
  return workloads?.find((workload) => isOwnedBy(workload, job.metadata?.uid));
}

/** The field of the kind. Our operator suspends what is idle, which an annotation undoes. */
function patchOf({ job, kind }: Target, suspend: boolean): object {
  const path = kind.workload.suspend!;
  const value = path[0] === 'metadata' ? (suspend ? 'true' : null) : suspend;
  const patch = [...path].reverse().reduce<unknown>((below, field) => ({ [field]: below }), value) as { readonly [field: string]: unknown };
  const isIdle = kind.kind === TRAINING_JOB_KIND && record(record(job.status as JsonRecord | undefined).idle).suspended !== undefined;
  return !suspend && isIdle ? { ...patch, metadata: { annotations: { [RESUME_ANNOTATION]: new Date().toISOString() } } } : patch;
}
