/**
 * The operator is killed at random moments, and starts again at once, while jobs of all kinds run, fail, are evicted and are deleted. In the end
 * each job has ended as its pods' fates ask for, to the count of its restarts; nothing ran twice, and nothing is left.
 *
 * There is no kube-controller-manager: nobody cleans up behind the operator.
 */
import { TestNodes, type Fate, type Run } from './support/nodes';
import { SeededRandom } from './support/random';
import { Recorder } from './support/recorder';
import { ControlPlane } from '../../src/local/control-plane';
import { MANAGED_BY_LABEL, MANAGED_BY_OPERATOR } from '../../src/model/labels';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../src/model/training-job/status/status';
import { eventually } from '../cluster/support/cluster';
import { installOperator, startOperator, type Installation, type OperatorProcess } from '../cluster/support/operator';
import { TestApi } from '../cluster/support/test-api';
import { TestJobs } from '../cluster/support/training-jobs';

/** A job, what becomes of its pods, and what has to be reported in the end. */
interface Story {
  readonly spec: Partial<TrainingJobSpec>;
  readonly fate: (run: Run) => Fate | undefined;
  readonly end: Partial<TrainingJobStatus>;
}

const retry = { restartPolicy: 'OnFailure', backoff: { initialSeconds: 1, maxSeconds: 1 } } as const;
const ends = (afterMs: number, exitCode: Fate['exitCode'] = 0): Fate => ({ afterMs, exitCode });
const completed = (restarts = 0, disruptions = 0) => ({ phase: 'Completed', restarts, disruptions }) as const;
const failed = (restarts = 0) => ({ phase: 'Failed', restarts, disruptions: 0 }) as const;

/** Ends well, all ranks within moments of each other. */
const well = (spec: Partial<TrainingJobSpec>, afterMs: number): Story => ({ spec, fate: () => ends(afterMs), end: completed() });
/** The last worker fails in the first attempts of the gang. */
const flaky = (spec: Partial<TrainingJobSpec>, index: number, failures: number, exitCode: Fate['exitCode'] = 1): Story => ({
  spec: { ...spec, runPolicy: retry },
  fate: ({ role, index: mine, attempt }) => (role === 'worker' && mine === index && attempt < failures ? ends(400, exitCode) : attempt < failures ? undefined : ends(1200)),
  end: exitCode === 'evicted' ? completed(0, failures) : completed(failures),
});
/** Replicas of their own: one fails with its first pods. */
const replaced = (spec: Partial<TrainingJobSpec>, failures: number, exitCode: Fate['exitCode'] = 1): Story => ({
  // With the coordinator alone the job could be over before any operator lived long enough to see the failure.
  spec: { ...spec, runPolicy: { ...retry, successPolicy: 'AllWorkers' } },
  fate: ({ role, index, earlierPods }) => (role === 'worker' && index === 0 && earlierPods < failures ? ends(400, exitCode) : ends(role === 'worker' ? 1200 : 4000)),
  end: exitCode === 'evicted' ? completed(0, failures) : completed(failures),
});
/** Fails for good. */
const doomed = (spec: Partial<TrainingJobSpec>, restarts: number): Story => ({
  spec: { ...spec, runPolicy: restarts > 0 ? { ...retry, backoffLimit: restarts } : {} },
  fate: ({ role, index }) => (role === 'worker' && index === 0 ? ends(600, 1) : undefined),
  end: failed(restarts),
});

const roles = (...names: readonly string[]) => names.map((name) => (name === 'worker' ? { name, replicas: 2 } : { name }));

