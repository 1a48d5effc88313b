import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { apiRequest } from '../../../src/local/control-plane';
import type { TrainingJobStatus } from '../../../src/model/training-job/status/status';
import { clusterAccess, mustRequest } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { NOBODY, create, judgeChange, jobManifest, jobsPath } from '../support/submit';

/** Every field that the operator writes. */
const STATUS: Required<TrainingJobStatus> = {
  phase: 'Restarting',
  observedGeneration: 1,
  startTime: '2026-01-01T00:00:00Z',
  completionTime: '2026-01-01T01:00:00Z',
  conditions: [{
    type: 'Running', status: 'False', reason: 'Restarting', message: 'worker 1 failed', lastTransitionTime: '2026-01-01T00:30:00Z', observedGeneration: 1,
  }],
  replicas: 4,
  ready: '3/4',
  selector: 'job=net',
  attempt: 1,
  attemptStarted: true,
  restarts: 2,
  retryStep: 1,
  disruptions: 1,
  nextRetryTime: '2026-01-01T00:31:00Z',
  containerRestarts: 1,
  stuckStart: { pod: 'net-worker-2', uid: 'v', reason: 'ImagePullFailed', since: '2026-01-01T00:20:00Z' },
  provisionalFailure: {
    attempt: 1, time: '2026-01-01T00:30:00Z', pod: 'net-worker-2', node: 'n1', reason: 'Error', puts: 'Restart', speaksOfNode: true, count: 2, lastTime: '2026-01-01T00:30:10Z',
  },
  suspectNodes: [{ node: 'n1', failures: 2, time: '2026-01-01T00:30:00Z', reason: 'OOMKilled', avoided: true }],
  preflight: { failures: 1, unexplained: true },
  hooks: {
    before: { phase: 'Succeeded', pod: 'net-hook-before-1', failures: 1, startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:01:00Z' },
    after: { phase: 'Pending', pod: 'net-hook-after-0', failures: 0, nextRetryTime: '2026-01-01T00:31:00Z', message: 'Unschedulable' },
  },
  array: {
    active: 2, succeeded: 4, failed: 1, activeIndexes: '5-6', unseenIndexes: '6', completedIndexes: '0-3', failedIndexes: '4',
    lastFailedIndex: { index: 4, reason: 'ReplicaFailed', message: 'exited with code 1', time: '2026-01-01T00:20:00Z' },
  },
  idle: { since: '2026-01-01T00:20:00Z', percent: 3, suspended: { generation: 2, resume: 'again' } },
  lostSeconds: 90,
  lostSince: '2026-01-01T00:30:00Z',
  lastRestart: { time: '2026-01-01T00:30:00Z', cause: 'Failure', reason: 'OOMKilled', lostSeconds: 60 },
  gang: { releases: 1, belowSince: '2026-01-01T00:10:00Z', step: 1 },
  queue: { name: 'team', workload: 'mltj-net-12345', clusterQueue: 'all', admitted: true, position: 3, evictions: 1 },
  workerStatuses: [
    { role: 'master', replicas: 1, pending: 0, running: 1, succeeded: 0, failed: 0 },
    { role: 'worker', replicas: 3, pending: 0, running: 1, succeeded: 1, failed: 1, succeededIndexes: '2' },
  ],
  lastFailure: {
    role: 'worker', index: 1, rank: 2, pod: 'net-worker-1', node: 'n1', container: 'training', exitCode: 137, signal: 'SIGKILL',
    reason: 'OOMKilled', message: 'killed', logTail: 'loss 0.3\n', attempt: 0, time: '2026-01-01T00:30:00Z',
  },
  replacing: [{ pod: 'net-worker-1', uid: 'u' }],
  worldSize: { replicas: 3, processes: 24 },
  elastic: { replicas: 4, unseen: '3' },
  tuning: {
    trials: 3, running: 1, succeeded: 1, failed: 1, stopped: 0,
    best: { trial: 1, value: 0.93, parameters: { learningRate: '0.01' } },
    lastFailedTrial: { trial: 2, reason: 'ObjectiveMissing', message: 'no value', time: '2026-01-01T00:30:00Z' },
    active: [{ trial: 3, point: 'AAB', budget: 9, continues: 1, seen: true }],
    remembered: [{ trial: 1, point: 'AAA', value: 0.93, budget: 3, continues: 1 }, { trial: 2, point: 'ABA' }],
    curves: ['0.5,0.6,,,,,,,0.9'],
  },
  checkpoint: { path: '/checkpoints/step-300', step: 300, time: '2026-03-01T12:00:00Z' },
  trainerStatus: {
    progressPercentage: 42, estimatedRemainingSeconds: 60, metrics: [{ name: 'loss', value: '0.3' }], lastUpdatedTime: '2026-01-01T00:29:00Z',
  },
  lastProgressTime: '2026-01-01T00:29:01Z',
  progressHistory: [{ time: '2026-01-01T00:20:00Z', progressPercentage: 12, metrics: { loss: '0.9' } }, { time: '2026-01-01T00:29:01Z' }],
};

let namespace: string;
let jobs: string;

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd()]);
  namespace = await createNamespace('crd');
  jobs = jobsPath(namespace);
  const common = { framework: 'pytorch', image: 'image', managedBy: NOBODY };
  await create(jobs, jobManifest('net', { ...common, replicas: 4 }));
  await create(jobs, jobManifest('elastic', { ...common, replicas: 2, elastic: { minReplicas: 1, maxReplicas: 4 } }));
});

