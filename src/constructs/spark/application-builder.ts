/**
 * Shared by SparkApplication and ScheduledSparkApplication: the object and its checks, the spec of the application, its identity, the files of its
 * metrics, and variables and volumes that are added later.
 */
import { ApiObject, Chart, Lazy, Names } from 'cdk8s';
import type { EnvValue, IServiceAccount, MountOptions } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { type SparkApplicationProps, SparkMonitoring } from './application-props';
import { SparkIdentity } from './identity';
import { acceleratorViolations, restart, sparkPod, sparkSession } from './to-spec';
import { exporterData } from '../../manifests/spark/monitoring';
import type { SparkApplicationSpec, SparkMonitoringSpec } from '../../model/spark/spec';
import { SPARK_API_VERSION } from '../../model/spark/settings';
import type { Violation } from '../../model/violations';
import { reportAtSynth } from '../rendering/problems';
import { attachSparkMonitoring } from '../monitoring/attach';
import { dependOn, namespaceProblems } from '../credentials/with-credentials';
import { plainCopy } from '../training-job/plain-copy';
import type { SparkPodOptions } from './spark-pods';
import type { IStorage, VolumeMount } from '../training-job/pods/kplus-types';

/** Port of the exporter, as in the operator. */
const EXPORTER_PORT = 8090;

/** See the top of this file. */
export class ApplicationBuilder {
  /** Service account of the driver. */
  public readonly serviceAccount: IServiceAccount;

  private readonly props: SparkApplicationProps;
  private readonly metrics?: SparkMonitoring;
  private readonly exporterFiles?: ApiObject;
  private readonly env = new Map<string, EnvValue>();
  private readonly mounts: VolumeMount[] = [];

