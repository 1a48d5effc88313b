/** Facts of a snapshot that several rules use. */
import type { JobSnapshot, NodeObject } from './snapshot';
import { grouped } from '../../text';
import { containerStatuses, type AnyCondition, type AnyObject, type EventObject, type PodObject } from '../../jobs/objects';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../model/labels';
import { objectTitle } from '../../../model/objects/manifest-object';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';
import { startErrorOf } from '../../../operator/training/plan/failures/start-errors';

/** Whether the job is one of our operator's kind. */
export function isTrainingJob({ job }: JobSnapshot): boolean {
  return job.apiVersion === GROUP_VERSION && job.kind === TRAINING_JOB_KIND;
}

/** Spec of an MLTrainingJob; empty for other kinds. */
export function trainingSpec(snapshot: JobSnapshot): Partial<TrainingJobSpec> {
  return isTrainingJob(snapshot) ? (snapshot.job.spec ?? {}) as Partial<TrainingJobSpec> : {};
}

/** Status of an MLTrainingJob; empty for other kinds. */
export function trainingStatus(snapshot: JobSnapshot): TrainingJobStatus {
  return isTrainingJob(snapshot) ? (snapshot.job.status ?? {}) as TrainingJobStatus : {};
}

/** `Job ml/train`. */
export function describe({ kind, metadata }: AnyObject): string {
  return objectTitle({ kind, namespace: metadata?.namespace, name: metadata?.name });
}

export function conditionOf(object: AnyObject | NodeObject | undefined, type: string): AnyCondition | undefined {
  return object?.status?.conditions?.find((condition) => condition.type === type);
}

/** The condition of a type, if it is true. */
export function trueCondition(object: AnyObject | NodeObject | undefined, type: string): AnyCondition | undefined {
  const condition = conditionOf(object, type);
  return condition?.status === 'True' ? condition : undefined;
}

/** Milliseconds since an object was created; 0 if that is unknown. */
export function ageOf({ now }: JobSnapshot, { metadata }: { readonly metadata?: { readonly creationTimestamp?: string } }): number {
  return metadata?.creationTimestamp === undefined ? 0 : now - Date.parse(metadata.creationTimestamp);
}

/** Events about an object, the newest first. */
export function eventsOf({ events }: JobSnapshot, object: AnyObject | PodObject): EventObject[] {
  const { uid, name } = object.metadata ?? {};
  return events.filter(({ involvedObject }) => (involvedObject?.uid !== undefined && uid !== undefined ? involvedObject.uid === uid
    : involvedObject?.kind === object.kind && involvedObject?.name === name)).sort((one, other) => timeOf(other) - timeOf(one));
}

/** When an event was seen last. */
export function timeOf({ lastTimestamp, eventTime, metadata }: EventObject): number {
  return Date.parse(lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? '') || 0;
}

export function podName({ metadata }: PodObject): string {
  return metadata?.name ?? '';
}

/** Pods that have not ended and are not being deleted. */
export function livePods({ pods }: JobSnapshot): PodObject[] {
  return pods.filter(({ metadata, status }) => metadata?.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(status?.phase ?? ''));
}

/** Whether all containers of a pod run. */
export function isPodRunning({ status }: PodObject): boolean {
  return status?.phase === 'Running' && (status.containerStatuses ?? []).every(({ state }) => state?.waiting === undefined && state?.terminated === undefined);
}

/** Why a pod's containers cannot be started: image, configuration, command. */
export function startError(pod: PodObject): ReturnType<typeof startErrorOf> {
  return startErrorOf(containerStatuses(pod));
}

/** Groups things by their cause. */
export function groupedBy<T>(things: readonly T[], keyOf: (thing: T) => string): (readonly T[])[] {
  return [...grouped(things, keyOf).values()];
}

/** The resource of an object as kubectl understands it. */
export function resourceOf({ apiVersion = '', kind = '' }: AnyObject): string {
  const [group, version] = apiVersion.split('/');
  return kind === TRAINING_JOB_KIND ? 'mltj' : `${kind.toLowerCase()}${version === undefined ? '' : `.${group}`}`;
}
