/** examples/auto-tuning as a user runs it. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { loadJob } from '../../../src/cli/load-jobs';
import { runLocally } from '../../../src/local/runner/run-locally';
import { RecordingReporter } from '../support/recording-reporter';
import { temporaryFolder } from '../support/temporary-folder';

const stateFolder = temporaryFolder();
const hasPython = spawnSync('python3', ['--version']).status === 0;

(hasPython ? test : test.skip)('the example searches, and finds a model that has learned the curve', async () => {
  const { name, spec, folder } = loadJob(path.join(__dirname, '../../../examples/auto-tuning/main.ts'));
  const reporter = new RecordingReporter();
  const status = await runLocally({ name, spec, workingDir: folder, stateFolder, reporter });
  expect(status).toMatchObject({ phase: 'Completed', ready: '12/12', tuning: { trials: 12, succeeded: 12 } });
  // The noise alone has a variance of 0.01, a flat line of about 0.5.
  expect(status.tuning!.best!.value).toBeLessThan(0.05);
}, 120_000);
