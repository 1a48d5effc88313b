/** Whether the queues of the program exist, are open, and have enough quota. `explain` checks queues, and the model checks quotas. */
import { distinctFaults, type Check, type Fault, type FaultId } from '../finding';
import { apply, install, kubectl, patch } from '../fixes';
import type { PodSet, Workload } from '../program';
import { requiredTerms } from '../node-facts';
import type { ClusterSnapshot, KueueFacts } from '../snapshot';
import { quotaLines } from '../../explain/job/quota';
import { brokenQueue } from '../../explain/job/rules/queue';
import type { AnyObject } from '../../jobs/objects';
import { listed } from '../../text';
import { jobDemand } from '../../../manifests/kueue/demand';
import { record, records } from '../../../model/json-parts';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../../model/kueue-names';
import { TRAINING_JOB_KIND } from '../../../model/labels';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import type { NodeExpression, PodSetDemand } from '../../../model/queues/flavor-match';
import { fitProblems } from '../../../model/queues/fit';
import { readClusterQueue, readLandscape } from '../../../model/queues/read-objects';
import type { FlavorTolerationSpec } from '../../../model/queues/spec';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { Workload as KueueWorkload } from '../../../operator/kueue/workload';

export const QUEUES: Check = {
  topic: 'queues',
  run: (snapshot) => {
    const { program, kueue } = snapshot;
    const queued = (program?.workloads ?? []).filter(({ queue, mistakes }) => queue !== undefined && mistakes.length === 0);
    if (kueue === undefined || queued.length === 0) {
      return { faults: [] };
    }
    const names = [...new Set(queued.map(({ queue }) => queue!))];
    return kueue.isInstalled ? {
      faults: distinctFaults(queued.flatMap((workload) => queueFaults(snapshot, kueue, workload))),
      ...(kueue.clusterQueues !== undefined && { passed: `The queues are open, with free quota: ${listed(names, 5)}.` }),
    } : {
      faults: [{
        id: 'KueueMissing', severity: 'error', what: `${queued[0].title} uses the queue ${names[0]}, and Kueue is not installed: the job would wait forever.`,
        evidence: [`The API group ${KUEUE_GROUP} is not served.`], fix: install('kueue'),
      }],
    };
  },
};

/** Objects of a kind in the program, then those of the cluster. */
function withProgram({ program }: ClusterSnapshot, kind: string, live: readonly AnyObject[] | undefined): AnyObject[] {
  const own = (program?.objects ?? []).filter((object) => object.kind === kind && object.apiVersion?.startsWith(`${KUEUE_GROUP}/`)) as unknown as AnyObject[];
  const isSame = ({ metadata: one }: AnyObject, { metadata: other }: AnyObject) => (
    one?.name === other?.name && (one?.namespace ?? other?.namespace) === other?.namespace);
  return [...own, ...(live ?? []).filter((object) => !own.some((other) => isSame(other, object)))]
    .map((object) => ({ ...object, kind }));
}

function queueFaults(snapshot: ClusterSnapshot, kueue: KueueFacts, workload: Workload): Fault[] {
  const { namespace, queue: name = '' } = workload;
  const localQueues = withProgram(snapshot, 'LocalQueue', kueue.localQueues).filter(({ metadata }) => (metadata?.namespace ?? namespace) === namespace);
  const localQueue = localQueues.find(({ metadata }) => metadata?.name === name);
  if (localQueue === undefined && kueue.localQueues === undefined) {
    return [];
  }
  const clusterQueues = withProgram(snapshot, 'ClusterQueue', kueue.clusterQueues);
  const clusterName = String(localQueue?.spec?.clusterQueue ?? '');
  const clusterQueue = clusterQueues.find(({ metadata }) => metadata?.name === clusterName);
  if (localQueue !== undefined && clusterQueue === undefined && kueue.clusterQueues !== undefined) {
    return [{
      id: 'ClusterQueueMissing', severity: 'error', what: `The LocalQueue ${name} in the namespace ${namespace} belongs to the ClusterQueue ${clusterName}, which does not exist.`,
      evidence: [clusterQueues.length === 0 ? 'The cluster has no ClusterQueues.' : `ClusterQueues: ${listed(clusterQueues.map(({ metadata }) => metadata?.name ?? ''), 8)}.`],
      fix: kubectl(undefined, 'get', 'clusterqueues'),
    }];
  }
  const flavors = clusterQueue === undefined || kueue.flavors === undefined ? [] : missingFlavors(snapshot, kueue, clusterQueue);
  if (flavors.length > 0) {
    return flavors;
  }
  const view = { installed: true, localQueue, clusterQueue, localQueues: localQueues.map(({ metadata }) => metadata?.name ?? '') };
  const job = { kind: workload.object.kind, metadata: { name: workload.object.metadata?.name, namespace } };
  const broken = brokenQueue(name, view, { job, unread: [] });
  if (broken !== undefined) {
    return broken.map(({ id, what, evidence }) => ({ id: id as FaultId, severity: 'error', what, evidence, fix: fixOf(id, workload, view, clusterQueues) }));
  }
  return clusterQueue === undefined ? [] : quota(snapshot, kueue, workload, clusterQueue);
}

