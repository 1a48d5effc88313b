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
  /** Called with a message about a container that cannot be read. */
  readonly onProblem: (sentence: string) => void;
}

/** Most containers that are read at a time. */
const PARALLEL = 32;

/** Milliseconds that lines are held to sort them by time. */
const WINDOW_MS = 150;

/** Milliseconds before a broken connection is opened again, and between two requests for pods. */
const AGAIN_MS = 1_000;

/** Requests without an answer before it gives up, about five minutes. */
const MAX_SILENT = 300;

/** Attempts at a log after the job has ended, when the node does not answer. */
const MOST_UNANSWERED = 5;

/** The containers of a pod that the user selects. */
export function containersOf(all: boolean, wanted: string | undefined): LogRequest['containers'] {
  return (pod) => {
    const names = [...pod.spec?.initContainers ?? [], ...pod.spec?.containers ?? []].map(({ name }) => name);
    return all ? names : wanted === undefined ? [mainContainer(pod)] : names.filter((name) => name === wanted);
  };
}

/** Reads the existing lines, sorted by time. */
export async function readLogs(request: LogRequest, replicas: readonly Replica[]): Promise<void> {
  const sources = replicas.flatMap((replica) => request.containers(replica.pod).map((container) => ({ replica, container })));
  // Lines of a single container are sorted already, and are not held in memory.
  const merger = sources.length === 1 ? undefined : new LogMerger<ReplicaLine>(0, request.onLine);
  for (let start = 0; start < sources.length; start += PARALLEL) {
    await Promise.all(sources.slice(start, start + PARALLEL).map(async ({ replica, container }) => (
      new ContainerLog(request, replica, container, (line) => (merger === undefined ? request.onLine(line) : merger.add(line))).read(false))));
  }
  merger?.flush();
}

export interface FollowedJob {
  readonly replicas: readonly Replica[];
  /** Whether the job has ended. */
  readonly ended: boolean;
}

/**
 * Reads existing and new lines until the job has ended. If the cluster does not answer, it tries again for five minutes.
 * @param look reads the job
 * @param pauseMs between two requests
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
        // A pod that is missing has ended.
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

/** Whether a second request may succeed: the cluster or the node of a container did not answer. */
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

/** How reading ended: there are no more lines, the stream ended, or a second request may succeed. */
type Outcome = 'refused' | 'ended' | { readonly problem: string };

class ContainerLog {
  /** Time of the last line, and number of lines with that time. */
  private last = '';
  private sameTime = 0;
  private isOver = false;
  private jobHasEnded = false;
  private isStopped = false;

  public constructor(
    private readonly request: LogRequest, private readonly replica: Replica, private readonly container: string,
    private readonly onLine: (line: ReplicaLine) => void,
  ) {}

  /** @param pod the current pod. @default - it does not exist */
  public see(jobHasEnded: boolean, pod?: PodObject): void {
    this.jobHasEnded = jobHasEnded;
    this.isOver = pod === undefined || isOver(pod, this.container);
  }

  /** Prevents further streams. */
  public stop(): void {
    this.isStopped = true;
  }

  /**
   * Reads until the container has ended and its last line was read. If the connection to the kubelet breaks, or the container restarts, it opens the
   * stream again from the last line on.
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

  /** @param toEnd whether the last line is complete although it has no line break */
  public async read(follow: boolean, toEnd = true): Promise<Outcome> {
    const { client, namespace, previous, tail, since, onProblem, signal } = this.request;
    const isFirst = this.last === '';
    // The server's times have whole seconds, so lines that were read already are left out here.
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
      // An incomplete line is read again as a whole.
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
