import { ApiObject, Lazy, Size, type Duration } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { checkProps, checkTypes } from '../props/check-props';
import { PlainApiObject } from '../rendering/plain-api-object';
import { plainCopy } from '../training-job/plain-copy';
import type { IVolume } from '../training-job/pods/kplus-types';
import { envVars, podVolume } from '../training-job/pods/kplus-values';
import { toleration } from '../training-job/pods/kubernetes-toleration';
import type { Toleration } from '../training-job/pods/toleration';
import { constructHistoryDeployment, constructHistoryService } from '../../manifests/spark/history-server';
import type { SparkEventLogSpec, SparkHistoryServerSpec } from '../../model/spark/spec';
import { validateHistoryServer } from '../../model/spark/validation';
import { reportAtSynth } from '../rendering/problems';

/** Properties of a `SparkHistoryServer`. */
export interface SparkHistoryServerProps extends kplus.ResourceProps {
  /** Folder of the event logs, the same as `eventLog` of the applications. */
  readonly eventLog: SparkEventLog;

  /** Image with Spark in `/opt/spark`, and with the connector for the folder. */
  readonly image: string;

  /** Memory of the server, of which 256 MiB are outside the heap. @default Size.gibibytes(2) */
  readonly memory?: Size;

  /** Cores that the server requests. @default Cpu.millis(500) */
  readonly cpu?: kplus.Cpu;

  /** How long logs are kept; older ones are deleted. @default - forever */
  readonly keep?: Duration;

  /** Additional settings of `spark.history`, `spark.ui` and `spark.acls`. @default - Spark's defaults */
  readonly sparkConf?: { readonly [name: string]: string };

  /** Settings of Hadoop, without the prefix `spark.hadoop.`. @default - Hadoop's defaults */
  readonly hadoopConf?: { readonly [name: string]: string };

  /** Environment of the server. @default - none */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /**
   * Service account of the server, with read access to the bucket. It needs no Kubernetes permissions.
   * @default - the namespace's default service account
   */
  readonly serviceAccount?: kplus.IServiceAccount;

  /** Registry credentials for pulling the image. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];

  /** Type of the Service. @default ServiceType.CLUSTER_IP */
  readonly serviceType?: kplus.ServiceType;

  /** Labels that a node must have. @default - any node */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Taints that the pod tolerates. @default - none */
  readonly tolerations?: Toleration[];
}

/** Label of the pod, for the selectors of the Service and the Deployment. */
const SELECTOR_LABEL = 'ml.collabnix.io/spark-history-server';

/**
 * A server that shows the history of Spark applications, including those that no longer exist: a Deployment that reads their event logs, and a
 * Service.
 * @see https://spark.apache.org/docs/latest/monitoring.html#viewing-after-the-fact
 * @example
 * import { SparkEventLog, SparkHistoryServer } from 'trainyard/spark';
 *
 * new SparkHistoryServer(chart, 'History', {
 *   metadata: { name: 'history', namespace: 'ml' },
 *   image: 'registry.example/spark-gcs:4.0.1',
 *   eventLog: SparkEventLog.at('gs://team-a-logs/spark'),
 * });
 */
