/** All kinds that migration reads, and what is near them without being one. */
import type { KindReader } from './job';
import { JOB_READER } from './kinds/indexed-job';
import { JOB_SET_READER } from './kinds/job-set';
import { ML_TRAINING_JOB_READER } from './kinds/ml-training-job';
import { MPI_JOB_READER } from './kinds/mpi-job';
import { PYTORCH_JOB_READER } from './kinds/pytorch-job';
import { RAY_JOB_READER } from './kinds/ray-job';
import { JAX_JOB_READER, MX_JOB_READER, PADDLE_JOB_READER, TF_JOB_READER, XGBOOST_JOB_READER } from './kinds/simple-v1-jobs';
import { TRAIN_JOB_READER } from './kinds/train-job';
import { VOLCANO_JOB_READER } from './kinds/volcano-job';

/** Every reader, in the order in which documents name the kinds. */
export const READERS: readonly KindReader[] = [
  PYTORCH_JOB_READER, TF_JOB_READER, MPI_JOB_READER, XGBOOST_JOB_READER, PADDLE_JOB_READER, JAX_JOB_READER, MX_JOB_READER, TRAIN_JOB_READER,
  RAY_JOB_READER, JOB_READER, JOB_SET_READER, VOLCANO_JOB_READER, ML_TRAINING_JOB_READER,
];

/** Names of the kinds that are read, each once: Kubernetes and Volcano both have a Job. */
export const READ_KINDS: readonly string[] = [...new Set(READERS.map(({ kind }) => kind))];
