/** API requests as the API server's audit log has them: what was asked for, by whom, counted. */
import fs from 'node:fs';

/** Requests by verb and resource, such as `create pods` or `update mltrainingjobs/status (409)`. */
export type RequestCounts = { readonly [request: string]: number };

interface AuditEvent {
  readonly verb: string;
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code: number };
}

/** One audit log. */
export class AuditLog {
  public constructor(private readonly file: string) {}

  /** The end of the log: what is asked for after this is counted by {@link requestsSince}. */
  public position(): number {
    return fs.statSync(this.file).size;
  }

  /**
   * Requests of one user since a position. Left out are those that do not depend on jobs: the leader's lease, discovery, watches, and lists of
   * whole collections, which happen once a start.
   */
  public requestsSince(position: number, user: string): RequestCounts {
    const counts: { [request: string]: number } = {};
    for (const { verb, objectRef, responseStatus } of this.eventsSince(position, user)) {
      const code = responseStatus?.code ?? 0;
      const name = `${verb} ${objectRef!.resource}${objectRef!.subresource ? `/${objectRef!.subresource}` : ''}${code >= 400 ? ` (${code})` : ''}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  /** When the first write of a user since a position came, milliseconds since the epoch; undefined when there was none. */
  public firstWriteSince(position: number, user: string): number | undefined {
    const times = this.eventsSince(position, user).filter(({ verb }) => verb !== 'get').map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp));
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  private eventsSince(position: number, user: string): AuditEvent[] {
    const bytes = Buffer.alloc(fs.statSync(this.file).size - position);
    const handle = fs.openSync(this.file, 'r');
    fs.readSync(handle, bytes, 0, bytes.length, position);
    fs.closeSync(handle);
    const text = bytes.toString('utf8');
    // The last line may be half written.
    return text.slice(0, text.lastIndexOf('\n') + 1).split('\n').filter((line) => line.includes(user)).map((line) => JSON.parse(line) as AuditEvent)
      .filter(({ verb, user: { username }, objectRef }) => (
        username === user && objectRef !== undefined && objectRef.resource !== 'leases' && verb !== 'watch' && verb !== 'list'));
  }
}

/** Counts of several times. */
export function sumOf(counts: readonly RequestCounts[]): RequestCounts {
  const names = new Set(counts.flatMap((each) => Object.keys(each)));
  return Object.fromEntries([...names].map((name) => [name, counts.reduce((sum, each) => sum + (each[name] ?? 0), 0)]));
}

/** All of them together. */
export function totalOf(counts: RequestCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