const STORIES: readonly Story[] = [
  well({ framework: 'pytorch', replicas: 4 }, 2500),
  well({ framework: 'jax', replicas: 6 }, 1500),
  well({ framework: 'mpi', replicas: 3 }, 2000),
  well({ framework: 'xgboost', replicas: 2, runPolicy: { cleanPodPolicy: 'All' } }, 800),
  well({ framework: 'tensorflow', roles: roles('chief', 'worker', 'ps') }, 3000),
  well({ framework: 'mxnet', roles: roles('scheduler', 'server', 'worker') }, 1200),
  well({ framework: 'plain', replicas: 8, runPolicy: { cleanPodPolicy: 'None' } }, 1800),
  well({ framework: 'pytorch', replicas: 1 }, 300),
  flaky({ framework: 'pytorch', replicas: 3 }, 1, 1),
  flaky({ framework: 'jax', replicas: 4 }, 2, 2),
  flaky({ framework: 'deepspeed', replicas: 2 }, 0, 1),
  flaky({ framework: 'paddle', replicas: 3 }, 1, 1, 'evicted'),
  flaky({ framework: 'pytorch', replicas: 5 }, 3, 2, 'evicted'),
  replaced({ framework: 'plain', replicas: 4 }, 2),
  replaced({ framework: 'tensorflow', roles: roles('chief', 'worker', 'ps') }, 1),
  replaced({ framework: 'plain', replicas: 3 }, 2, 'evicted'),
  doomed({ framework: 'pytorch', replicas: 3 }, 0),
  doomed({ framework: 'plain', replicas: 2 }, 0),
  doomed({ framework: 'jax', replicas: 2 }, 2),
  doomed({ framework: 'plain', replicas: 3 }, 1),
];

interface TestBed {
  readonly plane: ControlPlane;
  readonly api: TestApi;
  readonly installation: Installation;
  readonly jobs: TestJobs;
  readonly namespace: string;
  readonly recorder: Recorder;
}

