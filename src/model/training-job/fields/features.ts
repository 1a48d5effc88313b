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

  /** How many checkpoints the script should keep, told to it as `CHECKPOINT_KEEP_LAST`: deleting them is its own part. @default - all */
  readonly keepLast?: number;
}

/** `spec.elastic`: `spec.replicas` may move between the two while the job runs, and the job goes on as long as the fewest are there. */
export interface ElasticSpec {
  /** Fewest replicas that the job trains with. */
  readonly minReplicas: number;
  /** Most replicas that the job may be scaled to. */
  readonly maxReplicas: number;
  /**
   * PyTorch: how often torchrun starts the processes of a replica again by itself. Each loss of a peer takes one.
   * @default 100
   */
  readonly maxRestarts?: number;
}

/** Most trials that run at a time: the status names each of them. */
export const MAX_PARALLEL_TRIALS = 64;

/** Longest name of a metric. */
export const OBJECTIVE_MAX_LENGTH = 256;

/**
 * Name of a metric as `NAME=VALUE` can be found in a log: no blanks, controls, quotes or signs that assign or separate, and at least one letter,
 * digit or underscore. The two classes before the letter share nothing, so that there is one way to match.
 */
export const OBJECTIVE_PATTERN = '^[^\\s=:,;"\'\\x00-\\x1f\\x7fA-Za-z0-9_]*[A-Za-z0-9_][^\\s=:,;"\'\\x00-\\x1f\\x7f]*$';

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
  /** Failed trials that end the search as failed when there is one more. @default - a quarter of `maxTrials`, at least 3 */
  readonly maxFailedTrials?: number;
  /** Jobs of ended trials that are kept beside the best one's: the latest. @default 20 */
  readonly keepTrials?: number;
  /** How much training hyperband gives its trials; needed for it. */
  readonly budget?: TuningBudgetSpec;
  /** Ends trials that are worse than most were at the same point of their training. @default - all run to their end */
  readonly earlyStopping?: EarlyStoppingSpec;
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

/** What hyperband divides among its trials: epochs, steps, samples, whatever the script makes of the number. */
export interface TuningBudgetSpec {
  /** Hyperparameter that is set to the budget, beside the variable `TRAINYARD_BUDGET`. @default - none */
  readonly parameter?: string;
  /** @default 1 */
  readonly min?: number;
  readonly max: number;
  /** One of so many trials goes on with so many times the budget. @default 3 */
  readonly reductionFactor?: number;
}

/** The median rule. */
export interface EarlyStoppingSpec {
  readonly enabled?: boolean;
  /** Trials that have to have ended before. @default 3 */
  readonly minTrials?: number;
  /** Progress below which no trial is stopped. @default 20 */
  readonly minProgressPercentage?: number;
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
