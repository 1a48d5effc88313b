/**
 * The kinds of training-operator v1, one for each framework, with their replica types and the names and hosts of their pods.
 * @see https://github.com/kubeflow/training-operator/tree/v1.9.4/pkg/apis/kubeflow.org/v1
 */
import { cohortJob, type Cohort, type CohortJob } from '../cohorts';
import { TENSORFLOW_PORT } from '../../../model/frameworks/tensorflow';
import type { V1JobKind } from '../../../model/kinds/kubeflow-v1-jobs';
import type { Replica } from '../../../model/frameworks/contract';
import type { ResolvedRole, ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { FrameworkName } from '../../../model/training-job/spec';

/** `apiVersion` of all kinds. */
export const V1_API_VERSION = 'kubeflow.org/v1';

interface V1Kind {
  readonly kind: V1JobKind;
  /** Name of the training container; the controller searches for it. */
  readonly container: string;
  /** Name of the port that the controller searches for in that container. @default - none */
  readonly portName?: string;
  /** Port with that name, if the framework defines it. @default - the job's */
  readonly port?: number;
  /** Replica type of each of the framework's roles. */
  readonly types: { readonly [role: string]: string };
}

const PYTORCH: V1Kind = {
  kind: 'PyTorchJob', container: 'pytorch', portName: 'pytorchjob-port',
  types: { master: 'Master', worker: 'Worker' },
};

const TENSORFLOW: V1Kind = {
  kind: 'TFJob', container: 'tensorflow', portName: 'tfjob-port', port: TENSORFLOW_PORT,
  // The type is the task in TF_CONFIG, which TensorFlow calls chief.
  types: { chief: 'Chief', master: 'Chief', worker: 'Worker', ps: 'PS', evaluator: 'Evaluator' },
};

const XGBOOST: V1Kind = {
  kind: 'XGBoostJob', container: 'xgboost', portName: 'xgboostjob-port',
  types: { master: 'Master', worker: 'Worker' },
};

const PADDLE: V1Kind = {
  kind: 'PaddleJob', container: 'paddle', portName: 'master',
  types: { master: 'Master', worker: 'Worker' },
};

const JAX: V1Kind = {
  kind: 'JAXJob', container: 'jax', portName: 'jaxjob-port',
  types: { worker: 'Worker' },
};

const MPI: V1Kind = {
  kind: 'MPIJob', container: 'mpi',
  types: { launcher: 'Launcher', worker: 'Worker' },
};

const KINDS: { readonly [framework in FrameworkName]?: V1Kind } = {
  pytorch: PYTORCH, tensorflow: TENSORFLOW, xgboost: XGBOOST, lightgbm: XGBOOST, paddle: PADDLE, jax: JAX, mpi: MPI, horovod: MPI, deepspeed: MPI,
};

/** The kind of a framework; undefined if it has none. */
export function v1Kind(framework: FrameworkName): V1Kind | undefined {
  return KINDS[framework];
}

/** Whether jobs of the framework become MPIJobs. */
export function isMpiJob(framework: FrameworkName): boolean {
  return KINDS[framework] === MPI;
}

/** Field with the index of a pod within its replica type. The controller sets the label. */
const INDEX_FIELD = 'metadata.labels[\'training.kubeflow.org/replica-index\']';

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
    // Only the number of workers is elastic, and with a master, only the master would decide about success.
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
    // Each pod has a headless service with its name. MPI's pods have none, and kubectl reaches them by the same names.
    hostOf: podOf,
  };
}
