/**
 * Tokens, keys and certificates of the users and programs of a control plane.
 *
 * etcd and the kubelet server of `trainyard dev` require a certificate of this control plane: on a developer's machine every other user, and every
 * web page in a browser, can reach the ports of loopback. Certificates are new at each start, and the key of their authority is not stored, so no
 * others can be signed later.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  createAuthority, issueClientCertificate, issuePeerCertificate, type KeyedCertificate,
} from '../../operator/runtime/credentials/certificates';

/** A user with a static token. */
export interface ControlPlaneUser {
  /** The name that RBAC sees. */
  readonly name: string;
  /** The groups that RBAC sees. @default none */
  readonly groups?: readonly string[];
  /** @default a random one, kept in the data folder */
  readonly token?: string;
}

export type AuthenticatedUser = Required<ControlPlaneUser>;

/** A user of every control plane, with all permissions as a member of `system:masters`. */
export const ADMIN: ControlPlaneUser = { name: 'admin', groups: ['system:masters'] };

const TOKEN_FILE = 'tokens.csv';
/** Characters that are not allowed in the token file, or in file names with the user's name. */
const FORBIDDEN_IN_FIELDS = /[",\s/]/;

/**
 * Writes the API server's token file. Users of an earlier start in the same folder keep their tokens, so that kubeconfig files stay valid.
 * @param users without the admin, who is always added
 * @throws Error with the user, for a name, group or token with characters that are not allowed
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file
 */
export function writeTokenFile(folder: string, users: readonly ControlPlaneUser[]): { file: string; users: AuthenticatedUser[] } {
  const file = path.join(folder, TOKEN_FILE);
  const earlier = readTokens(file);
  const names = new Set<string>();
  const all = [ADMIN, ...users].map((user) => {
    for (const field of [user.name, user.token, ...user.groups ?? []]) {
      if (field !== undefined && (field === '' || FORBIDDEN_IN_FIELDS.test(field))) {
        throw new Error(`Control plane user "${user.name}": "${field}" must not be empty or contain a comma, quote, slash or space.`);
      }
    }
    if (names.has(user.name)) {
      throw new Error(`Control plane user "${user.name}" is listed twice${user.name === ADMIN.name ? '; every control plane already has it' : ''}.`);
    }
    names.add(user.name);
    const token = user.token ?? earlier.get(user.name) ?? crypto.randomBytes(24).toString('hex');
    return { name: user.name, groups: user.groups ?? [], token };
  });
  // Columns: token, user, uid, and the groups as one quoted field.
  const lines = all.map(({ token, name, groups }) => `${token},${name},${name},"${groups.join(',')}"`);
  fs.writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return { file, users: all };
}

function readTokens(file: string): Map<string, string> {
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  return new Map(text.split('\n').filter(Boolean).map((line) => {
    const [token, name] = line.split(',');
    return [name, token];
  }));
}

/**
 * Creates the RS256 key pair for ServiceAccount tokens once per folder, so that tokens of earlier starts stay valid.
 * @returns the file of the private key and that of the public key
 */
export async function ensureServiceAccountKeys(folder: string): Promise<{ privateKey: string; publicKey: string }> {
  const files = { privateKey: path.join(folder, 'service-account.key'), publicKey: path.join(folder, 'service-account.pub') };
  if (!fs.existsSync(files.publicKey)) {
    const pair = await promisify(crypto.generateKeyPair)('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    fs.writeFileSync(files.privateKey, pair.privateKey, { mode: 0o600 });
    fs.writeFileSync(files.publicKey, pair.publicKey);
  }
  return files;
}

/**
 * The text of a kubeconfig, in JSON, which is also YAML.
 * @param ca the API server's certificate authority, PEM
 */
export function renderKubeconfig(url: string, ca: string, user: AuthenticatedUser): string {
  const config = {
    'apiVersion': 'v1',
    'kind': 'Config',
    'clusters': [{ name: 'trainyard', cluster: { 'server': url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    'users': [{ name: user.name, user: { token: user.token } }],
    'contexts': [{ name: 'trainyard', context: { cluster: 'trainyard', user: user.name, namespace: 'default' } }],
    'current-context': 'trainyard',
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** Host names of the servers. */
const HOSTS = ['127.0.0.1', 'localhost'];

/** Longer than any control plane runs. */
const LIFETIME_MS = 10 * 365 * 24 * 3600 * 1000;

export interface KeyPairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Files of {@link writeTlsFiles}. */
export interface TlsFiles {
  /** The authority that signed both. */
  readonly caFile: string;
  /** The certificate of etcd and the kubelet server. */
  readonly server: KeyPairFiles;
  /** The client certificate of the API server. */
  readonly client: KeyPairFiles;
}

/** Creates certificates for one run of a control plane. @param folder is replaced; only this user can read it */
export async function writeTlsFiles(folder: string): Promise<TlsFiles> {
  const now = Date.now();
  const authority = await createAuthority('trainyard control plane', now, LIFETIME_MS);
  const [server, client] = await Promise.all([
    issuePeerCertificate(authority, HOSTS, now, LIFETIME_MS),
    issueClientCertificate(authority, 'kube-apiserver', now, LIFETIME_MS),
  ]);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { mode: 0o700 });
  const caFile = path.join(folder, 'ca.crt');
  fs.writeFileSync(caFile, authority.certificate, { mode: 0o600 });
  return { caFile, server: writePair(folder, 'server', server), client: writePair(folder, 'client', client) };
}

function writePair(folder: string, name: string, { certificate, key }: KeyedCertificate): KeyPairFiles {
  const files = { certFile: path.join(folder, `${name}.crt`), keyFile: path.join(folder, `${name}.key`) };
  fs.writeFileSync(files.certFile, certificate, { mode: 0o600 });
  fs.writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}
