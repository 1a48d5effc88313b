/** The history of a job: its conditions, and the events of the job, its parts and its pods. */
import { timeOf } from '../../explain/job/facts';
import type { JobSnapshot } from '../../explain/job/snapshot';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';

export interface TimelineEntry {
  /** RFC 3339. */
  readonly time: string;
  /** The object, such as `pod train-worker-0`. @default - the job itself */
  readonly subject?: string;
  readonly what: string;
  readonly isWarning: boolean;
}

/** Maximum number of entries: the last ones are kept. */
const MAX_ENTRIES = 40;

/** The oldest entry is first. The API server keeps events for an hour. */
export function timelineOf({ job, owned, pods, events }: JobSnapshot): readonly TimelineEntry[] {
  const { name, creationTimestamp, uid } = job.metadata ?? {};
  const subjects = new Map([...owned, ...pods].map((object) => [object.metadata?.uid ?? '', `${(object.kind ?? '').toLowerCase()} ${object.metadata?.name ?? ''}`]));
  const status = (job.status ?? {}) as TrainingJobStatus;
  const entries: TimelineEntry[] = [
    ...(creationTimestamp === undefined ? [] : [{ time: creationTimestamp, what: 'Created', isWarning: false }]),
    ...(job.status?.conditions ?? []).filter((condition) => condition.status === 'True' && condition.lastTransitionTime !== undefined && condition.type !== 'Created')
      .map(({ type, reason, message, lastTransitionTime }) => (
        { time: lastTransitionTime!, what: words(type, reason === type ? undefined : reason, message), isWarning: type === 'Failed' })),
    ...(status.checkpoint === undefined ? [] : [{
      time: status.checkpoint.time, what: `Checkpoint: ${status.checkpoint.path}${status.checkpoint.step === undefined ? '' : ` (step ${status.checkpoint.step})`}`, isWarning: false,
    }]),
    // An event with the message of a condition is a repetition.
    ...events.filter(({ message }) => !(job.status?.conditions ?? []).some((condition) => condition.message === message)).filter(({ involvedObject }) => involvedObject?.uid === uid || subjects.has(involvedObject?.uid ?? '')
      || (involvedObject?.uid === undefined && involvedObject?.name === name)).map((event): TimelineEntry => {
      const { involvedObject, reason, message, count = 1, type } = event;
      const subject = subjects.get(involvedObject?.uid ?? '');
      return {
        time: new Date(timeOf(event)).toISOString(), ...(subject !== undefined && { subject }),
        what: `${words(reason, undefined, message)}${count > 1 ? ` (${count} times)` : ''}`, isWarning: type === 'Warning',
      };
    }),
  ];
  return entries.map((entry) => ({ ...entry, time: entry.time.replace(/\.\d{1,9}Z$/, 'Z') })).sort((one, other) => Date.parse(one.time) - Date.parse(other.time))
    .filter((entry, index, all) => index === 0 || entry.what !== all[index - 1].what || entry.subject !== all[index - 1].subject).slice(-MAX_ENTRIES);
}

function words(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(': ');
}
