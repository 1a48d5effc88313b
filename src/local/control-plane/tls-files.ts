/**
 * The certificates by which the programs of one control plane know each other. etcd and the kubelet server of `trainyard dev` answer nobody who cannot
 * show one: on a developer's machine every other user, and every web page in a browser, reaches the ports of loopback.
 *
 * All of them are new at each start, and the key of their authority is kept nowhere: nothing else can be signed later, and nothing expires.
 */
import fs from 'node:fs';
import path from 'node:path';
import {
  createAuthority, issueClientCertificate, issuePeerCertificate, type KeyedCertificate,
} from '../../operator/runtime/credentials/certificates';

/** Names by which the servers are reached. */
const HOSTS = ['127.0.0.1', 'localhost'];

/** Longer than any control plane runs: certificates are made at each start. */
const LIFETIME_MS = 10 * 365 * 24 * 3600 * 1000;

/** A certificate and its key as files. */
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

/**
 * Makes certificates for one run of a control plane.
 *
 * @param folder is made anew; only this user can read it
 */
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
