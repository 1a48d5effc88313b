/**
 * Certificates for a server of our own: a certificate authority, and certificates that it signs. ECDSA with P-256, which every TLS client of the
 * last ten years takes, and whose certificates are small enough to travel in an annotation.
 */
import type { Extension } from '@peculiar/x509';
import { X509Certificate, createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import net from 'node:net';

/** A certificate and its private key, both as PEM. */
export interface KeyedCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Clocks of two machines may differ; a certificate is valid this much before it was made, milliseconds. */
const BACKDATED_MS = 5 * 60_000;

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** What a certificate says, as far as rotation asks. */
export interface CertificateFacts {
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** What writes certificates. Imported when one is made: a process that only reads them saves the memory of twenty packages. */
async function writing(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/**
 * Makes a certificate authority that signs itself.
 * @param name its common name
 * @param now milliseconds since the epoch
 * @param lifetimeMs how long it is valid
 */
export async function createAuthority(name: string, now: number, lifetimeMs: number): Promise<KeyedCertificate> {
  const { BasicConstraintsExtension, KeyUsagesExtension, KeyUsageFlags, SubjectKeyIdentifierExtension } = await writing();
  const keys = await newKeys();
  return signed({
    subject: commonName(name), issuer: commonName(name), keys, signingKey: keys.privateKey, now, lifetimeMs,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
}

/**
 * Makes a server's certificate.
 * @param authority who signs it
 * @param hosts names and addresses of the server; at least one
 */
export async function issueServerCertificate(
  authority: KeyedCertificate, hosts: readonly string[], now: number, lifetimeMs: number,
): Promise<KeyedCertificate> {
  return issueCertificate(authority, { name: hosts[0], usages: ['serverAuth'], hosts }, now, lifetimeMs);
}

/**
 * Makes a certificate by which a client shows that it belongs to those whom an authority knows.
 * @param authority who signs it
 * @param name its common name
 */
export async function issueClientCertificate(
  authority: KeyedCertificate, name: string, now: number, lifetimeMs: number,
): Promise<KeyedCertificate> {
  return issueCertificate(authority, { name, usages: ['clientAuth'], hosts: [] }, now, lifetimeMs);
}

/**
 * Makes a certificate for what is both a server and a client, such as a member of an etcd cluster to its peers.
 * @param authority who signs it
 * @param hosts names and addresses of the server; at least one
 */
export async function issuePeerCertificate(
  authority: KeyedCertificate, hosts: readonly string[], now: number, lifetimeMs: number,
): Promise<KeyedCertificate> {
  return issueCertificate(authority, { name: hosts[0], usages: ['serverAuth', 'clientAuth'], hosts }, now, lifetimeMs);
}

/** Reads a certificate. @throws Error when it is none */
export function certificateFacts(pem: string): CertificateFacts {
  const { validFrom, validTo } = new X509Certificate(pem);
  return { notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) };
}

/** Whether a certificate is for a host: its name, which no pattern of the certificate matches, or its address. */
export function isFor(pem: string, host: string): boolean {
  const certificate = new X509Certificate(pem);
  const found = net.isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host, { wildcards: false, subject: 'never' });
  return found !== undefined;
}

/** Whether an authority has signed a certificate. */
export function isIssuedBy(certificate: string, authority: string): boolean {
  return new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey);
}

/** Whether this is as it was made here: both can be read, and the key is that of the certificate. With another one no server starts. */
export function isUsable({ certificate, key }: KeyedCertificate, kind: 'authority' | 'server'): boolean {
  try {
    const [parsed, privateKey] = [new X509Certificate(certificate), createPrivateKey(key)];
    const isOurs = privateKey.asymmetricKeyDetails?.namedCurve === 'prime256v1' && parsed.ca === (kind === 'authority');
    return isOurs && parsed.checkPrivateKey(privateKey);
  } catch {
    return false;
  }
}

/** The blocks of a PEM file one by one. */
export function pemBlocks(text: string): string[] {
  return [...text.matchAll(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g)].map(([block]) => `${block}\n`);
}

interface Purpose {
  readonly name: string;
  readonly usages: readonly ('serverAuth' | 'clientAuth')[];
  /** Of a server. */
  readonly hosts: readonly string[];
}

async function issueCertificate(
  authority: KeyedCertificate, { name, usages, hosts }: Purpose, now: number, lifetimeMs: number,
): Promise<KeyedCertificate> {
  const {
    AuthorityKeyIdentifierExtension, BasicConstraintsExtension, ExtendedKeyUsage, ExtendedKeyUsageExtension, KeyUsageFlags, KeyUsagesExtension,
    SubjectAlternativeNameExtension, X509Certificate: WrittenCertificate,
  } = await writing();
  const issuer = new WrittenCertificate(authority.certificate);
  const keys = await newKeys();
  const names = hosts.map((host) => ({ type: net.isIP(host) ? 'ip' as const : 'dns' as const, value: host }));
  return signed({
    subject: commonName(name), issuer: issuer.subject, keys, signingKey: await readPrivateKey(authority.key), now, lifetimeMs,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension(usages.map((usage) => ExtendedKeyUsage[usage])),
      ...(names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
}

interface CertificateOptions {
  readonly subject: string;
  readonly issuer: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly signingKey: webcrypto.CryptoKey;
  readonly now: number;
  readonly lifetimeMs: number;
  readonly extensions: Extension[];
}

async function signed({ subject, issuer, keys, signingKey, now, lifetimeMs, extensions }: CertificateOptions): Promise<KeyedCertificate> {
  const { X509CertificateGenerator } = await writing();
  // The first bit is not set: a serial number is positive.
  const serial = randomBytes(16);
  serial[0] &= 0x7f;
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial.toString('hex'),
    subject,
    issuer,
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + lifetimeMs),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: SIGNATURE,
    extensions,
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
  };
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
}

async function readPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' });
  return webcrypto.subtle.importKey('pkcs8', der, KEY_ALGORITHM, false, ['sign']);
}

/** A common name has at most 64 characters; what counts are the alternative names. */
function commonName(name: string): string {
  return `CN=${name.slice(0, 64).replace(/[^-.A-Za-z0-9 ]/g, '-')}`;
}
