/**
 * The callbacks of the Python package trainyard-progress with their frameworks. Each script sends itself SIGTERM in its first attempt: the callback
 * saves, reports the checkpoint and exits with 143; the second attempt continues from there to the end.
 */
import path from 'node:path';
import { describeFramework } from './support/describe-framework';
import { expectCompleted, runScript, scriptFile, type ScriptJob, type ScriptRun } from './support/run-script';
import type { FrameworkName } from './support/frameworks';

/** `saved` is the checkpoint of the first attempt, `last` the one that stands at the end. */
interface Callback {
  readonly framework: FrameworkName;
  readonly script: string;
  readonly saved: number;
  readonly end: number;
  readonly last: { readonly path: string; readonly step: number };
  readonly metrics: readonly string[];
}

const CALLBACKS: readonly Callback[] = [
  { framework: 'xgboost', script: 'progress_xgboost.py', saved: 13, end: 30, last: { path: 'rounds-30.json', step: 30 }, metrics: ['train-logloss', 'step'] },
  { framework: 'lightgbm', script: 'progress_lightgbm.py', saved: 13, end: 30, last: { path: 'rounds-30.txt', step: 30 }, metrics: ['train-binary_logloss', 'step'] },
  { framework: 'tensorflow', script: 'progress_keras.py', saved: 2, end: 6, last: { path: 'epoch-6.keras', step: 6 }, metrics: ['loss', 'mae', 'epoch'] },
  { framework: 'transformers', script: 'progress_huggingface.py', saved: 7, end: 20, last: { path: 'checkpoint-20', step: 20 }, metrics: ['loss', 'epoch', 'step'] },
  { framework: 'lightning', script: 'progress_lightning.py', saved: 7, end: 20, last: { path: 'step-20.ckpt', step: 20 }, metrics: ['loss', 'epoch', 'step'] },
];

const PYTHONPATH = path.join(__dirname, '..', '..', 'python', 'trainyard-progress', 'src');

function runCallback(python: string, script: string, job: Partial<ScriptJob> = {}): Promise<ScriptRun> {
  return runScript({
    framework: 'plain', replicas: 1, command: [python, scriptFile(script)], env: [{ name: 'PYTHONPATH', value: PYTHONPATH }],
    checkpointPath: '/checkpoints', runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 1, backoff: { initialSeconds: 0, maxSeconds: 0 } }, ...job,
  });
}

describe.each(CALLBACKS)('$script', ({ framework, script, saved, end, last, metrics }) => {
  describeFramework(framework, `the callback for ${framework}`, (python) => {
    test('reports progress, metrics and checkpoints, and a run that was stopped continues where it was', async () => {
      const run = await runCallback(python, script);
      expectCompleted(run);
      expect(run.results.map(({ done }) => done)).toEqual([0, saved, end]);
      const { trainerStatus, checkpoint, progressHistory, restarts } = run.status;
      expect({ restarts, percent: trainerStatus?.progressPercentage }).toEqual({ restarts: 1, percent: 100 });
      expect(trainerStatus?.metrics?.map(({ name }) => name)).toEqual(expect.arrayContaining([...metrics]));
      expect(checkpoint).toMatchObject({ path: expect.stringMatching(new RegExp(`/checkpoints/${last.path}$`)), step: last.step });
      expect(progressHistory?.length).toBeGreaterThan(0);
    });
  });
});

// Without a second attempt, in which Accelerate's ranks read a checkpoint in a way that Debian's PyTorch does not know.
describeFramework('transformers', 'the callback for transformers on two ranks', (python) => {
  test('stops all ranks at the same step when one of them gets SIGTERM', async () => {
    const { status, output } = await runCallback(python, 'progress_huggingface.py', {
      framework: 'pytorch', replicas: 2, env: [{ name: 'PYTHONPATH', value: PYTHONPATH }, { name: 'LOCAL_RANK', value: '0' }],
      runPolicy: { restartPolicy: 'Never' },
    });
    expect({ ...status, output }).toMatchObject({
      phase: 'Failed', lastFailure: { exitCode: 143 }, trainerStatus: { progressPercentage: 35 }, checkpoint: { step: 7 }, output: expect.not.stringContaining('Traceback'),
    });
  });
});
