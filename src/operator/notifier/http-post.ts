/** One POST, to an address that may be connected to. Redirects are not followed: a receiver has to be written in the rule or its Secret. */
import { createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { AddressGuard } from './addresses';

/** What is sent. */
export interface Post {
  readonly url: string;
  readonly contentType: string;
  readonly body: string;
  /** Same for all attempts. */
  readonly id: string;
  /** Signs the request. @default - it is not signed */
  readonly key?: string;
}

/** The headers of Standard Webhooks. @param at seconds since the epoch @see https://www.standardwebhooks.com */
export function webhookHeaders({ id, body, key }: Pick<Post, 'id' | 'body' | 'key'>, at: number): Record<string, string> {
  const signature = key === undefined ? undefined : createHmac('sha256', keyBytes(key)).update(`${id}.${at}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(at), ...(signature !== undefined && { 'webhook-signature': `v1,${signature}` }) };
}

/** A key of Standard Webhooks, `whsec_` and base64, or any other text as it is. */
function keyBytes(key: string): Buffer {
  return key.startsWith('whsec_') ? Buffer.from(key.slice('whsec_'.length), 'base64') : Buffer.from(key);
}

/** Sends it. @throws Error unless the answer has a status of 200 to 299; its text has no URL, which may be a secret */
export async function post(message: Post, guard: AddressGuard, signal: AbortSignal): Promise<void> {
  if (!URL.canParse(message.url) || !/^https?:/i.test(message.url)) {
    throw new Error('the address of the receiver is not a URL of http or https');
  }
  const url = new URL(message.url);
  guard.checkHost(url.hostname);
  const headers = {
    'content-type': message.contentType, 'content-length': Buffer.byteLength(message.body), 'user-agent': 'trainyard-notifier',
    ...webhookHeaders(message, Math.floor(Date.now() / 1000)),
  };
  const { statusCode = 0, location } = await new Promise<{ statusCode?: number; location?: string }>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, { method: 'POST', headers, lookup: guard.lookup, agent: false, signal });
    request.once('error', reject);
    request.once('response', (response) => {
      resolve({ statusCode: response.statusCode, location: response.headers.location });
      // Nothing in the answer is read.
      response.destroy();
    });
    request.end(message.body);
  });
  if (statusCode >= 300 && statusCode < 400) {
    const target = URL.canParse(location ?? '', url.href) ? ` to ${new URL(location!, url.href).host}` : '';
    throw new Error(`the receiver redirects${target} (HTTP ${statusCode}), which is not followed. Write the final address`);
  }
  if (statusCode < 200 || statusCode >= 300) {
    throw new Error(`the receiver answers with HTTP ${statusCode}`);
  }
}
