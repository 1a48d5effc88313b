/**
 * The machine-learning frameworks that the contract tests run, and where each one comes from.
 *
 * Two sources: pinned wheels from PyPI in a virtual environment of its own (the versions and all they need stand in
 * `test/frameworks/requirements/PACKAGE.txt`), and packages of a Debian system, used with the system's own Python.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../../../src/local/cache-folder';

/** Frameworks that the contract tests know. */
export type FrameworkName =
  'pytorch' | 'tensorflow' | 'jax' | 'xgboost' | 'lightgbm' | 'mpi' | 'paddle' | 'mxnet' | 'kubeflow' | 'trackers' | 'ray' | 'spark' | 'transformers' | 'lightning' | 'optimizers';

/** A framework installed from pinned wheels into its own virtual environment. */
export interface WheelSource {
  readonly kind: 'wheels';
  /** Name of the package on PyPI; also the name of the requirements file and of the folder in the cache. */
  readonly package: string;
  /** Python statement that must succeed in the finished environment. */
  readonly check: string;
  /** Newest and oldest CPython, as minor versions of 3, that the pinned wheels exist for. */
  readonly pythonMinor: { readonly min: number; readonly max: number };
  /** Whether PyPI has the package itself as a source archive only. @default false */
  readonly fromSource?: boolean;
  /** What the environment takes from the operating system's Python: PyTorch, whose wheels on PyPI bring gigabytes of CUDA. @default - nothing */
  readonly system?: SystemSource;
}

/** A framework that comes with the operating system. */
export interface SystemSource {
  readonly kind: 'system';
  /** Debian packages that provide it. */
  readonly debian: string[];
  /** Modules that the system's Python must be able to import. */
  readonly modules: string[];
  /** Programs that must be on the path. */
  readonly programs: string[];
}

/** Where a framework comes from. */
export type FrameworkSource = WheelSource | SystemSource;

/** Interpreter of the operating system, the one that Debian's Python packages belong to. */
export const SYSTEM_PYTHON = '/usr/bin/python3';

const SYSTEM_TORCH: SystemSource = { kind: 'system', debian: ['python3-torch', 'python3-venv'], modules: ['torch', 'ensurepip'], programs: [] };

/** Every framework and its source. */
export const FRAMEWORKS: Record<FrameworkName, FrameworkSource> = {
  jax: { kind: 'wheels', package: 'jax', check: 'import jax, jaxlib', pythonMinor: { min: 11, max: 13 } },
  xgboost: { kind: 'wheels', package: 'xgboost-cpu', check: 'import xgboost', pythonMinor: { min: 11, max: 13 } },
  lightgbm: { kind: 'wheels', package: 'lightgbm', check: 'import lightgbm', pythonMinor: { min: 11, max: 13 } },
  tensorflow: { kind: 'wheels', package: 'tensorflow-cpu', check: 'import tensorflow', pythonMinor: { min: 11, max: 13 } },
  paddle: { kind: 'wheels', package: 'paddlepaddle', check: 'import paddle', pythonMinor: { min: 11, max: 13 } },
  // 1.9.1 is the last release of MXNet; it needs numpy < 1.24, which has no wheels after CPython 3.11.
  mxnet: { kind: 'wheels', package: 'mxnet', check: 'import mxnet', pythonMinor: { min: 8, max: 11 } },
  // No framework, but what scripts of Kubeflow Trainer report their progress with, and what python/trainyard-client needs and is compared with.
  kubeflow: { kind: 'wheels', package: 'kubeflow', check: 'import kubeflow.trainer, pathspec, tqdm, pyright', pythonMinor: { min: 10, max: 13 } },
  // MLflow without its server, on SQLite, and Weights & Biases.
  trackers: { kind: 'wheels', package: 'mlflow-skinny', check: 'import mlflow, wandb, sqlalchemy, alembic', pythonMinor: { min: 11, max: 13 } },
  // No frameworks either, but engines whose drivers start the frameworks' scripts.
  ray: { kind: 'wheels', package: 'ray', check: 'import ray', pythonMinor: { min: 10, max: 13 } },
  spark: { kind: 'wheels', package: 'pyspark', check: 'import pyspark', pythonMinor: { min: 9, max: 13 }, fromSource: true },
  // Behind Katib's algorithms, in the releases that its images have.
  optimizers: { kind: 'wheels', package: 'optuna', check: 'import optuna, hyperopt, skopt, grpc', pythonMinor: { min: 11, max: 11 } },
  // Trainers on the PyTorch of Debian 12, and so not the newest ones.
  transformers: {
    kind: 'wheels', package: 'transformers', check: 'from transformers import Trainer; import accelerate', pythonMinor: { min: 11, max: 13 }, system: SYSTEM_TORCH,
  },
  lightning: { kind: 'wheels', package: 'lightning', check: 'import lightning.pytorch', pythonMinor: { min: 11, max: 13 }, system: SYSTEM_TORCH },
  pytorch: { kind: 'system', debian: ['python3-torch'], modules: ['torch'], programs: [] },
  mpi: { kind: 'system', debian: ['openmpi-bin', 'python3-mpi4py'], modules: ['mpi4py'], programs: ['mpirun'] },
};

/** Folder that holds the virtual environments, the status file and the locks. */
export function frameworksFolder(): string {
  return path.join(cacheFolder(), 'frameworks');
}

/** Result of the last installation, one entry per framework. */
export function statusFile(): string {
  return path.join(frameworksFolder(), 'status.json');
}

/** The pins of a wheel package. */
export function requirementsFile(source: WheelSource): string {
  return path.join(__dirname, '..', 'requirements', `${source.package}.txt`);
}

/** Version of the package itself, read from its requirements file. */
export function pinnedVersion(source: WheelSource): string {
  const file = requirementsFile(source);
  const line = readFileSync(file, 'utf8').split('\n').find((text) => text.startsWith(`${source.package}==`));
  if (!line) {
    throw new Error(`${file}: no line "${source.package}==VERSION"; the file must pin the package it is named after`);
  }
  return line.slice(source.package.length + 2).trim();
}

/** Folder of the virtual environment of a wheel package. */
export function environmentFolder(source: WheelSource): string {
  return path.join(frameworksFolder(), `${source.package}-${pinnedVersion(source)}`);
}
