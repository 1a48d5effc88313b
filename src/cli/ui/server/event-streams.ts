/**
 * Server-sent events: what has not changed is not sent again. A page that comes back after a lost connection starts again.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import type http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Refusal, whenClosed } from './answers';
import type { UiAnswer } from '../protocol';
import { RequestLimiter } from '../../../operator/runtime/http/request-limiter';

/** Sends an event. */
export type Send = (event: string, data: object) => void;

/** Bounds of the streams of a server. */
export interface StreamLimits {
  /** Milliseconds between two looks at the cluster while a page is open. @default 2000 */
  readonly lookMs?: number;
  /** Milliseconds after which a stream ends; the page then asks again, and has to say again who it is. @default - as long as the page is open */
  readonly maxMs?: number;
  /** Open streams of one user. @default - any number */
  readonly perUser?: number;
  /** Open streams of all. @default - any number */
  readonly total?: number;
}

/** Looks at the cluster at the same time: of all streams, and of one user, whose slow ones must not hold up those of others. */
const LOOKS = 16;
const LOOKS_PER_USER = 2;

/** A line of nothing, in milliseconds, by which both sides see that the other is there. */
const BEAT_MS = 15_000;

/** Milliseconds after which a page asks again when a stream has ended. */
const RETRY_MS = 1_000;

/** Bytes that wait for a reader who is slower than what is written; a stream with more of them ends. */
const MAX_WAITING = 8 * 1024 * 1024;

export class EventStreams {
  private readonly users = new Map<string, { open: number; readonly looks: RequestLimiter }>();
  private total = 0;
  private readonly looks = new RequestLimiter(LOOKS);
  private readonly texts = new WeakMap<object, string>();

  /** @param messageOf words of an error for the reader */
  public constructor(private readonly limits: StreamLimits, private readonly messageOf: (error: unknown) => string) {}

  /**
   * Answers a request with a stream, until `run` ends or the page is gone.
   * @param user whose streams are counted together
   * @throws Refusal when there are too many
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

  /** Looks again and again, for as long as the page is there. @param user who has a stream open */
  public async whileOpen(user: string, signal: AbortSignal, look: () => Promise<void>): Promise<void> {
    const own = this.users.get(user)!.looks;
    while (!signal.aborted) {
      await own.run(async () => this.looks.run(look));
      await delay(this.limits.lookMs ?? 2_000, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Of answers that several pages share it is written once. */
  private textOf(event: string, data: object): string {
    const text = this.texts.get(data) ?? `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    this.texts.set(data, text);
    return text;
  }

  private take(user: string): () => void {
    const { perUser = Infinity, total = Infinity } = this.limits;
    const own = this.users.get(user) ?? { open: 0, looks: new RequestLimiter(LOOKS_PER_USER) };
    if (own.open >= perUser) {
      throw new Refusal(429, `You have ${own.open} live views open, which is as many as one user may have. Close a tab.`);
    }
    if (this.total >= total) {
      throw new Refusal(503, 'As many live views are open as this server can serve. Try again later.');
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
