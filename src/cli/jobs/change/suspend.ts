/** Suspends and resumes jobs and services. */
import { isOwnedBy } from '../objects';
import { CliError } from '../../cli-error';
import { queueOf } from '../job-row';
import { isFinal, standingOfJob, titleOf, type Target } from '../target';
import { record, type JsonRecord } from '../../../model/json-parts';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../../model/kueue-names';
import { RESUME_ANNOTATION, TRAINING_JOB_KIND } from '../../../model/labels';
import type { KubeObject } from '../../../operator/runtime/kube-object';
import type { ResourceKind } from '../../../operator/runtime/resource-kind';

const WORKLOADS: ResourceKind = { group: KUEUE_GROUP, version: KUEUE_VERSION, plural: 'workloads', kind: 'Workload', namespaced: true };

/** @returns what was done, as a sentence @throws CliError when the kind cannot be suspended, or the job has ended */
export async function setSuspended(target: Target, suspend: boolean): Promise<string> {
  const { job, kind, client, ref } = target;
  const title = titleOf(target);
  if (kind.workload.suspend === undefined) {
    throw new CliError(`${title}: a ${kind.kind} cannot be suspended. Delete it, or scale it down where it has a scale.`);
  }
  if (kind.workload.isJob && isFinal(standingOfJob(job))) {
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

/** Kueue's object for the job; undefined when Kueue is not installed or does not manage the job, so that the job's own field counts. */
async function workloadOf({ reader, namespace, job }: Target): Promise<KubeObject | undefined> {
  const workloads = await reader.list<KubeObject>(WORKLOADS, namespace);
  return workloads?.find((workload) => isOwnedBy(workload, job.metadata?.uid));
}

/** A patch of the field of the kind, and of the annotation that resumes a job that our operator has suspended because it was idle. */
function patchOf({ job, kind }: Target, suspend: boolean): object {
  const path = kind.workload.suspend!;
  const value = path[0] === 'metadata' ? (suspend ? 'true' : null) : suspend;
  const patch = [...path].reverse().reduce<unknown>((below, field) => ({ [field]: below }), value) as JsonRecord;
  const isIdle = kind.kind === TRAINING_JOB_KIND && record(record(job.status as JsonRecord | undefined).idle).suspended !== undefined;
  return !suspend && isIdle ? { ...patch, metadata: { annotations: { [RESUME_ANNOTATION]: new Date().toISOString() } } } : patch;
}
