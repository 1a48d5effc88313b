/**
 * An array as an Indexed Job: a pod for each copy, with the copy's index. A failed copy is replaced as often as its run policy allows
 * (`backoffLimitPerIndex`), and the others continue.
 * @see https://kubernetes.io/docs/tasks/job/job-backoff-limit-per-index/
 */
import type { EngineJob } from '../engine';
import { enginePodSpec, type EnginePods } from '../indexed/engine-pods';
import { replacingPodFailurePolicy, retryLimit } from '../indexed/outcome';
import type { IndexVariable } from '../indexed/indexed-text';
import { constructPodSet, type PodSet } from '../indexed/pod-set';
import type { Container, PodSpec } from '../../kubernetes';
import { CHECKPOINT_VOLUME } from '../../pod/replica-volumes';
import { ARRAY_INDEX_VARIABLE, arrayCheckpointFolder, arrayCopySpec } from '../../../model/training-job/array';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';

/** Copies from which a template is derived: a dependency on only the index shows in a few of them. */
const SAMPLE = 12;

/** The pods of all copies from one template. @param podsOf pods of the copy with an index; the Job numbers them as it would number replicas */
export function constructCopySet({ name, spec }: EngineJob, podsOf: (index: number) => EnginePods, index: IndexVariable): PodSet {
  const { count } = spec.array!;
  const podAt = (copy: number) => {
    const pods = podsOf(copy);
    const job = resolveTrainingJob(name, arrayCopySpec(spec, copy));
    return withSubPathOfIndex(enginePodSpec({ ...pods, job }, job.replicas[0]), spec.checkpoint?.subPath);
  };
  const sample = constructPodSet({ count: Math.min(count, SAMPLE), podAt, indexes: [index] });
  return count > SAMPLE && (sample.shells.length > 0 || sample.problems.length > 0) ? constructPodSet({ count, podAt, indexes: [index] }) : sample;
}

export function arrayJobFields({ name, spec }: EngineJob): object {
  const { count, parallelism = count, maxFailedIndexes } = spec.array!;
  const job = resolveTrainingJob(name, arrayCopySpec(spec, 0));
  const [{ restartPolicy }] = job.roles;
  return {
    completions: count,
    parallelism: Math.min(parallelism, count),
    backoffLimitPerIndex: retryLimit(job, restartPolicy),
    maxFailedIndexes: maxFailedIndexes === undefined ? undefined : Math.min(maxFailedIndexes, count),
    podFailurePolicy: replacingPodFailurePolicy(job, restartPolicy, 'FailIndex'),
  };
}

/** Gives each copy its own folder in the claim. The template refers to it with a variable. */
function withSubPathOfIndex(spec: PodSpec, pattern: string | undefined): PodSpec {
  const subPathExpr = arrayCheckpointFolder(pattern?.replaceAll('$', '$$$$'), `$(${ARRAY_INDEX_VARIABLE})`);
  const change = (containers: readonly Container[]): Container[] => containers.map((container) => ({
    ...container,
    ...(container.volumeMounts && {
      volumeMounts: container.volumeMounts.map(({ subPath, ...mount }) => (
        subPath === undefined ? mount : mount.name === CHECKPOINT_VOLUME ? { ...mount, subPathExpr } : { ...mount, subPath })),
    }),
  }));
  return { ...spec, containers: change(spec.containers), ...(spec.initContainers && { initContainers: change(spec.initContainers) }) };
}
