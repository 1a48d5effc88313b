/** Queues of Kueue: quotas with their use, and waiting workloads with the reason. */
import type { UiQueue, UiQueues, UiQuota, UiWaiting } from './protocol';
import { conditionOf, trueCondition } from '../explain/job/facts';
import { amount, show } from '../explain/job/quota';
import type { AnyObject } from '../jobs/objects';
import type { Reader } from '../jobs/reader';
import { records, filled, type JsonRecord } from '../../model/json-parts';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../model/kueue-names';
import type { ResourceKind } from '../../operator/runtime/resource-kind';

const kindOf = (kind: string, plural: string, namespaced: boolean): ResourceKind => (
  { group: KUEUE_GROUP, version: KUEUE_VERSION, kind, plural, namespaced });

const CLUSTER_QUEUES = kindOf('ClusterQueue', 'clusterqueues', false);
const LOCAL_QUEUES = kindOf('LocalQueue', 'localqueues', true);
const WORKLOADS = kindOf('Workload', 'workloads', true);

/** Maximum number of waiting workloads. */
const MAX_WAITING = 500;

/** Reads queues; none without Kueue. @param namespace of LocalQueues and workloads; undefined for all */
export async function readQueues(reader: Reader, namespace: string | undefined): Promise<UiQueues> {
  const [clusterQueues, localQueues, workloads] = await Promise.all([
    reader.list<AnyObject>(CLUSTER_QUEUES, undefined), reader.list<AnyObject>(LOCAL_QUEUES, namespace), reader.list<AnyObject>(WORKLOADS, namespace),
  ]);
  return {
    clusterQueues: (clusterQueues ?? []).map((queue) => queueOf(queue, filled(queue.spec?.cohortName ?? queue.spec?.cohort), quotasOf(queue))),
    localQueues: (localQueues ?? []).map((queue) => queueOf(queue, filled(queue.spec?.clusterQueue), [])),
    waiting: (workloads ?? []).flatMap(waitingOf).sort((one, other) => (one.since ?? '').localeCompare(other.since ?? '')).slice(0, MAX_WAITING),
    unread: reader.unread,
  };
}

function queueOf(queue: AnyObject, parent: string | undefined, quotas: readonly UiQuota[]): UiQueue {
  const { metadata, spec, status } = queue;
  const active = conditionOf(queue, 'Active');
  const stopped = spec?.stopPolicy;
  const isStopped = stopped !== undefined && stopped !== 'None';
  return {
    name: metadata?.name ?? '', namespace: metadata?.namespace, parent, quotas,
    waiting: Number(status?.pendingWorkloads ?? 0), admitted: Number(status?.admittedWorkloads ?? 0),
    problem: isStopped ? `stopped (stopPolicy ${String(stopped)})` : active?.status === 'False' ? filled(active.message) ?? 'not active' : undefined,
  };
}

function quotasOf({ spec, status }: AnyObject): UiQuota[] {
  const usage = records(status?.flavorsReservation ?? status?.flavorsUsage);
  const flavors = records(spec?.resourceGroups).flatMap((group) => records(group.flavors));
  return flavors.flatMap((flavor) => {
    const taken = records(usage.find(({ name }) => name === flavor.name)?.resources);
    return records(flavor.resources).map((quota) => quotaOf(String(flavor.name), quota, taken.find(({ name }) => name === quota.name)));
  });
}

function quotaOf(flavor: string, quota: JsonRecord, taken: JsonRecord | undefined): UiQuota {
  const resource = String(quota.name);
  const numberOf = (value: unknown) => amount((value ?? 0) as string | number);
  const [nominal, used, borrowed] = [quota.nominalQuota, taken?.total, taken?.borrowed].map(numberOf);
  return {
    flavor, resource, nominal: show(resource, nominal), used: show(resource, used),
    borrowed: borrowed > 0 ? show(resource, borrowed) : undefined,
    borrowingLimit: quota.borrowingLimit === undefined ? undefined : show(resource, numberOf(quota.borrowingLimit)),
    percentage: nominal > 0 ? Math.round((used / nominal) * 100) : used > 0 ? 100 : 0,
  };
}

function waitingOf(workload: AnyObject): UiWaiting[] {
  if (['Admitted', 'Finished'].some((type) => trueCondition(workload, type) !== undefined)) {
    return [];
  }
  const { metadata, spec } = workload;
  const [owner] = metadata?.ownerReferences ?? [];
  const reserved = conditionOf(workload, 'QuotaReserved');
  const why = spec?.active === false ? 'It is suspended.'
    : reserved?.status === 'True' ? 'It has quota, and waits for admission checks.' : filled(reserved?.message) ?? 'Kueue has not processed it yet.';
  return [{
    namespace: metadata?.namespace ?? '', job: owner === undefined ? `Workload ${metadata?.name}` : `${owner.kind} ${owner.name}`, queue: filled(spec?.queueName) ?? '',
    since: metadata?.creationTimestamp, why,
  }];
}
