/** Arguments of the database of Kubeflow, and what they may be. */
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
  /** 1 is Monday, 7 Sunday. */
  readonly day: number;
  /** 0 to 23. */
  readonly hour: number;
}

/** Backups, with the time at which they begin. */
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
  /** The cluster's VPC, such as `cluster.network`; or the access to Google's services that other databases of the VPC use too. */
  readonly network: Input<string> | PrivateServiceAccess;
  /** Whether the VPC is connected with Google's services here; false where it is already. @default true */
  readonly connectNetwork?: boolean;
  /** @default `MYSQL_8_0`: the metadata store of Pipelines cannot log in to 8.4 */
  readonly version?: Input<string>;
  /** Machine: `db-custom-CORES-MIB` and others. @default `db-custom-2-7680` */
  readonly tier?: Input<string>;
  /** `ENTERPRISE` or `ENTERPRISE_PLUS`. @default `ENTERPRISE` */
  readonly edition?: Input<string>;
  /** Size of the disk at first. It grows by itself, and is not changed by another number here. @default 20 */
  readonly diskGiB?: Input<number>;
  /** Size up to which the disk grows. @default - no limit */
  readonly diskLimitGiB?: Input<number>;
  /** Whether a server of another zone takes over when the first fails. @default true */
  readonly highAvailability?: Input<boolean>;
  /** @default - daily, 14 of them, with seven days of logs to go back to any moment */
  readonly backups?: PartsOf<DatabaseBackups>;
  /** Flags of MySQL. @default - none */
  readonly flags?: InputsOf<{ readonly [name: string]: string }>;
  /** Names of the databases of each component. @default `mlpipeline`, `metadb`, `cachedb` and `katib` */
  readonly databases?: { readonly [use in keyof KubeflowDatabases]?: Input<string> };
  /** More databases, such as that of a model registry. @default - none */
  readonly extraDatabases?: readonly string[];
  /** User that the components log in as. @default `kubeflow` */
  readonly user?: Input<string>;
  /** Its password: a secret of the configuration (`config.requireSecret`), of Secret Manager, or of a generator. */
  readonly password: Input<string>;
  /** Members that log in by IAM, without a password: `serviceAccount:EMAIL`, `user:EMAIL`, `group:EMAIL`. @default - none */
  readonly iamUsers?: InputsOf<readonly string[]>;
  /** Members that connect through the Cloud SQL Auth Proxy with the password, such as `binding.member`. @default - none */
  readonly clients?: InputsOf<readonly string[]>;
  /**
   * `ENCRYPTED_ONLY`, or `ALLOW_UNENCRYPTED_AND_ENCRYPTED`: the metadata store of Pipelines speaks plain text where it does not go through the proxy.
   * @default `ALLOW_UNENCRYPTED_AND_ENCRYPTED`, in a network that is private
   */
  readonly sslMode?: Input<string>;
  /** @default - any time */
  readonly maintenance?: InputsOf<DatabaseMaintenance>;
  /** @default - a key of Google */
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

/** A VPC by its name, or the access to services. */
export function networkShape(...[value, path, violations]: Parameters<typeof NON_EMPTY_TEXT>): void {
  if (!(value instanceof PrivateServiceAccess)) {
    NON_EMPTY_TEXT(value, path, violations);
  }
}

/** Who logs in by IAM may connect already. */
function checkMembers({ iamUsers = [], clients = [] }: { readonly [field: string]: unknown }): Found[] {
  return (clients as readonly string[]).flatMap((client, index) => ((iamUsers as readonly string[]).includes(client) ? [{
    path: `clients[${index}]`, value: client, message: 'is one of the iamUsers, which can already connect. Remove it here.',
  }] : []));
}

/** A password that stands in the program, where everybody reads it. */
export function checkPassword(password: unknown): Found[] {
  return password === undefined || isPending(password) ? [] : [{
    severity: 'warning', path: 'password', value: undefined, message: 'is in the program as plain text. Take it from config.requireSecret, Secret Manager or a generator.',
  }];
}
