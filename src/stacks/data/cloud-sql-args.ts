/** Arguments of the database of Kubeflow and their rules. */
import type { Input } from '@pulumi/pulumi';
import { CLOUD_SQL_CHECKS, type CloudSqlBackups, type KubeflowDatabases } from '../../model/databases/cloud-sql';
import { BOOLEAN, NON_EMPTY_TEXT, TEXT, integer, listOf, mapOf, oneOf, pattern, record, required } from '../../model/shapes';
import { PrivateServiceAccess } from '../network/private-service-access';
import { MEMBER } from '../support/access';
import { CLOUD_LABELS, KMS_KEY, PROJECT_ID, REGION, type InputsOf, type PartsOf } from '../support/inputs';
import { acrossOf, isPending, type ArgRules, type Found } from '../support/validated';
import { missingProject } from '../support/context';

/** When Google may restart the instance for updates, in UTC. */
export interface DatabaseMaintenance {
  /** Day of the week: 1 is Monday, 7 is Sunday. */
  readonly day: number;
  /** Hour of the day, 0 to 23. */
  readonly hour: number;
}

/** Backups and their start time. */
export interface DatabaseBackups extends CloudSqlBackups {
  /** `HH:MM`, in UTC. @default `03:00` */
  readonly startTime?: string;
}

/** Arguments of {@link CloudSqlForKubeflow}. */
export interface CloudSqlForKubeflowArgs {
  /** Id of the project. @default - `gcp:project` of the configuration */
  readonly project?: Input<string>;
  /** Region of the cluster. */
  readonly region: Input<string>;
  /** The cluster's VPC, such as `cluster.network`, or the access to Google's services that it shares with other databases of the VPC. */
  readonly network: Input<string> | PrivateServiceAccess;
  /** Whether this component connects the VPC to Google's services; false if that is done elsewhere. @default true */
  readonly connectNetwork?: boolean;
  /** @default `MYSQL_8_0`, because the metadata store of Pipelines cannot log in to 8.4 */
  readonly version?: Input<string>;
  /** Machine tier, such as `db-custom-CORES-MIB`. @default `db-custom-2-7680` */
  readonly tier?: Input<string>;
  /** `ENTERPRISE` or `ENTERPRISE_PLUS`. @default `ENTERPRISE` */
  readonly edition?: Input<string>;
  /** Initial size of the disk. The disk grows automatically, and later changes of this value have no effect. @default 20 */
  readonly diskGiB?: Input<number>;
  /** Maximum size of the disk. @default - no limit */
  readonly diskLimitGiB?: Input<number>;
  /** Whether a server in another zone takes over if the first one fails. @default true */
  readonly highAvailability?: Input<boolean>;
  /** @default - 14 daily backups, with seven days of logs for point-in-time recovery */
  readonly backups?: PartsOf<DatabaseBackups>;
  /** MySQL flags. @default - none */
  readonly flags?: InputsOf<{ readonly [name: string]: string }>;
  /** Names of the databases of each component. @default `mlpipeline`, `metadb`, `cachedb` and `katib` */
  readonly databases?: { readonly [use in keyof KubeflowDatabases]?: Input<string> };
  /** Additional databases, for example for a model registry. @default - none */
  readonly extraDatabases?: readonly string[];
  /** The user that the components log in with. @default `kubeflow` */
  readonly user?: Input<string>;
  /** Password of the user: a secret from the configuration (`config.requireSecret`), from Secret Manager, or from a generator. */
  readonly password: Input<string>;
  /** Members that log in with IAM, without a password: `serviceAccount:EMAIL`, `user:EMAIL`, `group:EMAIL`. @default - none */
  readonly iamUsers?: InputsOf<readonly string[]>;
  /** Members that connect through the Cloud SQL Auth Proxy with the password, such as `binding.member`. @default - none */
  readonly clients?: InputsOf<readonly string[]>;
  /**
   * `ENCRYPTED_ONLY` or `ALLOW_UNENCRYPTED_AND_ENCRYPTED`. Without the proxy, the metadata store of Pipelines uses unencrypted connections.
   * @default `ALLOW_UNENCRYPTED_AND_ENCRYPTED`, because the network is private
   */
  readonly sslMode?: Input<string>;
  /** @default - any time */
  readonly maintenance?: InputsOf<DatabaseMaintenance>;
  /** @default - Google's own key */
  readonly kmsKey?: Input<string>;
  /** Whether Google refuses to delete the instance. @default true */
  readonly deletionProtection?: Input<boolean>;
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}

