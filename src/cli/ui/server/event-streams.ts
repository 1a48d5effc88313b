/**
 * Server-sent events. Unchanged data is not sent again. After a lost connection, a page starts from the beginning.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import type http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Refusal, whenClosed } from './answers';
import type { UiAnswer } from '../protocol';
import { RequestLimiter } from '../../../operator/runtime/http/request-limiter';

/** Sends an event. */
export type Send = (event: string, data: object) => void;

/** Limits of the streams of a server. */
export interface StreamLimits {
  /** Milliseconds between two updates of an open page. @default 2000 */
  readonly lookMs?: number;
  /** Milliseconds after which a stream ends; the page reconnects and authenticates again. @default - as long as the page is open */
  readonly maxMs?: number;
  /** Open streams of one user. @default - any number */
  readonly perUser?: number;
  /** Open streams of all users. @default - any number */
  readonly total?: number;
}

/** Concurrent reads of all streams, and of one user, so that slow ones do not delay those of other users. */
const LOOKS = 16;
const LOOKS_PER_USER = 2;

/** Interval of empty comments, with which both sides notice a lost connection; milliseconds. */
const BEAT_MS = 15_000;

/** Delay before a page reconnects after the end of a stream; milliseconds. */
const RETRY_MS = 1_000;

/** Maximum bytes that wait for a slow reader; above this, the stream ends. */
const MAX_WAITING = 8 * 1024 * 1024;

export class EventStreams {
  private readonly users = new Map<string, { open: number; readonly looks: RequestLimiter }>();
  private total = 0;
  private readonly looks = new RequestLimiter(LOOKS);
  private readonly texts = new WeakMap<object, string>();

  /** @param messageOf the text of an error for the user */
  public constructor(private readonly limits: StreamLimits, private readonly messageOf: (error: unknown) => string) {}

  /**
   * Responds with a stream until `run` ends or the page is closed.
   * @param user whose streams are counted together
   * @throws Refusal if there are too many
   */
  public async stream(
    user: string, request: http.IncomingMessage, response: http.ServerResponse, run: (send: Send, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const release = this.take(user);
    const abort = new AbortController();
    const beat = setInterval(() => response.write(':\n\n'), BEAT_MS);
    const { maxMs } = this.limits;
    const end = maxMs === undefined ? undefined : setTimeout(() => abort.abort(), maxMs);
    whenClosed(response, () => {
      clearInterval(beat);
      clearTimeout(end);
      abort.abort();
      release();
    });
    request.socket.setNoDelay(true);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    response.flushHeaders();
    if (maxMs !== undefined) {
      response.write(`retry: ${RETRY_MS}\n\n`);
    }
    let last = '';
    const send = (event: string, data: object) => {
      const text = this.textOf(event, data);
      if (!response.destroyed && (text !== last || event === 'line')) {
        last = text;
        response.write(text);
        if (response.writableLength > MAX_WAITING) {
          response.destroy();
        }
      }
    };
    try {
      await run(send, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) {
        send('problem', { message: this.messageOf(error) } satisfies UiAnswer);
      }
    }
    response.end();
  }

  /** Calls `look` repeatedly until the page is closed. @param user a user with an open stream */
  public async whileOpen(user: string, signal: AbortSignal, look: () => Promise<void>): Promise<void> {
    const own = this.users.get(user)!.looks;
    while (!signal.aborted) {
      await own.run(async () => this.looks.run(look));
      await delay(this.limits.lookMs ?? 2_000, undefined, { signal }).catch(() => undefined);
    }
  }

  /** The text of an event. Data that several pages share is serialized once. */
  private textOf(event: string, data: object): string {
    const text = this.texts.get(data) ?? `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    this.texts.set(data, text);
    return text;
  }

  private take(user: string): () => void {
    const { perUser = Infinity, total = Infinity } = this.limits;
    const own = this.users.get(user) ?? { open: 0, looks: new RequestLimiter(LOOKS_PER_USER) };
    if (own.open >= perUser) {
      throw new Refusal(429, `You have ${own.open} live views open, which is the maximum for one user. Close a tab.`);
    }
    if (this.total >= total) {
      throw new Refusal(503, 'The server has reached its maximum number of live views. Try again later.');
    }
    own.open += 1;
    this.users.set(user, own);
    this.total += 1;
    return () => {
      own.open -= 1;
      this.total -= 1;
      if (own.open === 0) {
        this.users.delete(user);
      }
    };
  }
}
