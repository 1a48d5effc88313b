/** The service's side of signatures of AWS. */
import { createHash, createHmac } from 'node:crypto';
import type http from 'node:http';

/** AWS' own example of a key. */
export const KEY = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

/** Computes the signature once more, as the service does. */
export function isSigned(request: http.IncomingMessage, body: string): boolean {
  const [, scope, names, signature] = /Credential=AKIDEXAMPLE\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(request.headers.authorization!)!;
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const lines = [request.method, request.url, '', ...names.split(';').map((name) => `${name}:${String(request.headers[name])}`), '', names, hash(body)];
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, hash(lines.join('\n'))].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((current, part) => hmac(current, part), `AWS4${KEY.secret}`);
  return hmac(key, text).toString('hex') === signature;
}
