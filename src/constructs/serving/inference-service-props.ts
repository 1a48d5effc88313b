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

/** Options of all kinds of `InferenceService`. */
export interface InferenceServiceOptions extends kplus.ResourceProps {
  /** How KServe runs the pods. It cannot change later. */
  readonly mode: ServingMode;

  /**
   * Autoscaler in `ServingMode.STANDARD`.
   * @default Autoscaler.HPA - in Standard mode; Knative has its own
   */
  readonly autoscaler?: Autoscaler;

  /** Server in front of the predictor that transforms requests and responses. @default - none */
  readonly transformer?: ContainerServerOptions;

  /** Server for `:explain` requests. @default - none */
  readonly explainer?: Explainer;

  /** Identity for downloading weights. @default - the namespace's default service account */
  readonly credentials?: ModelCredentials;

  /**
   * Whether each Knative revision has its own address, `latest-NAME` and `prev-NAME`. Only in `ServingMode.KNATIVE`.
   * @default false
   */
  readonly tagRouting?: boolean;

  /** Whether a `LocalModelCache` of the same model is used. @default true */
  readonly useLocalModelCache?: boolean;

  /**
   * Name of the `LocalModelNodeGroup` for the pods, if several cache the model.
   * @default - the first one of the cache
   */
  readonly localModelNodeGroup?: string;

  /** Monitoring with Prometheus and Grafana; `true` for all defaults. @default - none */
  readonly monitoring?: ServingMonitoringOptions | boolean;

  /**
   * Whether a PodDisruptionBudget keeps all but one of a component's pods while nodes are drained. Disable it if you have your own, because
   * Kubernetes does not evict pods with two budgets.
   * @default true - for components with two or more replicas
   */
  readonly disruptionBudget?: boolean;

  /** Whether the service has no pods. @default false */
  readonly stopped?: boolean;
}

/** Properties of an `InferenceService`. */
export interface InferenceServiceProps extends InferenceServiceOptions {
  /** The model server. */
  readonly predictor: Predictor;
}

/** Properties of `InferenceService.fromCheckpoint`. */
export interface CheckpointServiceProps extends InferenceServiceOptions {
  /** Options of the predictor, without `storage`, which is the job's checkpoint path. */
  readonly model: ModelPredictorOptions;
  /** Folder below the checkpoint path, such as `export`. @default - the checkpoint path itself */
  readonly path?: string;
}

/** Options of `Explainer.adversarialRobustness`. */
export interface AdversarialRobustnessOptions extends ServingComponentOptions {
  /** Settings of the method, as in the explainer. @default - its defaults */
  readonly config?: { readonly [name: string]: string };
  /** Storage of its artifacts. @default - none */
  readonly storage?: ModelStorage;
}

/** Server for `:explain` requests, which calls the predictor. */
export class Explainer {
  /** Your own container. */
  public static container(options: ContainerServerOptions): Explainer {
    checkTypes('Explainer.container', 'ContainerServerOptions', options);
    return new Explainer(options.storage ?? [], options, containerSpec(options));
  }

  /** The Adversarial Robustness Toolbox, with the square attack. */
  public static adversarialRobustness(options: AdversarialRobustnessOptions = {}): Explainer {
    checkTypes('Explainer.adversarialRobustness', 'AdversarialRobustnessOptions', options);
    return new Explainer(options.storage ? [options.storage] : [], options, { art: { type: 'SquareAttack', config: options.config } });
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
  public _toSpec(): ComponentSpec {
    return { ...componentSpec(this.options), ...this.own, storage: this.storage.map((one) => one._toSpec()) };
  }
}
