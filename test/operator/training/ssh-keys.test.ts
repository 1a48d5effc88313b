import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { newMpiSshKeys, newSshKeyPair } from '../../../src/operator/training/ssh-keys';

const hasSshKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined;

describe('ssh keys of MPI jobs', () => {
  test('the public line holds the point of the private key', () => {
    const { privateKey, publicKey } = newSshKeyPair();
    const [type, base64] = publicKey.split(' ');
    const blob = Buffer.from(base64, 'base64');
    const { x, y } = createPublicKey(createPrivateKey(privateKey)).export({ format: 'jwk' });

    expect(type).toBe('ecdsa-sha2-nistp521');
    expect(blob.subarray(0, 4).readUInt32BE()).toBe(type.length);
    expect(blob.subarray(-132, -66)).toEqual(Buffer.from(x!, 'base64url'));
    expect(blob.subarray(-66)).toEqual(Buffer.from(y!, 'base64url'));
  });

  test('client and host keys differ, and every call makes new ones', () => {
    const [first, second] = [newMpiSshKeys(), newMpiSshKeys()];
    const all = [first.client, first.host, second.client, second.host].map((pair) => pair.publicKey);
    expect(new Set(all).size).toBe(4);
  });

  (hasSshKeygen ? test : test.skip)('OpenSSH reads the private key and finds the same public key (needs ssh-keygen)', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-ssh-keys-'));
    try {
      const file = path.join(folder, 'key');
      // Coordinates with leading zeros are rare and easily lost: several keys, not one.
      for (let i = 0; i < 8; i++) {
        const { privateKey, publicKey } = newSshKeyPair();
        fs.writeFileSync(file, privateKey, { mode: 0o600 });
        expect(execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' }).trim()).toBe(publicKey);
        fs.rmSync(file);
      }
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});
