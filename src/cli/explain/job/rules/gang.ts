/** Gangs: groups that are placed as a whole or not at all. */
import type { DiagnosisRule } from '../diagnosis';
import { conditionOf, describe, eventsOf, isPodRunning, livePods, trainingSpec, trainingStatus } from '../facts';
import type { JobSnapshot } from '../snapshot';
import type { AnyObject } from '../../../jobs/objects';
import { count } from '../../../text';
import { GANG_RENDERERS } from '../../../../manifests/gang';
import { duration } from '../../../../model/text/times';

/** How to install each gang scheduler. */
const HOW_TO_INSTALL: { readonly [scheduler: string]: string } = {
  Coscheduling: 'Install scheduler-plugins with coscheduling',
  Volcano: 'Install Volcano',
  Kai: 'Install KAI Scheduler',
  YuniKorn: 'Install YuniKorn',
  Native: 'Use Kubernetes 1.36 with the feature gates GenericWorkload and GangScheduling',
};

export const gangs: DiagnosisRule = (snapshot) => {
  const gang = trainingSpec(snapshot).scheduling?.gang;
  const created = conditionOf(snapshot.job, 'Created');
  if (created?.status === 'False' && created.reason === 'GangSchedulerMissing') {
    return [{
      id: 'GangSchedulerMissing',
      what: `The job is a gang of ${gang?.scheduler ?? 'a scheduler'}, whose definitions are not installed.`,
      evidence: [created.message ?? ''],
      fix: `${HOW_TO_INSTALL[gang?.scheduler ?? ''] ?? 'Install it'}, or create the job with another spec.scheduling.gang. The operator retries automatically.`,
    }];
  }
  return belowMinimum(snapshot);
};

/** Some members are placed, but too few: they keep their resources and wait. */
function belowMinimum(snapshot: JobSnapshot): ReturnType<DiagnosisRule> {
  const status = trainingStatus(snapshot);
  const group = snapshot.podGroups[0];
  const pods = livePods(snapshot);
  const placed = pods.filter(({ spec }) => spec?.nodeName !== undefined);
  const minimum = trainingSpec(snapshot).scheduling?.gang?.minAvailable ?? minimumOf(group) ?? pods.length;
  const isGang = trainingSpec(snapshot).scheduling?.gang !== undefined || group !== undefined;
  if (!isGang || pods.length === 0 || placed.length >= minimum || pods.every(isPodRunning)) {
    return releasedGang(snapshot);
  }
  const { releases = 0, belowSince } = status.gang ?? {};
  return [{
    id: 'GangBelowMinimum',
    what: `The gang needs ${minimum} replicas placed together, and has ${placed.length}.`,
    evidence: [
      ...(group === undefined ? [] : groupWords(snapshot, group)),
      ...(belowSince === undefined ? [] : [`Below its minimum since ${duration(snapshot.now - Date.parse(belowSince))}.`]),
      ...(releases > 0 ? [`The operator has released the whole gang ${count(releases, 'time')} and placed it again.`] : []),
    ],
    fix: `Make room for ${count(minimum - placed.length, 'more replica')} (see the scheduler's reasons below), lower spec.scheduling.gang.minAvailable, or request less.`,
  }];
}

/** The gang was released and waits for a retry. */
function releasedGang(snapshot: JobSnapshot): ReturnType<DiagnosisRule> {
  const { gang, nextRetryTime } = trainingStatus(snapshot);
  if (gang?.releases === undefined || nextRetryTime === undefined || snapshot.pods.length > 0 || Date.parse(nextRetryTime) <= snapshot.now) {
    return [];
  }
  return [{
    id: 'GangReleased',
    what: 'Only part of the gang could be placed; it was released and waits for a retry.',
    evidence: [`Released ${count(gang.releases, 'time')}; the next try is in ${duration(Date.parse(nextRetryTime) - snapshot.now)}.`],
    fix: 'Make room for the whole gang, or lower spec.scheduling.gang.minAvailable.',
  }];
}

function minimumOf(group: AnyObject | undefined): number | undefined {
  const { minMember, minAvailable } = (group?.spec ?? {}) as { readonly minMember?: number; readonly minAvailable?: number };
  return minMember ?? minAvailable;
}

function groupWords(snapshot: JobSnapshot, group: AnyObject): string[] {
  const phase = group.status?.phase as string | undefined;
  const unscheduled = (group.status?.conditions ?? []).find(({ type, status, message }) => /unschedulable|scheduled/i.test(type) && status !== 'Unknown' && message);
  const [event] = eventsOf(snapshot, group);
  const words = unscheduled?.message ?? event?.message;
  return [`${describe(group)}${phase === undefined ? '' : ` is ${phase}`}${words === undefined ? '' : `: ${words}`}`];
}

/** How to install a gang's scheduler, by the name of the scheduler. */
export function gangSchedulerNames(): ReadonlyMap<string, string> {
  return new Map(Object.entries(GANG_RENDERERS).map(([scheduler, { schedulerName }]) => [schedulerName ?? 'default-scheduler', HOW_TO_INSTALL[scheduler]]));
}
