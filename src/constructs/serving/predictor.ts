import type { ServingComponentOptions, ContainerServerOptions } from './component';
import type { ModelFormat } from './runtimes/model-format';
import type { ModelStorage } from './models/model-storage';
import type { ServingProtocol } from './serving-mode';
import { componentSpec, containerSpec } from './to-spec';
import type { ComponentSpec } from '../../model/serving/spec';
import type { TrainingResources } from '../training-job/pods/resources';
import { checkTypes } from '../props/check-props';

/** Additional nodes of each replica, for models that do not fit on one. */
export interface ServingWorker {
  /** Pipeline parallelism: nodes of a replica, each with a part of the model. @default - the runtime's */
  readonly pipelineParallel?: number;
  /** Tensor parallelism: GPUs of a node that share each layer. @default - the runtime's */
  readonly tensorParallel?: number;
  /** Compute of each additional node. @default - that of the first one */
  readonly resources?: TrainingResources;
}

/** Options of `Predictor.model`. */
export interface ModelPredictorOptions extends ServingComponentOptions {
  /** Format of the model. */
  readonly format: ModelFormat;

  /**
   * Storage of the model. Only optional for `ModelFormat.HUGGINGFACE` with `--model_id` in `args`.
   * @default - the server downloads the model itself
   */
  readonly storage?: ModelStorage;

  /** Additional storage, for example of adapters; each needs a `mountPath`. @default - none */
  readonly additionalStorage?: ModelStorage[];

  /**
   * Name of a ServingRuntime or ClusterServingRuntime, such as one of `BuiltInRuntime`.
   * @default - KServe chooses one that supports the format
   */
  readonly runtime?: string;

  /** Tag of the runtime's image. @default - the runtime's */
  readonly runtimeVersion?: string;

  /** Protocol of the runtime. @default - v1, or the protocol of the format */
  readonly protocol?: ServingProtocol;

  /** Image instead of the runtime's. @default - the runtime's */
  readonly image?: string;

  /**
   * Name of the variant. After a canary was promoted, set it to the canary's name, so that its pods are kept.
   * @default - none
   */
  readonly name?: string;

  /**
   * Additional nodes of each replica, for multi-node runtimes. Only in `ServingMode.STANDARD` with `Autoscaler.NONE`.
   * @default - a replica is one pod
   */
  readonly worker?: ServingWorker;
}

/** The model server: a serving runtime with a model, or your own container. */
export class Predictor {
  /** A model in a format that a serving runtime supports. */
  public static model(options: ModelPredictorOptions): Predictor {
    checkTypes('Predictor.model', 'ModelPredictorOptions', options);
    const { format, runtime, runtimeVersion } = options;
    const storage = [...(options.storage ? [options.storage] : []), ...(options.additionalStorage ?? [])];
    return new Predictor(storage, options, {
      name: options.name,
      model: { format: format.name, formatVersion: format.version, runtime, runtimeVersion },
      image: options.image,
      protocol: options.protocol,
      ...(options.worker && { worker: workerSpec(options.worker) }),
    });
  }

  /** Your own container, with one of KServe's protocols. */
  public static container(options: ContainerServerOptions): Predictor {
    checkTypes('Predictor.container', 'ContainerServerOptions', options);
    return new Predictor(options.storage ?? [], options, containerSpec(options));
  }

  private constructor(
    private readonly storage: readonly ModelStorage[],
    private readonly options: ServingComponentOptions,
    private readonly own: Partial<ComponentSpec>,
  ) {}

  /** @internal */
  public get _options(): ServingComponentOptions {
    return this.options;
  }

  /** @internal */
  public get _storage(): ModelStorage[] {
    return [...this.storage];
  }

  /** @internal */
  public _toSpec(): ComponentSpec {
    return { ...componentSpec(this.options), ...this.own, storage: this.storage.map((one) => one._toSpec()) };
  }
}

function workerSpec({ pipelineParallel, tensorParallel, resources }: ServingWorker): NonNullable<ComponentSpec['worker']> {
  return { pipelineParallel, tensorParallel, resources: resources && componentSpec({ resources }).resources };
}
