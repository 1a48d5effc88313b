import { Yaml, type Duration } from 'cdk8s';
import { ComponentName } from './component-name';
import type {
  ClusterAutoscalerComponentOptions, ComponentOptions, FluentBitComponentOptions, GpuOperatorComponentOptions, KServeComponentOptions,
  KubeRayComponentOptions, KueueComponentOptions, PrometheusComponentOptions, SparkOperatorComponentOptions, TrainerComponentOptions,
} from './component-options';
import { kueueConfiguration } from '../../manifests/platform/kueue-configuration';
import { component } from '../../model/catalogue/catalogue';
import type { PlatformComponentSpec } from '../../model/platform/spec';
import { LogCollection, type LokiOptions } from '../monitoring';
import type { TrainingOperatorProps } from '../training-operator';

/** Values of a chart, by the options that it was given. */
interface ChartSettings {
  readonly [name: string]: unknown;
}

/**
 * A component of a platform, with its options.
 */
export class PlatformComponent {
  /** Any component. */
  public static of(name: ComponentName, options: ComponentOptions = {}): PlatformComponent {
    return new PlatformComponent(name, options);
  }

  /** Our own operator. */
  public static trainingOperator(props: TrainingOperatorProps = {}): PlatformComponent {
    return new PlatformComponent(ComponentName.TRAINING_OPERATOR, {}, {}, [], props);
  }

  /** KServe. */
  public static kserve(options: KServeComponentOptions = {}): PlatformComponent {
    const { knative, gatewayApi, keda } = options;
    const features = Object.entries({ knative, gatewayApi, keda }).filter(([, on]) => on).map(([name]) => name);
    return new PlatformComponent(ComponentName.KSERVE, options, {}, features);
  }

  /** Kubeflow Trainer. */
  public static trainer(options: TrainerComponentOptions = {}): PlatformComponent {
    return new PlatformComponent(ComponentName.TRAINER, options, { runtimes: { defaultEnabled: options.runtimes } });
  }

  /** Kueue. */
  public static kueue(options: KueueComponentOptions = {}): PlatformComponent {
    const { frameworks, fairSharing, waitForPodsReady, manageJobsWithoutQueueName } = options;
    if (frameworks?.length === 0) {
      throw new Error('PlatformComponent.kueue: frameworks is [] and must be at least one kind. Leave it out for those of the platform.');
    }
    const configuration = kueueConfiguration({
      frameworks, fairSharing, manageJobsWithoutQueueName, waitForPodsReadySeconds: waitForPodsReady && seconds('kueue', 'waitForPodsReady', waitForPodsReady),
    });
    return new PlatformComponent(ComponentName.KUEUE, options, configuration && {
      managerConfig: { controllerManagerConfigYaml: Yaml.stringify(configuration) },
    });
  }

  /** KubeRay. */
  public static kubeRay(options: KubeRayComponentOptions = {}): PlatformComponent {
    const { batchScheduler, watchNamespaces } = options;
    return new PlatformComponent(ComponentName.KUBERAY, options, {
      batchScheduler: batchScheduler === undefined ? undefined : { name: batchScheduler }, watchNamespace: watchNamespaces,
    });
  }

  /** The Spark operator. */
  public static sparkOperator(options: SparkOperatorComponentOptions = {}): PlatformComponent {
    const { jobNamespaces, batchScheduler } = options;
    return new PlatformComponent(ComponentName.SPARK_OPERATOR, options, {
      spark: { jobNamespaces }, controller: batchScheduler === undefined ? undefined : { batchScheduler: { enable: batchScheduler } },
    });
  }

  /** The NVIDIA GPU operator. */
  public static gpuOperator(options: GpuOperatorComponentOptions = {}): PlatformComponent {
    const { driver, migStrategy } = options;
    if (migStrategy !== undefined && !['none', 'single', 'mixed'].includes(migStrategy)) {
      throw new Error(`PlatformComponent.gpuOperator: migStrategy is '${migStrategy}' and must be none, single or mixed.`);
    }
    return new PlatformComponent(ComponentName.GPU_OPERATOR, options, {
      driver: driver === undefined ? undefined : { enabled: driver }, mig: migStrategy === undefined ? undefined : { strategy: migStrategy },
    });
  }

