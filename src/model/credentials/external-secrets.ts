/**
 * Secrets that are kept elsewhere, and that become a Secret or files of a pod: what the constructs say, the rules below judge and
 * `manifests/credentials` renders.
 *
 * Rules on credentials, most of them read by the controllers that they are for long after `kubectl apply`.
 */
import { isSubdomain } from '../names';
import { fieldPath } from '../shapes';
import { ViolationCollector, type Violation } from '../violations';

export interface SecretStoreSpec {
  readonly kind: 'SecretStore' | 'ClusterSecretStore';
  readonly name: string;
}

export interface RemoteSecretSpec {
  readonly name: string;
  /** Property of a secret that is a JSON object. @default - the whole secret */
  readonly property?: string;
  /** @default - the newest version */
  readonly version?: string;
}

/** An ExternalSecret: a Secret that External Secrets keeps like the store. */
export interface ExternalSecretSpec {
  readonly store: SecretStoreSpec;
  /** Keys of the Secret, and where each comes from. */
  readonly keys: { readonly [key: string]: RemoteSecretSpec };
  /** Secrets that are JSON objects, whose properties all become keys. */
  readonly extract: readonly RemoteSecretSpec[];
  readonly secretName: string;
  /** @default - External Secrets' hour */
  readonly refreshSeconds?: number;
}

/** A secret of Google's Secret Manager. */
export interface ManagedSecretSpec {
  /** Project, by id or number. */
  readonly project: string;
  /** Region of a regional secret. @default - a global one */
  readonly location?: string;
  readonly name: string;
  /** Number of a version, an alias or `latest`. */
  readonly version: string;
}

/**
 * Who mounts the files: the add-on of GKE, or the driver that is installed from its repository. Only the second one can make a Secret of them.
 */
export type SecretDriver = 'gke' | 'open-source';

/** A SecretProviderClass: files that a driver mounts. */
export interface SecretProviderClassSpec {
  readonly driver: SecretDriver;
  /** File names, and the secret in each. */
  readonly files: { readonly [file: string]: ManagedSecretSpec };
  /** Secret that the driver makes of the files while a pod mounts them. @default - none */
  readonly secretName?: string;
}

/** Keys of a Secret. @see https://kubernetes.io/docs/concepts/configuration/secret/#restriction-names-data */
const SECRET_KEY = /^[-._a-zA-Z0-9]{1,253}$/;

/** @see https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets/create */
const MANAGED_SECRET_NAME = /^[A-Za-z0-9_-]{1,255}$/;

/** Id or number. @see https://cloud.google.com/resource-manager/docs/creating-managing-projects */
const PROJECT = /^(?:[a-z][a-z0-9-]{4,28}[a-z0-9]|(?:[a-z0-9.-]+:)[a-z][a-z0-9-]{4,28}[a-z0-9]|[0-9]{1,19})$/;

/** A number, or an alias as Secret Manager allows it, `latest` among them. */
const VERSION = /^(?:[1-9][0-9]*|[A-Za-z][A-Za-z0-9_-]{0,62})$/;

/** Shortest time between two looks into the store that is not a mistake of units. */
const SHORTEST_REFRESH_SECONDS = 10;

/** Checks an ExternalSecret. @see https://external-secrets.io/latest/api/externalsecret/ */
export function validateExternalSecret({ store, keys, extract, secretName, refreshSeconds }: ExternalSecretSpec): Violation[] {
  const violations = new ViolationCollector();
  checkName(store.name, 'store', violations);
  checkName(secretName, 'secretName', violations);
  if (Object.keys(keys).length === 0 && extract.length === 0) {
    violations.add('keys', keys, 'names no secret in the store. Set keys, or extract for secrets that are JSON objects.');
  }
  for (const [key, remote] of Object.entries(keys)) {
    checkKey(key, fieldPath('keys', key), violations);
    checkRemote(remote, fieldPath('keys', key), violations);
  }
  extract.forEach((remote, index) => checkRemote(remote, `extract[${index}]`, violations));
  if (refreshSeconds !== undefined && refreshSeconds > 0 && refreshSeconds < SHORTEST_REFRESH_SECONDS) {
    violations.add('refresh', `${refreshSeconds} s`,
      `causes a request to the store every ${refreshSeconds} s for each secret, and stores limit requests. Use at least ${SHORTEST_REFRESH_SECONDS} s, or zero for once.`);
  }
  return violations.violations;
}

/** Checks a SecretProviderClass. @see https://cloud.google.com/secret-manager/docs/secret-manager-managed-csi-component */
export function validateSecretProviderClass({ driver, files, secretName }: SecretProviderClassSpec): Violation[] {
  const violations = new ViolationCollector();
  if (Object.keys(files).length === 0) {
    violations.add('secrets', files, 'is empty. List at least one file and its secret.');
  }
  for (const [file, secret] of Object.entries(files)) {
    const path = fieldPath('secrets', file);
    if (file.startsWith('/') || file === '' || file.split('/').some((part) => part === '..' || part === '.' || part === '')) {
      violations.add(path, file, 'must be a relative path without \'..\': it is a file below the mount path of the secrets.');
    } else if (secretName !== undefined) {
      checkKey(file, path, violations);
    }
    checkManaged(secret, path, violations);
  }
  if (secretName !== undefined && driver === 'gke') {
    violations.add('secretName', secretName, 'is created only by the open-source driver; the GKE add-on shows files. Leave it out, or use the driver SecretManagerDriver.OPEN_SOURCE.');
  } else if (secretName !== undefined) {
    checkName(secretName, 'secretName', violations);
  }
  return violations.violations;
}

function checkManaged({ project, location, name, version }: ManagedSecretSpec, path: string, violations: ViolationCollector): void {
  violations.form(path, project, PROJECT, 'is not a project: use its id (6 to 30 lower-case letters, digits and \'-\') or its number.');
  violations.form(path, name, MANAGED_SECRET_NAME,
    'is not a valid secret name in Secret Manager: at most 255 letters, digits, \'-\' and \'_\'. Use only the name, without the projects/ prefix.');
  violations.form(path, version, VERSION, 'is not a secret version: use a number from 1, an alias, or latest.');
  violations.form(path, location, /^[a-z]+-[a-z]+[0-9]+$/, 'is not a region, such as europe-west4.');
}

function checkRemote({ name, property }: RemoteSecretSpec, path: string, violations: ViolationCollector): void {
  if (name === '' || property === '') {
    violations.add(path, name === '' ? name : property, 'must not be empty: it is the name in the store.');
  }
}

function checkKey(key: string, path: string, violations: ViolationCollector): void {
  if (!SECRET_KEY.test(key) || key === '.' || key === '..') {
    violations.add(path, key, 'is not a valid Secret key: at most 253 letters, digits, \'-\', \'_\' and \'.\'.');
  }
}

function checkName(name: string, path: string, violations: ViolationCollector): void {
  if (!isSubdomain(name)) {
    violations.add(path, name, 'is not a valid object name: at most 253 lower-case letters, digits, \'-\' and \'.\', with a letter or digit at both ends.');
  }
}
