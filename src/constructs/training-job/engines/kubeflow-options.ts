/** Settings of the engines of Kubeflow. */

/** Kinds of runtimes that a TrainJob can refer to. */
export enum TrainerRuntimeKind {
  /** A runtime for all namespaces, such as those that come with Kubeflow Trainer. */
  CLUSTER_TRAINING_RUNTIME = 'ClusterTrainingRuntime',

  /** A runtime in the job's namespace. */
  TRAINING_RUNTIME = 'TrainingRuntime',
}

/** Settings of `Engine.trainer`. */
export interface TrainerEngineOptions {
  /**
   * A runtime that exists, such as `torch-distributed`. What a TrainJob and its runtimePatches cannot say (restarts, sidecars, priority) is then an
   * error, because the runtime says it.
   *
   * @default - each job has a TrainingRuntime of its own, which says all of it
   */
  readonly runtime?: string;

  /**
   * Kind of `runtime`.
   *
   * @default TrainerRuntimeKind.CLUSTER_TRAINING_RUNTIME
   */
  readonly runtimeKind?: TrainerRuntimeKind;

  /**
   * Whether Flux starts the processes on all nodes: of a plain job its command, of an MPI job the program itself, without mpirun.
   *
   * @default false
   */
  readonly flux?: boolean;
}

/** Settings of `Engine.trainingOperatorV1`. */
export interface TrainingOperatorV1EngineOptions {
  /**
   * What the operator was started with as `--gang-scheduler-name`: `volcano`, or the name of a scheduler with the Coscheduling plugin. Needed for
   * jobs with a gang, because without the flag the operator makes none.
   *
   * @default - nothing: jobs cannot be gangs
   */
  readonly gangScheduler?: string;
}
