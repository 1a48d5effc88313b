/** Arguments of AlloyDB and their rules. */
import type { Input } from '@pulumi/pulumi';
import { DATABASE_FIELDS, type DatabaseArgs } from './database-args';
import { ALLOYDB_CHECKS, type AlloyDbReadPool } from '../../model/databases/alloydb';
import { BOOLEAN, NON_EMPTY_TEXT, integer, listOf, mapOf, pattern, record, required } from '../../model/shapes';
import { missingProject } from '../support/context';
import { type PartsOf } from '../support/inputs';
import { acrossOf, type ArgRules, type Found } from '../support/validated';

/** A read pool of the model, in which each value can be an output. */
export type AlloyDbReadPoolArgs = PartsOf<AlloyDbReadPool>;

/** Arguments of {@link AlloyDb}. */
export interface AlloyDbArgs extends DatabaseArgs {
  /** Id of the cluster, and the prefix of the ids of its instances. @default - the name in the program */
  readonly clusterId?: Input<string>;
  /** @default `POSTGRES_17` */
  readonly version?: Input<string>;
  /** Cores of the primary instance. @default 4 */
  readonly cpus?: Input<number>;
  /** Machine type, such as `n2-highmem-4`. @default - Google chooses it by the number of cores */
  readonly machineType?: Input<string>;
  /** Read pools by name. @default - none */
  readonly readPools?: { readonly [name: string]: AlloyDbReadPoolArgs };
  /** Number of days for point-in-time recovery. @default 14 */
  readonly recoveryDays?: Input<number>;
  /** Number of days for which daily backups are kept. @default 30 */
  readonly backupDays?: Input<number>;
  /** The user that owns the databases. @default `postgres` */
  readonly user?: Input<string>;
  /** Whether only connections through the proxy or the connectors are accepted. @default false */
  readonly requireConnectors?: Input<boolean>;
  /** `ENCRYPTED_ONLY` or `ALLOW_UNENCRYPTED_AND_ENCRYPTED`. @default `ENCRYPTED_ONLY` */
  readonly sslMode?: Input<string>;
}

/** Cluster ids have at most 40 characters, because instance ids add the names of the pools. */
const ID = pattern(/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/, 'must have 1 to 40 lower-case letters, digits and \'-\', starting with a letter and not ending with \'-\'.');

const LOGIN = pattern(/^(?:user|serviceAccount):[^@\s]+@[^@\s]+$/, 'must be serviceAccount:EMAIL or user:EMAIL: no other members can log in to AlloyDB.');

export const ALLOYDB_ARG_RULES: ArgRules<AlloyDbArgs> = {
  fields: {
    ...DATABASE_FIELDS,
    clusterId: ID,
    version: pattern(/^POSTGRES_\d+$/, 'must be a version such as POSTGRES_17.'),
    cpus: integer(1),
    machineType: NON_EMPTY_TEXT,
    readPools: mapOf(record<keyof AlloyDbReadPool>('a read pool', {
      nodes: required(integer(1), 'is required: the number of nodes.'), cpus: integer(1), machineType: NON_EMPTY_TEXT, highAvailability: BOOLEAN,
    })),
    recoveryDays: integer(1),
    backupDays: integer(1),
    user: pattern(/^[a-z_][a-z0-9_$-]{0,62}$/, 'must have 1 to 63 lower-case letters, digits, \'_\', \'-\' and \'$\', starting with a letter or \'_\'.'),
    iamUsers: listOf(LOGIN),
    requireConnectors: BOOLEAN,
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
