/** Reads the objects for the diagnosis of a job: what it owns, pods, nodes, events, its queue, its gang, its operator. */
import { startError } from './facts';
import { COMMAND_KINDS, NAMED_KINDS } from '../../jobs/kinds';
import { findJob, type FoundJob } from '../../jobs/find-job';
import type { Reader } from '../../jobs/reader';
import { podsOf } from '../../jobs/target';
import { readOperator } from './operator';
import type { JobSnapshot, LogTail, NodeObject, QueueView } from './snapshot';
import { containerStatuses, isOwnedBy, type AnyObject, type EventObject, type PodObject } from '../../jobs/objects';
import { queueNameOf } from './rules/queue';
import { GANG_RENDERERS } from '../../../manifests/gang';
import { identityOf } from '../../../model/kinds/workload-kind';
import { KUEUE_GROUP } from '../../../model/kueue-names';
import { TRAINING_JOB_KIND } from '../../../model/labels';
import { addTo, inOrder } from '../../../model/lists';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { Workload } from '../../../operator/kueue/workload';
import { EVENTS, NODES, type ResourceKind } from '../../../operator/runtime/resource-kind';

/** Pod groups of several schedulers. */
const POD_GROUPS = Object.values(GANG_RENDERERS).flatMap(({ resources }) => resources).filter(({ kind }) => kind === 'PodGroup')
  .map((resource): ResourceKind => ({ ...resource, namespaced: true }));

/** Maximum number of pods whose logs are read, and of lines of each. */
const MAX_LOGS = 3;
const LOG_LINES = 10;

/** @param written the job's name, as the user wrote it */
export async function collectSnapshot(reader: Reader, namespace: string, written: string, now: () => number): Promise<JobSnapshot> {
  const found = await findJob(reader, namespace, written, NAMED_KINDS);
  const { job } = found;
  const [owned, events, nodes] = await Promise.all([
    readOwned(reader, found, namespace), reader.list<EventObject>(EVENTS, namespace), reader.list<NodeObject>(NODES, undefined),
  ]);
  const pods = await readPods(reader, found, namespace, owned);
  const [queue, podGroups, operator, logs] = await Promise.all([
    readQueue(reader, found, namespace, pods),
    readPodGroups(reader, found, namespace, pods),
    found.kind.kind === TRAINING_JOB_KIND ? readOperator(reader) : undefined,
    readLogs(reader, namespace, pods),
  ]);
  return { now: now(), job, owned, pods, events: events ?? [], nodes, queue, podGroups, operator, logs, unread: reader.unread };
}

/** Objects between a job and its pods, or the jobs of a schedule, the oldest first. */
async function readOwned(reader: Reader, { job, kind: { workload } }: FoundJob, namespace: string): Promise<readonly AnyObject[]> {
  const kinds = workload.scheduled === undefined ? workload.between ?? [] : [identityOf(workload.scheduled.of)];
  const lists = await Promise.all(kinds.map(async ({ apiVersion, kind, plural }) => {
    const [group, version] = apiVersion.split('/');
    const objects = await reader.list<AnyObject>({ group, version, plural, kind, namespaced: true }, namespace);
    return (objects ?? []).map((object) => ({ ...object, apiVersion, kind }));
  }));
  const found: AnyObject[] = [];
  lists.forEach((objects) => addTo(found, objects.filter((object) => isOwnedBy(object, ...[job, ...found].map(({ metadata }) => metadata?.uid)))));
  return workload.scheduled === undefined ? found : found.sort((one, other) => inOrder(createdAt(one), createdAt(other)));
}

function createdAt({ metadata }: AnyObject): string {
  return metadata?.creationTimestamp ?? '';
}

