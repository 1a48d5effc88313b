import { Logger } from './logger';

/** The part of `process` that {@link handleShutdown} needs; tests pass their own. */
export type ShutdownProcess = Pick<NodeJS.EventEmitter, 'on' | 'off'> & { exit(code: number): void };

/** Settings of {@link handleShutdown}. */
export interface ShutdownOptions {
  readonly logger: Logger;
  /** Milliseconds for an orderly end; then the process exits with code 1. Keep it below the pod's grace period. @default 25000 */
  readonly deadlineMs?: number;
  /** @default process */
  readonly process?: ShutdownProcess;
}

/** What {@link handleShutdown} returns. */
export interface Shutdown {
  /** Aborts when the process is asked to end. */
  readonly signal: AbortSignal;
  /** Asks the process to end, as a signal would. */
  request(reason: string): void;
  /** Removes the handlers and the deadline: the orderly end is reached. */
  dispose(): void;
}

const SIGNALS = { SIGTERM: 15, SIGINT: 2 } as const;

/**
 * Turns SIGTERM and SIGINT into an AbortSignal, with a deadline for what follows. A second signal ends the process at once, with the
 * code that a shell expects. An exception or rejection that nobody caught is logged, and ends the process with code 1: its
 * state is unknown, and the next process starts from the API server's.
 */
export function handleShutdown(options: ShutdownOptions): Shutdown {
  const target = options.process ?? process;
  const { logger } = options;
  const controller = new AbortController();
  const handlers = new Map<string, (error?: unknown) => void>();
  let deadline: NodeJS.Timeout | undefined;

  const request = (reason: string): void => {
    if (controller.signal.aborted) {
      return;
    }
    const deadlineMs = options.deadlineMs ?? 25_000;
    logger.info('shutting down', { reason, deadlineMs });
    deadline = setTimeout(() => {
      logger.error('graceful shutdown took too long', { deadlineMs });
      target.exit(1);
    }, deadlineMs);
    // The deadline alone is no reason to stay.
    deadline.unref();
    controller.abort(new DOMException(`shutting down: ${reason}`, 'AbortError'));
  };
  for (const [name, number] of Object.entries(SIGNALS)) {
    handlers.set(name, () => {
      if (controller.signal.aborted) {
        logger.warn('second signal, exiting immediately', { signal: name });
        target.exit(128 + number);
      }
      request(name);
    });
  }
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    handlers.set(event, (error) => {
      logger.error(event === 'uncaughtException' ? 'uncaught exception' : 'unhandled rejection', { error });
      target.exit(1);
    });
  }
  handlers.forEach((handler, event) => target.on(event, handler));
  return {
    signal: controller.signal,
    request,
    dispose: () => {
      clearTimeout(deadline);
      handlers.forEach((handler, event) => target.off(event, handler));
    },
  };
}
