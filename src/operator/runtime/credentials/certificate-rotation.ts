/**
 * Which certificates there should be, as a pure function of those that there are and of the time.
 *
 * Authorities overlap. A new one is made when the newest has half its life behind it, and is published at once next to the older: whoever starts from
 * then on trusts both. Certificates go on being signed by the OLDEST authority that lives long enough, so that a client that read the list of
 * authorities once and runs for months is not cut off when a new one appears, and only when the old one ends, half a life later.
 */
import { certificateFacts, createAuthority, isFor, isIssuedBy, issueServerCertificate, type KeyedCertificate } from './certificates';

/** Certificates of one server. */
export interface CertificateSet {
  /** From the oldest to the newest. */
  readonly authorities: readonly KeyedCertificate[];
  readonly server: KeyedCertificate;
}

/** What is left of a set, such as of a Secret that somebody has overwritten in part. */
export type PresentCertificates = Partial<Pick<CertificateSet, 'server'>> & Pick<CertificateSet, 'authorities'>;

/** What is wanted. */
export interface CertificateWish {
  /** Common name of authorities. */
  readonly name: string;
  /** Names and addresses of the server. */
  readonly hosts: readonly string[];
  /** @default two years */
  readonly authorityLifetimeMs?: number;
  /** @default thirty days */
  readonly serverLifetimeMs?: number;
}

const DAY_MS = 24 * 3600 * 1000;

/** A certificate is replaced when it has less than this part of its life left. */
const RENEWED_AT = 1 / 3;

/** The set that should stand; the very same object when nothing has to change. */
export async function rotated(present: PresentCertificates | undefined, wish: CertificateWish, now: number): Promise<CertificateSet> {
  const { name, hosts, authorityLifetimeMs = 730 * DAY_MS, serverLifetimeMs = 30 * DAY_MS } = wish;
  const alive = (present?.authorities ?? []).filter((authority) => isValid(authority, now));
  const newest = alive.at(-1);
  const authorities = newest !== undefined && leftMs(newest, now) > authorityLifetimeMs / 2
    ? alive
    : [...alive, await createAuthority(name, now, authorityLifetimeMs)];
  const server = present?.server;
  if (present !== undefined && server !== undefined && isGood(server, authorities, hosts, now, serverLifetimeMs)) {
    const isSame = authorities.length === present.authorities.length && authorities.every((one, index) => one === present.authorities[index]);
    return isSame ? present as CertificateSet : { authorities, server };
  }
  const signer = authorities.find((authority) => leftMs(authority, now) > serverLifetimeMs) ?? authorities.at(-1)!;
  return { authorities, server: await issueServerCertificate(signer, hosts, now, Math.min(serverLifetimeMs, leftMs(signer, now))) };
}

/**
 * A set with the authorities that clients were told before too. Where it lacks one of them, such as after another replica found nothing and made new
 * ones, the former server's certificate comes back as well: clients that run trust its authority and will not read another one.
 */
export function withFormer(
  present: PresentCertificates | undefined, former: CertificateSet | undefined, now: number,
): PresentCertificates | undefined {
  const missing = former?.authorities.filter((authority) => (
    isValid(authority, now) && !present?.authorities.some(({ certificate }) => certificate === authority.certificate))) ?? [];
  if (former === undefined || missing.length === 0) {
    return present;
  }
  const begin = ({ certificate }: KeyedCertificate) => certificateFacts(certificate).notBefore;
  return { authorities: [...missing, ...present?.authorities ?? []].sort((one, other) => begin(one) - begin(other)), server: former.server };
}

/** The authorities as one file. */
export function authoritiesFile(set: CertificateSet): string {
  return set.authorities.map(({ certificate }) => certificate).join('');
}

function isGood(
  server: KeyedCertificate, authorities: readonly KeyedCertificate[], hosts: readonly string[], now: number, lifetimeMs: number,
): boolean {
  return isValid(server, now) && leftMs(server, now) >= lifetimeMs * RENEWED_AT && hosts.every((host) => isFor(server.certificate, host))
    && authorities.some(({ certificate }) => isIssuedBy(server.certificate, certificate));
}

/** One that begins later was made by a machine whose clock is ahead: no client takes it before. */
function isValid({ certificate }: KeyedCertificate, now: number): boolean {
  const { notBefore, notAfter } = certificateFacts(certificate);
  return notBefore <= now && now < notAfter;
}

function leftMs({ certificate }: KeyedCertificate, now: number): number {
  return certificateFacts(certificate).notAfter - now;
}
