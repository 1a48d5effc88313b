/**
 * What the users and the programs of a control plane are known by: tokens, keys and certificates.
 *
 * The certificates by which the programs of one control plane know each other. etcd and the kubelet server of `trainyard dev` answer nobody who
 * cannot show one: on a developer's machine every other user, and every web page in a browser, reaches the ports of loopback.
 *
 * All of them are new at each start, and the key of their authority is kept nowhere: nothing else can be signed later, and nothing expires.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  createAuthority, issueClientCertificate, issuePeerCertificate, type KeyedCertificate,
} from '../../operator/runtime/credentials/certificates';

/** A user that the API server knows by a static token. */
export interface ControlPlaneUser {
  /** The name that RBAC sees. */
  readonly name: string;
  /** The groups that RBAC sees. @default none */
  readonly groups?: readonly string[];
  /** @default a random one, kept in the data folder */
  readonly token?: string;
}

/** A user with its token. */
export type AuthenticatedUser = Required<ControlPlaneUser>;

/** The user that every control plane has: a member of `system:masters`, to whom nothing is forbidden. */
export const ADMIN: ControlPlaneUser = { name: 'admin', groups: ['system:masters'] };

const TOKEN_FILE = 'tokens.csv';
/** What would break a line of the API server's token file, or a file name made from it. */
const FORBIDDEN_IN_FIELDS = /[",\s/]/;

/**
 * Writes the API server's token file. A user that an earlier start in the same folder knew keeps its token, so that kubeconfig files stay good.
 * @param users without the admin, who is always added
 * @throws Error naming the user, for a name, group or token that the file cannot hold
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
 * Makes the RS256 key pair that signs ServiceAccount tokens, once per folder: tokens of earlier starts stay valid.
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
 * The text of a kubeconfig. It is JSON, which is YAML too: every reader of kubeconfig files takes it.
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

/** Names by which the servers are reached. */
const HOSTS = ['127.0.0.1', 'localhost'];

/** Longer than any control plane runs: certificates are made at each start. */
const LIFETIME_MS = 10 * 365 * 24 * 3600 * 1000;

export interface KeyPairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Files of {@link writeTlsFiles}. */
export interface TlsFiles {
  /** The authority that signed both. */
  readonly caFile: string;
  /** What etcd and the kubelet server show. */
  readonly server: KeyPairFiles;
  /** What the API server shows to both. */
  readonly client: KeyPairFiles;
}

/** Makes certificates for one run of a control plane. @param folder is replaced; only this user can read it */
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