afterAll(async () => deleteNamespace(namespace));

const patchStatus = async (name: string, status: object) =>
  mustRequest('PATCH', `${jobs}/${name}/status?fieldValidation=Strict`, { status }, 'application/merge-patch+json');

describe('the status', () => {
  test('keeps every field that the operator writes, and is not a part of a job that is created', async () => {
    const { body } = await patchStatus('net', STATUS);
    expect(body.status).toEqual(STATUS);
    expect(body.metadata.generation).toBe(1);
    const created = await create(jobs, { ...jobManifest('fresh', { framework: 'jax', image: 'image', replicas: 1, managedBy: NOBODY }), status: STATUS });
    expect(created).not.toHaveProperty('status');
  });

  test('is not changed by who changes the job', async () => {
    await patchStatus('net', STATUS);
    const { object } = await judgeChange(`${jobs}/net`, { spec: { suspend: true }, status: { phase: 'Completed' } });
    expect(object.spec.suspend).toBe(true);
    expect(object.status.phase).toBe('Restarting');
  });

  test.each([
    ['a phase that there is not', { phase: 'Sleeping' }, 'status.phase'],
    ['progress above all', { trainerStatus: { progressPercentage: 101 } }, 'status.trainerStatus.progressPercentage'],
    ['a time that is none', { startTime: 'now' }, 'status.startTime'],
  ])('refuses %s', async (_what, status, field) => {
    const verdict = await judgeChange(`${jobs}/net/status`, { status });
    expect(verdict.complaints.map((complaint) => complaint.field)).toContain(field);
  });
});

describe('the scale', () => {
  test('tells wanted and seen replicas and how to find the pods', async () => {
    await patchStatus('net', STATUS);
    const { body } = await mustRequest('GET', `${jobs}/net/scale`);
    expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 }, status: { replicas: 4, selector: 'job=net' } });
  });

  test('changes the replicas of an elastic job, within its range', async () => {
    const { object } = await judgeChange(`${jobs}/elastic/scale`, { spec: { replicas: 3 } });
    expect(object.spec.replicas).toBe(3);
    expect((await judgeChange(`${jobs}/elastic/scale`, { spec: { replicas: 9 } })).message).toContain('within elastic.minReplicas');
  });

  test('does not change the replicas of any other', async () => {
    const verdict = await judgeChange(`${jobs}/net/scale`, { spec: { replicas: 3 } });
    expect(verdict.status).toBe(422);
    expect(verdict.message).toContain('cannot change while the job exists, unless it is elastic');
  });
});

describe('kubectl get', () => {
  test('shows framework, replicas, phase, progress, restarts and age', async () => {
    await patchStatus('net', STATUS);
    const { body } = await apiRequest<{ columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] }>(
      clusterAccess(), 'GET', `${jobs}/net`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    );
    expect(body.columnDefinitions.map((column) => column.name))
      .toEqual(['Name', 'Framework', 'Replicas', 'Ready', 'Phase', 'Progress', 'Restarts', 'Age']);
    expect(body.rows[0].cells.slice(0, -1)).toEqual(['net', 'pytorch', 4, '3/4', 'Restarting', 42, 2]);
    expect(body.rows[0].cells.at(-1)).toEqual(expect.stringMatching(/^\d+[smh]/));
  });
});