const LOGIN = pattern(/^(?:user|serviceAccount|group):[^@\s]+@[^@\s]+$/, 'must be serviceAccount:EMAIL, user:EMAIL or group:EMAIL: no other members can log in to MySQL.');

export const CLOUD_SQL_ARG_RULES: ArgRules<CloudSqlForKubeflowArgs> = {
  fields: {
    project: PROJECT_ID,
    region: required(REGION, 'is required: the region of the cluster.'),
    network: required(networkShape, 'is required: the VPC of the cluster, such as cluster.network.'),
    connectNetwork: BOOLEAN,
    version: NON_EMPTY_TEXT,
    tier: NON_EMPTY_TEXT,
    edition: oneOf(['ENTERPRISE', 'ENTERPRISE_PLUS']),
    diskGiB: integer(1),
    diskLimitGiB: integer(1),
    highAvailability: BOOLEAN,
    backups: record<keyof DatabaseBackups>('backups', {
      enabled: BOOLEAN, retained: integer(1), logDays: integer(0), startTime: pattern(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 03:00.'),
    }),
    flags: mapOf(TEXT),
    databases: record<keyof KubeflowDatabases>('the databases', { pipelines: TEXT, metadata: TEXT, cache: TEXT, katib: TEXT }),
    extraDatabases: listOf(TEXT),
    user: TEXT,
    password: required(NON_EMPTY_TEXT, 'is required: a secret, such as config.requireSecret(\'databasePassword\').'),
    iamUsers: listOf(LOGIN),
    clients: listOf(MEMBER),
    sslMode: oneOf(['ENCRYPTED_ONLY', 'ALLOW_UNENCRYPTED_AND_ENCRYPTED']),
    maintenance: record<keyof DatabaseMaintenance>('the maintenance', { day: required(integer(1, 7)), hour: required(integer(0, 23)) }),
    kmsKey: KMS_KEY,
    deletionProtection: BOOLEAN,
    labels: CLOUD_LABELS,
  },
  across: [
    { fields: ['project'], check: ({ project }) => missingProject(project) },
    ...acrossOf(CLOUD_SQL_CHECKS),
    { fields: ['iamUsers', 'clients'], check: checkMembers },
  ],
};

/** A VPC by its name, or the access to Google's services. */
export function networkShape(...[value, path, violations]: Parameters<typeof NON_EMPTY_TEXT>): void {
  if (!(value instanceof PrivateServiceAccess)) {
    NON_EMPTY_TEXT(value, path, violations);
  }
}

/** Members that log in with IAM already have permission to connect. */
function checkMembers({ iamUsers = [], clients = [] }: { readonly [field: string]: unknown }): Found[] {
  return (clients as readonly string[]).flatMap((client, index) => ((iamUsers as readonly string[]).includes(client) ? [{
    path: `clients[${index}]`, value: client, message: 'is one of the iamUsers, which can already connect. Remove it here.',
  }] : []));
}

/** Warns about a password that is plain text in the program. */
export function checkPassword(password: unknown): Found[] {
  return password === undefined || isPending(password) ? [] : [{
    severity: 'warning', path: 'password', value: undefined, message: 'is in the program as plain text. Take it from config.requireSecret, Secret Manager or a generator.',
  }];
}
