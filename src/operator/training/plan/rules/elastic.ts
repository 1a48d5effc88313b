/** `spec.elastic`: another number of replicas, and what trains at this moment. */
import type { Rule } from './rule';
import type { ElasticStatus, WorldSize } from '../../../../model/training-job/status/status';
import { note, scale } from '../decisions';
import { formatIndexes, parseIndexes } from '../index-set';
import type { JobView } from '../observe/replicas-view';
import type { Observation } from '../types';

/** Scales an elastic job. */
export const elasticRule: Rule = {
  decide(observation, view) {
    const { spec, status } = observation.job;
    const { replicas: acted } = status.elastic ?? {};
    const wanted = spec.replicas;
    if (spec.elastic === undefined || wanted === undefined || acted === wanted) {
      return undefined;
    }
    if (acted === undefined) {
      // The first number is a decision as well: a pod that goes because the next one came at once would else be taken for a lost one.
      return note(observation, { elastic: { replicas: wanted } });
    }
    if (wanted > acted && view.surplus.length > 0) {
      // Pods of places that were given up before still hold the names; what is left of them is waited for.
      return undefined;
    }
    const count = view.replicas.length + wanted - acted;
    const added = Array.from({ length: Math.max(0, wanted - acted) }, (_, index) => view.replicas.length + index);
    const kept = new Set(view.replicas.slice(0, count).map((entry) => entry.replica.podName));
    const replacing = view.replacing.filter((entry) => kept.has(entry.pod));
    const unseen = new Set([...parseIndexes(status.elastic?.unseen), ...added].filter((ordinal) => ordinal < count));
    return scale(observation, {
      elastic: withoutEmpty({ replicas: wanted, unseen: formatIndexes(unseen) }),
      replacing: replacing.length > 0 ? replacing : undefined,
    }, `scaled from ${acted} to ${wanted} replicas`);
  },

  observe(observation, view, status) {
    return observation.job.spec.elastic === undefined
      ? status
      : { ...status, elastic: elasticStatus(observation, view, status.attemptStarted === true), worldSize: worldSize(view) };
  },
};

function elasticStatus({ job: { spec, status: before } }: Observation, view: JobView, started: boolean): ElasticStatus {
  // Once an attempt has begun, a replica without a pod is a lost one; but not one whose pod has not been there yet.
  const known = before.attemptStarted ? parseIndexes(before.elastic?.unseen) : undefined;
  const unseen = view.replicas
    .filter(({ pod, outgoing, succeeded }) => pod === undefined && outgoing === undefined && !succeeded)
    .filter(({ replica }) => known?.has(replica.ordinal) ?? true)
    .map(({ replica }) => replica.ordinal);
  return withoutEmpty({
    replicas: before.elastic?.replicas ?? spec.replicas!,
    unseen: started ? formatIndexes(new Set(unseen)) : undefined,
  });
}

function worldSize({ job, replicas }: JobView): WorldSize {
  const running = replicas.filter(({ replica, pod, replaced }) => replica.rank !== undefined && pod?.state === 'Running' && !replaced).length;
  const processes = job.framework.elastic?.processesPerReplica(job);
  return { replicas: running, ...(processes !== undefined && { processes: running * processes }) };
}

function withoutEmpty({ replicas, unseen }: ElasticStatus): ElasticStatus {
  return { replicas, ...(unseen !== undefined && { unseen }) };
}
