import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { Child } from './child-process';
import type { TlsFiles } from './credentials';

/** Milliseconds between two checks of a program that starts. */
const POLL_MS = 25;

/**
 * Waits until a program is ready.
 * @param what completes "was expected ..." in the error, for example `to be ready`
 * @param isSo checks it; an error counts as "not yet", because a server that starts refuses connections
 * @throws Error with the last lines of the program's log, when it ends or the time is over
 */
export async function waitUntil(child: Child, what: string, timeoutMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (child.running && Date.now() < deadline) {
    if (await isSo().catch(() => false)) {
      return;
    }
    await delay(POLL_MS);
  }
  const exit = child.running ? undefined : await child.exited;
  const happened = exit
    ? `ended with ${exit.signal ?? `code ${exit.code}`} while we waited for it ${what}`
    : `was expected ${what} within ${timeoutMs / 1000} s, but was not`;
  throw new Error(`Control plane: ${child.name} ${happened}. Its last log lines:\n${child.lastLogLines()}`);
}

/**
 * The status of a request.
 * @param tls for an `https` URL: the client's certificate, and the authority of the server's
 * @throws Error when there is no answer
 */
export async function httpStatus(url: string, tls?: TlsFiles): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = tls === undefined ? http.get(url) : https.get(url, {
      agent: false,
      ca: fs.readFileSync(tls.caFile),
      cert: fs.readFileSync(tls.client.certFile),
      key: fs.readFileSync(tls.client.keyFile),
    });
    request.once('error', reject).once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
  });
}
