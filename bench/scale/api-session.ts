/**
 * The client of the measurements: as little as possible between a request that is ready and the socket, so that what it reaches is the limit that
 * an operator is compared with.
 */
import { setMaxListeners } from 'node:events';
import https from 'node:https';
import readline from 'node:readline';
import type { ApiAccess } from '../../src/local/control-plane';

/** Asks for names and labels in place of whole objects: the answer to a creation is of no use here. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

/** An object as the measurements look at it. */
export interface MeasuredObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: { readonly [name: string]: string };
  };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly restarts?: number;
    readonly disruptions?: number;
    readonly attempt?: number;
  };
}

/** Something that a watch tells, and when it came; milliseconds of `performance.now()`. */
export type OnEvent = (type: string, object: MeasuredObject, at: number) => void;

/** Options of {@link ApiSession.watch}. */
export interface FollowOptions {
  /** @default - all objects */
  readonly fieldSelector?: string;
  /** Only metadata of each object. @default false */
  readonly metadataOnly?: boolean;
}

/** A connection that was kept alive had ended when it was used again. */
class StaleConnection extends Error {}

/** The API server's answer to what takes it longer than a minute. */
const GATEWAY_TIMEOUT = 504;

/** Connections of one user. */
export class ApiSession {
  private readonly agent: https.Agent;
  private readonly watching = new AbortController();

  /** @param connections how many requests may be in flight at the same time */
  public constructor(private readonly access: ApiAccess, public readonly connections: number) {
    // A watch each of every namespace that is measured.
    setMaxListeners(0, this.watching.signal);
    this.agent = new https.Agent({ keepAlive: true, ca: access.ca, maxSockets: connections, scheduling: 'lifo' });
  }

  /** Creates an object from its JSON. @throws Error with the server's words when it is refused */
  public async create(path: string, json: string): Promise<void> {
    await this.must('POST', path, json, { 'accept': METADATA_ONLY, 'content-type': 'application/json' });
  }

  /** Merges JSON into an object or its subresource. @throws Error with the server's words when it is refused */
  public async merge(path: string, json: string): Promise<void> {
    await this.must('PATCH', path, json, { 'accept': METADATA_ONLY, 'content-type': 'application/merge-patch+json' });
  }

  /** Deletes an object or a collection; what is not there is as good as deleted. Of a large collection one request may reach a part only. */
  public async remove(path: string): Promise<void> {
    const { status, text } = await this.send('DELETE', path);
    if (status === GATEWAY_TIMEOUT) {
      return this.remove(path);
    }
    if (status >= 300 && status !== 404) {
      throw new Error(`DELETE ${path} answered ${status}: ${text.slice(0, 300)}`);
    }
  }

  /** Reads JSON, or undefined when it is not there. */
  public async read<T>(path: string): Promise<T | undefined> {
    const { status, text } = await this.send('GET', path);
    if (status === 404) {
      return undefined;
    }
    if (status >= 300) {
      throw new Error(`GET ${path} answered ${status}: ${text.slice(0, 300)}`);
    }
    return JSON.parse(text) as T;
  }

  /** Does `work` for each number below `count`, as many at a time as there are connections. */
  public async each(count: number, work: (index: number) => Promise<void>): Promise<void> {
    let next = 0;
    await Promise.all(Array.from({ length: Math.min(this.connections, count) }, async () => {
      while (next < count) {
        await work(next++);
      }
    }));
  }

  /** Follows a collection from now on, on a connection of its own; resolves when the server has accepted the watch. */
  public async watch(path: string, options: FollowOptions, onEvent: OnEvent): Promise<void> {
    let version = '0';
    const first = await this.read<{ metadata: { resourceVersion: string } }>(`${path}?limit=1`);
    version = first!.metadata.resourceVersion;
    const select = options.fieldSelector === undefined ? '' : `&fieldSelector=${encodeURIComponent(options.fieldSelector)}`;
    const query = () => `watch=true&allowWatchBookmarks=true&resourceVersion=${version}${select}`;
    const open = async () => this.stream(`${path}?${query()}`, options.metadataOnly === true, (type, object, at) => {
      version = object.metadata.resourceVersion ?? version;
      if (type !== 'BOOKMARK') {
        onEvent(type, object, at);
      }
    });
    const stream = await open();
    void (async () => {
      // A server that ends a watch after some minutes is asked again from where it was.
      for (let ended = stream.ended; ; ended = (await open()).ended) {
        await ended;
        if (this.watching.signal.aborted) {
          return;
        }
      }
    })().catch((error: unknown) => {
      if (!this.watching.signal.aborted) {
        throw error;
      }
    });
  }

  /** Ends all watches and connections. */
  public close(): void {
    this.watching.abort();
    this.agent.destroy();
  }

  private async stream(path: string, metadataOnly: boolean, onEvent: OnEvent): Promise<{ ended: Promise<void> }> {
    const accept = metadataOnly ? METADATA_ONLY : 'application/json';
    return new Promise((resolve, reject) => {
      const request = https.get(`${this.access.url}${path}`, {
        agent: false, ca: this.access.ca, signal: this.watching.signal, headers: { authorization: `Bearer ${this.access.token}`, accept },
      }, (response) => {
        if (response.statusCode !== 200) {
          reject(new Error(`watching ${path} answered ${response.statusCode}`));
          response.destroy();
          return;
        }
        const lines = readline.createInterface({ input: response, crlfDelay: Infinity });
        lines.on('line', (line) => {
          const at = performance.now();
          const { type, object } = JSON.parse(line) as { type: string; object: MeasuredObject };
          onEvent(type, object, at);
        });
        lines.on('error', () => undefined);
        response.on('error', () => undefined);
        resolve({ ended: new Promise((end) => response.once('close', end)) });
      });
      request.on('error', reject);
    });
  }

  private async must(method: string, path: string, body: string, headers: { readonly [name: string]: string }): Promise<void> {
    const { status, text } = await this.send(method, path, body, headers);
    if (status >= 300) {
      throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`);
    }
  }

  /** A server may close a connection that was idle at the moment in which it is used again: such a request was never read, and is sent once more. */
  private async send(
    method: string, path: string, body?: string, headers: { readonly [name: string]: string } = {},
  ): Promise<{ status: number; text: string }> {
    return this.sendOnce(method, path, body, headers).catch((error: unknown) => {
      if (error instanceof StaleConnection) {
        return this.send(method, path, body, headers);
      }
      throw error;
    });
  }

  private async sendOnce(
    method: string, path: string, body: string | undefined, headers: { readonly [name: string]: string },
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const request = https.request(`${this.access.url}${path}`, {
        method,
        agent: this.agent,
        headers: {
          authorization: `Bearer ${this.access.token}`, ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        },
      }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString('utf8') }));
        response.on('error', reject);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        reject(request.reusedSocket && error.code === 'ECONNRESET' ? new StaleConnection(error.message, { cause: error }) : error);
      });
      request.end(body);
    });
  }
}
