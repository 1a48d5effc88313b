/**
 * The endpoint for progress reports of scripts in a local run: the protocol of the operator, on loopback, without TLS, with a random token.
 */
import crypto from 'node:crypto';
import { PROGRESS_BODY_MAX_BYTES, type ProgressEndpoint } from '../../model/progress/contract';
import { checkpointStatus, withProgress } from '../../model/progress/progress-status';
import type { ProgressReport } from '../../model/progress/report';
import type { TrainingJobStatus } from '../../model/training-job/status/status';
import { JsonServer } from '../../operator/runtime/http/json-server';
import { answerProgress, FORBIDDEN, type Outcome } from '../../operator/training/progress/endpoint';

export interface LocalProgressOptions {
  readonly jobName: string;
  readonly namespace: string;
  readonly onReport: (report: ProgressReport) => void;
  readonly warn: (message: string) => void;
}

export class LocalProgress {
  /** The token of scripts. */
  public readonly token = crypto.randomBytes(24).toString('base64url');
  private readonly server: JsonServer;
  private port = 0;

  private constructor(options: LocalProgressOptions) {
    const { jobName, namespace, onReport } = options;
    const isOurs = (job: { readonly namespace: string; readonly name: string }) => job.name === jobName && job.namespace === namespace;
    this.server = new JsonServer({
      logger: { warn: (message, fields) => options.warn(`${message}: ${String(fields?.error)}`) },
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: PROGRESS_BODY_MAX_BYTES,
      handle: (request) => answerProgress(request, {
        authorize: async (_job, token): Promise<Outcome> => (isSame(token, this.token) ? { kind: 'accepted' } : FORBIDDEN),
        accept: async (job, report): Promise<Outcome> => {
          if (!isOurs(job)) {
            return { kind: 'noSuchJob' };
          }
          onReport(report);
          return { kind: 'accepted' };
        },
      }),
    });
  }

  /** Starts it on a free port of 127.0.0.1. */
  public static async start(options: LocalProgressOptions): Promise<LocalProgress> {
    const made = new LocalProgress(options);
    made.port = await made.server.listen();
    return made;
  }

  /** The address for pods. */
  public get endpoint(): ProgressEndpoint {
    return { url: `http://127.0.0.1:${this.port}` };
  }

  /** Stops listening. */
  public async close(): Promise<void> {
    await this.server.close();
  }
}

/** The status after a report. */
export function withReport(status: TrainingJobStatus, report: ProgressReport, now: number): TrainingJobStatus {
  return {
    ...status,
    ...(report.trainerStatus && withProgress(status, report.trainerStatus, now)),
    ...(report.checkpoint && { checkpoint: checkpointStatus(report.checkpoint, now) }),
  };
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => crypto.createHash('sha256').update(text).digest();
  return crypto.timingSafeEqual(digest(given), digest(expected));
}