  /** Prometheus, Alertmanager and Grafana. */
  public static kubePrometheusStack(options: PrometheusComponentOptions = {}): PlatformComponent {
    const { retention, storage, grafana } = options;
    const hours = retention && seconds('kubePrometheusStack', 'retention', retention) / 3600;
    if (hours !== undefined && !Number.isInteger(hours)) {
      throw new Error(`PlatformComponent.kubePrometheusStack: retention is ${hours} h and must be whole hours.`);
    }
    const claim = storage && { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: storage.asString() } } } } };
    return new PlatformComponent(ComponentName.KUBE_PROMETHEUS_STACK, options, {
      prometheus: { prometheusSpec: { retention: hours === undefined ? undefined : `${hours}h`, storageSpec: claim } },
      grafana: grafana === undefined ? undefined : { enabled: grafana },
    });
  }

  /** Loki. @param loki how it keeps lines */
  public static loki(loki: LokiOptions, options: ComponentOptions = {}): PlatformComponent {
    const values = LogCollection.lokiValues(loki);
    return new PlatformComponent(ComponentName.LOKI, options, { ...values, loki: { ...(values.loki as object), useTestSchema: false } });
  }

  /** Fluent Bit. */
  public static fluentBit(options: FluentBitComponentOptions = {}): PlatformComponent {
    const { lokiUrl = 'http://loki-gateway.logging', namespaces } = options;
    return new PlatformComponent(ComponentName.FLUENT_BIT, options, LogCollection.fluentBitValues({ lokiUrl, namespaces }));
  }

  /** The cluster autoscaler. */
  public static clusterAutoscaler(options: ClusterAutoscalerComponentOptions = {}): PlatformComponent {
    const { expander, maxNodeProvisionTime, scaleDownUnneededTime } = options;
    const time = (field: string, duration: Duration | undefined) => (duration === undefined ? undefined : `${seconds('clusterAutoscaler', field, duration)}s`);
    return new PlatformComponent(ComponentName.CLUSTER_AUTOSCALER, options, {
      extraArgs: {
        expander, 'max-node-provision-time': time('maxNodeProvisionTime', maxNodeProvisionTime),
        'scale-down-unneeded-time': time('scaleDownUnneededTime', scaleDownUnneededTime),
      },
    });
  }

  private readonly _spec: PlatformComponentSpec;

  private constructor(
    /** Which component it is. */
    public readonly name: ComponentName,
    options: ComponentOptions, settings: ChartSettings = {}, features: readonly string[] = [],
    /** @internal */
    public readonly _operator?: TrainingOperatorProps,
  ) {
    // Where a component has no chart, its name stands for the one that is missing, and the rules say so.
    const chart = component(name).parts.filter(({ source }) => source.kind === 'helm').map((part) => part.name).pop() ?? name;
    const hasSettings = Object.values(settings).some((value) => value !== undefined);
    this._spec = {
      name,
      ...(features.length > 0 && { features }),
      ...(options.version !== undefined && { sourceVersion: options.version }),
      ...(hasSettings && { values: { [chart]: settings } }),
      ...(options.values !== undefined && { rawValues: { [chart]: options.values } }),
      ...(options.patches !== undefined && {
        patches: options.patches.map(({ part, target, patch }) => ({ part, target: target && { ...target }, patch: patch as object })),
      }),
    };
  }

  /** @internal */
  public _toSpec(): PlatformComponentSpec {
    return this._spec;
  }
}

/** Whole seconds, 1 or more. */
function seconds(factory: string, field: string, duration: Duration): number {
  const value = duration.toMilliseconds() / 1000;
  if (!(Number.isInteger(value) && value >= 1)) {
    throw new Error(`PlatformComponent.${factory}: ${field} is ${duration.toMilliseconds()} ms and must be whole seconds, 1 or more.`);
  }
  return value;
}
