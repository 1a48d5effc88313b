import type { Duration } from 'cdk8s';
import { ComponentName } from './component-name';
import type {
  ClusterAutoscalerComponentOptions, ComponentOptions, GpuOperatorComponentOptions, KServeComponentOptions, KubeRayComponentOptions,
  KueueComponentOptions, SparkOperatorComponentOptions, TrainerComponentOptions, ElasticStackComponentOptions, FluentBitComponentOptions,
  PrometheusComponentOptions, TrivyComponentOptions,
} from './component-options';
import { component } from '../../model/catalogue/catalogue';
import type { PlatformComponentSpec } from '../../model/platform/spec';
import { LogCollection, type LokiOptions } from '../monitoring';
import type { TrainingOperatorProps } from '../training-operator';
import { checkTypes } from '../props/check-props';

/** Values of a chart, by the options that it was given. */
interface ChartSettings {
  readonly [name: string]: unknown;
}

/** Settings from which values are computed together with the rest of the platform. */
type SharedSettings = Pick<PlatformComponentSpec, 'features' | 'outside' | 'kueue' | 'logs' | 'elastic'>;

/** A component of a platform, with its options. */
export class PlatformComponent {
  /** Any component. */
  public static of(name: ComponentName, options: ComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.of', 'ComponentOptions', options);
    return new PlatformComponent(name, options);
  }

  /** Our own operator. */
  public static trainingOperator(props: TrainingOperatorProps = {}): PlatformComponent {
    checkTypes('PlatformComponent.trainingOperator', 'TrainingOperatorProps', props);
    const isMonitored = props.monitoring !== undefined && props.monitoring !== false;
    return new PlatformComponent(ComponentName.TRAINING_OPERATOR, {}, {}, { features: isMonitored ? ['monitoring'] : [] }, props);
  }

  /** KServe. */
  public static kserve(options: KServeComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.kserve', 'KServeComponentOptions', options);
    const { knative, gatewayApi, keda } = options;
    const features = Object.entries({ knative, gatewayApi, keda }).filter(([, on]) => on).map(([name]) => name);
    return new PlatformComponent(ComponentName.KSERVE, options, {}, { features });
  }

  /** Kubeflow Trainer. */
  public static trainer(options: TrainerComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.trainer', 'TrainerComponentOptions', options);
    return new PlatformComponent(ComponentName.TRAINER, options, { runtimes: { defaultEnabled: options.runtimes } });
  }

  /** Kueue. */
  public static kueue(options: KueueComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.kueue', 'KueueComponentOptions', options);
    const { frameworks, fairSharing, waitForPodsReady, manageJobsWithoutQueueName, usageHalfLife, uncountedResources, featureGates } = options;
    if (frameworks?.length === 0) {
      throw new Error('PlatformComponent.kueue: frameworks is [] and must be at least one kind. Leave it out for those of the platform.');
    }
    return new PlatformComponent(ComponentName.KUEUE, options, {}, {
      kueue: {
        frameworks, fairSharing, manageJobsWithoutQueueName, uncountedResources, featureGates,
        waitForPodsReadySeconds: waitForPodsReady && seconds('kueue', 'waitForPodsReady', waitForPodsReady),
        usageHalfLifeSeconds: usageHalfLife && seconds('kueue', 'usageHalfLife', usageHalfLife),
      },
    });
  }

  /** KubeRay. */
  public static kubeRay(options: KubeRayComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.kubeRay', 'KubeRayComponentOptions', options);
    const { batchScheduler, watchNamespaces } = options;
    return new PlatformComponent(ComponentName.KUBERAY, options, {
      batchScheduler: batchScheduler === undefined ? undefined : { name: batchScheduler }, watchNamespace: watchNamespaces,
    });
  }

  /** The Spark operator. */
  public static sparkOperator(options: SparkOperatorComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.sparkOperator', 'SparkOperatorComponentOptions', options);
    const { jobNamespaces, batchScheduler } = options;
    return new PlatformComponent(ComponentName.SPARK_OPERATOR, options, {
      spark: { jobNamespaces }, controller: batchScheduler === undefined ? undefined : { batchScheduler: { enable: batchScheduler } },
    });
  }

