/**
 * How much a job uses its accelerators, and whether it is suspended because it does not.
 *
 * The operator never writes a spec: it would fight with whoever owns it (Argo CD, Kueue). So this suspension stands in the status alone, together
 * with the
 * generation of the job and the value of an annotation as they were. When one of them is another, somebody has looked at the job, and it runs again.
 */
import type { Observation, ObservedJob, Utilization } from './types';
import { lastProgressTime } from '../../../model/progress/progress-status';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';

/** Names under which scripts report the use of their accelerators in percent; the first is what our helpers send. */
const UTILIZATION_METRICS: readonly string[] = ['accelerator_utilization', 'gpu_utilization'];

/** A measurement that is older says nothing, unless the rule itself waits for longer. Milliseconds. */
const STALE_AFTER_MS = 10 * 60_000;

/** Whether the job is kept without pods because it was idle. */
export function isIdleSuspended({ status, generation, resume }: Pick<ObservedJob, 'status' | 'generation' | 'resume'>): boolean {
  const suspended = status.idle?.suspended;
  return suspended !== undefined && suspended.generation === generation && suspended.resume === resume;
}

/** Whether the job is to have no pods: its spec says so, or it was idle. */
export function isKeptSuspended(job: ObservedJob): boolean {
  return job.spec.suspend === true || isIdleSuspended(job);
}

/** The newest measurement that still says something; undefined when there is none. */
export function utilizationOf({ job: { status, spec }, utilization, now }: Observation): Utilization | undefined {
  const reported = reportedUtilization(status);
  const newest = [reported, utilization].filter((sample) => sample !== undefined).sort((a, b) => b.time - a.time)[0];
  const lasts = Math.max(STALE_AFTER_MS, (spec.idle?.forSeconds ?? 0) * 1000);
  return newest !== undefined && now - newest.time <= lasts ? newest : undefined;
}

function reportedUtilization(status: TrainingJobStatus): Utilization | undefined {
  const metrics = status.trainerStatus?.metrics ?? [];
  const found = UTILIZATION_METRICS.map((name) => metrics.find((metric) => metric.name === name)).find((metric) => metric !== undefined);
  const percent = Number(found?.value.trim() || NaN);
  const time = status.lastProgressTime === undefined ? undefined : lastProgressTime(status);
  return Number.isFinite(percent) && time !== undefined ? { percent: Math.min(100, Math.max(0, percent)), time } : undefined;
}
