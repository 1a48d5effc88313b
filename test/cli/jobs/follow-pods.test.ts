/** Logs that are followed while connections, containers and nodes go. */
import { Readable } from 'node:stream';
import { followLogs, type FollowedJob } from '../../../src/cli/jobs/pod-logs/follow-pods';
import type { PodObject } from '../../../src/cli/jobs/objects';
import { ApiError, TransportError } from '../../../src/operator/runtime/http/api-error';
import type { KubeClient } from '../../../src/operator/runtime/kube-client';

/** One answer to a request for a log: lines and how the stream ends, or a refusal. */
interface Answer {
  readonly chunks?: readonly string[];
  readonly error?: Error;
}

type State = 'Running' | 'Succeeded' | 'restarting';

function pod(state: State): PodObject {
  const terminated = state === 'Running' ? undefined : { exitCode: 0 };
  return {
    metadata: { name: 'net-worker-0', uid: 'u' },
    spec: { restartPolicy: 'Always', containers: [{ name: 'training' }] },
    status: { phase: state === 'Succeeded' ? 'Succeeded' : 'Running', containerStatuses: [{ name: 'training', state: terminated ? { terminated } : { running: {} } }] },
  } as unknown as PodObject;
}

const at = (second: number, text: string) => `2026-11-28T08:00:0${second}.5Z ${text}\n`;
const broken = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
const unavailable = new ApiError('get pods/log', 503, { message: 'the kubelet does not answer' });

interface Followed {
  readonly lines: readonly string[];
  readonly problems: readonly string[];
  /** `sinceTime` of each request. */
  readonly asked: readonly (string | undefined)[];
}

/**
 * Follows a job of one container.
 * @param answers to requests for its log; the last one is repeated
 * @param look what is there after so many requests
 */
async function follow(answers: readonly Answer[], look: (requests: number) => FollowedJob | Error): Promise<Followed> {
  const [lines, problems, asked]: [string[], string[], (string | undefined)[]] = [[], [], []];
  const client = {
    podLogStream: async (_ref: object, { sinceTime }: { readonly sinceTime?: string }) => {
      asked.push(sinceTime);
      const { chunks = [], error } = answers[Math.min(asked.length, answers.length) - 1];
      if (error instanceof ApiError) {
        throw error;
      }
      const message = Readable.from((async function* () {
        yield* chunks.map((chunk) => Buffer.from(chunk));
        if (error !== undefined) {
          throw error;
        }
      })());
      return { message, release: () => undefined };
    },
  } as unknown as KubeClient;
  await followLogs({
    client, namespace: 'ns', previous: false, containers: () => ['training'],
    onLine: ({ text }) => lines.push(text), onProblem: (sentence) => problems.push(sentence),
  }, async () => {
    const seen = look(asked.length);
    if (seen instanceof Error) {
      throw seen;
    }
    return seen;
  }, 5);
  return { lines, problems, asked };
}

const job = (state: State, ended = false): FollowedJob => (
  { ended, replicas: [{ name: 'net-worker-0', pod: pod(state) }] as unknown as FollowedJob['replicas'] });
/** Runs until its log was asked for so many times. */
const until = (requests: number, last = job('Succeeded', true)) => (asked: number) => (asked < requests ? job('Running') : last);

test('a stream that the server ends while the container runs is opened again, without a line lost or repeated', async () => {
  const { lines, asked, problems } = await follow([
    { chunks: [at(1, 'one'), at(2, 'two'), '2026-11-28T08:00:03.5Z thr'] },
    { chunks: [at(2, 'two'), at(3, 'three'), '2026-11-28T08:00:04.5Z without'] },
    { chunks: [at(3, 'three'), '2026-11-28T08:00:04.5Z without an end'] },
  ], until(2));
  expect(lines).toEqual(['one', 'two', 'three', 'without an end']);
  expect(asked.slice(0, 2)).toEqual([undefined, '2026-11-28T08:00:02.5Z']);
  expect(problems).toEqual([]);
});

test('a connection that breaks within a line shows the line once and whole', async () => {
  const { lines } = await follow([
    { chunks: [at(1, 'one'), '2026-11-28T08:00:02.5Z rank 2 e'], error: broken },
    { error: unavailable },
    { chunks: [at(1, 'one'), at(2, 'rank 2 ends')] },
  ], until(3));
  expect(lines).toEqual(['one', 'rank 2 ends']);
});

test('a container that restarts in its pod is followed', async () => {
  const { lines } = await follow([
    { chunks: [at(1, 'first run')] },
    { error: new ApiError('get pods/log', 400, { message: 'container "training" in pod "net-worker-0" is waiting to start: CrashLoopBackOff' }) },
    { chunks: [at(3, 'second run')] },
    { error: new ApiError('get pods/log', 404, { message: 'pods "net-worker-0" not found' }) },
  ], (requests) => (requests < 1 ? job('Running') : requests < 3 ? job('restarting') : { ended: true, replicas: [] }));
  expect(lines).toEqual(['first run', 'second run']);
});

test('a cluster that does not answer is asked again; a refusal ends it', async () => {
  let looks = 0;
  const away = new TransportError('get pods', 'ECONNREFUSED', false);
  const { lines, problems } = await follow([{ chunks: [at(1, 'one')] }], () => (looks++ < 2 ? away : job('Succeeded', true)));
  expect(lines).toEqual(['one']);
  expect(problems).toEqual(['The cluster does not answer; trying again.']);
  await expect(follow([], () => new ApiError('list pods', 403, { message: 'pods is forbidden' }))).rejects.toThrow('pods is forbidden');
});

test('a node that does not answer after the job has ended is reported', async () => {
  const { lines, problems } = await follow([{ chunks: [at(1, 'one')], error: broken }, { error: unavailable }], () => job('Running', true));
  expect(lines).toEqual(['one']);
  expect(problems).toEqual(['net-worker-0 (container training): the kubelet does not answer']);
});
