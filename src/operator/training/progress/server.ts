/**
 * The progress endpoint of one replica of the operator: its certificates, its checks of tokens, and its writer. Every replica has one, because their
 * Service leads to any of them.
 */
import { answerProgress, FORBIDDEN, type Outcome } from './endpoint';
import { ReportRates, Reporters } from './reporters';
import { ProgressWriter } from './writer';
import type { OperatorMetrics } from '../metrics/operator-metrics';
import type { PodObject, TrainingJobObject } from '../resources';
import { OPERATOR_PROGRESS_SECRET } from '../../../manifests/operator/settings';
import { PROGRESS_BODY_MAX_BYTES, progressAudience, type JobRef, type ProgressEndpoint } from '../../../model/progress/contract';
import { isApiError } from '../../runtime/http/api-error';
import { CertificateKeeper } from '../../runtime/credentials/certificate-keeper';
import { authoritiesFile, type CertificateSet } from '../../runtime/credentials/certificate-rotation';
import { SYSTEM_CLOCK, sleep } from '../../runtime/process/clock';
import { JsonServer } from '../../runtime/http/json-server';
import type { KubeClient } from '../../runtime/kube-client';
import type { Logger } from '../../runtime/process/logger';
import { TokenRefused, TokenVerifier } from '../../runtime/credentials/token-verifier';

/** Where the endpoint is. */
export interface ProgressConfig {
  /** `PROGRESS_URL`: base URL by which replicas reach it, over the Service. */
  readonly url: string;
  /** `PROGRESS_PORT`: port to listen on. @default - the URL's */
  readonly port: number;
  /** `PROGRESS_HOST`. @default - all addresses */
  readonly host?: string;
  /** `PROGRESS_CERTIFICATES_SECONDS`: how often the Secret with its certificates is looked at. */
  readonly certificatesSeconds: number;
}

/** Settings of a {@link ProgressServer}. */
export interface ProgressServerOptions {
  readonly config: ProgressConfig;
  readonly client: KubeClient;
  /** Namespace of the operator, where the Secret with its certificates is. */
  readonly namespace: string;
  readonly logger: Logger;
  readonly find: (job: JobRef) => TrainingJobObject | undefined;
  readonly findPod: (namespace: string, name: string) => PodObject | undefined;
  /** Whether a token has to be bound to a pod of its job, as a kubelet's are. Under `trainyard dev` they cannot be: pods name no accounts. */
  readonly boundTokens: boolean;
  readonly watches: (namespace: string) => boolean;
  readonly written: (job: TrainingJobObject) => void;
  readonly metrics: Pick<OperatorMetrics, 'progressAnswered' | 'progressRefused'>;
}

/** Pause before the certificates are asked for again, milliseconds. */
const RETRY_MS = 1_000;

/** See the top of this file. */
export class ProgressServer {
  private readonly writer: ProgressWriter;
  private readonly verifier: TokenVerifier;
  private readonly reporters: Reporters;
  private readonly rates = new ReportRates();
  private readonly keeper: CertificateKeeper;
  private readonly end = new AbortController();
  private server?: JsonServer;
  private certificates?: CertificateSet;
  private keeping?: Promise<void>;

  private constructor(private readonly options: ProgressServerOptions) {
    const { client, logger, namespace, config, find, findPod, watches, written } = options;
    this.writer = new ProgressWriter({ client, logger, find, watches, written });
    this.verifier = new TokenVerifier({ client });
    this.reporters = new Reporters({ client, findJob: find, findPod });
    this.keeper = new CertificateKeeper({
      client,
      logger,
      secret: { namespace, name: OPERATOR_PROGRESS_SECRET },
      wish: { name: 'trainyard progress', hosts: hostsOf(config.url) },
      intervalMs: config.certificatesSeconds * 1000,
      onChange: (set) => {
        this.certificates = set;
        this.server?.setCertificate(tlsOf(set));
      },
    });
  }

  /**
   * Starts it. While the API server is away this waits for it, as everything else in the operator does.
   * @returns undefined when the operator may not keep its certificates, or was asked to end meanwhile; jobs then run without the endpoint
   */
  public static async start(options: ProgressServerOptions, signal: AbortSignal): Promise<ProgressServer | undefined> {
    for (;;) {
      const made = new ProgressServer(options);
      try {
        await made.listen();
        return made;
      } catch (error) {
        await made.close();
        if (isApiError(error, 'isForbidden') || isApiError(error, 'isNotFound')) {
          options.logger.error('no progress endpoint: the operator does not have permission to manage its certificates', { secret: OPERATOR_PROGRESS_SECRET, error });
          return undefined;
        }
        if (isSystemError(error)) {
          throw new Error(`Listening for progress reports on port ${options.config.port}: ${error.message}. Set PROGRESS_PORT.`, { cause: error });
        }
        options.logger.warn('the progress endpoint could not be started, will be retried', { error });
      }
      await sleep(SYSTEM_CLOCK, RETRY_MS, signal);
      if (signal.aborted) {
        return undefined;
      }
    }
  }

  /** What new pods are told. */
  public get endpoint(): ProgressEndpoint {
    return { url: this.options.config.url, authorities: authoritiesFile(this.certificates!) };
  }

  /** Open connections. */
  public get connections(): number {
    return this.server?.connections ?? 0;
  }

  /** Stops listening, and writes what waits to be written. */
  public async close(): Promise<void> {
    this.end.abort();
    await this.server?.close();
    await this.keeping;
    await this.writer.flush();
  }

  private async listen(): Promise<void> {
    const { config, logger, metrics } = this.options;
    const certificates = await this.keeper.ensure();
    this.server = new JsonServer({
      logger,
      port: config.port,
      host: config.host,
      tls: tlsOf(certificates),
      maxBodyBytes: PROGRESS_BODY_MAX_BYTES,
      onAnswer: (status) => metrics.progressAnswered(status),
      onRefused: (reason) => metrics.progressRefused(reason),
      handle: (request) => answerProgress(request, {
        authorize: (job, token) => this.authorize(job, token),
        accept: (job, report) => this.writer.accept(job, report),
      }),
    });
    const port = await this.server.listen();
    this.keeping = this.keeper.run(this.end.signal);
    logger.info('progress endpoint is listening', { port, url: config.url });
  }

  private async authorize(job: JobRef, token: string): Promise<Outcome> {
    const { logger, watches, boundTokens } = this.options;
    try {
      const claims = await this.verifier.verify(token, progressAudience(job));
      if (claims.namespace !== job.namespace) {
        return FORBIDDEN;
      }
      if (!watches(job.namespace)) {
        // Its pods and jobs are another operator's, and this one may not read them.
        return { kind: 'noSuchJob' };
      }
      const permission: Outcome = boundTokens ? await this.reporters.check(job, claims) : { kind: 'accepted' };
      if (permission.kind === 'forbidden') {
        logger.debug('a report was rejected', { ...job, why: permission.message });
      }
      return permission.kind === 'accepted' ? this.rates.take(job) : permission;
    } catch (error) {
      if (error instanceof TokenRefused) {
        logger.debug('a token was rejected', { ...job, why: error.message });
        return FORBIDDEN;
      }
      throw error;
    }
  }
}

function tlsOf({ server }: CertificateSet) {
  return { cert: server.certificate, key: server.key };
}

/** Names that clients may know the server by: the URL's, and a Service's also in full. */
function hostsOf(url: string): string[] {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return host.endsWith('.svc') ? [host, `${host}.cluster.local`] : [host];
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return (error as NodeJS.ErrnoException).syscall === 'listen';
}
