/** Arguments of AlloyDB and their rules. */
import type { Input } from '@pulumi/pulumi';
import { networkShape } from './cloud-sql-args';
import { ALLOYDB_CHECKS, type AlloyDbReadPool } from '../../model/databases/alloydb';
import { BOOLEAN, NON_EMPTY_TEXT, TEXT, integer, listOf, mapOf, oneOf, pattern, record, required } from '../../model/shapes';
import type { PrivateServiceAccess } from '../network/private-service-access';
import { MEMBER } from '../support/access';
import { missingProject } from '../support/context';
import { CLOUD_LABELS, KMS_KEY, PROJECT_ID, REGION, type InputsOf, type PartsOf } from '../support/inputs';
import { acrossOf, type ArgRules, type Found } from '../support/validated';

/** A read pool of the model, in which each value can be an output. */
export type AlloyDbReadPoolArgs = PartsOf<AlloyDbReadPool>;

/** Arguments of {@link AlloyDb}. */
export interface AlloyDbArgs {
  /** Id of the project. @default - `gcp:project` of the configuration */
  readonly project?: Input<string>;
  /** Region of the cluster. */
  readonly region: Input<string>;
  /** The cluster's VPC, such as `cluster.network`, or the access to Google's services that it shares with other databases of the VPC. */
  readonly network: Input<string> | PrivateServiceAccess;
  /** Whether this component connects the VPC to Google's services; false if that is done elsewhere. @default true */
  readonly connectNetwork?: boolean;
  /** Id of the cluster, and the prefix of the ids of its instances. @default - the name in the program */
  readonly clusterId?: Input<string>;
  /** @default `POSTGRES_17` */
  readonly version?: Input<string>;
  /** Cores of the primary instance. @default 4 */
  readonly cpus?: Input<number>;
  /** Machine type, such as `n2-highmem-4`. @default - Google chooses it by the number of cores */
  readonly machineType?: Input<string>;
  /** Whether a node in another zone takes over if the first one fails. @default true */
  readonly highAvailability?: Input<boolean>;
  /** Read pools by name. @default - none */
  readonly readPools?: { readonly [name: string]: AlloyDbReadPoolArgs };
  /** Number of days for point-in-time recovery. @default 14 */
  readonly recoveryDays?: Input<number>;
  /** Number of days for which daily backups are kept. @default 30 */
  readonly backupDays?: Input<number>;
  /** PostgreSQL flags. @default - none */
  readonly flags?: InputsOf<{ readonly [name: string]: string }>;
  /** The user that owns the databases. @default `postgres` */
  readonly user?: Input<string>;
  /** Password of the user: a secret from the configuration (`config.requireSecret`), from Secret Manager, or from a generator. */
  readonly password: Input<string>;
  /** Members that log in with IAM, without a password: `serviceAccount:EMAIL` or `user:EMAIL`. @default - none */
  readonly iamUsers?: InputsOf<readonly string[]>;
  /** Members that connect through the AlloyDB Auth Proxy with the password, such as `binding.member`. @default - none */
  readonly clients?: InputsOf<readonly string[]>;
  /** Whether only connections through the proxy or the connectors are accepted. @default false */
  readonly requireConnectors?: Input<boolean>;
  /** `ENCRYPTED_ONLY` or `ALLOW_UNENCRYPTED_AND_ENCRYPTED`. @default `ENCRYPTED_ONLY` */
  readonly sslMode?: Input<string>;
  /** @default - Google's own key */
  readonly kmsKey?: Input<string>;
  /** Whether Pulumi refuses to delete the cluster. @default true */
  readonly deletionProtection?: Input<boolean>;
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}

/** Cluster ids have at most 40 characters, because instance ids add the names of the pools. */
const ID = pattern(/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/, 'must have 1 to 40 lower-case letters, digits and \'-\', starting with a letter and not ending with \'-\'.');

const LOGIN = pattern(/^(?:user|serviceAccount):[^@\s]+@[^@\s]+$/, 'must be serviceAccount:EMAIL or user:EMAIL: no other members can log in to AlloyDB.');

export const ALLOYDB_ARG_RULES: ArgRules<AlloyDbArgs> = {
  fields: {
    project: PROJECT_ID,
    region: required(REGION, 'is required: the region of the cluster.'),
    network: required(networkShape, 'is required: the VPC of the cluster, such as cluster.network.'),
    connectNetwork: BOOLEAN,
    clusterId: ID,
    version: pattern(/^POSTGRES_\d+$/, 'must be a version such as POSTGRES_17.'),
    cpus: integer(1),
    machineType: NON_EMPTY_TEXT,
    highAvailability: BOOLEAN,
    readPools: mapOf(record<keyof AlloyDbReadPool>('a read pool', {
      nodes: required(integer(1), 'is required: the number of nodes.'), cpus: integer(1), machineType: NON_EMPTY_TEXT, highAvailability: BOOLEAN,
    })),
    recoveryDays: integer(1),
    backupDays: integer(1),
    flags: mapOf(TEXT),
    user: pattern(/^[a-z_][a-z0-9_$-]{0,62}$/, 'must have 1 to 63 lower-case letters, digits, \'_\', \'-\' and \'$\', starting with a letter or \'_\'.'),
    password: required(NON_EMPTY_TEXT, 'is required: a secret, such as config.requireSecret(\'databasePassword\').'),
    iamUsers: listOf(LOGIN),
    clients: listOf(MEMBER),
    requireConnectors: BOOLEAN,
    sslMode: oneOf(['ENCRYPTED_ONLY', 'ALLOW_UNENCRYPTED_AND_ENCRYPTED']),
    kmsKey: KMS_KEY,
    deletionProtection: BOOLEAN,
    labels: CLOUD_LABELS,
  },
  across: [
    { fields: ['project'], check: ({ project }) => missingProject(project) },
    ...acrossOf(ALLOYDB_CHECKS),
    { fields: ['readPools'], check: checkPoolNames },
  ],
};

function checkPoolNames({ readPools = {} }: { readonly [field: string]: unknown }): Found[] {
  return Object.keys(readPools as object).filter((name) => !/^[a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?$/.test(name))
    .map((name) => ({ path: 'readPools', value: name, message: 'is not a valid pool name: 1 to 22 lower-case letters, digits and \'-\'.' }));
}
