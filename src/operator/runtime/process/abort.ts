import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` once when `signal` aborts, or at once if it has; returns what takes that back.
 *
 * A signal that many requests and loops share has many listeners by design, so Node.js's warning of a leak at the eleventh is switched
 * off for it. Each listener is taken back when its request or loop ends.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) {
    return () => undefined;
  }
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  setMaxListeners(Infinity, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
