/** A job as training-operator v1 arranges it: replica types, the names of pods, and the hosts that they are reached at. */
import { v1Kind, type V1Kind } from './kinds';
import { cohortJob, type Cohort, type CohortJob } from '../cohorts';
import type { Replica } from '../../../model/training-job/replicas/replica';
import type { ResolvedRole, ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

/** Label with the index of a pod within its replica type. The controller sets it. */
const REPLICA_INDEX_LABEL = 'training.kubeflow.org/replica-index';

const INDEX_FIELD = `metadata.labels['${REPLICA_INDEX_LABEL}']`;

/** A job, its kind and its replica types. */
export interface V1Layout extends CohortJob {
  readonly kind: V1Kind;
}

/** The layout of a job whose framework has a kind. */
export function v1Layout(job: ResolvedTrainingJob): V1Layout {
  const kind = v1Kind(job.framework.name)!;
  return { ...cohortJob(job, cohortsOf(job, kind)), kind };
}

function cohortsOf(job: ResolvedTrainingJob, { types }: V1Kind): Cohort[] {
  if (job.framework.name === 'pytorch' && job.spec.elastic !== undefined) {
    // Only workers come and go, and with a master beside them the master alone would decide on success.
    const role = job.roles[job.roles.length - 1];
    return [cohort(job, 'Worker', { ...role, singleton: false }, job.replicas)];
  }
  return job.roles.map((role) => cohort(job, types[role.name], role, job.replicas.filter((replica) => replica.role === role.name)));
}

function cohort({ name: job }: ResolvedTrainingJob, type: string, role: ResolvedRole, replicas: readonly Replica[]): Cohort {
  // Launchers are the only pods without an index.
  const podOf = (position: number) => (type === 'Launcher' ? `${job}-launcher` : `${job}-${type.toLowerCase()}-${position}`);
  return {
    name: type,
    role,
    replicas,
    singleton: role.singleton,
    fields: { indexes: [{ path: INDEX_FIELD, first: 0 }] },
    podOf,
    // Each pod has a headless service of its own name; MPI's have none, and are reached by kubectl under the same names.
    hostOf: podOf,
  };
}
