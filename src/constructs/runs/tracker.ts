import type { CredentialUse } from '../credentials/credential-use';
import { checkTypes } from '../props/check-props';
import type { TrackerSpec } from '../../model/runs/trackers';

/** Options of `Tracker.mlflow`. */
export interface MlflowTrackerOptions {
  /** Server, such as `https://mlflow.example`, or a store. */
  readonly trackingUri: string;

  /** Experiment of the run. It is created if it does not exist. */
  readonly experiment: string;

  /** Additional tags of the run. @default - only those of the run identity */
  readonly tags?: { readonly [name: string]: string };

  /**
   * Whether utilization of CPU, memory and GPUs is tracked too. The image needs `psutil`, and `nvidia-ml-py` for GPUs.
   * @default false
   */
  readonly systemMetrics?: boolean;

  /**
   * Credentials of the client: `MLFLOW_TRACKING_TOKEN`, or `MLFLOW_TRACKING_USERNAME` and `MLFLOW_TRACKING_PASSWORD`.
   * @default - the server requires none
   */
  readonly credentials?: CredentialUse;
}

/** Options of `Tracker.wandb`. */
export interface WandbTrackerOptions {
  /** Project of the run. */
  readonly project: string;

  /** User or team of the project. @default - the default of the API key */
  readonly entity?: string;

  /** URL of your own server. @default - the server of Weights & Biases */
  readonly baseUrl?: string;

  /**
   * Group of the run.
   * @default - the parent run; for searches and arrays, one group for all their runs
   */
  readonly group?: string;

  /** Kind of work, such as `pretrain`. @default - none */
  readonly jobType?: string;

  /** Tags of the run. @default - none */
  readonly tags?: string[];

  /** Whether runs are only written to files, for `wandb sync`. @default false */
  readonly offline?: boolean;

  /** Credentials with `WANDB_API_KEY`. @default - a key in the image, or none */
  readonly credentials?: CredentialUse;
}

/** Options of `Tracker.vertex`. */
export interface VertexTrackerOptions {
  /** Project of the experiment. */
  readonly project: string;
  /** Region of the experiment. */
  readonly location: string;
  /** Experiment of the run. */
  readonly experiment: string;
  /** TensorBoard instance, `projects/PROJECT/locations/REGION/tensorboards/ID`. @default - the experiment's */
  readonly tensorboard?: string;
  /** Folder of a bucket for event files, with a subfolder for each run. @default - none */
  readonly logDir?: string;
}

/**
 * Tracking server of a run. The tracker's library reads the server, the name and how to resume the run from its environment.
 * @see docs/jobs/run-identity.md
 */
export class Tracker {
  /** MLflow. */
  public static mlflow(options: MlflowTrackerOptions): Tracker {
    checkTypes('Tracker.mlflow', 'MlflowTrackerOptions', options);
    const { trackingUri: uri, experiment, tags = {}, systemMetrics } = options;
    return new Tracker({ kind: 'mlflow', uri, experiment, tags: { ...tags }, systemMetrics }, options.credentials);
  }

  /** Weights & Biases. */
  public static wandb(options: WandbTrackerOptions): Tracker {
    checkTypes('Tracker.wandb', 'WandbTrackerOptions', options);
    const { credentials, tags = [], ...rest } = options;
    return new Tracker({ kind: 'wandb', ...rest, tags: [...tags] }, credentials);
  }

  /** Vertex AI Experiments. Pods authenticate with the identity of their service account. */
  public static vertex(options: VertexTrackerOptions): Tracker {
    checkTypes('Tracker.vertex', 'VertexTrackerOptions', options);
    return new Tracker({ kind: 'vertex', ...options });
  }

  private constructor(private readonly spec: TrackerSpec, private readonly credentials?: CredentialUse) {}

  /** @internal */
  public _toSpec(): TrackerSpec {
    return this.spec;
  }

  /** @internal */
  public get _credentials(): CredentialUse | undefined {
    return this.credentials;
  }
}

/** Identity of a run. */
export interface RunOptions {
  /**
   * Id of the run. Set it to continue the same run with a changed job.
   * @default - the job's name and the start of the digest of its spec, so that a changed job is a new run
   */
  readonly id?: string;

  /**
   * Id of the run that this one continues, such as the one that trained the model that is now fine-tuned.
   * @default - none
   */
  readonly parent?: string;
}
