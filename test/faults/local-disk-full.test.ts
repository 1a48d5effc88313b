/** A disk that is full while a job runs on this machine: logs, the status and what the job itself writes are on a file system of half a megabyte. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runLocally } from '../../src/local/runner/run-locally';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../src/model/training-job/status/status';
import { eventually } from '../cluster/support/cluster';
import { untilGone } from '../local/support/processes';
import { RecordingReporter } from '../local/support/recording-reporter';
import { testUnless } from '../support/where-possible';

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-test-')));
const disk = path.join(folder, 'disk');
fs.mkdirSync(disk);
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'trainyard-test', disk], { encoding: 'utf8' });
const isMounted = mounted.status === 0;
const whenMounted = testUnless(isMounted ? undefined : `a small file system cannot be mounted here: ${mounted.stderr ?? mounted.error?.message}`, 'a full disk');
afterAll(() => {
  if (isMounted) {
    spawnSync('umount', ['-l', disk]);
  }
  fs.rmSync(folder, { recursive: true, force: true });
});

function start(script: string): { result: Promise<TrainingJobStatus>; reporter: RecordingReporter } {
  const reporter = new RecordingReporter();
  const spec = { framework: 'jax', image: 'none', replicas: 2, command: ['/bin/sh', '-c', script] } as TrainingJobSpec;
  return { reporter, result: runLocally({ name: 'job', spec, workingDir: folder, stateFolder: path.join(disk, '.trainyard'), reporter }) };
}

/** Runs a job whose rank 0 fills the disk once both ranks run, while rank 1 would run for ever; expects the one end that there may be. */
async function expectOrderlyEnd(fill: string): Promise<void> {
  const go = path.join(folder, 'go');
  const { reporter, result } = start(
    `echo pid $$$$; if [ $RANK = 1 ]; then while :; do sleep 0.05; done; fi; while [ ! -e ${go} ]; do sleep 0.05; done; ${fill}`);
  const ended = result.then(({ phase }) => `${phase}`, (error: Error) => error.message);
  await reporter.waitForLines((text) => text.startsWith('pid '), 2);
  await eventually('the status to be written', async () => reporter.phases.includes('Running'));
  fs.writeFileSync(go, '');

  expect(await ended).toMatch(
    /^The run was stopped, because .*\/jobs\/job\/(logs\/job-worker-\d\.attempt-0\.log|status\.json) cannot be written: the disk is full \(ENOSPC\)\. Free some space/);

  fs.rmSync(go);
  const pids = reporter.lines.filter(({ text }) => text.startsWith('pid ')).map(({ text }) => Number(text.slice('pid '.length)));
  expect(pids).toHaveLength(2);
  await Promise.all(pids.map(untilGone));
  // The status is a whole one, of before, and nothing half written is beside it.
  expect(JSON.parse(fs.readFileSync(path.join(disk, '.trainyard', 'jobs', 'job', 'status.json'), 'utf8'))).toMatchObject({ status: { phase: 'Running' } });
  expect(fs.readdirSync(path.join(disk, '.trainyard', 'jobs', 'job')).filter((name) => name.endsWith('.new'))).toEqual([]);
}

whenMounted('logs that fill the disk end the run with a message, and no replica and no half status is left', async () => {
  await expectOrderlyEnd('while :; do echo 0123456789012345678901234567890123456789012345678901234567890123456789; done');
});

whenMounted('a checkpoint that fills the disk does so too, and once there is space the job runs again', async () => {
  const checkpoint = path.join(disk, 'checkpoint');
  await expectOrderlyEnd(`cat /dev/zero > ${checkpoint}; while :; do echo 01234567890123456789; done`);
  fs.rmSync(checkpoint);
  expect(await start('exit 0').result).toMatchObject({ phase: 'Completed' });
});
