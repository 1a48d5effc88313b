/** Large numbers of jobs that need nothing: how much memory and CPU they cost, and how long a new operator takes to know them. */
import type { BenchPlane } from './bench-plane';
import { patient } from './burst';
import type { OperatorUnderTest } from './operator-under-test';
import { median, rounded } from './statistics';
import { jobJson, jobName, jobSpec, jobsPath, type Size } from './workload';
import type { TrainingJobStatus } from '../../src/model/training-job/status/status';

/** Jobs that run, and an operator that has nothing to do. */
export interface IdleCost {
  readonly jobs: number;
  readonly podsPerJob: number;
  readonly seconds: number;
  /** CPU seconds of the operator in that time. */
  readonly cpuSeconds: number;
  readonly residentMiB: number;
}

/** Many jobs in the API server, and a new process. */
export interface PopulationCost {
  readonly running: number;
  readonly finished: number;
  /** Seconds from the start of the process until it works, of each start. */
  readonly readySeconds: readonly number[];
  readonly readyMedian: number;
  /** Resident MiB some time after the last start, and the most that there was. */
  readonly residentMiB: number;
  readonly peakMiB: number;
}

/** Creates jobs and waits until all run. */
export async function createRunning(plane: BenchPlane, namespace: string, size: Size): Promise<void> {
  const running = new Set<string>();
  let announce = (): void => undefined;
  const allRun = new Promise<void>((resolve) => { announce = resolve; });
  await plane.session.watch(jobsPath(namespace), {}, (_type, { metadata: { name }, status }) => {
    if (status?.phase === 'Running' && running.add(name).size === size.jobs) {
      announce();
    }
  });
  const spec = jobSpec(size.pods);
  await plane.session.each(size.jobs, async (index) => plane.session.create(jobsPath(namespace), jobJson(namespace, index, spec)));
  await patient(`${size.jobs} jobs to run`, allRun);
}

/** Leaves an operator alone and looks at what it uses. */
export async function measureIdle(operator: OperatorUnderTest, size: Size, seconds: number): Promise<IdleCost> {
  // What the last changes have left to do is not idleness.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const before = operator.stats();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const after = operator.stats();
  return {
    jobs: size.jobs, podsPerJob: size.pods, seconds,
    cpuSeconds: rounded(after.cpuSeconds - before.cpuSeconds),
    residentMiB: Math.round(after.residentMiB),
  };
}

/** Creates jobs that have come to their end, numbered from `first`, with the status that the operator gives them. No operator need run. */
export async function createFinished(plane: BenchPlane, namespace: string, first: number, count: number): Promise<void> {
  const spec = jobSpec(4);
  const status = JSON.stringify({ status: FINISHED });
  await plane.session.each(count, async (index) => {
    await plane.session.create(jobsPath(namespace), jobJson(namespace, first + index, spec));
    await plane.session.merge(`${jobsPath(namespace)}/${jobName(first + index)}/status`, status);
  });
}

/** Starts operators on what there is, one after the other. @returns costs, and the last operator, which runs */
export async function measurePopulation(
  plane: BenchPlane, running: number, finished: number, starts: number, settleSeconds: number,
): Promise<{ readonly cost: PopulationCost; readonly operator: OperatorUnderTest }> {
  const readySeconds: number[] = [];
  let operator!: OperatorUnderTest;
  for (let start = 0; start < starts; start++) {
    operator = plane.startOperator();
    readySeconds.push(rounded(await patient('the operator to be ready', operator.ready())));
    if (start < starts - 1) {
      await operator.stop();
    }
  }
  await new Promise((resolve) => setTimeout(resolve, settleSeconds * 1000));
  const { residentMiB, peakMiB } = operator.stats();
  return {
    operator,
    cost: { running, finished, readySeconds, readyMedian: median(readySeconds), residentMiB: Math.round(residentMiB), peakMiB: Math.round(peakMiB) },
  };
}

const TIME = '2026-01-01T00:00:00Z';

/** As the operator leaves a job of four pods. */
const FINISHED: TrainingJobStatus = {
  phase: 'Completed',
  observedGeneration: 1,
  startTime: TIME,
  completionTime: TIME,
  replicas: 4,
  ready: '4/4',
  selector: 'job=net',
  attempt: 0,
  attemptStarted: true,
  restarts: 0,
  disruptions: 0,
  conditions: [
    { type: 'Created', status: 'True', reason: 'JobCreated', message: 'The operator has accepted the job', lastTransitionTime: TIME, observedGeneration: 1 },
    { type: 'Running', status: 'False', reason: 'JobSucceeded', message: 'All replicas have succeeded', lastTransitionTime: TIME, observedGeneration: 1 },
    { type: 'Succeeded', status: 'True', reason: 'JobSucceeded', message: 'All replicas have succeeded', lastTransitionTime: TIME, observedGeneration: 1 },
  ],
  workerStatuses: [
    { role: 'master', replicas: 1, pending: 0, running: 0, succeeded: 1, failed: 0, succeededIndexes: '0' },
    { role: 'worker', replicas: 3, pending: 0, running: 0, succeeded: 3, failed: 0, succeededIndexes: '0-2' },
  ],
};
