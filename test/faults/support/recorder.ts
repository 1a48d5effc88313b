/**
 * Watches every pod and job from the outside and writes down what must never be:
 * - two pods of one replica at the same time;
 * - pods of two attempts of one gang at the same time;
 * - a pod that is created after its job's end;
 * - a job that is something else after its end.
 *
 * All objects are in one etcd, so versions of pods and of jobs are moments of one clock, and what two watches say can be put in order. A watch that
 * an API server's restart has torn off goes on where it was, or restarts with a list: then there is no version of the creation, and the
 * timestamps, in whole seconds, have to do.
 */
import https from 'node:https';
import readline from 'node:readline';
import type { ApiAccess } from '../../../src/local/control-plane';
import { ATTEMPT_LABEL, REPLICA_INDEX_LABEL, ROLE_LABEL } from '../../../src/model/labels';
import { pathOf, type ResourceName, type TestApi } from '../../cluster/support/test-api';
import type { TestObject } from '../../cluster/support/cluster';
import type { TestJob } from '../../cluster/support/training-jobs';

/** Restarted as a whole, by the name of the framework. */
const GANGS = new Set(['pytorch', 'jax', 'xgboost', 'lightgbm', 'mpi', 'horovod', 'deepspeed', 'paddle', 'mxnet']);

interface RecordedPod {
  readonly name: string;
  readonly job: string;
  readonly slot: string;
  readonly attempt: string;
  /** Version of its creation; undefined when only its existence was seen. */
  readonly createdAt?: bigint;
  readonly creationTimestamp: string;
}

interface RecordedJob {
  readonly name: string;
  readonly framework: string;
  endedAt?: bigint;
  completionTime?: string;
  end?: string;
}

/** See the top of this file. */
export class Recorder {
  /** Everything that must not be and was. */
  public readonly violations: string[] = [];
  /** How many pods were seen. */
  public get podCount(): number {
    return this.history.length;
  }

  private readonly live = new Map<string, RecordedPod>();
  private readonly history: RecordedPod[] = [];
  private readonly jobs = new Map<string, RecordedJob>();
  private readonly stopping = new AbortController();
  private readonly watches: Promise<void>[] = [];

  /** @param onPod called with each state of each pod, and with undefined for the second argument once it is gone */
  public constructor(private readonly api: TestApi, private readonly onPod: (pod: TestObject, isGone: boolean) => void) {}

  /** Starts to watch; what happens after this is recorded. */
  public async start(): Promise<void> {
    const ready = ['mltrainingjobs', 'pods'].map(async (resource) => new Promise<void>((resolve) => {
      this.watches.push(this.follow(resource as ResourceName, resolve));
    }));
    await Promise.all(ready);
  }

