/**
 * The kinds of training-operator v1: one for each framework, each with its own words for the same things.
 * @see https://github.com/kubeflow/training-operator/tree/v1.9.4/pkg/apis/kubeflow.org/v1
 */
import { TENSORFLOW_PORT } from '../../../model/frameworks/tensorflow';
import type { V1JobKind } from '../../../model/kinds/kubeflow-v1-jobs';
import type { FrameworkName } from '../../../model/training-job/spec';

/** `apiVersion` of all kinds. */
export const V1_API_VERSION = 'kubeflow.org/v1';

/** One kind. */
export interface V1Kind {
  readonly kind: V1JobKind;

  /** Name of the container that trains; the controller looks for it. */
  readonly container: string;

  /** Name of the port that the controller looks for in that container. @default - it looks for none */
  readonly portName?: string;

  /** Port of that name where it is the framework's own. @default - the job's */
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
  // The type is the task in TF_CONFIG, and TensorFlow's word for the task is chief.
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

/** Kinds of the frameworks that have one. */
const KINDS: { readonly [framework in FrameworkName]?: V1Kind } = {
  pytorch: PYTORCH, tensorflow: TENSORFLOW, xgboost: XGBOOST, lightgbm: XGBOOST, paddle: PADDLE, jax: JAX, mpi: MPI, horovod: MPI, deepspeed: MPI,
};

/** The kind of a framework; undefined when it has none. */
export function v1Kind(framework: FrameworkName): V1Kind | undefined {
  return KINDS[framework];
}

/** Whether jobs of the framework become MPIJobs. */
export function isMpiJob(framework: FrameworkName): boolean {
  return KINDS[framework] === MPI;
}
