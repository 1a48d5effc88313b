/** All frameworks by name. */
import type { FrameworkContract } from './contract';
import { JaxContract } from './jax';
import { DeepSpeedContract, HorovodContract, MpiContract } from './mpi';
import { MxnetContract } from './mxnet';
import { PaddleContract } from './paddle';
import { PlainContract } from './plain';
import { PyTorchContract } from './pytorch';
import { TensorFlowContract } from './tensorflow';
import { LightGbmContract, XgboostContract } from './tree-boosting';
import type { FrameworkName } from '../training-job/spec';

const CONTRACTS: { readonly [name in FrameworkName]: FrameworkContract } = {
  pytorch: new PyTorchContract(),
  tensorflow: new TensorFlowContract(),
  mxnet: new MxnetContract(),
  jax: new JaxContract(),
  xgboost: new XgboostContract(),
  lightgbm: new LightGbmContract(),
  mpi: new MpiContract(),
  horovod: new HorovodContract(),
  deepspeed: new DeepSpeedContract(),
  paddle: new PaddleContract(),
  plain: new PlainContract(),
};

export function frameworkContract(name: FrameworkName): FrameworkContract {
  return CONTRACTS[name];
}

/** All contracts, in the order of `FRAMEWORK_NAMES`. */
export function frameworkContracts(): FrameworkContract[] {
  return Object.values(CONTRACTS);
}

/** The contracts of frameworks whose jobs can be elastic. */
export function elasticFrameworks(): FrameworkContract[] {
  return frameworkContracts().filter((framework) => framework.elastic !== undefined);
}
