/** All kinds that migration reads. */
import type { JobReader, KindReader } from './job';
import { JOB_READER } from './kinds/indexed-job';
import { JOB_SET_READER } from './kinds/job-set';
import { MPI_JOB_READER } from './kinds/mpi-job';
import { PYTORCH_JOB_READER } from './kinds/pytorch-job';
import { RAY_JOB_READER } from './kinds/ray-job';
import { JAX_JOB_READER, MX_JOB_READER, PADDLE_JOB_READER, TF_JOB_READER, XGBOOST_JOB_READER } from './kinds/simple-v1-jobs';
import { TRAIN_JOB_READER } from './kinds/train-job';
import { VOLCANO_JOB_READER } from './kinds/volcano-job';
import { WORKLOAD_KINDS } from '../../model/kinds/registry';
import type { MigrationReader } from '../../model/kinds/workload-kind';
import { MigrationError } from './fields';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { isRecord } from '../../model/json-parts';

/** MLTrainingJob, the blog's or ours: its spec is the model's. */
const ML_TRAINING_JOB_READER: JobReader = {
  read(object): TrainingJobSpec {
    const spec = object.take('spec');
    if (!isRecord(spec)) {
      throw new MigrationError('spec', spec, 'must be an object: the training job.');
    }
    return spec as unknown as TrainingJobSpec;
  },
};

const BY_NAME: { readonly [reader in MigrationReader]: JobReader } = {
  MLTrainingJob: ML_TRAINING_JOB_READER, TrainJob: TRAIN_JOB_READER, PyTorchJob: PYTORCH_JOB_READER, TFJob: TF_JOB_READER, MPIJob: MPI_JOB_READER,
  XGBoostJob: XGBOOST_JOB_READER, PaddleJob: PADDLE_JOB_READER, JAXJob: JAX_JOB_READER, MXJob: MX_JOB_READER, JobSet: JOB_SET_READER,
  VolcanoJob: VOLCANO_JOB_READER, RayJob: RAY_JOB_READER, Job: JOB_READER,
};

/** Every reader, in the order of the kinds. */
export const READERS: readonly KindReader[] = WORKLOAD_KINDS.flatMap(({ group, kind, versions, pastVersions = [], migrated }) => (
  migrated === undefined ? [] : [{ ...BY_NAME[migrated], kind, apiVersions: [...versions, ...pastVersions].map((version) => `${group}/${version}`) }]));

/** Names of the kinds with a reader, each once: Kubernetes and Volcano both have a Job. */
export const READ_KINDS: readonly string[] = [...new Set(READERS.map(({ kind }) => kind))];
