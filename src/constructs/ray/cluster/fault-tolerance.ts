import { Size } from 'cdk8s';
import type { Cpu, EnvValue, IPersistentVolumeClaim, SecretValue } from 'cdk8s-plus-28';
import type { RayFaultToleranceSpec } from '../../../model/ray/spec';
import { checkTypes } from '../../props/check-props';

/** Options of `RayFaultTolerance.ownRedis`. */
export interface OwnRedisOptions {
  /** Secret with its password. Access to Ray's state allows running programs on the cluster. */
  readonly password: SecretValue;
  /** Image of Redis, or of a compatible server with the command `redis-server`. @default redis:7.4 */
  readonly image?: string;
  /** Size of its volume. @default Size.gibibytes(1) */
  readonly storage?: Size;
  /** StorageClass of its volume. @default - the cluster's */
  readonly storageClassName?: string;
  /** Cores. @default Cpu.millis(100) */
  readonly cpu?: Cpu;
  /** Memory, enough for all of Ray's state. @default Size.mebibytes(512) */
  readonly memory?: Size;
}

/** Options of `RayFaultTolerance.redis`. */
export interface ExistingRedisOptions {
  /** User. @default - none */
  readonly username?: EnvValue;

  /** Password, from a Secret. @default - none */
  readonly password?: EnvValue;

  /**
   * Prefix of the cluster's keys. With a fixed prefix, a cluster that is created again finds its previous state.
   * @default - the UID of the RayCluster
   */
  readonly namespace?: string;
}

/** What happens to a volume that KubeRay created when its cluster is deleted. */
export enum RayStorageDeletion {
  /** It is deleted too. */
  DELETE_WITH_CLUSTER = 'DeleteWithCluster',
  /** It is kept. */
  RETAIN = 'Retain',
}

/** Options of `RayFaultTolerance.embedded`. */
export interface EmbeddedStorageOptions {
  /** An existing claim. @default - KubeRay creates one */
  readonly claim?: IPersistentVolumeClaim;
  /** Size of the claim that KubeRay creates. @default Size.gibibytes(1) */
  readonly size?: Size;
  /** StorageClass of the claim that KubeRay creates. @default - the cluster's */
  readonly storageClassName?: string;
  /** Folder of the volume. @default - its root */
  readonly subPath?: string;
  /** What happens to the claim that KubeRay created when the cluster is deleted. @default RayStorageDeletion.DELETE_WITH_CLUSTER */
  readonly deletion?: RayStorageDeletion;
}

/**
 * Where the head stores its state: actors, placement groups, jobs. With it, workers continue while a lost head is replaced.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/kuberay-gcs-ft.html
 */
export class RayFaultTolerance {
  /**
   * In a Redis that is created for the cluster: a StatefulSet with a volume, and a Service, both named `NAME-redis`.
   */
  public static ownRedis(options: OwnRedisOptions): RayFaultTolerance {
    checkTypes('RayFaultTolerance.ownRedis', 'OwnRedisOptions', options);
    const { password, image, storage, storageClassName, cpu, memory } = options;
    return new RayFaultTolerance({
      backend: 'redis',
      own: {
        image: image ?? 'redis:7.4',
        passwordSecret: { name: password.secret.name, key: password.key },
        storage: (storage ?? Size.gibibytes(1)).asString(),
        storageClassName,
        cpu: cpu?.amount ?? '100m',
        memory: (memory ?? Size.mebibytes(512)).asString(),
      },
    });
  }

  /** In an existing Redis, such as Memorystore. @param address `HOST:PORT`, or `redis://HOST:PORT` */
  public static redis(address: string, options: ExistingRedisOptions = {}): RayFaultTolerance {
    checkTypes('RayFaultTolerance.redis', 'ExistingRedisOptions', options);
    const { username, password, namespace } = options;
    return new RayFaultTolerance({ backend: 'redis', address, username: username && plain(username), password: password && plain(password), namespace });
  }

  /**
   * In RocksDB on a volume of the head, without Redis. In KubeRay 1.7, it needs the feature gate `GCSFaultToleranceEmbeddedStorage`.
   */
  public static embedded(options: EmbeddedStorageOptions = {}): RayFaultTolerance {
    checkTypes('RayFaultTolerance.embedded', 'EmbeddedStorageOptions', options);
    const { claim, size, storageClassName, subPath, deletion } = options;
    return new RayFaultTolerance({ backend: 'rocksdb', claimName: claim?.name, size: size?.asString(), storageClassName, subPath, deletionPolicy: deletion });
  }

  private constructor(private readonly spec: RayFaultToleranceSpec) {}

  /** @internal */
  public _toSpec(): RayFaultToleranceSpec {
    return this.spec;
  }
}

function plain({ value, valueFrom }: EnvValue): { readonly value?: string; readonly valueFrom?: { readonly [source: string]: unknown } } {
  return { ...(value !== undefined && { value }), ...(valueFrom !== undefined && { valueFrom: { ...valueFrom } }) };
}
