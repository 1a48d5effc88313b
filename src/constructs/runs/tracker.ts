import type { CredentialUse } from '../credentials/credential-use';
import { checkTypes } from '../props/check-props';
import type { TrackerSpec } from '../../model/runs/trackers';

/** Options of `Tracker.mlflow`. */
export interface MlflowTrackerOptions {
  /** Server, such as `https://mlflow.example`, or a store. */
  readonly trackingUri: string;

  /** Experiment that the run is in. It is created where there is none. */
  readonly experiment: string;

  /** Further tags of the run. @default - those of the run identity */
  readonly tags?: { readonly [name: string]: string };

  /**
   * Whether use of CPU, memory and GPUs is tracked as well. The image needs `psutil`, and `nvidia-ml-py` for GPUs.
   * @default false
   */
  readonly systemMetrics?: boolean;

  /**
   * What the client logs in with: `MLFLOW_TRACKING_TOKEN`, or `MLFLOW_TRACKING_USERNAME` and `MLFLOW_TRACKING_PASSWORD`.
   * @default - the server asks for nothing
   */
  readonly credentials?: CredentialUse;
}

/** Options of `Tracker.wandb`. */
export interface WandbTrackerOptions {
  /** Project that the run is in. */
  readonly project: string;

  /** User or team of the project. @default - the default one of the key */
  readonly entity?: string;

  /** Address of your own server. @default - Weights & Biases' own */
  readonly baseUrl?: string;

  /**
   * Group that the run is shown in.
   * @default - the parent run; in searches and arrays what their runs have in common
   */
  readonly group?: string;

  /** Kind of work, such as `pretrain`. @default - none */
  readonly jobType?: string;

  /** Tags of the run. @default - none */
  readonly tags?: string[];

  /** Whether runs are written to files for `wandb sync`, and nothing is sent. @default false */
  readonly offline?: boolean;

  /** What gives `WANDB_API_KEY`. @default - the image knows a key, or nothing is sent */
  readonly credentials?: CredentialUse;
}

/** Options of `Tracker.vertex`. */
export interface VertexTrackerOptions {
  /** Project of the experiment. */
  readonly project: string;
  /** Region of the experiment. */
  readonly location: string;
  /** Experiment that the run is in. */
  readonly experiment: string;
  /** TensorBoard instance, `projects/PROJECT/locations/REGION/tensorboards/ID`. @default - that of the experiment */
  readonly tensorboard?: string;
  /** Folder of a bucket for event files, below which each run has its own. @default - none */
  readonly logDir?: string;
}

/**
 * Where a run is tracked. The tracker's library finds place, name and resumption of the run in its environment.
 * @see docs/run-identity.md
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

  /** Experiments of Vertex AI. Pods log in by the identity of their service account. */
  public static vertex(options: VertexTrackerOptions): Tracker {
    checkTypes('Tracker.vertex', 'VertexTrackerOptions', options);
    return new Tracker({ kind: 'vertex', ...options });
  }

  private constructor(private readonly spec: TrackerSpec, private readonly credentials?: CredentialUse) {}

  /** @internal */
  public _toSpec(): TrackerSpec {
    return this.spec;
  }

  /** What the library logs in with. @internal */
  public get _credentials(): CredentialUse | undefined {
    return this.credentials;
  }
}

/** Identity of a run. */
export interface RunOptions {
  /**
   * Id of the run. A job that is changed and goes on with the same run keeps it.
   * @default - the job's name and the beginning of the digest of what the job says: another job is another run
   */
  readonly id?: string;

  /**
   * Id of the run that this one goes on from, such as the one that trained the model which is tuned now.
   * @default - none
   */
  readonly parent?: string;
}