export class SparkHistoryServer extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'deployments';

  protected readonly apiObject: ApiObject;

  private readonly props: SparkHistoryServerProps;
  private readonly service: ApiObject;
  private readonly env = new Map<string, kplus.EnvValue>();

  public constructor(scope: Construct, id: string, props: SparkHistoryServerProps) {
    super(scope, id);
    checkProps(this, 'SparkHistoryServerProps', props);
    this.props = plainCopy(props);
    Object.entries(props.env ?? {}).forEach(([name, value]) => this.env.set(name, value));
    const { name, namespace } = props.metadata ?? {};
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: props.metadata,
      spec: Lazy.any({ produce: () => constructHistoryDeployment(this.toSpec(), this.selector).spec }),
    });
    this.service = new PlainApiObject(this, 'Service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) },
      spec: Lazy.any({ produce: () => constructHistoryService(this.toSpec(), this.selector).spec }),
    });
    reportAtSynth(this, `SparkHistoryServer '${this.name}'`, () => validateHistoryServer(this.toSpec()));
  }

  /** Name of the Service, with port 80. */
  public get serviceName(): string {
    return this.service.name;
  }

  /**
   * Sets a variable of the server. A variable of the same name is replaced.
   * @param name name of the variable
   * @param value its value
   */
  public addEnv(name: string, value: kplus.EnvValue): void {
    this.env.set(name, value);
  }

  private get selector(): { readonly [label: string]: string } {
    return { [SELECTOR_LABEL]: this.service.name };
  }

  private toSpec(): SparkHistoryServerSpec {
    const { eventLog, image, memory, cpu, keep, serviceAccount, imagePullSecrets = [], tolerations = [], ...rest } = this.props;
    return {
      image,
      eventLog: eventLog._spec,
      memoryMib: (memory ?? Size.gibibytes(2)).toMebibytes(),
      cpu: (cpu ?? kplus.Cpu.millis(500)).amount,
      keepSeconds: keep?.toSeconds(),
      hadoopConf: rest.hadoopConf,
      sparkConf: rest.sparkConf,
      env: envVars(Object.fromEntries(this.env)),
      serviceAccountName: serviceAccount?.name,
      imagePullSecrets: imagePullSecrets.map(({ name }) => name),
      serviceType: rest.serviceType,
      nodeSelector: rest.nodeSelector,
      tolerations: tolerations.map((one) => ({ ...toleration(one) })),
    };
  }
}

/** How event logs are written. */
export interface SparkEventLogOptions {
  /** Whether they are compressed. @default false - in Spark 3; true in Spark 4 */
  readonly compress?: boolean;

  /**
   * Maximum size of a file before a new one is started, 10 MiB or more, for applications that run for a long time.
   * @default - Spark's; a single file in Spark 3
   */
  readonly rolling?: Size;
}

/** Where a volume of event logs is mounted. */
const MOUNT_PATH = '/var/log/spark-events';

/** Name of the volume in pods. */
const VOLUME_NAME = 'spark-event-log';

/**
 * Folder of event logs, from which a `SparkHistoryServer` shows applications that have ended. It must exist, because Spark does not create it.
 */
export class SparkEventLog {
  /**
   * A folder in a bucket or another file system. The image needs a connector for it.
   * @param uri such as `gs://logs/spark` or `s3a://logs/spark`
   */
  public static at(uri: string, options: SparkEventLogOptions = {}): SparkEventLog {
    checkTypes('SparkEventLog.at', 'SparkEventLogOptions', options);
    return new SparkEventLog({ folder: uri }, options);
  }

  /**
   * A volume that drivers and history server share, such as a claim with the access mode ReadWriteMany.
   * @param volume the volume, in the namespace of the drivers
   * @param subPath folder in it
   */
  public static onVolume(volume: IVolume, subPath?: string, options: SparkEventLogOptions = {}): SparkEventLog {
    checkTypes('SparkEventLog.onVolume', 'SparkEventLogOptions', options);
    return new SparkEventLog({
      folder: MOUNT_PATH,
      volume: { ...podVolume(volume), name: VOLUME_NAME },
      mount: { name: VOLUME_NAME, mountPath: MOUNT_PATH, ...(subPath !== undefined && { subPath }) },
    }, options);
  }

  /** The folder in pods. */
  public readonly folder: string;

  /** @internal */
  public readonly _spec: SparkEventLogSpec;

  private constructor(spec: SparkEventLogSpec, { compress, rolling }: SparkEventLogOptions) {
    this.folder = spec.folder;
    this._spec = { ...spec, compress, rollingMib: rolling?.toMebibytes() };
  }
}