interface View {
  readonly localQueue?: AnyObject;
  readonly clusterQueue?: AnyObject;
}

function fixOf(id: string, { namespace, queue = '' }: Workload, { localQueue, clusterQueue }: View, [first]: readonly AnyObject[]): string {
  const isStopped = (queueObject: AnyObject | undefined) => !['None', undefined].includes(queueObject?.spec?.stopPolicy as string | undefined);
  const name = clusterQueue?.metadata?.name ?? String(localQueue?.spec?.clusterQueue ?? '');
  switch (id) {
    case 'QueueStopped': return isStopped(localQueue) ? patch(namespace, 'localqueue', queue, { spec: { stopPolicy: 'None' } }) : patch(undefined, 'clusterqueue', name, { spec: { stopPolicy: 'None' } });
    case 'QueueInactive': return kubectl(undefined, 'describe', 'clusterqueue', name);
    default: return (first as AnyObject | undefined) === undefined ? kubectl(namespace, 'get', 'localqueues')
      : apply({ apiVersion: first.apiVersion ?? `${KUEUE_GROUP}/${KUEUE_VERSION}`, kind: 'LocalQueue', metadata: { name: queue, namespace }, spec: { clusterQueue: first.metadata?.name } });
  }
}

function missingFlavors(snapshot: ClusterSnapshot, kueue: KueueFacts, clusterQueue: AnyObject): Fault[] {
  const known = withProgram(snapshot, 'ResourceFlavor', kueue.flavors).map(({ metadata }) => metadata?.name);
  const named = records(clusterQueue.spec?.resourceGroups).flatMap(({ flavors }) => records(flavors)).map(({ name }) => String(name));
  const missing = named.filter((flavor) => !known.includes(flavor));
  return missing.map((flavor): Fault => ({
    id: 'FlavorMissing', severity: 'error', what: `The ClusterQueue ${clusterQueue.metadata?.name} offers the ResourceFlavor ${flavor}, which does not exist: it admits no jobs.`,
    evidence: [known.length === 0 ? 'The cluster has no ResourceFlavors.' : `ResourceFlavors: ${listed(known.map(String), 8)}.`],
    fix: apply({ apiVersion: clusterQueue.apiVersion ?? `${KUEUE_GROUP}/${KUEUE_VERSION}`, kind: 'ResourceFlavor', metadata: { name: flavor } }),
  }));
}

function quota(snapshot: ClusterSnapshot, kueue: KueueFacts, workload: Workload, clusterQueue: AnyObject): Fault[] {
  const { title, object, podSets } = workload;
  const kinds = (['ClusterQueue', 'Cohort', 'ResourceFlavor'] as const).flatMap((kind) => (
    withProgram(snapshot, kind, { ClusterQueue: kueue.clusterQueues, Cohort: kueue.cohorts, ResourceFlavor: kueue.flavors }[kind])));
  const objects = kinds as unknown as readonly ManifestObject[];
  const demand = object.kind === TRAINING_JOB_KIND ? jobDemand(object.metadata?.name ?? '', record(object.spec) as unknown as TrainingJobSpec) : podSets.map(demandOf);
  const never = kueue.cohorts === undefined || kueue.flavors === undefined ? []
    : fitProblems(demand, readClusterQueue(clusterQueue as unknown as ManifestObject, objects), readLandscape(objects));
  const name = clusterQueue.metadata?.name ?? '';
  const tooSmall = (evidence: readonly string[]): Fault => ({
    id: 'QuotaTooSmall', severity: 'error', what: `${title} requests more than the ClusterQueue ${name} can ever provide: it would wait forever.`, evidence,
    fix: kubectl(undefined, 'edit', 'clusterqueue', name),
  });
  if (never.length > 0) {
    return [tooSmall(never)];
  }
  const asked = { spec: { podSets: podSets.map(({ count, spec }) => ({ count, template: { spec } })) } } as unknown as KueueWorkload;
  const { lines, verdict } = quotaLines(asked, clusterQueue);
  return lines.length === 0 || verdict === 'unknown' ? [] : [verdict === 'never' ? tooSmall(lines) : {
    id: 'QuotaInUse', severity: 'warning', what: `${title} would wait now: the free quota of the ClusterQueue ${name} is not enough.`, evidence: lines,
    fix: kubectl(undefined, 'get', 'workloads.kueue.x-k8s.io', '-A'),
  }];
}

function demandOf({ name, count, requests, spec }: PodSet): PodSetDemand {
  return {
    name, count, requests, nodeSelector: spec.nodeSelector ?? {},
    affinity: requiredTerms(spec).map(({ matchExpressions }) => records(matchExpressions) as unknown as readonly NodeExpression[]),
    tolerations: (spec.tolerations ?? []) as FlavorTolerationSpec[],
  };
}