/** The pods of a job; for a schedule, those of its last job. */
async function readPods(reader: Reader, { job, kind }: FoundJob, namespace: string, owned: readonly AnyObject[]): Promise<readonly PodObject[]> {
  const { scheduled } = kind.workload;
  if (scheduled === undefined) {
    return podsOf({ reader, kind, namespace }, job);
  }
  const [last, kindOfLast] = [owned.at(-1), COMMAND_KINDS.find(({ workload }) => workload === scheduled.of)];
  return last === undefined || kindOfLast === undefined ? [] : podsOf({ reader, kind: kindOfLast, namespace }, last);
}

async function readQueue(reader: Reader, { job, kind }: FoundJob, namespace: string, pods: readonly PodObject[]): Promise<QueueView | undefined> {
  const queueName = queueNameOf({ job } as JobSnapshot);
  if (queueName === undefined) {
    return undefined;
  }
  const versions = await reader.versions(KUEUE_GROUP);
  if (versions === undefined) {
    return { installed: false, localQueues: [] };
  }
  const version = ['v1beta2', 'v1beta1'].find((candidate) => versions.includes(candidate)) ?? versions[0];
  const kueue = (plural: string, name: string, namespaced = true): ResourceKind => ({ group: KUEUE_GROUP, version, plural, kind: name, namespaced });
  const [workloads, localQueues] = await Promise.all([
    reader.list<Workload>(kueue('workloads', 'Workload'), namespace), reader.list<AnyObject>(kueue('localqueues', 'LocalQueue'), namespace),
  ]);
  // For a pod group, the pods own the Workload.
  const owners = [job.metadata?.uid, ...(kind.kind === TRAINING_JOB_KIND ? pods.map(({ metadata }) => metadata?.uid) : [])];
  const workload = workloads?.find((candidate) => isOwnedBy(candidate, ...owners));
  const localQueue = localQueues?.find(({ metadata }) => metadata?.name === queueName);
  const clusterName = workload?.status?.admission?.clusterQueue ?? localQueue?.spec?.clusterQueue as string | undefined;
  const clusterQueues = kueue('clusterqueues', 'ClusterQueue', false);
  const clusterQueue = clusterName === undefined ? undefined : await reader.get<AnyObject>(clusterQueues, undefined, clusterName);
  return { installed: true, workload, localQueue, clusterQueue, localQueues: (localQueues ?? []).map(({ metadata }) => metadata?.name ?? '') };
}

async function readPodGroups(reader: Reader, { job }: FoundJob, namespace: string, pods: readonly PodObject[]): Promise<readonly AnyObject[]> {
  const hasOwnScheduler = pods.some(({ spec }) => !['default-scheduler', undefined].includes(spec?.schedulerName));
  if ((job.spec as TrainingJobSpec | undefined)?.scheduling?.gang === undefined && !hasOwnScheduler) {
    return [];
  }
  const lists = await Promise.all(POD_GROUPS.map(async (kind) => {
    const versions = await reader.versions(kind.group);
    return versions?.includes(kind.version) ? reader.list<AnyObject>(kind, namespace) : [];
  }));
  return lists.flatMap((list) => list ?? []).map((group) => ({ ...group, kind: 'PodGroup' }))
    .filter((group) => group.metadata?.name === job.metadata?.name || isOwnedBy(group, job.metadata?.uid));
}

async function readLogs(reader: Reader, namespace: string, pods: readonly PodObject[]): Promise<readonly LogTail[]> {
  const ended = pods.filter((pod) => startError(pod) === undefined).flatMap(({ metadata, status }) => (
    containerStatuses({ status }).flatMap(({ name, state, lastState }) => {
      const isLooping = state?.waiting?.reason === 'CrashLoopBackOff';
      const end = state?.terminated ?? (isLooping ? lastState?.terminated : undefined);
      return (end?.exitCode ?? 0) === 0 ? [] : [{ pod: metadata?.name ?? '', container: name, previous: isLooping }];
    })));
  const tails = await Promise.all(ended.slice(0, MAX_LOGS).map(async ({ pod, container, previous }) => {
    const text = await reader.log(namespace, pod, container, previous, LOG_LINES);
    return text === undefined || text === '' ? [] : [{ pod, container, text }];
  }));
  return tails.flat();
}
