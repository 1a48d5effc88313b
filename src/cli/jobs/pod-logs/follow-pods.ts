/** Logs of a job's containers: read once, or followed through restarts and broken connections until the job has ended. */
import { setTimeout as delay } from 'node:timers/promises';
import { LogMerger, compareTimes, logLine, type LogLine } from './log-lines';
import { containerStatuses, type PodObject } from '../objects';
import { mainContainer, type Replica } from '../replicas';
import { LineSplitter } from '../../../local/process/line-splitter';
import { ApiError, TransportError } from '../../../operator/runtime/http/api-error';
import type { KubeClient } from '../../../operator/runtime/kube-client';

export interface ReplicaLine extends LogLine {
  readonly replica: Replica;
  readonly container: string;
}

export interface LogRequest {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly containers: (pod: PodObject) => readonly string[];
  readonly previous: boolean;
  /** Lines from the end of each container. @default - all */
  readonly tail?: number;
  /** RFC 3339. @default - from the start */
  readonly since?: string;
  readonly onLine: (line: ReplicaLine) => void;
  /** Ends all reading. */
  readonly signal?: AbortSignal;
  /** Told of a container that cannot be read. */
  readonly onProblem: (sentence: string) => void;
}

/** Most containers that are read at a time. */
const PARALLEL = 32;

/** Milliseconds in which lines of several containers are put in order while they are followed. */
const WINDOW_MS = 150;

/** Milliseconds until a broken connection is made again, and between two looks for new pods. */
const AGAIN_MS = 1_000;

/** Containers that are asked for. @throws CliError by the caller, where none has the name */
export function containersOf(all: boolean, wanted: string | undefined): LogRequest['containers'] {
  return (pod) => {
    const names = [...pod.spec?.initContainers ?? [], ...pod.spec?.containers ?? []].map(({ name }) => name);
    return all ? names : wanted === undefined ? [mainContainer(pod)] : names.filter((name) => name === wanted);
  };
}

/** Reads what has been written so far, in the order of time. */
export async function readLogs(request: LogRequest, replicas: readonly Replica[]): Promise<void> {
  const sources = replicas.flatMap((replica) => request.containers(replica.pod).map((container) => ({ replica, container })));
  // A single container's lines need no order, and are not held in memory.
  const merger = sources.length === 1 ? undefined : new LogMerger<ReplicaLine>(0, request.onLine);
  for (let start = 0; start < sources.length; start += PARALLEL) {
    await Promise.all(sources.slice(start, start + PARALLEL).map(async ({ replica, container }) => (
      new ContainerLog(request, replica, container, (line) => (merger === undefined ? request.onLine(line) : merger.add(line))).read(false))));
  }
  merger?.flush();
}

/** The same, and what is written from now on. @param look pods as they are now, and whether the job has ended */
export async function followLogs(
  request: LogRequest, look: () => Promise<{ readonly replicas: readonly Replica[]; readonly ended: boolean }>,
): Promise<void> {
  const merger = new LogMerger<ReplicaLine>(WINDOW_MS, request.onLine);
  const followed = new Map<string, Promise<void>>();
  let open = 0;
  while (request.signal?.aborted !== true) {
    const { replicas, ended } = await look();
    for (const replica of replicas) {
      for (const container of request.containers(replica.pod)) {
        const key = `${replica.pod.metadata?.uid} ${container}`;
        if (!followed.has(key) && hasStarted(replica.pod, container)) {
          open += 1;
          followed.set(key, new ContainerLog(request, replica, container, (line) => merger.add(line)).follow().finally(() => {
            open -= 1;
          }));
        }
      }
    }
    if (ended && open === 0) {
      break;
    }
    await delay(AGAIN_MS);
  }
  await Promise.all(followed.values());
  merger.flush();
}

/** A container that waits for its image has no log. */
function hasStarted({ status }: PodObject, container: string): boolean {
  const found = containerStatuses({ status }).find(({ name }) => name === container);
  return found?.state?.running !== undefined || found?.state?.terminated !== undefined || found?.lastState?.terminated !== undefined;
}

class ContainerLog {
  /** Time of the last line, and how many of that time were written. */
  private last = '';
  private sameTime = 0;

  public constructor(
    private readonly request: LogRequest, private readonly replica: Replica, private readonly container: string,
    private readonly onLine: (line: ReplicaLine) => void,
  ) {}

  /** Until the container has ended: a connection that breaks is made again from the last line on. */
  public async follow(): Promise<void> {
    while (await this.read(true) === 'broken') {
      await delay(AGAIN_MS);
    }
  }

  public async read(follow: boolean): Promise<'ended' | 'broken'> {
    const { client, namespace, previous, tail, since, onProblem } = this.request;
    const isFirst = this.last === '';
    // The server's times have whole seconds: what was written already is left out here.
    let repeated = isFirst ? 0 : this.sameTime;
    const from = this.last;
    try {
      const stream = await client.podLogStream({ namespace, name: this.replica.name }, {
        container: this.container, previous, timestamps: true, follow, signal: this.request.signal,
        ...(isFirst ? { tailLines: tail, sinceTime: since } : { sinceTime: from }),
      });
      const splitter = new LineSplitter((written) => {
        const line = logLine(written);
        const order = from === '' ? 1 : compareTimes(line.time, from);
        if (order < 0 || (order === 0 && repeated > 0)) {
          repeated -= order === 0 ? 1 : 0;
          return;
        }
        this.sameTime = line.time === this.last ? this.sameTime + 1 : 1;
        this.last = line.time || this.last;
        this.onLine({ ...line, replica: this.replica, container: this.container });
      });
      try {
        for await (const chunk of stream.message) {
          splitter.write(chunk as Buffer);
        }
      } finally {
        splitter.end();
        stream.release();
      }
      return 'ended';
    } catch (error) {
      if (this.request.signal?.aborted) {
        return 'ended';
      }
      if (error instanceof ApiError) {
        if (!error.isNotFound || isFirst) {
          onProblem(`${this.replica.name} (container ${this.container}): ${error.serverMessage || error.message}`);
        }
        return 'ended';
      }
      if (follow && (error instanceof TransportError || (error as NodeJS.ErrnoException).code !== undefined)) {
        return 'broken';
      }
      throw error;
    }
  }
}
