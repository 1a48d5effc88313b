/** HTTP for the server of the pages: refusals, headers, cookies, bodies and files. */
import fs from 'node:fs';
import type http from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { ACTION_HEADER, type UiAnswer } from '../protocol';
import type { JsonRecord } from '../../../model/json-parts';

/** An HTTP error. */
export class Refusal extends Error {
  /** @param headers additional headers of the response */
  public constructor(public readonly status: number, message: string, public readonly headers: http.OutgoingHttpHeaders = {}) {
    super(message);
  }
}

/** The user must sign in first. */
export class SignInRefusal extends Refusal {
  public constructor(message: string) {
    super(401, message);
  }
}

/**
 * Headers of all responses. Browsers load only our own scripts and styles.
 * @param frameAncestors origins whose pages may show ours in a frame, such as `'self'` or `https://kubeflow.example`; none if the list is empty
 */
export function securityHeaders(frameAncestors: readonly string[] = []): { readonly [name: string]: string } {
  const frames = frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ');
  return {
    'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
      + `form-action 'none'; frame-ancestors ${frames}`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}

/** Value of a cookie; empty if there is none. */
export function cookieIn(header = '', name: string): string {
  const found = header.split(';').map((part) => part.trim()).find((part) => part.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? '';
}

/** Responds with JSON. */
export function json(response: http.ServerResponse, value: object, status = 200, headers: http.OutgoingHttpHeaders = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(JSON.stringify(value));
}

/** Responds with a message. */
export function sentence(response: http.ServerResponse, message: string, headers: http.OutgoingHttpHeaders = {}): void {
  json(response, { message } satisfies UiAnswer, 200, headers);
}

/** A file for the user to download. */
export interface DownloadedFile {
  /** Letters, digits and `._-`. */
  readonly name: string;
  readonly type: string;
  readonly content: string;
}

export function sendFile(response: http.ServerResponse, { name, type, content }: DownloadedFile): void {
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-disposition': `attachment; filename="${name}"` }).end(content);
}

/** Calls `ended` when the response has ended or its client has disconnected; immediately if that has already happened. */
export function whenClosed(response: http.ServerResponse, ended: () => void): void {
  if (response.closed) {
    ended();
  } else {
    response.once('close', ended);
  }
}

/**
 * Body of a POST of a page: JSON, with a header that other sites cannot set without our consent.
 * @param maxBytes of the body
 * @throws Refusal
 */
export async function readBody(request: http.IncomingMessage, maxBytes: number): Promise<JsonRecord> {
  if (request.method !== 'POST' || request.headers[ACTION_HEADER] === undefined || request.headers['content-type'] !== 'application/json') {
    throw new Refusal(400, `A change must be a POST of JSON with the header ${ACTION_HEADER}.`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) {
      throw new Refusal(413, 'The request is too long.');
    }
    chunks.push(chunk as Buffer);
  }
  try {
    const value = JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
    return typeof value === 'object' && value !== null ? value as JsonRecord : {};
  } catch {
    return {};
  }
}

/** Files of the pages by their names. */
export type Pages = ReadonlyMap<string, Page>;

interface Page {
  readonly type: string;
  readonly content: Buffer;
  /** The same, compressed. */
  readonly gzip: Buffer;
}

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml',
};

/** Pages from their texts. Files of other types are left out. */
export function pagesOf(files: { readonly [name: string]: string }): Pages {
  return new Map(Object.entries(files).filter(([name]) => path.extname(name) in TYPES).map(([name, text]) => {
    const content = Buffer.from(text);
    return [name, { type: TYPES[path.extname(name)], content, gzip: gzipSync(content) }];
  }));
}

/** Pages in a folder. */
export function readPages(folder: string): Pages {
  const names = fs.readdirSync(folder).filter((name) => path.extname(name) in TYPES);
  return pagesOf(Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')])));
}

/** Responds with a file of the pages. All pages have the same path, because their routes follow `#`. @throws Refusal if there is no such file */
export function sendPage(pages: Pages, pathname: string, { method, headers }: http.IncomingMessage, response: http.ServerResponse): void {
  const page = pages.get(pathname === '/' ? 'index.html' : pathname.slice(1));
  if (method !== 'GET' || page === undefined || pathname === '/index.html') {
    throw new Refusal(404, 'There is no such page.');
  }
  const isCompressed = String(headers['accept-encoding'] ?? '').split(',').some((coding) => coding.trim() === 'gzip');
  response.writeHead(200, { 'content-type': page.type, 'vary': 'accept-encoding', ...(isCompressed && { 'content-encoding': 'gzip' }) })
    .end(isCompressed ? page.gzip : page.content);
}
