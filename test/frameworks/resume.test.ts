/**
 * The quickstart's training, killed in the middle: it has to finish from its checkpoint, and to repeat no more than one interval between
 * checkpoints. Counted are the steps that the script says it has run, each on a line of its own.
 */
import path from 'node:path';
import { describeFramework } from './support/describe-framework';
import { DevEnvironment } from '../../src/local/dev/dev-environment';
import { runLocally } from '../../src/local/runner/run-locally';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../src/model/training-job/status/status';
import { KubeClient } from '../../src/operator/runtime/kube-client';
import type { KubeObject } from '../../src/operator/runtime/kube-object';
import { loadConnection } from '../../src/operator/runtime/credentials/kubeconfig';
import { TRAINING_JOBS, type TrainingJobObject } from '../../src/operator/training/resources';
import { eventually } from '../cluster/support/cluster';
import { temporaryFolder } from '../local/support/temporary-folder';

const QUICKSTART = path.join(__dirname, '..', '..', 'examples', 'quickstart');
const INTERVAL = 40;
/** Steps of an epoch with the quickstart's data and batches. */
const STEPS_PER_EPOCH = 14;
const EPOCHS = 40;
const LAST_STEP = EPOCHS * STEPS_PER_EPOCH;
/** A rank is killed when a checkpoint of at least this step is known. */
const KILLED_AFTER = 120;

/** The quickstart's job, with a line for each step; the shell says which process will be Python. */
function quickstart(python: string): TrainingJobSpec {
  return {
    framework: 'jax',
    image: 'registry.example/digits:1',
    command: ['/bin/sh', '-c', `echo "attempt $TRAINYARD_ATTEMPT pid $$$$ resume $RESUME_FROM"; exec ${python} ${QUICKSTART}/train.py`],
    replicas: 2,
    hyperparameters: { EPOCHS: String(EPOCHS), CHECKPOINT_EVERY: String(INTERVAL), LOG_EVERY: '1' },
    checkpointPath: '/checkpoints',
    checkpoint: { gracePeriodSeconds: 5, keepLast: 3 },
    runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 1, backoff: { initialSeconds: 0, maxSeconds: 0 } },
  };
}

/** What the replicas wrote, sorted into attempts. */
class Story {
  private readonly lines: { readonly pod: string; readonly text: string }[] = [];

  public add(pod: string, text: string): void {
    this.lines.push({ pod, text });
  }

  /** Process of a rank in the newest attempt. */
  public pidOf(rank: number): number {
    const last = this.lines.filter(({ pod, text }) => pod.endsWith(`-${rank}`) && text.startsWith('attempt ')).at(-1)!;
    return Number(/pid (\d+)/.exec(last.text)![1]);
  }

  /** Steps that rank 0 has run and what it said of its beginning, attempt by attempt. */
  public attempts(): { readonly begin: string; readonly resumeFrom: string; readonly steps: readonly number[] }[] {
    const attempts: { begin: string; resumeFrom: string; steps: number[] }[] = [];
    for (const { text } of this.lines.filter(({ pod }) => pod.endsWith('-0'))) {
      if (text.startsWith('attempt ')) {
        attempts.push({ begin: '', resumeFrom: text.replace(/.*resume /, ''), steps: [] });
      } else if (/^(started|resumed from step)/.test(text)) {
        attempts.at(-1)!.begin = text;
      } else if (text.startsWith('step=')) {
        attempts.at(-1)!.steps.push(Number(/^step=(\d+)/.exec(text)![1]));
      }
    }
    return attempts;
  }

  public text(): string {
    return this.lines.map(({ pod, text }) => `${pod}: ${text}`).join('\n');
  }
}

function expectNoMoreThanOneIntervalLost(story: Story, status: TrainingJobStatus): void {
  if (status.phase !== 'Completed') {
    throw new Error(`the job ended as ${status.phase}: ${JSON.stringify(status.lastFailure)}\n${story.text()}`);
  }
  const [first, second, ...more] = story.attempts();
  expect(more).toEqual([]);
  const killedAt = first.steps.at(-1)!;
  const resumedAt = Number(/^resumed from step (\d+):/.exec(second.begin)![1]);
  expect(killedAt).toBeGreaterThanOrEqual(KILLED_AFTER);
  expect(killedAt).toBeLessThan(LAST_STEP);
  // Nothing is left out, and of what had been run no more than one interval is run again.
  expect(second.steps[0]).toBe(resumedAt + 1);
  expect(second.steps).toEqual(Array.from({ length: LAST_STEP - resumedAt }, (_, index) => resumedAt + 1 + index));
  expect(killedAt - resumedAt).toBeLessThanOrEqual(INTERVAL);
  expect(killedAt - resumedAt).toBeGreaterThanOrEqual(0);
  // The operator told where to go on: at what was reported last, which is what was read or, where the kill came between the two, the one before.
  const told = Number(/step-(\d+)\.npz$/.exec(second.resumeFrom)![1]);
  expect([resumedAt, resumedAt - INTERVAL]).toContain(told);
  expect(status).toMatchObject({ attempt: 1, restarts: 1, checkpoint: { step: LAST_STEP }, trainerStatus: { progressPercentage: 100 } });
  expect(status.trainerStatus!.metrics).toEqual([{ name: 'accuracy', value: expect.stringMatching(/^0\.9/) }]);
}

describeFramework('jax', 'JAX', (python) => {
  const folder = temporaryFolder();

  test('a rank that is killed under trainyard run: the job finishes from its checkpoint', async () => {
    const story = new Story();
    let killed = false;
    const status = await runLocally({
      name: 'digits',
      spec: quickstart(python),
      workingDir: folder,
      reporter: {
        started: () => undefined,
        line: (replica, { text }) => story.add(replica.podName, text),
        notice: () => undefined,
        warning: () => undefined,
        status: ({ checkpoint }) => {
          if (!killed && (checkpoint?.step ?? 0) >= KILLED_AFTER) {
            killed = true;
            process.kill(story.pidOf(1), 'SIGKILL');
          }
        },
      },
    });
    expectNoMoreThanOneIntervalLost(story, status);
  });

  test('a rank that is killed under trainyard dev: the job finishes from its checkpoint', async () => {
    const story = new Story();
    const environment = await DevEnvironment.start({
      workingDir: folder,
      operatorProgram: path.join(__dirname, '..', '..', 'assets', 'operator.mjs'),
      onLine: (pod, { text }) => story.add(pod.metadata!.name!, text),
      notice: () => undefined,
      warn: (message) => story.add('dev', message),
    });
    const client = new KubeClient({ connection: await loadConnection({ kubeconfig: environment.kubeconfig }) });
    try {
      // Not in the namespace of the run before, whose checkpoints it would find.
      const ref = { namespace: 'lab', name: 'digits' };
      const job = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: ref, spec: quickstart(python) };
      await client.create(TRAINING_JOBS, job as KubeObject);
      const look = async () => (await client.get<TrainingJobObject>(TRAINING_JOBS, ref)).status ?? {};
      await eventually('a checkpoint', async () => ((await look()).checkpoint?.step ?? 0) >= KILLED_AFTER);
      process.kill(story.pidOf(1), 'SIGKILL');
      await eventually('the end', async () => ['Completed', 'Failed'].includes((await look()).phase ?? ''), 120_000);
      const status = await eventually('the last report', async () => {
        const found = await look();
        return found.phase !== 'Completed' || found.trainerStatus?.metrics?.[0].name === 'accuracy' ? found : undefined;
      });
      expectNoMoreThanOneIntervalLost(story, status);
    } finally {
      client.close();
      await environment.stop(0);
    }
  });
});
