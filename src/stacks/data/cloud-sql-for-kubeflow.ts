/** The MySQL database for the state of Kubeflow Pipelines and Katib, which replaces a pod with a disk. */
import * as projects from '@pulumi/gcp/projects';
import * as sql from '@pulumi/gcp/sql';
import * as pulumi from '@pulumi/pulumi';
import { checkDatabase } from './database-args';
import { CLOUD_SQL_ARG_RULES, type CloudSqlForKubeflowArgs } from './cloud-sql-args';
import { CLOUD_SQL_DEFAULTS, IAM_FLAG, databaseNames, type KubeflowDatabases } from '../../model/databases/cloud-sql';
import { connectedNetwork } from '../network/private-service-access';
import { keyForService } from '../support/access';
import { commonLabels, configuredProject } from '../support/context';
import { throwErrors, validated } from '../support/validated';

const PORT = 3306;

interface Texts {
  readonly [name: string]: string;
}

/** User and password, in the format of the Secret `mysql-secret` of Pipelines. */
export interface DatabaseCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * A Cloud SQL instance with a private address, the databases of Pipelines (with metadata and cache) and Katib, a user, and permission for the given
 * members to connect to this instance only.
 * @see https://cloud.google.com/sql/docs/mysql/configure-private-ip
 */
export class CloudSqlForKubeflow extends pulumi.ComponentResource {
  public readonly instance: sql.DatabaseInstance;
  /** Private address of the instance. */
  public readonly host: pulumi.Output<string>;
  /** `PROJECT:REGION:INSTANCE`, for the Cloud SQL Auth Proxy. */
  public readonly connectionName: pulumi.Output<string>;
  /** Names of the databases by component. */
  public readonly databases: pulumi.Output<KubeflowDatabases>;
  /** User and password, as a secret. */
  public readonly credentials: pulumi.Output<DatabaseCredentials>;
  /** The database entries of the ConfigMap `pipeline-install-config` of Pipelines. */
  public readonly pipelinesConfig: pulumi.Output<Texts>;
  /** Environment variables of Katib's `katib-db-manager`, without user and password. */
  public readonly katibVariables: pulumi.Output<Texts>;

  /**
   * @param name name in the program
   * @param args the options of the instance
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: CloudSqlForKubeflowArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = { type: 'CloudSqlForKubeflow', name };
    const checked = validated<CloudSqlForKubeflowArgs>(subject, args, CLOUD_SQL_ARG_RULES);
    throwErrors(subject, checkDatabase(args));
    super('trainyard:stacks:CloudSqlForKubeflow', name, {}, opts);
    const child: pulumi.CustomResourceOptions = { parent: this };
    const project = checked.project ?? configuredProject();
    const iamUsers = (checked.iamUsers ?? []) as readonly pulumi.Input<string>[];
    const network = connectedNetwork(name, checked.network, checked.connectNetwork ?? true, project, child);

    // The disk grows, and the initial size would then replace the instance.
    const grows: pulumi.CustomResourceOptions = { ...child, ignoreChanges: ['settings.diskSize'] };
    this.instance = new sql.DatabaseInstance(name, {
      project,
      region: checked.region,
      databaseVersion: checked.version ?? CLOUD_SQL_DEFAULTS.version,
      encryptionKeyName: keyForService(name, checked.kmsKey, 'sqladmin.googleapis.com', project, child),
      settings: settingsInputs(checked, network, iamUsers.length > 0),
      deletionProtection: checked.deletionProtection ?? true,
    }, grows);
    this.host = this.instance.privateIpAddress;
    this.connectionName = this.instance.connectionName;

    const names = databaseNames<pulumi.Input<string>>(checked.databases ?? {});
    const inInstance = { project, instance: this.instance.name };
    for (const [use, database] of [...Object.entries(names), ...(checked.extraDatabases ?? []).map((each) => [each, each] as const)]) {
      new sql.Database(`${name}-${use}`, { ...inInstance, name: database, charset: 'utf8mb4' }, child);
    }
    const user = new sql.User(`${name}-user`, {
      ...inInstance, name: checked.user ?? CLOUD_SQL_DEFAULTS.user, password: pulumi.secret(checked.password),
    }, { ...child, additionalSecretOutputs: ['password'] });
    this.grantAll(name, iamUsers, (checked.clients ?? []) as readonly pulumi.Input<string>[]);

    this.databases = pulumi.output(names) as pulumi.Output<unknown> as pulumi.Output<KubeflowDatabases>;
    this.credentials = pulumi.secret(pulumi.all([user.name, checked.password]).apply(([username, password]) => ({ username, password })));
    this.pipelinesConfig = pulumi.all([this.host, this.databases]).apply(([host, { pipelines, metadata, cache }]): Texts => ({
      dbType: 'mysql', mysqlHost: host, mysqlPort: String(PORT), dbHost: host, dbPort: String(PORT), pipelineDb: pipelines, mlmdDb: metadata, cacheDb: cache,
    }));
    this.katibVariables = pulumi.all([this.host, this.databases]).apply(([host, { katib }]): Texts => ({
      KATIB_MYSQL_DB_HOST: host, KATIB_MYSQL_DB_PORT: String(PORT), KATIB_MYSQL_DB_DATABASE: katib,
    }));
    this.registerOutputs({ host: this.host, connectionName: this.connectionName, databases: this.databases, credentials: this.credentials });
  }

  /** Creates MySQL users for the IAM accounts, and grants them and the clients permission to connect to this instance. */
  private grantAll(name: string, iamUsers: readonly pulumi.Input<string>[], clients: readonly pulumi.Input<string>[]): void {
    const child: pulumi.CustomResourceOptions = { parent: this };
    const { project } = this.instance;
    const condition = {
      title: 'this-instance-only',
      expression: pulumi.interpolate`resource.name == 'projects/${project}/instances/${this.instance.name}' && resource.type == 'sqladmin.googleapis.com/Instance'`,
    };
    const grant = (each: string, role: string, member: pulumi.Input<string>) => new projects.IAMMember(`${name}-${each}`, { project, role, member, condition }, child);
    iamUsers.forEach((member, index) => {
      const text = pulumi.output(member);
      new sql.User(`${name}-iam-${index}`, { project, instance: this.instance.name, name: text.apply(emailOf), type: text.apply(typeOfUser) }, child);
      grant(`iam-${index}-login`, 'roles/cloudsql.instanceUser', member);
      grant(`iam-${index}-connect`, 'roles/cloudsql.client', member);
    });
    clients.forEach((member, index) => grant(`client-${index}`, 'roles/cloudsql.client', member));
  }
}

