/** Kinds of runtimes that a TrainJob can refer to. */
export type TrainerRuntimeKind = 'ClusterTrainingRuntime' | 'TrainingRuntime';

/** Settings of the engine for Kubeflow Trainer. */
export interface TrainerOptions {
  /**
   * An existing runtime, such as `torch-distributed`. Settings that a TrainJob and its runtimePatches cannot express are then errors, because the
   * runtime has them.
   * @default - each job has its own TrainingRuntime with all settings
   */
  readonly runtime?: string;

  /** Kind of {@link runtime}. @default ClusterTrainingRuntime */
  readonly runtimeKind?: TrainerRuntimeKind;

  /**
   * Whether Flux starts the processes on all nodes: the command of a plain job, or the program of an MPI job, without mpirun.
   * @default false
   */
  readonly flux?: boolean;
}