/** Runs `work` on a control plane of its own, with nodes and a recorder. */
async function withTestBed(random: SeededRandom, stories: { readonly [job: string]: Story }, work: (bed: TestBed) => Promise<void>): Promise<void> {
  const plane = await ControlPlane.start();
  let recorder: Recorder | undefined;
  let nodes: TestNodes | undefined;
  let installation: Installation | undefined;
  try {
    const api = new TestApi(plane.access());
    installation = await installOperator(api, await api.createNamespace('operator', false));
    const namespace = await api.createNamespace('jobs', false);
    nodes = new TestNodes(api, random, (run) => stories[run.job].fate(run));
    recorder = new Recorder(api, (pod, isGone) => nodes!.observe(pod, isGone));
    await recorder.start();
    await work({ plane, api, installation, namespace, jobs: new TestJobs(api, namespace), recorder });
  } finally {
    nodes?.close();
    await recorder?.stop();
    await plane.stop();
    installation?.removeFiles();
  }
  expect(recorder.violations).toEqual([]);
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** One life of the operator: half of them end at any moment since the start of the process, half while it is at work. */
async function liveAndDie(operator: OperatorProcess, random: SeededRandom): Promise<boolean> {
  const isAtWork = () => operator.log().some(({ msg }) => msg === 'controller started');
  if (random.next() < 0.5) {
    await operator.logs('controller started');
    await pause(random.between(0, 800));
  } else {
    await pause(random.between(20, 1000));
  }
  const wasAtWork = isAtWork();
  await operator.kill();
  return wasAtWork;
}

/** Waits for the end of all jobs, and holds each against its story. */
async function expectEnds(jobs: TestJobs, stories: { readonly [job: string]: Story }): Promise<void> {
  for (const [name, story] of Object.entries(stories)) {
    const job = await jobs.until(name, 'finished', ({ completionTime }) => completionTime !== undefined);
    expect({ name, ...job.status }).toMatchObject({ name, ...story.end });
  }
}

/** Deletes all jobs, kills the operator in between, and waits until nothing is left. */
async function expectNothingLeft(
  { api, namespace, installation, jobs }: TestBed, operator: OperatorProcess, names: readonly string[],
): Promise<OperatorProcess> {
  await Promise.all(names.map(async (name) => jobs.remove(name)));
  await operator.kill();
  const last = startOperator(installation);
  let left: string[] = [];
  await eventually('nothing to be left', async () => {
    // Not Secrets, which are the garbage collector's.
    const kinds = ['pods', 'services', 'configmaps', 'mltrainingjobs'] as const;
    const objects = await Promise.all(kinds.map(async (kind) => {
      const found = await api.list(kind, namespace, kind === 'mltrainingjobs' ? undefined : `${MANAGED_BY_LABEL}=${MANAGED_BY_OPERATOR}`);
      return found.map(({ metadata }) => `${kind}/${metadata?.name}`);
    }));
    left = objects.flat();
    return left.length === 0;
  }).catch((error: Error) => {
    throw new Error(`${error.message}: ${left.join(' ')}`);
  });
  return last;
}

/** Kills of the operator, in {@link LINES} control planes side by side: most of a kill's time is spent on starting the next process. */
const KILLS = Number(process.env.TRAINYARD_KILLS ?? 40);
const LINES = 2;

/** Kills of the API server. */
const RESTARTS = Math.ceil(KILLS / 10);

/** A test that takes longer hangs, milliseconds. */
const PATIENCE_MS = 180_000 + 4_000 * KILLS;

/** Which job of a line has which story: each twice, so that there is something at stake until the last kills. */
const JOBS = Object.fromEntries([...STORIES, ...STORIES].map((story, index) => [`job-${index}`, story]));

/** One line of kills. @returns how many hit an operator at work, and how many pods there were */
async function killAgainAndAgain(random: SeededRandom, rounds: number): Promise<{ readonly atWork: number; readonly pods: number }> {
  // Two more jobs are deleted in the middle of their run.
  const deleted = { 'deleted-0': well({ framework: 'mpi', replicas: 4 }, 600_000), 'deleted-1': well({ framework: 'plain', replicas: 4 }, 600_000) };
  let atWork = 0;
  let pods = 0;
  await withTestBed(random, { ...JOBS, ...deleted }, async (bed) => {
    const { installation, jobs, recorder } = bed;
    const waiting = Object.entries(JOBS).sort(() => random.next() - 0.5);
    for (let round = 0; round < rounds; round++) {
      const operator = startOperator(installation);
      const life = liveAndDie(operator, random);
      if (round === 5 || round === 20) {
        const [name, story] = Object.entries(deleted)[round === 5 ? 0 : 1];
        await jobs.create(name, story.spec);
      }
      if (round === 15 || round === 30) {
        await jobs.remove(Object.keys(deleted)[round === 15 ? 0 : 1]);
      }
      // All are there some rounds before the last kill.
      for (const [name, story] of waiting.splice(0, Math.ceil(waiting.length / Math.max(1, rounds - 10 - round)))) {
        await jobs.create(name, story.spec);
      }
      atWork += await life ? 1 : 0;
    }
    expect(waiting).toEqual([]);
    const operator = startOperator(installation);
    await expectEnds(jobs, JOBS);
    const last = await expectNothingLeft(bed, operator, Object.keys(JOBS));
    pods = recorder.podCount;
    await last.stop();
    expect([...operator.complaints(), ...last.complaints()]).toEqual([]);
  });
  return { atWork, pods };
}

test(`jobs end right although the operator is killed ${KILLS} times`, async () => {
  const first = SeededRandom.forTest('operator-sigkill');
  // Seeds far apart, so that no two lines do the same.
  const lines = Array.from({ length: LINES }, (_, line) => killAgainAndAgain(new SeededRandom(first.seed + line * 7_919), KILLS / LINES));
  const done = await Promise.all(lines);
  const sum = (field: 'atWork' | 'pods') => done.reduce((total, line) => total + line[field], 0);
  process.stdout.write(`${sum('atWork')} of ${KILLS} kills hit an operator at work; ${sum('pods')} pods were made\n`);
  // Kills of processes that do nothing prove nothing.
  expect(sum('atWork')).toBeGreaterThan(KILLS / 4);
}, PATIENCE_MS);

test(`jobs end right although the API server is killed ${RESTARTS} times, and the operator in turns with it`, async () => {
  const random = SeededRandom.forTest('api-server-sigkill');
  const stories = Object.fromEntries(STORIES.map((story, index) => [`job-${index}`, story]));
  await withTestBed(random, stories, async (bed) => {
    const { plane, installation, jobs } = bed;
    let operator = startOperator(installation);
    await operator.logs('controller started');
    const waiting = Object.entries(stories);
    for (let restart = 0; restart < RESTARTS; restart++) {
      for (const [name, story] of waiting.splice(0, Math.ceil(STORIES.length / RESTARTS))) {
        await jobs.create(name, story.spec);
      }
      await pause(random.between(0, 800));
      await plane.restartApiServer(random.between(0, 800));
      await pause(random.between(0, 800));
      if (restart % 2 === 1) {
        // Every other outage is lived through by one process, which has to find back by itself.
        await operator.kill();
        operator = startOperator(installation);
      }
    }
    expect(waiting).toEqual([]);
    await expectEnds(jobs, stories);
    await (await expectNothingLeft(bed, operator, Object.keys(stories))).stop();
  });
}, PATIENCE_MS);
