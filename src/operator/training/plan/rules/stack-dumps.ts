/** `spec.debug`: keeps the stacks of pods that were taken away with the failure that they were taken away for. */
import type { Rule } from './rule';
import { formatIndexes, parseIndexes } from '../index-set';
import type { Observation, ObservedPod } from '../types';
import type { ResolvedTrainingJob } from '../../../../model/training-job/replicas/resolve';
import { MAX_STACK_DUMPS, STACKS_MAX_LENGTH, type StackDump } from '../../../../model/training-job/status/recovery-status';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';

/** Tells of them. */
export const stackDumpsRule: Rule = {
  observe(observation, view, status) {
    return withStackDumps(view.job, observation, status);
  },
};

/** Most characters of an entry's indexes. */
const INDEXES_MAX_LENGTH = 256;

/** Ends a list of indexes that holds no more. */
const AND_MORE = ',...';

/**
 * The status with the stacks that are there; the same object when nothing is new.
 *
 * Stacks of the replicas whose pods were taken away (`spec.debug`), kept with the failure that they were taken away for. They come after the
 * decision, with the last status of each pod. Replicas that show the same are one entry, so that of a thousand ranks, 999 of which wait for one, two
 * entries are left; and taking note of the same pod twice changes nothing.
 */
export function withStackDumps(job: ResolvedTrainingJob, { pods, departed = [] }: Observation, status: TrainingJobStatus): TrainingJobStatus {
  const failure = status.lastFailure;
  if (failure === undefined) {
    return status;
  }
  const before = failure.stackDumps ?? [];
  let dumps = before;
  for (const pod of [...departed, ...pods]) {
    if (pod.stacks !== undefined && pod.attempt === failure.attempt) {
      dumps = withDump(job, dumps, pod);
    }
  }
  return dumps === before ? status : { ...status, lastFailure: { ...failure, stackDumps: dumps } };
}

function withDump(job: ResolvedTrainingJob, dumps: readonly StackDump[], pod: ObservedPod): readonly StackDump[] {
  const replica = job.replicas.find((candidate) => candidate.podName === pod.name);
  if (replica === undefined) {
    return dumps;
  }
  const stacks = pod.stacks!.slice(0, STACKS_MAX_LENGTH);
  const known = dumps.findIndex((dump) => dump.role === replica.role && comparable(dump.stacks) === comparable(stacks));
  if (known < 0) {
    return dumps.length < MAX_STACK_DUMPS ? [...dumps, { role: replica.role, indexes: String(replica.index), pod: pod.name, stacks }] : dumps;
  }
  const { indexes } = dumps[known];
  const set = parseIndexes(indexes);
  if (indexes.endsWith(AND_MORE) || set.has(replica.index)) {
    return dumps;
  }
  const text = formatIndexes(set.add(replica.index))!;
  const told = text.length > INDEXES_MAX_LENGTH ? `${indexes}${AND_MORE}` : text;
  return dumps.map((dump, index) => (index === known ? { ...dump, indexes: told } : dump));
}

/** Without what differs from pod to pod: ids of processes, and command lines that may name the rank. */
function comparable(stacks: string): string {
  return stacks.replace(/^process .*$/gm, '');
}