  /**
   * @param scope the construct, below which identity and files are created
   * @param kind its name in messages
   */
  public constructor(private readonly scope: Construct, private readonly kind: string, props: SparkApplicationProps) {
    this.props = plainCopy(props);
    this.serviceAccount = driverAccount(scope, props);
    this.metrics = typeof props.monitoring !== 'boolean' ? props.monitoring : props.monitoring ? SparkMonitoring.servlet() : undefined;
    const jmx = this.metrics?._jmx;
    if (jmx !== undefined) {
      this.exporterFiles = new PlainApiObject(scope, 'Metrics', {
        apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: props.metadata?.namespace },
        data: exporterData({ properties: jmx.metricsProperties, exporter: jmx.configuration }),
      });
    }
  }

  /**
   * Adds the object, its monitoring, and its checks.
   * @param maxNameLength maximum length of a generated name
   * @param spec the object's spec
   * @param violations violations of the spec, if the accelerators have none
   */
  public addObject(maxNameLength: number, spec: () => object, violations: (name: string) => Violation[]): ApiObject {
    const { scope, kind, props } = this;
    const credentials = [...props.driver?.credentials ?? [], ...props.executor?.credentials ?? []];
    const object = new PlainApiObject(scope, 'Resource', {
      apiVersion: SPARK_API_VERSION,
      kind,
      metadata: { ...props.metadata, name: nameWithin(scope, maxNameLength, props.metadata?.name) },
      spec: Lazy.any({ produce: spec }),
    });
    this.addMonitoring(object.name);
    dependOn(scope, credentials);
    reportAtSynth(scope, `${kind} '${object.name}'`, () => {
      const accelerators = [...acceleratorViolations(props.driver, 'driver'), ...acceleratorViolations(props.executor, 'executor')];
      return [...(accelerators.length > 0 ? accelerators : violations(object.name)), ...namespaceProblems(object.metadata.namespace, credentials)];
    });
    return object;
  }

  /** Monitors the application's metrics pages, if enabled. @param name name of the object */
  private addMonitoring(name: string): void {
    const { monitoring, monitoringObjects = monitoring === true, metadata } = this.props;
    if (monitoringObjects !== false && (this.metrics === undefined || this.metrics._jmx !== undefined)) {
      throw new Error(`${this.kind} at '${this.scope.node.path}': sets 'monitoringObjects', whose alerts use Spark's own metrics pages, but ${this.metrics === undefined
        ? 'exposes no metrics' : 'has the JMX exporter instead'}. Set monitoring to true or SparkMonitoring.servlet(), or remove it.`);
    }
    attachSparkMonitoring(this.scope, { kind: this.kind, name, namespace: metadata?.namespace ?? Chart.of(this.scope).namespace }, monitoringObjects);
  }

  /** Sets a variable of driver and executors. */
  public addEnv(name: string, value: EnvValue): void {
    this.env.set(name, value);
  }

  /** Mounts a volume into driver and executors. */
  public addVolumeMount(path: string, storage: IStorage, options: MountOptions): void {
    const volume = storage.asVolume();
    const { driver, executor } = this.props;
    const taken = [...driver?.volumeMounts ?? [], ...executor?.volumeMounts ?? [], ...this.mounts].find((mount) => mount.path === path);
    if (taken !== undefined) {
      throw new Error(`${this.kind} at '${this.scope.node.path}': cannot mount volume '${volume.name}' at '${path}', because volume '${taken.volume.name}' is already mounted there. Choose another path.`);
    }
    this.mounts.push({ path, volume, ...options });
  }

  /** The application as a spec. */
  public toSpec(): SparkApplicationSpec {
    const { props } = this;
    const session = sparkSession({ ...props, executor: this.withAdded(props.executor) }, this.serviceAccount.name);
    return {
      ...session,
      program: props.program._spec,
      arguments: props.arguments,
      imagePullPolicy: props.imagePullPolicy,
      dependencies: props.dependencies,
      driver: sparkPod(this.withAdded(props.driver)),
      monitoring: this.monitoring(),
      batchScheduler: props.batchScheduler?._toSpec(),
      restart: props.restart && restart(props.restart),
      ttlSeconds: props.ttlAfterFinished?.toSeconds(),
      suspend: props.suspend,
      ui: props.ui && { servicePort: props.ui.port, serviceType: props.ui.serviceType, annotations: props.ui.annotations },
      driverIngresses: props.driverIngresses?.map(({ port, portName, urlFormat }) => ({ servicePort: port, servicePortName: portName ?? `driver-port-${port}`, urlFormat })),
    };
  }

  private withAdded<T extends SparkPodOptions>(options: T = {} as T): T {
    const { env = {}, volumeMounts = [] } = options;
    return { ...options, env: { ...env, ...Object.fromEntries(this.env) }, volumeMounts: [...volumeMounts, ...this.mounts] };
  }

  private monitoring(): SparkMonitoringSpec | undefined {
    const { metrics } = this;
    if (metrics?._jmx === undefined) {
      return metrics && { kind: 'servlet' };
    }
    const { jar, port = EXPORTER_PORT, portName, driver = true, executors = true } = metrics._jmx;
    return { kind: 'jmx', jar, port, portName, driver, executors, configMapName: this.exporterFiles!.name };
  }
}

/** The service account of the properties, or a new one with the permissions of a driver. */
export function driverAccount(scope: Construct, { serviceAccount, metadata }: Pick<SparkApplicationProps, 'serviceAccount' | 'metadata'>): IServiceAccount {
  return serviceAccount ?? new SparkIdentity(scope, 'Identity', { metadata: { namespace: metadata?.namespace } }).serviceAccount;
}

/** The name that the chart gives, or a shorter one if the operator's names would be too long. */
export function nameWithin(scope: Construct, maxLength: number, given: string | undefined): string {
  if (given !== undefined) {
    return given;
  }
  const name = Names.toDnsLabel(scope, { maxLen: maxLength });
  // Names must start with a letter; those of charts may not.
  return /^[a-z]/.test(name) ? name : Names.toDnsLabel(scope, { maxLen: maxLength, extra: ['spark'] });
}
