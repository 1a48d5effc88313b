/**
 * Buckets and a registry on loopback for tests, strict where the real ones are: S3 checks each signature by the words of its specification, computed
 * anew here; Google's storage and the registry take no request without their token; the registry checks digests, and takes no manifest before its
 * blobs.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';

/** One request as a store saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
}

interface Incoming extends SeenRequest {
  readonly url: URL;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly headers?: http.OutgoingHttpHeaders;
}

/** A server that is asked for its answers one request at a time. */
export class FakeServer {
  public readonly requests: SeenRequest[] = [];
  /** Answers that come before all others, once each. */
  public readonly next: Answer[] = [];

  private constructor(private readonly server: http.Server, private readonly scheme: string) {}

  /** Starts on a free port of loopback. @param tls for a server with a certificate @default - plain HTTP */
  public static async start(answer: (request: Incoming) => Answer, tls?: { readonly cert: string; readonly key: string }): Promise<FakeServer> {
    const listener: http.RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const url = new URL(request.url!, 'http://store');
        const seen = { method: request.method!, path: request.url!, headers: request.headers };
        fake.requests.push(seen);
        const { status, body = '', headers } = fake.next.shift() ?? answer({ ...seen, url, body: Buffer.concat(chunks) });
        response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
        response.end(request.method === 'HEAD' ? undefined : body);
      });
    };
    const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener);
    const fake = new FakeServer(server, tls === undefined ? 'http' : 'https');
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  /** `127.0.0.1:PORT`. */
  public get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  public get address(): string {
    return `${this.scheme}://${this.host}`;
  }

  public async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Keys that the fake of S3 knows. */
export const S3_KEYS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

/** A bucket of S3. */
export async function fakeS3(region: string, objects: Map<string, Buffer>, sessionToken?: string): Promise<FakeServer> {
  const problem = (status: number, code: string, message: string) => (
    { status, body: `<Error><Code>${code}</Code><Message>${message}</Message><AWSAccessKeyId>${S3_KEYS.AWS_ACCESS_KEY_ID}</AWSAccessKeyId></Error>` });
  return FakeServer.start((request) => {
    const { method, url, body, headers } = request;
    const wrong = signatureProblem(request, region);
    if (wrong !== undefined || headers['x-amz-security-token'] !== sessionToken) {
      return problem(403, 'SignatureDoesNotMatch', wrong ?? 'The token is another one');
    }
    const key = decodeURIComponent(url.pathname);
    const found = objects.get(key);
    const checksum = (content: Buffer) => createHash('sha256').update(content).digest('base64');
    if (method === 'PUT') {
      if (headers['x-amz-checksum-sha256'] !== checksum(body)) {
        return problem(400, 'BadDigest', 'The checksum is that of another body');
      }
      objects.set(key, body);
      return { status: 200 };
    }
    return found === undefined ? problem(404, 'NoSuchKey', 'There is no such key')
      : { status: 200, body: found, headers: { 'x-amz-checksum-sha256': checksum(found) } };
  });
}

