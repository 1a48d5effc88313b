import type { DatabaseSpec } from '../../model/platform/spec';
import { checkTypes } from '../props/check-props';

/**
 * Options of `MetadataDatabase.mysql`.
 */
export interface MysqlOptions {
  /**
   * Port of the server.
   *
   * @default 3306
   */
  readonly port?: number;
}

/**
 * Options of `MetadataDatabase.cloudSql`.
 */
export interface CloudSqlOptions {
  /**
   * Whether the instance is reached by its private address.
   *
   * @default true
   */
  readonly privateIp?: boolean;

  /**
   * E-mail of the Google service account that the proxy acts as. Grant it `roles/cloudsql.client`, and the account `cloud-sql-proxy` of the
   * namespace `kubeflow` the right to act as it.
   *
   * @default - direct federation: the account of Kubernetes has the role itself
   */
  readonly googleServiceAccount?: string;
}

/**
 * Where Kubeflow Pipelines keeps what ran: a server that speaks MySQL. Outside of the cluster its user and password are in the Secret
 * `mysql-secret` of the namespace `kubeflow`, as `username` and `password`, which somebody else makes (an `ExternalSecret`, for example).
 */
export class MetadataDatabase {
  /** MySQL on a volume of the cluster, as Pipelines brings it. */
  public static mysqlInCluster(): MetadataDatabase {
    return new MetadataDatabase({ kind: 'in-cluster' });
  }

  /** A server of your own. @param host name or address of the server */
  public static mysql(host: string, options: MysqlOptions = {}): MetadataDatabase {
    checkTypes('MetadataDatabase.mysql', 'MysqlOptions', options);
    return new MetadataDatabase({ kind: 'mysql', host, port: options.port ?? 3306 });
  }

  /** An instance of Cloud SQL, through a proxy in the cluster. @param instance `PROJECT:REGION:INSTANCE` */
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
