/** Wire types of the job's larger features: checkpoints, elasticity, search, preflight, debugging, idleness. */

/** `spec.checkpoint`. */
export interface CheckpointSpec {
  /** Checkpoint to start from. Given to the script as `RESUME_FROM`. @default - none */
  readonly resumeFrom?: string;

  /** Seconds that a replica gets between SIGTERM and SIGKILL to save. @default 30 */
  readonly gracePeriodSeconds?: number;

  /** Existing claim that is mounted into every replica at the checkpoint path, which then has to be an absolute path. @default - none */
  readonly claimName?: string;

  /** Folder inside the claim. @default - the claim's root */
  readonly subPath?: string;

  /** How many checkpoints are kept. @default - all */
  readonly keepLast?: number;
}

/** `spec.elastic`: the number of replicas may move between the two. */
export interface ElasticSpec {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** Restarts of the worker group that torchrun makes by itself. @default 0 */
  readonly maxRestarts?: number;
}

/** `spec.autoTuning`: the blog's block and what it left out. */
export interface AutoTuningSpec {
  readonly enabled?: boolean;
  /** @default bayesian */
  readonly algorithm?: 'bayesian' | 'random' | 'grid' | 'hyperband';
  /** @default 20 */
  readonly maxTrials?: number;
  /** @default 1 */
  readonly parallelTrials?: number;
  /** Metric that is optimised. */
  readonly objective: string;
  /** @default maximize */
  readonly goal?: 'maximize' | 'minimize';
  /** Value of the objective at which the search ends. */
  readonly target?: number;
  /** @default - derived from the job's uid */
  readonly seed?: number;
  readonly parameters: { readonly [name: string]: TuningParameterSpec };
}

/** One dimension of the search space. */
export interface TuningParameterSpec {
  readonly type: 'float' | 'int' | 'categorical';
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  /** @default linear */
  readonly scale?: 'linear' | 'log';
  readonly values?: readonly (number | string)[];
}

/** `spec.preflight`: an init step that checks each node, and the network between nodes, before training. */
export interface PreflightSpec {
  readonly enabled?: boolean;
  /** @default - the training image */
  readonly image?: string;
  /** @default 300 */
  readonly timeoutSeconds?: number;
}

/** `spec.debug`: presets for NCCL and torch, and stack dumps of hung processes. */
export interface DebugSpec {
  readonly enabled?: boolean;
}

/** `spec.idle`: what happens to a job that leaves its accelerators unused. */
export interface IdleSpec {
  /** Use in percent below which a replica is idle. */
  readonly belowPercent: number;
  readonly forSeconds: number;
  /** @default Warn */
  readonly action?: 'Warn' | 'Suspend';
}
