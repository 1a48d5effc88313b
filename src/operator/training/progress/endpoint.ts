/**
 * The endpoint that training scripts report to, on the wire that of Kubeflow Trainer v2.3: who may report, what a report is, and what is answered.
 * What becomes of a report is the caller's: the operator writes it to the API server, the local runner keeps it.
 *
 * Differences from v2.3.0, all beyond what its clients do: a refusal says what is wrong, text after the JSON object is refused with 422, and a body
 * without a `Content-Length` that is too large gets 413 as one with it (both as in later versions of Trainer).
 * @see https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/statusserver/server.go
 */
import { parseProgressPath, type JobRef } from '../../../model/progress/contract';
import { parseProgressReport, type ProgressReport } from '../../../model/progress/report';
import { formatViolations } from '../../../model/violations';
import { failure, type JsonAnswer, type JsonRequest } from '../../runtime/json-server';

/** What happened to a report. */
export type Outcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'noSuchJob' }
  /** The API server's own words. */
  | { readonly kind: 'invalid'; readonly message: string };

/** What stands behind the endpoint. */
export interface ProgressBackend {
  /** Whether the bearer of `token` may report for the job. An error is answered with 500. */
  authorize(job: JobRef, token: string): Promise<boolean>;

  /** Takes in a report that is not empty. When it holds a checkpoint, that has to be durable before this resolves. */
  accept(job: JobRef, report: ProgressReport): Promise<Outcome>;
}

/** Answers one request. */
export async function answerProgress(request: JsonRequest, backend: ProgressBackend): Promise<JsonAnswer> {
  const job = request.method === 'POST' ? parseProgressPath(request.path) : undefined;
  if (job === undefined) {
    return failure(404, 'NotFound', 'Not found');
  }
  const [, token] = /^Bearer ([^ ]+)$/.exec(request.authorization ?? '') ?? [];
  if (token === undefined || !await backend.authorize(job, token)) {
    return failure(403, 'Forbidden', 'Forbidden');
  }
  const parsed = parseProgressReport(await request.body());
  if ('violations' in parsed) {
    return failure(422, 'Invalid', `Invalid payload: ${formatViolations(parsed.violations, '; ')}`);
  }
  const { report } = parsed;
  if (report.trainerStatus !== undefined || report.checkpoint !== undefined) {
    const outcome = await backend.accept(job, report);
    if (outcome.kind === 'noSuchJob') {
      return failure(404, 'NotFound', 'Train job not found');
    }
    if (outcome.kind === 'invalid') {
      return failure(422, 'Invalid', outcome.message);
    }
  }
  return { status: 200, body: report };
}
