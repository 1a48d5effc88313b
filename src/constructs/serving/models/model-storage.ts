import type { IPersistentVolumeClaim } from 'cdk8s-plus-28';
import type { ModelStorageSpec } from '../../../model/serving/spec';
import type { TrainingJob } from '../../training-job/training-job';
import { trimmed, trimmedEnd } from '../../../model/text/trim';
import { checkTypes } from '../../props/check-props';

/** Options of all kinds of storage. */
export interface ModelStorageOptions {
  /** Where the weights are mounted. @default /mnt/models */
  readonly mountPath?: string;
}

/** Options of `ModelStorage.huggingFace`. */
export interface HuggingFaceStorageOptions extends ModelStorageOptions {
  /** Branch, tag or commit. @default - the latest commit, which may differ at each start of a pod */
  readonly revision?: string;
}

/** Options of `ModelStorage.secretEntry`. */
export interface SecretEntryStorageOptions {
  /** Folder in the bucket of the entry. */
  readonly path: string;
  /** File with the schema of the model, in the same bucket. @default - none */
  readonly schemaPath?: string;
  /** Values that override those of the entry, such as `bucket`. @default - only the entry */
  readonly parameters?: { readonly [name: string]: string };
}

/** Storage of weights. KServe downloads them before the server starts, or mounts them if possible. */
export class ModelStorage {
  /**
   * A bucket of Google Cloud Storage.
   * @param bucket name of the bucket
   * @param path folder or file in it
   */
  public static gcs(bucket: string, path: string, options: ModelStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.gcs', 'ModelStorageOptions', options);
    return ModelStorage.uri(`gs://${join(bucket, path)}`, options);
  }

  /**
   * A bucket with the S3 API.
   * @param bucket name of the bucket
   * @param path folder or file in it
   */
  public static s3(bucket: string, path: string, options: ModelStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.s3', 'ModelStorageOptions', options);
    return ModelStorage.uri(`s3://${join(bucket, path)}`, options);
  }

  /**
   * A claim in the service's namespace, which is mounted without copying.
   * @param claim the claim
   * @param path folder in it; the empty string for its root
   */
  public static claim(claim: IPersistentVolumeClaim, path: string, options: ModelStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.claim', 'ModelStorageOptions', options);
    return ModelStorage.uri(`pvc://${join(claim.name, path)}`, options);
  }

  /** A Hugging Face repository. @param repository organisation and model, such as `Qwen/Qwen3-8B` */
  public static huggingFace(repository: string, options: HuggingFaceStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.huggingFace', 'HuggingFaceStorageOptions', options);
    const { revision, ...others } = options;
    return ModelStorage.uri(`hf://${repository}${revision === undefined ? '' : `:${revision}`}`, others);
  }

  /**
   * An image with the weights in the folder `/models`. KServe's `modelcars` must be enabled.
   * @param image the image, such as `registry.example/models/iris:1`
   */
  public static oci(image: string, options: ModelStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.oci', 'ModelStorageOptions', options);
    return ModelStorage.uri(`oci://${image}`, options);
  }

  /**
   * A version of a model in Kubeflow's Model Registry. Needs the registry's storage initializer (`ModelStorageContainer.modelRegistry`).
   * @param model name of the registered model
   * @param version name of the version
   */
  public static modelRegistry(model: string, version: string, options: ModelStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.modelRegistry', 'ModelStorageOptions', options);
    return ModelStorage.uri(`model-registry://${join(model, version)}`, options);
  }

  /** A URI with one of KServe's schemes. */
  public static uri(uri: string, options: ModelStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.uri', 'ModelStorageOptions', options);
    return new ModelStorage({ uri, mountPath: options.mountPath });
  }

  /** A URI with a scheme that your own ClusterStorageContainer downloads. */
  public static ofContainer(uri: string, options: ModelStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.ofContainer', 'ModelStorageOptions', options);
    return new ModelStorage({ uri, mountPath: options.mountPath, ownContainer: true });
  }

  /**
   * An entry of the Secret `storage-config`, with the kind of storage, its bucket and the credentials.
   * @param key key in the Secret
   */
  public static secretEntry(key: string, options: SecretEntryStorageOptions): ModelStorage {
    checkTypes('ModelStorage.secretEntry', 'SecretEntryStorageOptions', options);
    return new ModelStorage({ secretEntry: { key, ...options } });
  }

  /**
   * The files at a job's checkpoint path. A service with it is applied after the job, but KServe does not wait for the end of the training: apply it
   * when the model exists, or let the pods retry until then.
   * @param job job with a checkpoint on a claim or at a URL
   * @param path folder below the checkpoint path, such as `export`
   */
  public static fromCheckpoint(job: TrainingJob, path: string = ''): ModelStorage {
    const fail = (problem: string): never => {
      throw new Error(`ModelStorage.fromCheckpoint of TrainingJob '${job.node.path}': ${problem}`);
    };
    const { checkpoint } = job;
    if (checkpoint === undefined) {
      return fail('the job has no checkpoint, so there is nothing to serve from. Add one, such as Checkpoint.at(\'gs://bucket/run\').');
    }
    const { location, claimName, folder } = checkpoint;
    if (claimName !== undefined) {
      return new ModelStorage({ uri: `pvc://${join(claimName, folder ?? '', path)}` }, job, true);
    }
    if (!location.includes('://')) {
      return fail(`the checkpoint path '${location}' is a folder inside the job's pods, which other pods cannot read. Use Checkpoint.onClaim, or a URL such as gs://bucket/run.`);
    }
    return new ModelStorage({ uri: join(location, path) }, job);
  }

  private constructor(
    private readonly spec: ModelStorageSpec, private readonly job?: TrainingJob, private readonly isInNamespaceOfJob: boolean = false,
  ) {}

  /** The URI; undefined if it is in the storage secret. */
  public get location(): string | undefined {
    return this.spec.uri;
  }

  /** @internal */
  public _toSpec(): ModelStorageSpec {
    return this.spec;
  }

  /** Job that writes the model. @internal */
  public get _job(): TrainingJob | undefined {
    return this.job;
  }

  /** Whether the service must be in the job's namespace. @internal */
  public get _isInNamespaceOfJob(): boolean {
    return this.isInNamespaceOfJob;
  }
}

/** Checkpoints of jobs on claims must be in the namespace of the service. */
export function storageProblems(namespace: string | undefined, storages: readonly ModelStorage[]): string[] {
  return storages.flatMap(({ _job: job, _isInNamespaceOfJob: isShared, location }) => (
    job === undefined || !isShared || job.metadata.namespace === namespace ? [] : [
      `metadata.namespace: ${JSON.stringify(namespace)}: the checkpoint's claim '${location}' is in the namespace of the job, '${job.metadata.namespace}', `
        + 'but pods can only mount claims in their own. Use the job\'s namespace, or keep the checkpoint in a bucket.',
    ]));
}

/** Joins non-empty parts with one slash. */
function join(...parts: string[]): string {
  return parts.map((part, index) => (index === 0 ? trimmedEnd(part, '/') : trimmed(part, '/'))).filter((part) => part !== '').join('/');
}
