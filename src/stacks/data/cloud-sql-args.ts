/** Arguments of the database of Kubeflow and their rules. */
import type { Input } from '@pulumi/pulumi';
import { DATABASE_FIELDS, type DatabaseArgs } from './database-args';
import { CLOUD_SQL_CHECKS, type CloudSqlBackups, type KubeflowDatabases } from '../../model/databases/cloud-sql';
import { BOOLEAN, NON_EMPTY_TEXT, TEXT, integer, listOf, oneOf, pattern, record, required } from '../../model/shapes';
import { type InputsOf, type PartsOf } from '../support/inputs';
import { acrossOf, type ArgRules, type Found } from '../support/validated';
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
export interface CloudSqlForKubeflowArgs extends DatabaseArgs {
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
  /** @default - 14 daily backups, with seven days of logs for point-in-time recovery */
  readonly backups?: PartsOf<DatabaseBackups>;
  /** Names of the databases of each component. @default `mlpipeline`, `metadb`, `cachedb` and `katib` */
  readonly databases?: { readonly [use in keyof KubeflowDatabases]?: Input<string> };
  /** Additional databases, for example for a model registry. @default - none */
  readonly extraDatabases?: readonly string[];
  /** The user that the components log in with. @default `kubeflow` */
  readonly user?: Input<string>;
  /**
   * `ENCRYPTED_ONLY` or `ALLOW_UNENCRYPTED_AND_ENCRYPTED`. Without the proxy, the metadata store of Pipelines uses unencrypted connections.
   * @default `ALLOW_UNENCRYPTED_AND_ENCRYPTED`, because the network is private
   */
  readonly sslMode?: Input<string>;
  /** @default - any time */
  readonly maintenance?: InputsOf<DatabaseMaintenance>;
}

const LOGIN = pattern(/^(?:user|serviceAccount|group):[^@\s]+@[^@\s]+$/, 'must be serviceAccount:EMAIL, user:EMAIL or group:EMAIL: no other members can log in to MySQL.');

export const CLOUD_SQL_ARG_RULES: ArgRules<CloudSqlForKubeflowArgs> = {
  fields: {
    ...DATABASE_FIELDS,
    version: NON_EMPTY_TEXT,
    tier: NON_EMPTY_TEXT,
    edition: oneOf(['ENTERPRISE', 'ENTERPRISE_PLUS']),
    diskGiB: integer(1),
    diskLimitGiB: integer(1),
    backups: record<keyof DatabaseBackups>('backups', {
      enabled: BOOLEAN, retained: integer(1), logDays: integer(0), startTime: pattern(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 03:00.'),
    }),
    databases: record<keyof KubeflowDatabases>('the databases', { pipelines: TEXT, metadata: TEXT, cache: TEXT, katib: TEXT }),
    extraDatabases: listOf(TEXT),
    user: TEXT,
    iamUsers: listOf(LOGIN),
    maintenance: record<keyof DatabaseMaintenance>('the maintenance', { day: required(integer(1, 7)), hour: required(integer(0, 23)) }),
  },
  across: [
    { fields: ['project'], check: ({ project }) => missingProject(project) },
    ...acrossOf(CLOUD_SQL_CHECKS),
    { fields: ['iamUsers', 'clients'], check: checkMembers },
  ],
};

/** Members that log in with IAM already have permission to connect. */
function checkMembers({ iamUsers = [], clients = [] }: { readonly [field: string]: unknown }): Found[] {
  return (clients as readonly string[]).flatMap((client, index) => ((iamUsers as readonly string[]).includes(client) ? [{
    path: `clients[${index}]`, value: client, message: 'is one of the iamUsers, which can already connect. Remove it here.',
  }] : []));
}
