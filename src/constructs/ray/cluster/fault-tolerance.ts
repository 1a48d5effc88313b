import { Size } from 'cdk8s';
import type { Cpu, EnvValue, IPersistentVolumeClaim, SecretValue } from 'cdk8s-plus-28';
import type { RayFaultToleranceSpec } from '../../../model/ray/spec';
import { checkTypes } from '../../props/check-props';

/** Options of `RayFaultTolerance.ownRedis`. */
export interface OwnRedisOptions {
  /** Where its password stands: who reaches Ray's state can run programs on the cluster. */
  readonly password: SecretValue;
  /** Image of Redis, or of something that speaks its protocol and is called `redis-server`. @default redis:7.4 */
  readonly image?: string;
  /** Size of its volume. @default Size.gibibytes(1) */
  readonly storage?: Size;
  /** StorageClass of its volume. @default - the cluster's */
  readonly storageClassName?: string;
  /** Cores. @default Cpu.millis(100) */
  readonly cpu?: Cpu;
  /** Memory, which all of Ray's state has to fit in. @default Size.mebibytes(512) */
  readonly memory?: Size;
}

/** Options of `RayFaultTolerance.redis`. */
export interface ExistingRedisOptions {
  /** User. @default - none */
  readonly username?: EnvValue;

  /** Password, from a Secret. @default - none */
  readonly password?: EnvValue;

  /**
   * Prefix of what the cluster writes. A cluster that is created again finds the state of the one before by it.
   * @default - the uid of the RayCluster
   */
  readonly namespace?: string;
}

/** What becomes of a volume that KubeRay has made when its cluster goes. */
export enum RayStorageDeletion {
  /** It goes too. */
  DELETE_WITH_CLUSTER = 'DeleteWithCluster',
  /** It stays. */
  RETAIN = 'Retain',
}

/** Options of `RayFaultTolerance.embedded`. */
export interface EmbeddedStorageOptions {
  /** A claim that exists. @default - KubeRay makes one */
  readonly claim?: IPersistentVolumeClaim;
  /** Size of the claim that KubeRay makes. @default Size.gibibytes(1) */
  readonly size?: Size;
  /** StorageClass of the claim that KubeRay makes. @default - the cluster's */
  readonly storageClassName?: string;
  /** Folder of the volume. @default - its root */
  readonly subPath?: string;
  /** What becomes of the claim that KubeRay makes. @default RayStorageDeletion.DELETE_WITH_CLUSTER */
  readonly deletion?: RayStorageDeletion;
}

/**
 * Where the head keeps what must not go with it: actors, placement groups, jobs. With it, workers go on while a lost head comes back.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/kuberay-gcs-ft.html
 */
export class RayFaultTolerance {
  /**
   * In a Redis that is created next to the cluster: a StatefulSet with a volume, and a Service, both called `NAME-redis`.
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

  /** In a Redis that exists, such as Memorystore. @param address `HOST:PORT`, or `redis://HOST:PORT` */
  public static redis(address: string, options: ExistingRedisOptions = {}): RayFaultTolerance {
    checkTypes('RayFaultTolerance.redis', 'ExistingRedisOptions', options);
    const { username, password, namespace } = options;
    return new RayFaultTolerance({ backend: 'redis', address, username: username && plain(username), password: password && plain(password), namespace });
  }

  /**
   * In RocksDB on a volume of the head: no Redis to run. KubeRay 1.7 has it behind its feature gate `GCSFaultToleranceEmbeddedStorage`.
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