/** What is wrong with a signature of version 4. @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
export function signatureProblem(
  { method, url, body, headers }: Pick<Incoming, 'method' | 'url' | 'body' | 'headers'>, region: string, keys = S3_KEYS,
): string | undefined {
  const [, key, date, where, names, signature] = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '') ?? [];
  const hash = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
  if (key !== keys.AWS_ACCESS_KEY_ID || where !== `${region}/s3/aws4_request`) {
    return `the credential is ${key ?? 'missing'} for ${where ?? 'nothing'}`;
  }
  const signed = names.split(';');
  const payload = String(headers['x-amz-content-sha256']);
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== hash(body)) {
    return 'the hash is that of another body';
  }
  const missing = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))].filter((name) => !signed.includes(name));
  if (missing.length > 0 || [...signed].sort().join(';') !== names) {
    return `${missing.join(', ')} has to be signed, in order`;
  }
  const query = [...url.searchParams].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).sort().join('&');
  const canonical = [method, url.pathname, query, ...signed.map((name) => `${name}:${String(headers[name]).trim()}`), '', names, payload].join('\n');
  const moment = String(headers['x-amz-date']);
  const text = ['AWS4-HMAC-SHA256', moment, `${date}/${where}`, hash(canonical)].join('\n');
  const sign = (secret: Buffer | string, part: string) => createHmac('sha256', secret).update(part).digest();
  const wanted = sign([date, ...where.split('/')].reduce<Buffer | string>(sign, `AWS4${keys.AWS_SECRET_ACCESS_KEY}`) as Buffer, text);
  return moment.startsWith(date) && timingSafeEqual(wanted, Buffer.from(signature, 'hex')) ? undefined : 'the signature is another one';
}

/** Google's storage: its JSON interface for uploads, its XML interface for downloads. */
export async function fakeGcs(token: string, objects: Map<string, Buffer>): Promise<FakeServer> {
  return FakeServer.start(({ method, url, body, headers }) => {
    if (headers.authorization !== `Bearer ${token}`) {
      return { status: 401, body: JSON.stringify({ error: { message: 'Invalid Credentials' } }) };
    }
    const [, upload, bucket, name] = /^(\/upload)?\/storage\/v1\/b\/([^/]+)\/o\/?(.*)$/.exec(url.pathname) ?? [];
    if (upload !== undefined && method === 'POST') {
      const path = `/${bucket}/${url.searchParams.get('name')}`;
      if (url.searchParams.get('ifGenerationMatch') === '0' && objects.has(path)) {
        return { status: 412, body: JSON.stringify({ error: { message: 'conditionNotMet' } }) };
      }
      objects.set(path, body);
      return { status: 200, body: JSON.stringify({ size: String(body.length), md5Hash: createHash('md5').update(body).digest('base64') }) };
    }
    const found = objects.get(bucket === undefined ? decodeURIComponent(url.pathname) : `/${bucket}/${decodeURIComponent(name)}`);
    if (found === undefined) {
      return { status: 404, body: JSON.stringify({ error: { message: 'Not Found' } }) };
    }
    return { status: 200, body: bucket === undefined ? found : JSON.stringify({ size: String(found.length) }) };
  });
}

interface Manifest {
  readonly mediaType: string;
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

/** What a registry keeps. */
export interface RegistryContent {
  readonly blobs: Map<string, Buffer>;
  /** By digest and by tag. */
  readonly manifests: Map<string, Buffer>;
}

/** A registry with logins by token. @param login `name:password`; without one everybody may read and write */
export async function fakeRegistry({ blobs, manifests }: RegistryContent, login?: string): Promise<FakeServer> {
  const digestOf = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;
  const problem = (status: number, code: string, headers?: http.OutgoingHttpHeaders) => (
    { status, body: JSON.stringify({ errors: [{ code, message: code.toLowerCase() }] }), headers });
  const server: FakeServer = await FakeServer.start(({ method, url, body, headers }) => {
    if (url.pathname === '/token') {
      const given = Buffer.from(/^Basic (.*)$/.exec(headers.authorization ?? '')?.[1] ?? '', 'base64').toString();
      return given !== login ? problem(401, 'UNAUTHORIZED') : { status: 200, body: JSON.stringify({ token: `for ${url.searchParams.get('scope')}` }) };
    }
    const [, repository, kind, rest] = /^\/v2\/(.+)\/(blobs|manifests)\/(.+)$/.exec(url.pathname) ?? [];
    const scope = method === 'GET' || method === 'HEAD' ? 'pull' : 'push';
    if (login !== undefined && !(headers.authorization?.startsWith(`Bearer for repository:${repository}:`) && headers.authorization.includes(scope))) {
      return problem(401, 'UNAUTHORIZED', { 'www-authenticate': `Bearer realm="${server.address}/token",service="registry",scope="repository:${repository}:${scope}"` });
    }
    if (kind === 'blobs' && rest === 'uploads/' && method === 'POST') {
      return { status: 202, headers: { location: `/v2/${repository}/blobs/uploads/one?state=x` } };
    }
    if (kind === 'blobs' && method === 'PUT') {
      if (url.searchParams.get('state') !== 'x' || url.searchParams.get('digest') !== digestOf(body)) {
        return problem(400, 'DIGEST_INVALID');
      }
      blobs.set(digestOf(body), body);
      return { status: 201 };
    }
    if (kind === 'manifests' && method === 'PUT') {
      const { mediaType, config, layers } = JSON.parse(body.toString()) as Manifest;
      const isComplete = [config, ...layers].every(({ digest }) => blobs.has(digest))
        && layers.every(({ digest, size }) => blobs.get(digest)!.length === size);
      if (!isComplete || headers['content-type'] !== mediaType) {
        return problem(400, 'MANIFEST_BLOB_UNKNOWN');
      }
      manifests.set(digestOf(body), body).set(rest, body);
      return { status: 201, headers: { 'docker-content-digest': digestOf(body) } };
    }
    const found = (kind === 'blobs' ? blobs : manifests).get(rest);
    return found === undefined ? problem(404, kind === 'blobs' ? 'BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN') : { status: 200, body: found };
  });
  return server;
}