  /** Ends the watches and holds pods and jobs against each other. */
  public async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.watches);
    for (const pod of this.history) {
      const job = this.jobs.get(pod.job);
      const isLate = job?.endedAt !== undefined && (pod.createdAt === undefined
        ? Date.parse(pod.creationTimestamp) > Date.parse(job.completionTime!) + 1000
        : pod.createdAt > job.endedAt);
      if (isLate) {
        this.violations.push(`${pod.name} (attempt ${pod.attempt}) was created after the end of its job ${job.name}`);
      }
    }
  }

  private async follow(resource: ResourceName, onReady: () => void): Promise<void> {
    let version: string | undefined;
    while (!this.stopping.signal.aborted) {
      try {
        version ??= await this.relist(resource);
        onReady();
        await watch(this.api.access, `${pathOf(resource)}?watch=true&allowWatchBookmarks=true&resourceVersion=${version}`, this.stopping.signal, (type, object) => {
          if (type === 'ERROR') {
            version = undefined;
            return;
          }
          version = object.metadata.resourceVersion as string;
          if (type !== 'BOOKMARK') {
            this.record(resource, type, object, true);
          }
        });
      } catch {
        // The API server is away.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  private async relist(resource: ResourceName): Promise<string> {
    const list = await this.api.send('GET', pathOf(resource));
    const items = list.items as TestObject[];
    if (resource === 'pods') {
      const uids = new Set(items.map(({ metadata }) => metadata.uid));
      [...this.live.keys()].filter((uid) => !uids.has(uid)).forEach((uid) => this.live.delete(uid));
    }
    items.forEach((item) => this.record(resource, 'MODIFIED', item, false));
    return list.metadata.resourceVersion as string;
  }

  private record(resource: ResourceName, type: string, object: TestObject, exact: boolean): void {
    if (resource === 'pods') {
      this.recordPod(type, object, exact);
    } else {
      this.recordJob(type, object as TestJob);
    }
  }

  private recordPod(type: string, pod: TestObject, exact: boolean): void {
    const uid = pod.metadata.uid!;
    if (type === 'DELETED') {
      this.live.delete(uid);
    } else if (!this.live.has(uid)) {
      const [owner] = (pod.metadata.ownerReferences ?? []) as { uid: string }[];
      const labels = pod.metadata.labels as { [name: string]: string };
      const recorded: RecordedPod = {
        name: pod.metadata.name,
        job: owner.uid,
        slot: `${labels[ROLE_LABEL]}-${labels[REPLICA_INDEX_LABEL]}`,
        attempt: labels[ATTEMPT_LABEL],
        createdAt: exact && type === 'ADDED' ? BigInt(pod.metadata.resourceVersion as string) : undefined,
        creationTimestamp: pod.metadata.creationTimestamp as string,
      };
      for (const other of this.live.values()) {
        if (other.job === recorded.job && other.slot === recorded.slot) {
          this.violations.push(`${recorded.name} was created beside ${other.name}, which is the same replica`);
        } else if (other.job === recorded.job && other.attempt !== recorded.attempt && GANGS.has(this.jobs.get(other.job)?.framework ?? '')) {
          this.violations.push(`${recorded.name} of attempt ${recorded.attempt} was created beside ${other.name} of attempt ${other.attempt}`);
        }
      }
      this.live.set(uid, recorded);
      this.history.push(recorded);
    }
    this.onPod(pod, type === 'DELETED');
  }

  private recordJob(type: string, job: TestJob): void {
    const uid = job.metadata.uid!;
    const known: RecordedJob = this.jobs.get(uid) ?? { name: job.metadata.name, framework: job.spec.framework };
    this.jobs.set(uid, known);
    const { completionTime, phase, conditions, restarts, disruptions, attempt } = job.status ?? {};
    const end = JSON.stringify({ completionTime, phase, conditions, restarts, disruptions, attempt });
    if (known.end !== undefined && end !== known.end && type !== 'DELETED') {
      this.violations.push(`job ${known.name} had ended as ${known.end} and became ${end}`);
    } else if (completionTime !== undefined && known.end === undefined) {
      Object.assign(known, { end, completionTime, endedAt: BigInt(job.metadata.resourceVersion as string) });
    }
  }
}

/** One watch request: ends with the connection. */
async function watch(access: ApiAccess, path: string, signal: AbortSignal, onEvent: (type: string, object: TestObject) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // Both may report the end of a connection, and more than once.
    const fail = (error: Error) => (signal.aborted ? resolve() : reject(error));
    const options = { ca: access.ca, headers: { authorization: `Bearer ${access.token}` }, signal, agent: false } as const;
    https.get(`${access.url}${path}`, options, (response) => {
      response.on('error', fail);
      const lines = readline.createInterface({ input: response });
      lines.on('error', fail);
      lines.on('line', (line) => {
        const { type, object } = JSON.parse(line) as { type?: string; object: TestObject };
        onEvent(type ?? 'ERROR', object);
      });
      lines.once('close', resolve);
    }).on('error', fail);
  });
}
