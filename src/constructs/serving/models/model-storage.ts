import type { IPersistentVolumeClaim } from 'cdk8s-plus-28';
import type { ModelStorageSpec } from '../../../model/serving/spec';
import type { TrainingJob } from '../../training-job/training-job';
import { trimmed, trimmedEnd } from '../../../model/text/trim';
import { checkTypes } from '../../props/check-props';

/** Options of every place of weights. */
export interface ModelStorageOptions {
  /** Where the weights are mounted. @default /mnt/models */
  readonly mountPath?: string;
}

/** Options of `ModelStorage.huggingFace`. */
export interface HuggingFaceStorageOptions extends ModelStorageOptions {
  /** Branch, tag or commit. @default - the newest commit, which may change between two starts of a pod */
  readonly revision?: string;
}

/** Options of `ModelStorage.secretEntry`. */
export interface SecretEntryStorageOptions {
  /** Folder in the bucket of the entry. */
  readonly path: string;
  /** File with the schema of the model, in the same bucket. @default - none */
  readonly schemaPath?: string;
  /** Values that win over those of the entry, such as `bucket`. @default - the entry alone */
  readonly parameters?: { readonly [name: string]: string };
}

/** Where weights come from. KServe downloads them before the server starts, or mounts them where that is enough. */
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
   * A bucket that speaks S3.
   * @param bucket name of the bucket
   * @param path folder or file in it
   */
  public static s3(bucket: string, path: string, options: ModelStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.s3', 'ModelStorageOptions', options);
    return ModelStorage.uri(`s3://${join(bucket, path)}`, options);
  }

  /**
   * A claim in the service's namespace, mounted and not copied.
   * @param claim the claim
   * @param path folder in it; an empty text for its root
   */
  public static claim(claim: IPersistentVolumeClaim, path: string, options: ModelStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.claim', 'ModelStorageOptions', options);
    return ModelStorage.uri(`pvc://${join(claim.name, path)}`, options);
  }

  /** A repository of Hugging Face. @param repository organisation and model, such as `Qwen/Qwen3-8B` */
  public static huggingFace(repository: string, options: HuggingFaceStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.huggingFace', 'HuggingFaceStorageOptions', options);
    const { revision, ...others } = options;
    return ModelStorage.uri(`hf://${repository}${revision === undefined ? '' : `:${revision}`}`, others);
  }

  /**
   * An image whose folder `/models` holds the weights. KServe's `modelcars` have to be enabled.
   * @param image the image, such as `registry.example/models/iris:1`
   */
  public static oci(image: string, options: ModelStorageOptions = {}): ModelStorage {
    checkTypes('ModelStorage.oci', 'ModelStorageOptions', options);
    return ModelStorage.uri(`oci://${image}`, options);
  }

  /**
   * A version of a model in Kubeflow's Model Registry. The registry's storage initializer has to be there (`ModelStorageContainer.modelRegistry`).
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
   * An entry of the Secret `storage-config`, which holds the kind of storage, its bucket and the credentials.
   * @param key key in the Secret
   */
  public static secretEntry(key: string, options: SecretEntryStorageOptions): ModelStorage {
    checkTypes('ModelStorage.secretEntry', 'SecretEntryStorageOptions', options);
    return new ModelStorage({ secretEntry: { key, ...options } });
  }

  /**
   * What a job leaves at its checkpoint path. A service of it is applied after the job; KServe does not wait for the end of the training, so apply it
   * when the model is there, or let the pods retry until it is.
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
    const { location, claimName, subPath } = checkpoint;
    if (claimName !== undefined) {
      return new ModelStorage({ uri: `pvc://${join(claimName, subPath ?? '', path)}` }, job, true);
    }
    if (!location.includes('://')) {
      return fail(`the checkpoint path '${location}' is a folder inside the job's pods, which other pods cannot read. Use Checkpoint.onClaim, or a URL such as gs://bucket/run.`);
    }
    return new ModelStorage({ uri: join(location, path) }, job);
  }

  private constructor(
    private readonly spec: ModelStorageSpec, private readonly job?: TrainingJob, private readonly isInNamespaceOfJob: boolean = false,
  ) {}

  /** The URI; undefined where it is in the storage secret. */
  public get location(): string | undefined {
    return this.spec.uri;
  }

  /** @internal */
  public _toSpec(): ModelStorageSpec {
    return this.spec;
  }

  /** Job that writes what is served. @internal */
  public get _job(): TrainingJob | undefined {
    return this.job;
  }

  /** Whether the service has to be in the job's namespace. @internal */
  public get _isInNamespaceOfJob(): boolean {
    return this.isInNamespaceOfJob;
  }
}

/** Parts with one slash in between; empty ones leave nothing. */
function join(...parts: string[]): string {
  return parts.map((part, index) => (index === 0 ? trimmedEnd(part, '/') : trimmed(part, '/'))).filter((part) => part !== '').join('/');
}
