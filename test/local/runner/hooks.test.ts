/** Hooks of jobs on this machine, with real processes. */
import fs from 'node:fs';
import path from 'node:path';
import { runLocally } from '../../../src/local/runner/run-locally';
import type { HooksSpec } from '../../../src/model/training-job/hooks';
import { RecordingReporter } from '../support/recording-reporter';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();

async function run(name: string, hooks: HooksSpec, command: string[]) {
  const workingDir = path.join(root, name);
  fs.mkdirSync(workingDir);
  const reporter = new RecordingReporter();
  const status = await runLocally({
    name, spec: { framework: 'plain', image: 'registry.example/train:1', replicas: 1, command, checkpointPath: '/checkpoints', hooks }, workingDir, reporter,
  });
  return { status, lines: reporter.lines.map(({ pod, text }) => `${pod}: ${text}`) };
}

const say = (text: string) => ['sh', '-c', `echo ${text}`];

test('before, replicas, after and end run in this order, and see the same checkpoints', async () => {
  const { status, lines } = await run('all', {
    before: { command: ['sh', '-c', 'echo data > "$CHECKPOINT_PATH/data"'] }, after: { command: say('$TRAINYARD_HOOK $TRAINYARD_JOB_OUTCOME') }, onExit: { command: say('$TRAINYARD_HOOK $TRAINYARD_JOB_OUTCOME') },
  }, ['sh', '-c', 'cat "$CHECKPOINT_PATH/data"']);

  expect(lines).toEqual([expect.stringMatching(/^all-[a-z]+-0: data$/), 'all-hook-after-0: after Succeeded', 'all-hook-on-exit-0: onExit Succeeded']);
  expect(status).toMatchObject({ phase: 'Completed', hooks: { before: { phase: 'Succeeded' }, after: { phase: 'Succeeded' }, onExit: { phase: 'Succeeded' } } });
});

test('a hook before the replicas that fails ends the job without them', async () => {
  const { status, lines } = await run('failed', { before: { command: ['sh', '-c', 'exit 3'] }, onExit: { command: say('$TRAINYARD_JOB_OUTCOME $TRAINYARD_JOB_REASON') } }, say('training'));

  expect(lines).toEqual(['failed-hook-on-exit-0: Failed BeforeHookFailed']);
  expect(status.conditions?.find(({ type }) => type === 'Failed')?.reason).toBe('BeforeHookFailed');
});
