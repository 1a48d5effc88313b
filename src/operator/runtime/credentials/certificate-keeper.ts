/**
 * Keeps a server's certificates in a Secret, which all replicas of the operator share: whoever comes first makes them, and whoever finds them due
 * replaces them. A write carries the version that was read, so of two replicas one wins and the other takes what it wrote.
 */
import { certificateFacts, isUsable, pemBlocks, type KeyedCertificate } from './certificates';
import { authoritiesFile, rotated, withFormer, type CertificateSet, type CertificateWish, type PresentCertificates } from './certificate-rotation';
import { isApiError } from '../http/api-error';
import { SYSTEM_CLOCK, sleep, type Clock } from '../process/clock';
import type { KubeClient } from '../kube-client';
import type { KubeObject } from '../kube-object';
import type { Logger } from '../process/logger';
import { SECRETS, type ResourceRef } from '../resource-kind';

/** Settings of a {@link CertificateKeeper}. */
export interface CertificateKeeperOptions {
  readonly client: Pick<KubeClient, 'tryGet' | 'create' | 'replace'>;
  readonly secret: Required<ResourceRef>;
  readonly wish: CertificateWish;
  readonly logger: Logger;
  /** How often the Secret is looked at, milliseconds. */
  readonly intervalMs: number;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
  /** Called with the certificates, and again whenever others take their place. */
  readonly onChange: (set: CertificateSet) => void;
}

/** A Secret with certificates. */
export interface CertificateSecret extends KubeObject {
  type?: string;
  data?: { [key: string]: string };
}

/** Writes that may meet another replica's before something must be wrong. */
const ATTEMPTS = 5;

/** Keys of the Secret; those of `kubernetes.io/tls` and the authorities. */
const KEYS = { certificate: 'tls.crt', key: 'tls.key', authorities: 'ca.crt', authorityKeys: 'ca.key' } as const;

/** See the top of this file. */
export class CertificateKeeper {
  private readonly clock: Clock;
  private known?: CertificateSet;
  private version?: string;

  public constructor(private readonly options: CertificateKeeperOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** Reads the certificates, and makes those that are due. @throws Error when the API server does not let it */
  public async ensure(): Promise<CertificateSet> {
    for (let attempt = 1; ; attempt++) {
      const found = await this.options.client.tryGet<CertificateSecret>(SECRETS, this.options.secret);
      const isKnown = this.known !== undefined && found?.metadata?.resourceVersion === this.version;
      const read = isKnown ? this.known : this.read(found);
      // Of a Secret that somebody deleted or overwrote we may know what was in it: pods that run trust that.
      const now = this.clock.now();
      const wanted = await rotated(withFormer(read, this.known, now), this.options.wish, now);
      try {
        const stored = wanted === read ? found : await this.write(wanted, found);
        return this.take(wanted, stored?.metadata?.resourceVersion);
      } catch (error) {
        const isLate = isApiError(error, 'isConflict') || isApiError(error, 'isAlreadyExists') || isApiError(error, 'isNotFound');
        if (!isLate || attempt >= ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  /** Looks again and again until the signal aborts. What goes wrong is logged and tried again: the certificates that are there live on for long. */
  public async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.clock, this.options.intervalMs, signal);
      if (!signal.aborted) {
        await this.ensure().catch((error: unknown) => this.options.logger.warn('the certificates could not be checked, will be retried', { error }));
      }
    }
  }

  private take(set: CertificateSet, version: string | undefined): CertificateSet {
    const isNews = this.known === undefined || this.version !== version;
    this.known = set;
    this.version = version;
    if (isNews) {
      this.options.onChange(set);
    }
    return set;
  }

  private async write(set: CertificateSet, found: CertificateSecret | undefined): Promise<CertificateSecret> {
    const { client, secret, logger } = this.options;
    const data = Object.fromEntries(Object.entries({
      [KEYS.certificate]: set.server.certificate,
      [KEYS.key]: set.server.key,
      [KEYS.authorities]: authoritiesFile(set),
      [KEYS.authorityKeys]: set.authorities.map(({ key }) => key).join(''),
    }).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
    const metadata = { ...secret, resourceVersion: found?.metadata?.resourceVersion };
    const object = { apiVersion: 'v1', kind: 'Secret', type: found?.type ?? 'Opaque', metadata, data };
    const written = found === undefined
      ? await client.create<CertificateSecret>(SECRETS, object)
      : await client.replace<CertificateSecret>(SECRETS, object);
    logger.info('created new certificates', {
      secret: secret.name, authorities: set.authorities.length, until: new Date(certificateFacts(set.server.certificate).notAfter).toISOString(),
    });
    return written;
  }

  /** What the Secret holds that can be used; the rest is made again. */
  private read(found: CertificateSecret | undefined): PresentCertificates | undefined {
    if (found === undefined) {
      return undefined;
    }
    const file = (key: string) => Buffer.from(found.data?.[key] ?? '', 'base64').toString('utf8');
    const keys = pemBlocks(file(KEYS.authorityKeys));
    const certificates = pemBlocks(file(KEYS.authorities));
    const authorities = certificates.flatMap((certificate): KeyedCertificate[] => {
      const key = keys.find((one) => isUsable({ certificate, key: one }, 'authority'));
      return key === undefined ? [] : [{ certificate, key }];
    });
    const server = { certificate: file(KEYS.certificate), key: file(KEYS.key) };
    const isWhole = isUsable(server, 'server');
    if (!isWhole || certificates.length === 0 || authorities.length < certificates.length) {
      this.options.logger.warn('certificates in the Secret cannot be used, creating new ones', { secret: this.options.secret.name });
    }
    return { authorities, ...(isWhole && { server }) };
  }
}
