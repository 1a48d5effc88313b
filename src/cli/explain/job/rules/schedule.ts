/** Schedules, which have no pods: their state is that of their last run. */
import type { DiagnosisRule } from '../diagnosis';
import { describe, trueCondition } from '../facts';
import type { JobSnapshot } from '../snapshot';
import type { JsonRecord } from '../../../../model/json-parts';
import { explainedKindOf, standingOf } from '../../../../model/kinds/registry';
import type { WorkloadState } from '../../../../model/kinds/standing';

/** State of the last run of a schedule; `Waiting` if there is none; undefined for other kinds. */
export function scheduleState({ job, owned }: JobSnapshot): WorkloadState | undefined {
  const last = owned.at(-1);
  return explainedKindOf(job)?.scheduled === undefined ? undefined : last === undefined ? 'Waiting' : standingOf(last as JsonRecord).state;
}

/** The last run has failed, or there is none. */
export const schedule: DiagnosisRule = (snapshot) => {
  const { job, owned } = snapshot;
  const [last, state] = [owned.at(-1), scheduleState(snapshot)];
  if (state === undefined) {
    return [];
  }
  if (last === undefined) {
    const at = job.status?.lastScheduleTime;
    return [{
      id: 'NoRun',
      what: at === undefined ? 'The schedule has not started a run yet.' : 'The last run of the schedule was deleted.',
      evidence: [`spec.schedule is ${String(job.spec?.schedule)}${at === undefined ? '' : `, last at ${String(at)}`}.`],
      fix: 'Wait until it is due. If that time has passed, see the events of the schedule.',
    }];
  }
  const failed = trueCondition(last, 'Failed');
  return state !== 'Failed' ? [] : [{
    id: 'LastRunFailed',
    what: `The last run has failed: ${describe(last)}.`,
    evidence: [`${failed?.reason ?? ''}: ${failed?.message ?? ''}`],
    fix: 'Fix this cause. The next run starts on schedule.',
  }];
};