  /** The NVIDIA GPU operator. */
  public static gpuOperator(options: GpuOperatorComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.gpuOperator', 'GpuOperatorComponentOptions', options);
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
    checkTypes('PlatformComponent.kubePrometheusStack', 'PrometheusComponentOptions', options);
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

  /** Loki. @param loki how logs are stored */
  public static loki(loki: LokiOptions, options: ComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.loki', 'ComponentOptions', options);
    checkTypes('PlatformComponent.loki', 'LokiOptions', loki);
    return new PlatformComponent(ComponentName.LOKI, options, LogCollection.lokiValues(loki));
  }

  /** Fluent Bit. */
  public static fluentBit(options: FluentBitComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.fluentBit', 'FluentBitComponentOptions', options);
    const { lokiUrl, namespaces } = options;
    const values = LogCollection.fluentBitValues({ lokiUrl: lokiUrl ?? 'http://loki', namespaces });
    // Without a URL, logs are sent to the platform's store.
    return lokiUrl === undefined
      ? new PlatformComponent(ComponentName.FLUENT_BIT, options, {}, { logs: { namespaces } })
      : new PlatformComponent(ComponentName.FLUENT_BIT, options, values, { outside: ['log-store'] });
  }

  /** Elasticsearch and Kibana. */
  public static elasticStack(options: ElasticStackComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.elasticStack', 'ElasticStackComponentOptions', options);
    const { nodes, storage } = options;
    if (nodes !== undefined && !(Number.isInteger(nodes) && nodes >= 1)) {
      throw new Error(`PlatformComponent.elasticStack: nodes is ${nodes} and must be a whole number, 1 or more.`);
    }
    return new PlatformComponent(ComponentName.ELASTIC_STACK, {}, {}, { elastic: { nodes, storage: storage?.asString() } });
  }

  /** The Trivy operator. */
  public static trivyOperator(options: TrivyComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.trivyOperator', 'TrivyComponentOptions', options);
    const { exceptNamespaces, concurrentScans, reportLifetime, unfixed } = options;
    if (concurrentScans !== undefined && !(Number.isInteger(concurrentScans) && concurrentScans >= 1)) {
      throw new Error(`PlatformComponent.trivyOperator: concurrentScans is ${concurrentScans} and must be a whole number, 1 or more.`);
    }
    return new PlatformComponent(ComponentName.TRIVY_OPERATOR, options, {
      excludeNamespaces: exceptNamespaces?.join(','),
      operator: {
        scanJobsConcurrentLimit: concurrentScans, scannerReportTTL: reportLifetime && `${seconds('trivyOperator', 'reportLifetime', reportLifetime)}s`,
      },
      trivy: { ignoreUnfixed: unfixed === undefined ? undefined : !unfixed },
    });
  }

  /** The cluster autoscaler. */
  public static clusterAutoscaler(options: ClusterAutoscalerComponentOptions = {}): PlatformComponent {
    checkTypes('PlatformComponent.clusterAutoscaler', 'ClusterAutoscalerComponentOptions', options);
    const { cloudProvider, clusterName, priorities, maxNodeProvisionTime, scaleDownUnneededTime } = options;
    const expander = options.expander ?? (priorities && 'priority');
    if (priorities !== undefined && expander !== 'priority') {
      throw new Error(`PlatformComponent.clusterAutoscaler: priorities are used only by the expander priority, but expander is '${expander}'. Remove one of the two.`);
    }
    const wrong = Object.keys(priorities ?? {}).find((priority) => !/^[1-9]\d*$/.test(priority));
    if (wrong !== undefined) {
      throw new Error(`PlatformComponent.clusterAutoscaler: priorities has '${wrong}', but priorities must be whole numbers, 1 or more.`);
    }
    const time = (field: string, duration: Duration | undefined) => (duration === undefined ? undefined : `${seconds('clusterAutoscaler', field, duration)}s`);
    return new PlatformComponent(ComponentName.CLUSTER_AUTOSCALER, options, {
      cloudProvider,
      autoDiscovery: clusterName === undefined ? undefined : { clusterName },
      expanderPriorities: priorities,
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
    options: ComponentOptions, settings: ChartSettings = {}, { features = [], ...shared }: SharedSettings = {},
    /** @internal */
    public readonly _operator?: TrainingOperatorProps,
  ) {
    // Without a chart, the component's name is used, and the rules report the missing chart.
    const chart = component(name).parts.filter(({ source }) => source.kind === 'helm').map((part) => part.name).pop() ?? name;
    const hasSettings = Object.values(settings).some((value) => value !== undefined);
    this._spec = {
      name,
      ...shared,
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
