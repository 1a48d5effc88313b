/** examples/progress as a user runs it, and kills it on its way. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadJob } from '../../../src/cli/load-jobs';
import { runLocally } from '../../../src/local/runner/run-locally';
import type { TrainingJobStatus } from '../../../src/model/training-job/status/status';
import { RecordingReporter } from '../support/recording-reporter';
import { temporaryFolder } from '../support/temporary-folder';

const EXAMPLE = path.join(__dirname, '../../../examples/progress');
const EVERY = 10;
const stateFolder = temporaryFolder();

test('the example reports its progress, resumes from its last checkpoint after a kill, and keeps three', async () => {
  const { name, spec, folder } = loadJob(path.join(EXAMPLE, 'main.ts'));
  const jobFolder = path.join(stateFolder, 'jobs', name);
  const reporter = new RecordingReporter();
  const statusNow = (): TrainingJobStatus => {
    const file = path.join(jobFolder, 'status.json');
    return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).status : {};
  };
  const result = runLocally({
    name,
    // Its own program, which says first whom to kill; shorter, and at once again after the kill.
    spec: {
      ...spec,
      command: ['/bin/sh', '-c', `echo "pid $$$$"; exec ${spec.command!.join(' ')}`],
      hyperparameters: { ...spec.hyperparameters, STEPS: '60', CHECKPOINT_EVERY: String(EVERY) },
      runPolicy: { ...spec.runPolicy, backoff: { initialSeconds: 1 } },
    },
    workingDir: folder,
    stateFolder,
    reporter,
  });
  while ((statusNow().checkpoint?.step ?? 0) < 2 * EVERY) {
    await pause(20);
  }
  const killedAt = statusNow().checkpoint!.step!;
  process.kill(Number(/pid (\d+)/.exec(reporter.textsOf('line-worker-0')[0])![1]), 'SIGKILL');

  const status = await result;
  expect(status).toMatchObject({ phase: 'Completed', restarts: 1, checkpoint: { step: 60 }, trainerStatus: { progressPercentage: 100 } });
  const resumed = Number(/resumed from step (\d+)/.exec(reporter.textsOf('line-worker-0').join('\n'))?.[1]);
  // Between the look at the status and the kill there may have been one more.
  expect([killedAt, killedAt + EVERY]).toContain(resumed);
  expect(reporter.textsOf('line-worker-0').at(-1)).toMatch(/^y = \d\.\d\d x \+ \d\.\d\d$/);
  expect(fs.readdirSync(path.join(stateFolder, 'claims', 'checkpoints', name)).sort()).toEqual(['step-00000040.json', 'step-00000050.json', 'step-00000060.json']);
});

test('the README shows what the program writes', () => {
  const readme = fs.readFileSync(path.join(EXAMPLE, 'README.md'), 'utf8');
  const program = fs.readFileSync(path.join(EXAMPLE, 'train.mjs'), 'utf8');
  ['started', 'resumed from step'].forEach((line) => {
    expect(readme).toContain(line);
    expect(program).toContain(line);
  });
});
