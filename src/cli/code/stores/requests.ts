/** Requests to stores, with retries, and error messages without secrets. */
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../../cli-error';

/** The store refuses a request, or does not answer. */
export class StoreError extends CliError {}

const ATTEMPTS = 5;
const PASSING = [408, 425, 429, 500, 502, 503, 504];

/** Milliseconds for one attempt: a large archive over a slow line. */
const TIMEOUT_MS = 10 * 60_000;

/** Options of {@link send}. */
export interface SendOptions {
  /** The action, for messages: `Asking for s3://bucket/x`. */
  readonly doing: string;
  /** Statuses that are not failures, in addition to those of success. @default - none */
  readonly answers?: readonly number[];
  /** Advice, by status. @default - none */
  readonly hints?: { readonly [status: number]: string };
  /** Milliseconds before the second attempt; twice as many before each further one. @default 500 */
  readonly pauseMs?: number;
}

/**
 * Sends a request.
 * @param request creates the request for each attempt, because signatures expire
 * @throws StoreError with the store's message, unless it may contain credentials
 */
export async function send(request: () => Promise<Request> | Request, options: SendOptions): Promise<Response> {
  const { doing, answers = [], hints = {}, pauseMs = 500 } = options;
  for (let attempt = 1; ; attempt++) {
    const made = await request();
    let reason: string;
    try {
      const response = await fetch(made, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.ok || answers.includes(response.status)) {
        return response;
      }
      reason = `${hostOf(made)} answers with status ${response.status}${await wordsOf(response)}${hints[response.status] ?? ''}`;
      if (!PASSING.includes(response.status)) {
        throw new StoreError(`${doing}: ${reason}`);
      }
    } catch (error) {
      if (error instanceof StoreError) {
        throw error;
      }
      reason = `${hostOf(made)} cannot be reached: ${causeOf(error as Error)}`;
    }
    if (attempt === ATTEMPTS) {
      throw new StoreError(`${doing}: ${reason} (tried ${ATTEMPTS} times)`);
    }
    await delay(pauseMs * 2 ** (attempt - 1));
  }
}

function hostOf({ url }: Request): string {
  return new URL(url).host;
}

function causeOf(error: Error): string {
  const cause = error.cause as (Error & { readonly code?: string }) | undefined;
  return cause?.message || cause?.code || error.message;
}

/** The message of an error document of S3, Google or a registry. The rest of such documents can hold keys and signatures. */
async function wordsOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  const found = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? messageIn(text);
  return found === undefined ? '' : ` (${found.slice(0, 300)})`;
}

/** Error documents of OAuth, of Google and of registries. */
interface ErrorDocument {
  readonly error?: { readonly message?: string } | string;
  readonly error_description?: string;
  readonly errors?: readonly { readonly message?: string }[];
}

function messageIn(text: string): string | undefined {
  try {
    const { error, errors, error_description: description } = JSON.parse(text) as ErrorDocument;
    return description ?? (typeof error === 'object' ? error.message : error) ?? errors?.map(({ message }) => message).filter(Boolean).join('; ');
  } catch {
    return undefined;
  }
}
