import fs from 'node:fs';
import path from 'node:path';
import { localArraySpec } from '../../../src/local/runner/local-children';
import { Interruptions, runLocally } from '../../../src/local/runner/run-locally';
import type { ArraySpec } from '../../../src/model/training-job/array';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { RecordingReporter } from '../support/recording-reporter';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();
let runs = 0;

function start(
  script: string, array: ArraySpec, fields: Partial<TrainingJobSpec> = {}, interruptions?: Interruptions, folder = path.join(root, String(++runs)),
) {
  const reporter = new RecordingReporter();
  fs.mkdirSync(folder, { recursive: true });
  const spec = { framework: 'plain', image: 'img', replicas: 1, command: ['/bin/sh', '-c', script], array, ...fields } as TrainingJobSpec;
  return { reporter, folder, result: runLocally({ name: 'net', spec, workingDir: folder, reporter, interruptions }) };
}

test('runs a process for each copy, with its index, in the order of the indexes', async () => {
  const { reporter, folder, result } = start('echo copy $TRAINYARD_ARRAY_INDEX of $TRAINYARD_ARRAY_COUNT, task $SLURM_ARRAY_TASK_ID', { count: 4, parallelism: 1 }, {
    env: [{ name: 'SLURM_ARRAY_TASK_ID', value: '$(TRAINYARD_ARRAY_INDEX)' }],
  });
  expect(await result).toMatchObject({ phase: 'Completed', ready: '4/4', array: { active: 0, succeeded: 4, failed: 0, completedIndexes: '0-3' } });
  expect(reporter.lines.map(({ text }) => text)).toEqual([0, 1, 2, 3].map((index) => `copy ${index} of 4, task ${index}`));
  expect(reporter.notices).toContain('array of 4 copies, one at a time');
  const file = (name: string) => JSON.parse(fs.readFileSync(path.join(folder, '.trainyard', 'jobs', name, 'status.json'), 'utf8'));
  expect(file('net').status.array.completedIndexes).toBe('0-3');
  expect(file('net-2').status.phase).toBe('Completed');
});

test('runs copies side by side', async () => {
  // Each waits for the other: one at a time, none would end.
  const script = 'i=$TRAINYARD_ARRAY_INDEX; touch here-$i; while [ ! -e here-$(( i % 2 == 1 ? i - 1 : i + 1 )) ]; do sleep 0.05; done';
  expect(await start(script, { count: 4, parallelism: 2 }).result).toMatchObject({ phase: 'Completed', array: { succeeded: 4 } });
});

test('goes on beside copies that fail, and fails with their indexes', async () => {
  const { reporter, result } = start('[ $TRAINYARD_ARRAY_INDEX != 1 ]', { count: 4, parallelism: 2 });
  expect(await result).toMatchObject({ phase: 'Failed', array: { succeeded: 3, failed: 1, failedIndexes: '1', lastFailedIndex: { index: 1, reason: 'ReplicaFailed' } } });
  expect(reporter.warnings.join('\n')).toContain('Copy 1 failed: ReplicaFailed');
});

test('restarts a copy by itself, as its run policy says', async () => {
  const script = '[ $TRAINYARD_ARRAY_INDEX = 0 ] || [ -e tried ] || { touch tried; exit 1; }';
  const runPolicy = { restartPolicy: 'OnFailure', backoff: { initialSeconds: 0 } } as const;
  const { folder, result } = start(script, { count: 2, parallelism: 2 }, { runPolicy });
  expect(await result).toMatchObject({ phase: 'Completed', array: { succeeded: 2, failed: 0 } });
  expect(JSON.parse(fs.readFileSync(path.join(folder, '.trainyard', 'jobs', 'net-1', 'status.json'), 'utf8')).status.restarts).toBe(1);
});

test('ends the copies that run when more have failed than may', async () => {
  const { reporter, result } = start('[ $TRAINYARD_ARRAY_INDEX != 0 ] || exit 1; exec sleep 60', { count: 9, parallelism: 2, maxFailedIndexes: 0 });
  expect(await result).toMatchObject({ phase: 'Failed', array: { active: 0, failed: 1, failedIndexes: '0' } });
  expect(reporter.warnings.at(-1)).toContain('spec.array.maxFailedIndexes is 0');
});

test('keeps checkpoints of copies apart, and an array that was interrupted goes on with the copies that have not ended', async () => {
  const script = 'mkdir -p $CHECKPOINT_PATH; n=$(ls $CHECKPOINT_PATH | wc -l); touch $CHECKPOINT_PATH/c; echo began $n; [ $TRAINYARD_ARRAY_INDEX = 0 ] || [ -e go ] || exec sleep 60';
  const array = { count: 3, parallelism: 2 };
  const interruptions = new Interruptions();
  const first = start(script, array, { checkpointPath: '/ckpt' }, interruptions);
  await first.reporter.waitForLines((text) => text.includes('began'), 3);
  interruptions.interrupt(0);
  expect((await first.result).phase).not.toBe('Completed');
  fs.writeFileSync(path.join(first.folder, 'go'), '');
  const second = start(script, array, { checkpointPath: '/ckpt' }, undefined, first.folder);
  expect(await second.result).toMatchObject({ phase: 'Completed', array: { succeeded: 3, completedIndexes: '0-2' } });
  expect(second.reporter.notices.join('\n')).toContain('continues the interrupted array: 1 copy has ended');
  // The two that were under way found what they had written, and copy 0 did not run again.
  expect(second.reporter.lines.map(({ text }) => text.trim())).toEqual(['began 1', 'began 1']);
});

test('leaves to the machine how many run at a time when the job leaves it to the cluster', () => {
  const spec = { framework: 'plain', image: 'img', replicas: 1 } as TrainingJobSpec;
  expect(localArraySpec({ ...spec, array: { count: 100 } }, 4).array).toEqual({ count: 100, parallelism: 4 });
  expect(localArraySpec({ ...spec, array: { count: 2 } }, 4).array).toEqual({ count: 2, parallelism: 2 });
  expect(localArraySpec({ ...spec, array: { count: 100, parallelism: 50 } }, 4).array).toEqual({ count: 100, parallelism: 50 });
  expect(localArraySpec(spec, 4)).toBe(spec);
});
