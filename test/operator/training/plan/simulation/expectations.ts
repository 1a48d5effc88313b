/**
 * What should follow from what happened, by the letter of the documentation: written a second time, so that a mistake of the planner is not
 * repeated.
 */
import type { PodTruth } from './nodes';
import type { Replica } from '../../../../../src/model/frameworks/contract';
import type { ResolvedTrainingJob } from '../../../../../src/model/training-job/replicas/resolve';

/** The replica that an elastic group cannot do without. */
export function isCoordinator(job: ResolvedTrainingJob, pod: PodTruth): boolean {
  return pod.replica === `${job.replicas[0].role}/${job.replicas[0].index}`;
}

/** Whether an elastic group ends because this pod has ended: its coordinator, or an agent of torchrun that gave up by itself. */
export function endsGroup(job: ResolvedTrainingJob, pod: PodTruth): boolean {
  return (isCoordinator(job, pod) && (pod.lost || pod.gone || pod.exitCode !== undefined))
    || (job.framework.name === 'pytorch' && pod.exitCode !== undefined && pod.exitCode > 0 && pod.exitCode < 128);
}

/** Whether the replicas of a role are helpers. */
export function helps({ spec }: ResolvedTrainingJob, role: string): boolean {
  return (spec.helpers ?? []).some(({ name }) => name === role);
}

/** Whether a pod helps. */
export function isHelperPod(job: ResolvedTrainingJob, pod: PodTruth): boolean {
  return helps(job, pod.replica.split('/')[0]);
}

/** Replicas whose success is the job's. */
export function neededReplicas(job: ResolvedTrainingJob): readonly Replica[] {
  switch (job.successPolicy) {
    case 'Coordinator': return job.replicas.slice(0, 1);
    case 'AllWorkers': return job.replicas.filter((replica) => replica.rank !== undefined);
    default: return job.replicas.filter((replica) => !helps(job, replica.role));
  }
}

/** What follows from how a pod ended, by the letter of the run policy. */
export function verdict(job: ResolvedTrainingJob, pod: PodTruth): 'none' | 'fail' | 'recover' | 'retry' {
  const code = pod.exitCode;
  if (code === undefined || code === 0) {
    return 'none';
  }
  if (job.spec.helpers?.some(({ name, onFailure }) => onFailure === 'Ignore' && pod.replica.startsWith(`${name}/`))) {
    return 'none';
  }
  const { exitCodes = {} } = job.runPolicy;
  if (exitCodes.fail?.includes(code)) {
    return 'fail';
  }
  if (exitCodes.recover?.includes(code)) {
    return 'recover';
  }
  if (exitCodes.retry?.includes(code)) {
    return 'retry';
  }
  // The short form at one replica has no workers any more, though the job had some.
  const { restartPolicy } = job.roles.find((role) => pod.replica.startsWith(`${role.name}/`)) ?? job.runPolicy;
  return restartPolicy === 'OnFailure' || restartPolicy === 'Always' || (restartPolicy === 'ExitCode' && code >= 128) ? 'retry' : 'fail';
}

/** Reads a set of indexes such as `0-3,7`. */
export function indexes(text: string | undefined): Set<number> {
  return new Set((text ?? '').split(',').filter(Boolean).flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  }));
}