function settingsInputs(args: CloudSqlForKubeflowArgs, network: pulumi.Input<string>, hasIamUsers: boolean): sql.DatabaseInstanceArgs['settings'] {
  const { enabled = true, retained = CLOUD_SQL_DEFAULTS.retained, logDays = CLOUD_SQL_DEFAULTS.logDays, startTime = '03:00' } = args.backups ?? {};
  return {
    tier: args.tier ?? CLOUD_SQL_DEFAULTS.tier,
    edition: args.edition ?? CLOUD_SQL_DEFAULTS.edition,
    availabilityType: pulumi.output(args.highAvailability ?? true).apply((isHigh) => (isHigh ? 'REGIONAL' : 'ZONAL')),
    diskSize: args.diskGiB ?? CLOUD_SQL_DEFAULTS.diskGiB,
    diskType: 'PD_SSD',
    diskAutoresize: true,
    diskAutoresizeLimit: args.diskLimitGiB ?? 0,
    backupConfiguration: {
      enabled, binaryLogEnabled: enabled, startTime, transactionLogRetentionDays: logDays, backupRetentionSettings: { retainedBackups: retained, retentionUnit: 'COUNT' },
    },
    ipConfiguration: {
      ipv4Enabled: false, privateNetwork: network, enablePrivatePathForGoogleCloudServices: true, sslMode: args.sslMode ?? 'ALLOW_UNENCRYPTED_AND_ENCRYPTED',
    },
    databaseFlags: pulumi.output(args.flags ?? {}).apply((flags) => (
      Object.entries({ ...flags as { [name: string]: string }, ...(hasIamUsers && { [IAM_FLAG]: 'on' }) }).map(([flag, value]) => ({ name: flag, value }))
    )),
    maintenanceWindow: args.maintenance && pulumi.output(args.maintenance).apply(({ day, hour }) => ({ day, hour, updateTrack: 'stable' })),
    insightsConfig: { queryInsightsEnabled: true },
    deletionProtectionEnabled: args.deletionProtection ?? true,
    userLabels: commonLabels(args.labels),
  };
}

/** The e-mail of a member. */
function emailOf(member: string): string {
  return member.slice(member.indexOf(':') + 1);
}

function typeOfUser(member: string): string {
  return { serviceAccount: 'CLOUD_IAM_SERVICE_ACCOUNT', group: 'CLOUD_IAM_GROUP' }[member.slice(0, member.indexOf(':'))] ?? 'CLOUD_IAM_USER';
}
