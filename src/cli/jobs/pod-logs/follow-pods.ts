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

/** Looks without an answer before it gives up, about five minutes. */
const MAX_SILENT = 300;

/** Attempts at a log of a job that has ended whose node does not answer. */
const MOST_UNANSWERED = 5;

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

/** What a look at a job shows. */
export interface FollowedJob {
  /** Pods as they are now. */
  readonly replicas: readonly Replica[];
  /** Whether the job has ended. */
  readonly ended: boolean;
}

/**
 * The same, and what is written from now on. While the cluster does not answer it tries again, for five minutes.
 * @param look at the job
 * @param pauseMs between two looks
 */
export async function followLogs(request: LogRequest, look: () => Promise<FollowedJob>, pauseMs = AGAIN_MS): Promise<void> {
  const merger = new LogMerger<ReplicaLine>(WINDOW_MS, request.onLine);
  const logs = new Map<string, ContainerLog>();
  const following = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  try {
    for (let silent = 0; request.signal?.aborted !== true;) {
      if (failure !== undefined) {
        throw failure.error;
      }
      const seen = await look().catch((error: unknown) => {
        silent += 1;
        if (!mayAnswerLater(error) || silent > MAX_SILENT) {
          throw error;
        }
        return undefined;
      });
      if (seen === undefined) {
        if (silent === 1) {
          request.onProblem('The cluster does not answer; trying again.');
        }
      } else {
        silent = 0;
        // Those that are not found again are over.
        logs.forEach((log) => log.see(seen.ended));
        for (const replica of seen.replicas) {
          for (const container of request.containers(replica.pod).filter((name) => hasStarted(replica.pod, name))) {
            const key = `${replica.pod.metadata?.uid} ${container}`;
            const known = logs.get(key);
            const log = known ?? new ContainerLog(request, replica, container, (line) => merger.add(line));
            log.see(seen.ended, replica.pod);
            if (known === undefined) {
              logs.set(key, log);
              const followed = log.follow(pauseMs).catch((error: unknown) => { failure ??= { error }; }).finally(() => following.delete(followed));
              following.add(followed);
            }
          }
        }
        if (seen.ended && following.size === 0) {
          break;
        }
      }
      await delay(pauseMs);
    }
    await Promise.all(following);
  } finally {
    logs.forEach((log) => log.stop());
  }
  merger.flush();
}

/** Whether the cluster, or the node of a container, may answer when it is asked again. */
function mayAnswerLater(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof ApiError ? error.isRetriable : (error as NodeJS.ErrnoException).code !== undefined);
}

/** A container that waits for its image has no log. */
function hasStarted({ status }: PodObject, container: string): boolean {
  const found = containerStatuses({ status }).find(({ name }) => name === container);
  return found?.state?.running !== undefined || found?.state?.terminated !== undefined || found?.lastState?.terminated !== undefined;
}

/** Whether a container writes no more lines. */
function isOver({ spec, status }: PodObject, container: string): boolean {
  const exitCode = containerStatuses({ status }).find(({ name }) => name === container)?.state?.terminated?.exitCode;
  const restartPolicy = spec?.restartPolicy ?? 'Always';
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
    || (exitCode !== undefined && (restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && exitCode === 0)));
}

/** How reading has ended: no more can be had, the stream ended, or it may be had later. */
type Outcome = 'refused' | 'ended' | { readonly problem: string };

class ContainerLog {
  /** Time of the last line, and how many of that time were written. */
  private last = '';
  private sameTime = 0;
  private isOver = false;
  private jobHasEnded = false;
  private isStopped = false;

  public constructor(
    private readonly request: LogRequest, private readonly replica: Replica, private readonly container: string,
    private readonly onLine: (line: ReplicaLine) => void,
  ) {}

  /** @param pod as it is now. @default - it is gone */
  public see(jobHasEnded: boolean, pod?: PodObject): void {
    this.jobHasEnded = jobHasEnded;
    this.isOver = pod === undefined || isOver(pod, this.container);
  }

  /** No further stream is opened. */
  public stop(): void {
    this.isStopped = true;
  }

  /**
   * Until a container that has ended was read to its end. A stream ends early when the connection to the kubelet does, or the container restarts: it
   * is opened again from the last line on.
   */
  public async follow(pauseMs: number): Promise<void> {
    for (let unanswered = 0; !this.isStopped;) {
      const { isOver: wasOver, jobHasEnded } = this;
      const outcome = await this.read(true, wasOver);
      if (outcome === 'refused' || (outcome === 'ended' && wasOver)) {
        return;
      }
      if (outcome !== 'ended' && jobHasEnded && ++unanswered >= MOST_UNANSWERED) {
        this.request.onProblem(outcome.problem);
        return;
      }
      await delay(pauseMs);
    }
  }

  /** @param toEnd whether the last line counts although it has no end: more of it will not come */
  public async read(follow: boolean, toEnd = true): Promise<Outcome> {
    const { client, namespace, previous, tail, since, onProblem, signal } = this.request;
    const isFirst = this.last === '';
    // The server's times have whole seconds: what was written already is left out here.
    let repeated = isFirst ? 0 : this.sameTime;
    const from = this.last;
    try {
      const stream = await client.podLogStream({ namespace, name: this.replica.name }, {
        container: this.container, previous, timestamps: true, follow, signal,
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
        stream.release();
      }
      // The rest of a broken line comes again with its beginning.
      if (toEnd) {
        splitter.end();
      }
      return 'ended';
    } catch (error) {
      if (signal?.aborted) {
        return 'refused';
      }
      const problem = `${this.replica.name} (container ${this.container}): `
        + (error instanceof ApiError ? error.serverMessage || error.message : String((error as Error).message));
      // 400: a container that restarts waits to start.
      if (follow && (mayAnswerLater(error) || (error instanceof ApiError && error.status === 400 && !this.isOver))) {
        return { problem };
      }
      if (!(error instanceof ApiError)) {
        throw error;
      }
      if (!error.isNotFound || isFirst) {
        onProblem(problem);
      }
      return 'refused';
    }
  }
}
