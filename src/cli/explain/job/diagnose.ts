/**
 * Finds out why a job does not run. Rules are sorted so that a cause comes before its effects: the controller before the queue, the queue before the
 * pods, and pods that cannot start before programs that fail.
 */
import type { Cause, Diagnosis, DiagnosisRule } from './diagnosis';
import { ageOf, conditionOf, describe, eventsOf, isPodRunning, isTrainingJob, timeOf, trainingStatus } from './facts';
import { deletion, managedByOther, suspension, unseen } from './rules/control';
import { failures } from './rules/failures';
import { gangs } from './rules/gang';
import { queueing } from './rules/queue';
import { refusals } from './rules/refusals';
import { arrayCopies, failure, restarts, search } from './rules/restarts';
import { schedule, scheduleState } from './rules/schedule';
import { lostNodes, scheduling } from './rules/scheduling';
import { modelFailure, reported, serves, unready } from './rules/serving';
import { startup } from './rules/startup';
import type { JobSnapshot } from './snapshot';
import type { JsonRecord } from '../../../model/json-parts';
import { standingOf } from '../../../model/kinds/registry';
import type { WorkloadState } from '../../../model/kinds/standing';
import { duration } from '../../../model/text/times';

const WAITING_RULES: readonly DiagnosisRule[] = [
  managedByOther, unseen, suspension, schedule, refusals, queueing, gangs, scheduling, startup, lostNodes, failures, modelFailure, unready,
  restarts, search, arrayCopies,
];

/** Rules for a running job: an elastic one may lack some of its replicas. */
const RUNNING_RULES: readonly DiagnosisRule[] = [scheduling, startup, lostNodes, modelFailure, unready, search, arrayCopies];

export function diagnose(snapshot: JobSnapshot): Diagnosis {
  const state = stateOf(snapshot);
  return {
    job: describe(snapshot.job),
    state,
    summary: summaryOf(snapshot, state),
    causes: causesOf(snapshot, state),
    notes: snapshot.unread,
  };
}

/** Fields of our job and their equivalents in other kinds. */
const OTHER_FIELDS: readonly (readonly [RegExp, string])[] = [
  [/spec\.resources\.sharedMemory/g, 'the size of an emptyDir with medium Memory at /dev/shm'],
  [/spec\.resources\.memory/g, 'the memory limit'],
  [/spec\.scheduling\.topology with mode Preferred/g, 'preferred instead of required'],
  [/spec\.scheduling\.(\w+)/g, '$1 of the pod template'],
  [/spec\.(?:image|command)\b/g, 'that of the container'],
  [/spec\.security\.\w+(?:: true)?/g, 'the security context'],
  [/(?:imagePullSecrets in )?spec\.template\.spec/g, 'imagePullSecrets in the pod template'],
  [/,? (?:the network policy )?and spec\.debug/g, ' and the network policies'],
];

function causesOf(snapshot: JobSnapshot, state: WorkloadState): readonly Cause[] {
  const causes = rulesFor(snapshot, state);
  return isTrainingJob(snapshot) ? causes
    : causes.map((cause) => ({ ...cause, fix: OTHER_FIELDS.reduce((text, [field, other]) => text.replace(field, other), cause.fix) }));
}

function rulesFor(snapshot: JobSnapshot, state: WorkloadState): readonly Cause[] {
  const all = (rules: readonly DiagnosisRule[]) => rules.flatMap((rule) => rule(snapshot));
  switch (state) {
    case 'Deleting': return deletion(snapshot);
    case 'Succeeded': return [];
    // Our own status has the failure. For other kinds, the remaining pods have more information.
    case 'Failed': return isTrainingJob(snapshot) ? failure(snapshot) : all([schedule, failure, failures, startup]);
    case 'Running': return all(RUNNING_RULES);
    default: {
      const found = all(WAITING_RULES);
      const causes = found.length > 0 ? found : reported(snapshot);
      return causes.length > 0 ? causes : [unknown(snapshot)];
    }
  }
}

function stateOf(snapshot: JobSnapshot): WorkloadState {
  const { job, pods } = snapshot;
  const { state } = standingOf(job as JsonRecord);
  if (trainingStatus(snapshot).phase !== undefined || ['Succeeded', 'Failed', 'Deleting'].includes(state)) {
    return state;
  }
  if (suspension(snapshot).length > 0 || state === 'Suspended') {
    return 'Suspended';
  }
  if (serves(snapshot) && (job.status?.conditions ?? []).length > 0) {
    return state;
  }
  return scheduleState(snapshot)
    ?? (pods.length > 0 && pods.every((pod) => isPodRunning(pod) || pod.status?.phase === 'Succeeded') ? 'Running' : 'Waiting');
}

function summaryOf(snapshot: JobSnapshot, state: WorkloadState): string {
  const { job, pods } = snapshot;
  const { ready, conditions, trainerStatus, phase } = trainingStatus(snapshot);
  const running = pods.filter(isPodRunning).length;
  const words = state === 'Succeeded' ? 'have succeeded' : 'are running or have succeeded';
  const size = ready !== undefined ? `${ready} replicas ${words}` : pods.length > 0 ? `${running} of ${pods.length} pods are running` : 'it has no pods';
  const since = (conditions ?? []).filter(({ status }) => status === 'True').map(({ lastTransitionTime }) => Date.parse(lastTransitionTime));
  const age = state === 'Waiting' ? ageOf(snapshot, job) : since.length > 0 ? snapshot.now - Math.max(...since) : 0;
  const progress = trainerStatus?.progressPercentage === undefined ? '' : `, ${trainerStatus.progressPercentage} % done`;
  return `${phase ?? state}${age > 0 ? ` for ${duration(age)}` : ''}: ${size}${progress}`;
}

/** The cause if no rule has found one: conditions and warnings. */
function unknown(snapshot: JobSnapshot): Cause {
  const { job, owned, pods } = snapshot;
  const words = (job.status?.conditions ?? []).filter(({ message }) => message).map(({ type, status, message }) => `${type}=${status}: ${message}`);
  const warnings = [job, ...owned, ...pods].flatMap((object) => eventsOf(snapshot, object)).filter(({ type }) => type === 'Warning')
    .sort((one, other) => timeOf(other) - timeOf(one)).slice(0, 3).map(({ reason, message }) => `Event ${reason}: ${message}`);
  const isYoung = ageOf(snapshot, job) < 20_000;
  return {
    id: 'Unknown',
    what: isYoung ? 'The job was created just now.' : pods.length === 0 ? 'The job has no pods, and no reason was found.' : 'No problem was found; the replicas are starting.',
    evidence: [...words, ...warnings],
    fix: conditionOf(job, 'Created')?.status === 'True' || isYoung ? 'Try again in a few seconds.' : 'Check its events and the log of its controller.',
  };
}
