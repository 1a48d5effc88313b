/**
 * Keys for the ssh connections inside an MPI job: ECDSA on P-521, as Kubeflow Trainer v2 makes them. OpenSSH reads this kind of key in the
 * PEM form (SEC1) that node:crypto writes; the public line it wants is put together here.
 * @see https://www.rfc-editor.org/rfc/rfc5656#section-3.1
 */
import { generateKeyPairSync } from 'node:crypto';
import type { MpiSshKeys, SshKeyPair } from '../../manifests/job/mpi-files';

const KEY_TYPE = 'ecdsa-sha2-nistp521';
const CURVE = 'nistp521';

/** Bytes of an uncompressed point on P-521, with which its DER form ends: 4, X and Y. */
const POINT_BYTES = 1 + 2 * 66;

/** Both key pairs of a job, new ones. */
export function newMpiSshKeys(): MpiSshKeys {
  return { client: newSshKeyPair(), host: newSshKeyPair() };
}

/** A new key pair. */
export function newSshKeyPair(): SshKeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-521' });
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-POINT_BYTES);
  const blob = Buffer.concat([sshString(Buffer.from(KEY_TYPE)), sshString(Buffer.from(CURVE)), sshString(point)]);
  return {
    privateKey: privateKey.export({ format: 'pem', type: 'sec1' }).toString(),
    publicKey: `${KEY_TYPE} ${blob.toString('base64')}`,
  };
}

/** A length in four bytes, then the bytes. */
function sshString(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
