import type * as kplus from 'cdk8s-plus-28';
import type { ServingComponentOptions, ContainerServerOptions } from './component';
import type { ModelCredentials } from './models/credentials';
import type { ModelStorage } from './models/model-storage';
import type { ModelPredictorOptions, Predictor } from './predictor';
import type { Autoscaler, ServingMode } from './serving-mode';
import { componentSpec, containerSpec } from './to-spec';
import type { ServingMonitoringOptions } from '../monitoring/monitoring-options';
import { checkTypes } from '../props/check-props';
import type { ComponentSpec } from '../../model/serving/spec';

/** What every `InferenceService` can be told, wherever its model comes from. */
export interface InferenceServiceOptions extends kplus.ResourceProps {
  /** How KServe runs the pods. It cannot change once the service exists. */
  readonly mode: ServingMode;

  /**
   * What changes the number of replicas in `ServingMode.STANDARD`.
   * @default Autoscaler.HPA - in Standard mode; Knative scales itself
   */
  readonly autoscaler?: Autoscaler;

  /** What is in front of the predictor and changes requests and responses. @default - nothing */
  readonly transformer?: ContainerServerOptions;

  /** What answers `:explain` requests. @default - nothing */
  readonly explainer?: Explainer;

  /** With which identity weights are downloaded. @default - the namespace's default service account */
  readonly credentials?: ModelCredentials;

  /**
   * Whether each revision of Knative has an address of its own, `latest-NAME` and `prev-NAME`. Only in `ServingMode.KNATIVE`.
   * @default false
   */
  readonly tagRouting?: boolean;

  /** Whether a `LocalModelCache` of the same model is used. @default true */
  readonly useLocalModelCache?: boolean;

  /**
   * Name of the `LocalModelNodeGroup` whose nodes serve, where several hold the model.
   * @default - the first of the cache
   */
  readonly localModelNodeGroup?: string;

  /** What is installed for Prometheus and Grafana; `true` for all of it. @default - nothing */
  readonly monitoring?: ServingMonitoringOptions | boolean;

  /**
   * Whether a PodDisruptionBudget keeps all but one of a component's pods while nodes are drained. Switch it off where you have written one yourself:
   * Kubernetes evicts no pod that two budgets are about.
   * @default true - for what has two replicas or more
   */
  readonly disruptionBudget?: boolean;

  /** Whether the service keeps its object and has no pods. @default false */
  readonly stopped?: boolean;
}

/** Properties of an `InferenceService`. */
export interface InferenceServiceProps extends InferenceServiceOptions {
  /** What answers requests. */
  readonly predictor: Predictor;
}

/** Properties of `InferenceService.fromCheckpoint`. */
export interface CheckpointServiceProps extends InferenceServiceOptions {
  /** How the model is served. Its storage is the job's checkpoint path. */
  readonly model: ModelPredictorOptions;
  /** Folder below the checkpoint path, such as `export`. @default - the checkpoint path itself */
  readonly path?: string;
}

/** Options of `Explainer.adversarialRobustness`. */
export interface AdversarialRobustnessOptions extends ServingComponentOptions {
  /** Settings of the method, as the explainer spells them. @default - its own */
  readonly config?: { readonly [name: string]: string };
  /** Where its artefacts come from. @default - it needs none */
  readonly storage?: ModelStorage;
}

/** What answers `:explain` requests, asking the predictor as often as it needs. */
export class Explainer {
  /** Your own container. */
  public static container(options: ContainerServerOptions): Explainer {
    checkTypes('Explainer.container', 'ContainerServerOptions', options);
    return new Explainer(options.storage ?? [], options, containerSpec(options));
  }

  /** The Adversarial Robustness Toolbox, by the square attack. */
  public static adversarialRobustness(options: AdversarialRobustnessOptions = {}): Explainer {
    checkTypes('Explainer.adversarialRobustness', 'AdversarialRobustnessOptions', options);
    return new Explainer(options.storage ? [options.storage] : [], options, { art: { type: 'SquareAttack', config: options.config } });
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

  /** @internal */
  public _toSpec(): ComponentSpec {
    return { ...componentSpec(this.options), ...this.own, storage: this.storage.map((one) => one._toSpec()) };
  }
}
