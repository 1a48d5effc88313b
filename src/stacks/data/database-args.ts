/** Arguments that Cloud SQL and AlloyDB have in common, and their rules. */
import type { Input } from '@pulumi/pulumi';
import { BOOLEAN, NON_EMPTY_TEXT, TEXT, listOf, mapOf, oneOf, required, type FieldShapes } from '../../model/shapes';
import { PrivateServiceAccess } from '../network/private-service-access';
import { MEMBER, checkLength } from '../support/access';
import { CLOUD_LABELS, KMS_KEY, PROJECT_ID, REGION, type InputsOf } from '../support/inputs';
import { isPending, type Found } from '../support/validated';

/** Arguments of both databases. */
export interface DatabaseArgs {
  /** Id of the project. @default - `gcp:project` of the configuration */
  readonly project?: Input<string>;
  /** Region of the cluster. */
  readonly region: Input<string>;
  /** The cluster's VPC, such as `cluster.network`, or the access to Google's services that it shares with other databases of the VPC. */
  readonly network: Input<string> | PrivateServiceAccess;
  /** Whether this component connects the VPC to Google's services; false if that is done elsewhere. @default true */
  readonly connectNetwork?: boolean;
  /** Whether a server in another zone takes over if the first one fails. @default true */
  readonly highAvailability?: Input<boolean>;
  /** Flags of the database server. @default - none */
  readonly flags?: InputsOf<{ readonly [name: string]: string }>;
  /** Password of the user: a secret from the configuration (`config.requireSecret`), from Secret Manager, or from a generator. */
  readonly password: Input<string>;
  /** Members that log in with IAM, without a password: `serviceAccount:EMAIL` or `user:EMAIL`; for Cloud SQL also `group:EMAIL`. @default - none */
  readonly iamUsers?: InputsOf<readonly string[]>;
  /** Members that connect through the Auth Proxy with the password, such as `binding.member`. @default - none */
  readonly clients?: InputsOf<readonly string[]>;
  /** @default - Google's own key */
  readonly kmsKey?: Input<string>;
  /** Whether the database is protected against deletion. @default true */
  readonly deletionProtection?: Input<boolean>;
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}

/** Rules for the common arguments. Each database has its own rule for `iamUsers`. */
export const DATABASE_FIELDS: FieldShapes<Exclude<keyof DatabaseArgs, 'iamUsers'> | 'sslMode'> = {
  project: PROJECT_ID,
  region: required(REGION, 'is required: the region of the cluster.'),
  network: required((value, path, violations) => {
    if (!(value instanceof PrivateServiceAccess)) {
      NON_EMPTY_TEXT(value, path, violations);
    }
  }, 'is required: the VPC of the cluster, such as cluster.network.'),
  connectNetwork: BOOLEAN,
  highAvailability: BOOLEAN,
  flags: mapOf(TEXT),
  password: required(NON_EMPTY_TEXT, 'is required: a secret, such as config.requireSecret(\'databasePassword\').'),
  clients: listOf(MEMBER),
  sslMode: oneOf(['ENCRYPTED_ONLY', 'ALLOW_UNENCRYPTED_AND_ENCRYPTED']),
  kmsKey: KMS_KEY,
  deletionProtection: BOOLEAN,
  labels: CLOUD_LABELS,
};

/** Checks that the numbers of members are known, and warns about a password that is plain text in the program. */
export function checkDatabase({ iamUsers, clients, password }: DatabaseArgs): Found[] {
  return [...checkLength('iamUsers', iamUsers), ...checkLength('clients', clients), ...(isPending(password) ? [] : [{
    severity: 'warning' as const, path: 'password', value: undefined, message: 'is in the program as plain text. Take it from config.requireSecret, Secret Manager or a generator.',
  }])];
}
