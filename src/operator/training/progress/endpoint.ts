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
import { failure, type JsonAnswer, type JsonRequest } from '../../runtime/http/json-server';

/** What happened to a report. */
export type Outcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'noSuchJob' }
  /** The API server's own words. */
  | { readonly kind: 'invalid'; readonly message: string }
  /** The message holds what the bearer may know of the reason. */
  | { readonly kind: 'forbidden'; readonly message: string }
  /** More reports than are taken. */
  | { readonly kind: 'tooMany'; readonly message: string; readonly seconds: number }
  /** Not decided at the moment, for a reason that passes. */
  | { readonly kind: 'later'; readonly message: string; readonly seconds: number };

/** What stands behind the endpoint. */
export interface ProgressBackend {
  /** Whether the bearer of `token` may report for the job now: `accepted`, or what is answered. An error is answered with 500. */
  authorize(job: JobRef, token: string): Promise<Outcome>;

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
  const permission: Outcome = token === undefined ? FORBIDDEN : await backend.authorize(job, token);
  if (permission.kind !== 'accepted') {
    return refusal(permission);
  }
  request.authorized();
  const parsed = parseProgressReport(await request.body());
  if ('violations' in parsed) {
    return failure(422, 'Invalid', `Invalid payload: ${formatViolations(parsed.violations, '; ')}`);
  }
  const { report } = parsed;
  if (report.trainerStatus !== undefined || report.checkpoint !== undefined) {
    const outcome = await backend.accept(job, report);
    if (outcome.kind !== 'accepted') {
      return refusal(outcome);
    }
  }
  return { status: 200, body: report };
}

/** A token that is not good; why is told to nobody who shows it. */
export const FORBIDDEN: Outcome = { kind: 'forbidden', message: 'Forbidden' };

function refusal(outcome: Exclude<Outcome, { kind: 'accepted' }>): JsonAnswer {
  switch (outcome.kind) {
    case 'noSuchJob':
      return failure(404, 'NotFound', 'Train job not found');
    case 'invalid':
      return failure(422, 'Invalid', outcome.message);
    case 'forbidden':
      return failure(403, 'Forbidden', outcome.message);
    case 'tooMany':
      return failure(429, 'TooManyRequests', outcome.message, outcome.seconds);
    case 'later':
      return failure(503, 'ServiceUnavailable', outcome.message, outcome.seconds);
  }
}
