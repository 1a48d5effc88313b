/** Settings of the engine for Kubeflow Trainer. */

/** Kinds of runtimes that a TrainJob can refer to. */
export type TrainerRuntimeKind = 'ClusterTrainingRuntime' | 'TrainingRuntime';

/** See the top of this file. */
export interface TrainerOptions {
  /**
   * A runtime that exists, such as `torch-distributed`. What a TrainJob and its runtimePatches cannot say is then an error, because the runtime
   * says it.
   * @default - each job has a TrainingRuntime of its own, which says all of it
   */
  readonly runtime?: string;

  /** Kind of {@link runtime}. @default ClusterTrainingRuntime */
  readonly runtimeKind?: TrainerRuntimeKind;

  /**
   * Whether Flux starts the processes on all nodes: of a plain job its command, of an MPI job the program itself, without mpirun.
   * @default false
   */
  readonly flux?: boolean;
}
