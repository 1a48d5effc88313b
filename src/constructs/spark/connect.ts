import { ApiObject, Chart, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { driverAccount, nameWithin } from './application-builder';
import type { SparkSessionProps } from './session-props';
import type { SparkPodOptions } from './spark-pods';
import { acceleratorViolations, sparkPod, sparkSession } from './to-spec';
import { connectServiceName, constructSparkConnectSpec } from '../../manifests/spark/connect';
import { CONNECT_PORT, EXECUTOR_PREFIX_MAX_LENGTH, SPARK_CONNECT_API_VERSION } from '../../model/spark/settings';
import type { SparkConnectSpec } from '../../model/spark/spec';
import { validateSparkConnect } from '../../model/spark/validation';
import type { CredentialUse } from '../credentials/credential-use';
import { dependOn, namespaceProblems } from '../credentials/with-credentials';
import { attachSparkConnectMonitoring } from '../monitoring/attach';
import type { SparkMonitoringOptions } from '../monitoring/monitoring-options';
import { plainCopy } from '../training-job/plain-copy';
import { checkProps } from '../props/check-props';
import { reportAtSynth, type Problem } from '../rendering/problems';

/** Properties of a `SparkConnect`. */
export interface SparkConnectProps extends SparkSessionProps {
  /** The server, which is the driver of all sessions. @default - a core and 1 GiB of heap */
  readonly server?: SparkPodOptions;

  /** Type of the server's Service. @default - ClusterIP */
  readonly serviceType?: kplus.ServiceType;

  /** Annotations of the Service. @default - none */
  readonly serviceAnnotations?: { readonly [name: string]: string };

  /**
   * Monitoring with Prometheus and Grafana; `true` for all defaults. The server then exposes Spark's own metrics pages, as with
   * `SparkMonitoring.servlet`.
   * @default - none
   */
  readonly monitoring?: SparkMonitoringOptions | boolean;
}

/**
 * A Spark Connect server for notebooks and programs, on the Spark operator. The image must contain the server: Spark 4 includes it; for Spark 3, add
 * the package `org.apache.spark:spark-connect_2.12` (`spark.jars.packages`).
 * @see https://www.kubeflow.org/docs/components/spark-operator/
 * @example
 * import { Size } from 'cdk8s';
 * import { ServiceAccount } from 'cdk8s-plus-28';
 * import { SparkConnect } from 'trainyard/spark';
 *
 * new SparkConnect(chart, 'Shared', {
 *   metadata: { name: 'shared', namespace: 'ml' },
 *   image: 'docker.io/library/spark:4.0.1-python3',
 *   server: { cores: 2, memory: Size.gibibytes(8) },
 *   dynamicAllocation: { minExecutors: 1, maxExecutors: 10 },
 *   serviceAccount: ServiceAccount.fromServiceAccountName(chart, 'Spark', 'spark'),
 * });
 */
export class SparkConnect extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'sparkconnects';

  /** Service account of the server. */
  public readonly serviceAccount: kplus.IServiceAccount;

  protected readonly apiObject: ApiObject;

  private readonly props: SparkConnectProps;
  private readonly env = new Map<string, kplus.EnvValue>();

  public constructor(scope: Construct, id: string, props: SparkConnectProps) {
    super(scope, id);
    checkProps(this, 'SparkConnectProps', props);
    this.props = plainCopy(props);
    this.serviceAccount = driverAccount(this, props);
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: SPARK_CONNECT_API_VERSION,
      kind: 'SparkConnect',
      metadata: { ...props.metadata, name: nameWithin(this, EXECUTOR_PREFIX_MAX_LENGTH, props.metadata?.name) },
      spec: Lazy.any({ produce: () => constructSparkConnectSpec(this.toSpec()) }),
    });
    const monitored = { kind: 'SparkConnect', name: this.name, namespace: props.metadata?.namespace ?? Chart.of(this).namespace };
    attachSparkConnectMonitoring(this, monitored, props.monitoring);
    dependOn(this, this.credentials());
    reportAtSynth(this, `SparkConnect '${this.name}'`, () => this.problems());
  }

  /** URL for programs in the same namespace: `SparkSession.builder.remote(URL)`. */
  public get url(): string {
    return `sc://${connectServiceName(this.name)}:${CONNECT_PORT}`;
  }

  /**
   * Sets a variable of server and executors. A variable of the same name is replaced.
   * @param name name of the variable
   * @param value its value
   */
  public addEnv(name: string, value: kplus.EnvValue): void {
    this.env.set(name, value);
  }

  private toSpec(): SparkConnectSpec {
    const { server, executor, serviceType, serviceAnnotations, monitoring = false } = this.props;
    const withEnv = (options: SparkPodOptions = {}) => ({ ...options, env: { ...options.env, ...Object.fromEntries(this.env) } });
    return {
      ...sparkSession({ ...this.props, executor: withEnv(executor) }, this.serviceAccount.name),
      server: sparkPod(withEnv(server)),
      serviceType,
      serviceAnnotations,
      showsMetrics: monitoring !== false,
    };
  }

  private credentials(): CredentialUse[] {
    return [...this.props.server?.credentials ?? [], ...this.props.executor?.credentials ?? []];
  }

  private problems(): Problem[] {
    const { server, executor } = this.props;
    const accelerators = [...acceleratorViolations(server, 'server'), ...acceleratorViolations(executor, 'executor')];
    const problems = accelerators.length > 0 ? accelerators : validateSparkConnect(this.name, this.toSpec());
    return [...problems, ...namespaceProblems(this.metadata.namespace, this.credentials())];
  }
}
