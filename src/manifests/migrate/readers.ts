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

/** API groups whose objects are jobs or make jobs: one of them that is not read is not just some object beside the jobs. */
export const JOB_GROUPS: readonly string[] = [
  'kubeflow.org', 'trainer.kubeflow.org', 'ray.io', 'batch', 'jobset.x-k8s.io', 'ml.collabnix.io', 'batch.volcano.sh', 'sparkoperator.k8s.io', 'leaderworkerset.x-k8s.io',
];

/** Kinds that are no job, and what to do about each. */
export const OTHER_KINDS: { readonly [kind: string]: string } = {
  CronJob: 'creates Jobs on a schedule. Migrate its spec.jobTemplate as a Job, and submit it another way.',
  RayCluster: 'is a cluster without a program. Keep it, or write a RayJob with an entrypoint.',
  RayService: 'serves models. Keep it.',
  RayCronJob: 'creates RayJobs on a schedule. Migrate its spec.jobTemplate as a RayJob, and submit it another way.',
  SparkApplication: 'runs on Spark, which has its own drivers and executors. Keep it.',
  ScheduledSparkApplication: 'runs on Spark, which has its own drivers and executors. Keep it.',
  Experiment: 'is a Katib search. Migrate the job in its trialTemplate, and add autoTuning.',
  TrainingRuntime: 'describes no job by itself, and no TrainJob of the input refers to it. Add the TrainJob to the same input.',
  ClusterTrainingRuntime: 'describes no job by itself, and no TrainJob of the input refers to it. Add the TrainJob to the same input.',
};
