/** The Redis in which the head of a Ray cluster stores its state, so that the state survives the head pod. */
import * as redis from '@pulumi/gcp/redis';
import * as pulumi from '@pulumi/pulumi';
import { BOOLEAN, NON_EMPTY_TEXT, integer, oneOf, pattern, required } from '../../model/shapes';
import { commonLabels, configuredProject } from '../support/context';
import { CLOUD_LABELS, PROJECT_ID, REGION, type InputsOf } from '../support/inputs';
import { validated, type ArgRules } from '../support/validated';

/** Arguments of {@link RedisForRay}. */
export interface RedisForRayArgs {
  /** @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** Region of the cluster. */
  readonly region: pulumi.Input<string>;
  /** The cluster's VPC. */
  readonly network: pulumi.Input<string>;
  /** @default 1 */
  readonly memoryGiB?: pulumi.Input<number>;
  /** Whether a second server takes over if the first one fails. @default true */
  readonly highAvailability?: pulumi.Input<boolean>;
  /** Whether the Redis requires a password. @default true */
  readonly password?: pulumi.Input<boolean>;
  /** @default `REDIS_7_2` */
  readonly version?: pulumi.Input<string>;
  /** `DIRECT_PEERING`, or `PRIVATE_SERVICE_ACCESS` for a network of another project. @default `DIRECT_PEERING` */
  readonly connectMode?: pulumi.Input<string>;
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}

const RULES: ArgRules<RedisForRayArgs> = {
  fields: {
    project: PROJECT_ID,
    region: required(REGION, 'is required: the region of the cluster.'),
    network: required(NON_EMPTY_TEXT, 'is required: the VPC of the cluster, such as cluster.network.'),
    memoryGiB: integer(1, 300),
    highAvailability: BOOLEAN,
    password: BOOLEAN,
    version: pattern(/^REDIS_\d+_[\dX]+$/, 'must be a version such as REDIS_7_2.'),
    connectMode: oneOf(['DIRECT_PEERING', 'PRIVATE_SERVICE_ACCESS']),
    labels: CLOUD_LABELS,
  },
};

/**
 * A single Redis instance. Ray does not work with Redis Cluster, because it does not distribute its keys over slots.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/kuberay-gcs-persistent-ft.html
 */
export class RedisForRay extends pulumi.ComponentResource {
  public readonly instance: redis.Instance;
  /** `HOST:PORT`, for `gcsFaultToleranceOptions.redisAddress`. */
  public readonly address: pulumi.Output<string>;
  /** The password, as a secret; empty if none is required. */
  public readonly password: pulumi.Output<string>;

  /**
   * @param name name in the program
   * @param args the options of the Redis
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: RedisForRayArgs, opts?: pulumi.ComponentResourceOptions) {
    const checked = validated({ type: 'RedisForRay', name }, args, RULES);
    super('trainyard:stacks:RedisForRay', name, {}, opts);
    this.instance = new redis.Instance(name, {
      project: checked.project ?? configuredProject(),
      region: checked.region,
      authorizedNetwork: checked.network,
      connectMode: checked.connectMode ?? 'DIRECT_PEERING',
      tier: pulumi.output(checked.highAvailability ?? true).apply((isHigh) => (isHigh ? 'STANDARD_HA' : 'BASIC')),
      memorySizeGb: checked.memoryGiB ?? 1,
      redisVersion: checked.version ?? 'REDIS_7_2',
      authEnabled: checked.password ?? true,
      // Ray's Redis client does not use TLS; the network is private.
      transitEncryptionMode: 'DISABLED',
      persistenceConfig: { persistenceMode: 'RDB', rdbSnapshotPeriod: 'ONE_HOUR' },
      labels: commonLabels(checked.labels),
    }, { parent: this });
    this.address = pulumi.interpolate`${this.instance.host}:${this.instance.port}`;
    this.password = pulumi.secret(this.instance.authString);
    this.registerOutputs({ address: this.address, password: this.password });
  }
}
