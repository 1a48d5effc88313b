import { checkTypes } from '../props/check-props';
import type { ArtifactStoreSpec, DatabaseSpec } from '../../model/platform/spec';

/** Options of every bucket. */
export interface ArtifactBucketOptions {
  /** Path within the bucket. @default - the bucket itself */
  readonly prefix?: string;
}

/** Options of `ArtifactStore.gcs`. */
export interface GcsArtifactOptions extends ArtifactBucketOptions {
  /**
   * Secret with an HMAC key for the bucket, as `accesskey` and `secretkey`, in the namespace `kubeflow`. The API server of Pipelines then stores its
   * own files in the bucket too.
   * @default - files of runs are stored in the bucket with workload identity, the API server's files in the cluster
   */
  readonly hmacSecretName?: string;
}

/** Options of `ArtifactStore.s3`. */
export interface S3ArtifactOptions extends ArtifactBucketOptions {
  /** Region of the bucket, such as `eu-central-1`. */
  readonly region: string;

  /**
   * Secret with `accesskey` and `secretkey`, in the namespace `kubeflow` and in each profile's.
   * @default - pods access the bucket with their own identity
   */
  readonly secretName?: string;
}

/** Options of `ArtifactStore.minio`. */
export interface MinioArtifactOptions extends ArtifactBucketOptions {
  /** `HOST:PORT`. */
  readonly endpoint: string;
  /** Secret with `accesskey` and `secretkey`, in the namespace `kubeflow` and in each profile's. */
  readonly secretName: string;
  /** Whether to connect with TLS. @default true */
  readonly tls?: boolean;
}

/** Where pipelines and experiments store files. */
export class ArtifactStore {
  /** The store that Pipelines includes, on a volume of the cluster. */
  public static inCluster(): ArtifactStore {
    return new ArtifactStore({ kind: 'in-cluster' });
  }

  /** A bucket of Google Cloud Storage. @param bucket name of the bucket */
  public static gcs(bucket: string, options: GcsArtifactOptions = {}): ArtifactStore {
    checkTypes('ArtifactStore.gcs', 'GcsArtifactOptions', options);
    return new ArtifactStore({ kind: 'gcs', bucket, ...options });
  }

  /** A bucket of Amazon S3. @param bucket name of the bucket */
  public static s3(bucket: string, options: S3ArtifactOptions): ArtifactStore {
    checkTypes('ArtifactStore.s3', 'S3ArtifactOptions', options);
    return new ArtifactStore({ kind: 's3', bucket, ...options });
  }

  /** A bucket of MinIO, or of another store with the S3 API. @param bucket name of the bucket */
  public static minio(bucket: string, options: MinioArtifactOptions): ArtifactStore {
    checkTypes('ArtifactStore.minio', 'MinioArtifactOptions', options);
    return new ArtifactStore({ kind: 'minio', bucket, ...options, tls: options.tls ?? true });
  }

  private constructor(private readonly spec: ArtifactStoreSpec) {}

  /** @internal */
  public _toSpec(): ArtifactStoreSpec {
    return this.spec;
  }
}

/** Options of `MetadataDatabase.mysql`. */
export interface MysqlOptions {
  /** Port of the server. @default 3306 */
  readonly port?: number;
}

/** Options of `MetadataDatabase.cloudSql`. */
export interface CloudSqlOptions {
  /** Whether to connect to the private address of the instance. @default true */
  readonly privateIp?: boolean;

  /**
   * E-mail of the Google service account that the proxy acts as. Grant it `roles/cloudsql.client`, and let the service account `cloud-sql-proxy` of
   * the namespace `kubeflow` act as it.
   * @default - direct federation: the Kubernetes service account has the role itself
   */
  readonly googleServiceAccount?: string;
}

/**
 * The MySQL database in which Kubeflow Pipelines records runs. For a database outside the cluster, create the Secret `mysql-secret` with `username`
 * and `password` in the namespace `kubeflow`, for example with an `ExternalSecret`.
 */
export class MetadataDatabase {
  /** The MySQL that Pipelines includes, on a volume of the cluster. */
  public static mysqlInCluster(): MetadataDatabase {
    return new MetadataDatabase({ kind: 'in-cluster' });
  }

  /** Your own MySQL server. @param host name or address of the server */
  public static mysql(host: string, options: MysqlOptions = {}): MetadataDatabase {
    checkTypes('MetadataDatabase.mysql', 'MysqlOptions', options);
    return new MetadataDatabase({ kind: 'mysql', host, port: options.port ?? 3306 });
  }

  /** A Cloud SQL instance, through a proxy in the cluster. @param instance `PROJECT:REGION:INSTANCE` */
  public static cloudSql(instance: string, options: CloudSqlOptions = {}): MetadataDatabase {
    checkTypes('MetadataDatabase.cloudSql', 'CloudSqlOptions', options);
    return new MetadataDatabase({ kind: 'cloud-sql', instance, privateIp: options.privateIp ?? true, googleServiceAccount: options.googleServiceAccount });
  }

  private constructor(private readonly spec: DatabaseSpec) {}

  /** @internal */
  public _toSpec(): DatabaseSpec {
    return this.spec;
  }
}
