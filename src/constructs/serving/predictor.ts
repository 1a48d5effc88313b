import type { ServingComponentOptions, ContainerServerOptions } from './component';
import type { ModelFormat } from './runtimes/model-format';
import type { ModelStorage } from './models/model-storage';
import type { ServingProtocol } from './serving-mode';
import { componentSpec, containerSpec } from './to-spec';
import type { ComponentSpec } from '../../model/serving/spec';
import type { TrainingResources } from '../training-job/pods/resources';
import { checkTypes } from '../props/check-props';

/** Further nodes of each replica of a model that does not fit on one. */
export interface ServingWorker {
  /** Nodes of a replica: parts of the model behind each other. @default - the runtime's */
  readonly pipelineParallel?: number;
  /** GPUs of a node that share each layer. @default - the runtime's */
  readonly tensorParallel?: number;
  /** Compute of each further node. @default - that of the first */
  readonly resources?: TrainingResources;
}

/** Options of `Predictor.model`. */
export interface ModelPredictorOptions extends ServingComponentOptions {
  /** Format of the model. */
  readonly format: ModelFormat;

  /**
   * Where the model comes from. Only `ModelFormat.HUGGINGFACE` can do without, with `--model_id` in `args`.
   * @default - the server loads it by itself
   */
  readonly storage?: ModelStorage;

  /** Further places, such as adapters; each needs a `mountPath`. @default - none */
  readonly additionalStorage?: ModelStorage[];

  /**
   * Name of a ServingRuntime or ClusterServingRuntime, such as one of `BuiltInRuntime`.
   * @default - KServe chooses one that supports the format
   */
  readonly runtime?: string;

  /** Tag of the runtime's image. @default - the runtime's */
  readonly runtimeVersion?: string;

  /** Protocol that the runtime has to speak. @default - v1, and what the format has instead */
  readonly protocol?: ServingProtocol;

  /** Image instead of the runtime's. @default - the runtime's */
  readonly image?: string;

  /**
   * Name of the variant that serves. After a canary was promoted, it is the canary's, so that its pods stay.
   * @default - none
   */
  readonly name?: string;

  /**
   * Further nodes of each replica, for runtimes of several nodes. Only in `ServingMode.STANDARD` with `Autoscaler.NONE`.
   * @default - a replica is one pod
   */
  readonly worker?: ServingWorker;
}

/** What answers requests: a model that a serving runtime serves, or your own container. */
export class Predictor {
  /** A model, by its format. */
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

  /** Your own container, which speaks one of KServe's protocols. */
  public static container(options: ContainerServerOptions): Predictor {
    checkTypes('Predictor.container', 'ContainerServerOptions', options);
    return new Predictor(options.storage ?? [], options, containerSpec(options));
  }

  private constructor(
    private readonly storage: readonly ModelStorage[],
    private readonly options: ServingComponentOptions,
    private readonly own: Partial<ComponentSpec>,
  ) {}

  /** Options that all components have. @internal */
  public get _options(): ServingComponentOptions {
    return this.options;
  }

  /** Where its weights come from. @internal */
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
