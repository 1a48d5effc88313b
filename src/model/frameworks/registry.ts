/** All frameworks by name. */
import { framework, workersAlone, type FrameworkContract } from './contract';
import { JAX } from './jax';
import { DEEPSPEED, HOROVOD, MPI } from './mpi';
import { MXNET } from './mxnet';
import { PADDLE } from './paddle';
import { PYTORCH } from './pytorch';
import { TENSORFLOW } from './tensorflow';
import { LIGHTGBM, XGBOOST } from './tree-boosting';
import type { FrameworkName } from '../training-job/spec';

/** Any other program: roles as the user names them and the variables that every framework gets, nothing else. */
const PLAIN = framework({
  name: 'plain',
  title: 'plain containers',
  roles: [],
  restartScope: 'replica',
  shortForm: workersAlone,
  successPolicy: () => 'AllReplicas',
  environment: () => [],
});

const CONTRACTS: { readonly [name in FrameworkName]: FrameworkContract } = {
  pytorch: PYTORCH,
  tensorflow: TENSORFLOW,
  mxnet: MXNET,
  jax: JAX,
  xgboost: XGBOOST,
  lightgbm: LIGHTGBM,
  mpi: MPI,
  horovod: HOROVOD,
  deepspeed: DEEPSPEED,
  paddle: PADDLE,
  plain: PLAIN,
};

export function frameworkContract(name: FrameworkName): FrameworkContract {
  return CONTRACTS[name];
}

/** All contracts, in the order of `FRAMEWORK_NAMES`. */
export function frameworkContracts(): FrameworkContract[] {
  return Object.values(CONTRACTS);
}

export function elasticFrameworks(): FrameworkContract[] {
  return frameworkContracts().filter((framework) => framework.elastic !== undefined);
}
