import fs from 'node:fs';
import path from 'node:path';
import { Interruptions, runLocally } from '../../../src/local/runner/run-locally';
import type { AutoTuningSpec } from '../../../src/model/training-job/fields/features';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { RecordingReporter } from '../support/recording-reporter';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();
let runs = 0;

const SEARCH: AutoTuningSpec = { objective: 'score', seed: 3, algorithm: 'grid', maxTrials: 4, parameters: { size: { type: 'int', values: [1, 2, 3, 4] } } };

function start(
  script: string, autoTuning: Partial<AutoTuningSpec> = {}, fields: Partial<TrainingJobSpec> = {}, interruptions?: Interruptions,
  folder = path.join(root, String(++runs)), fresh = false,
) {
  const reporter = new RecordingReporter();
  fs.mkdirSync(folder, { recursive: true });
  const spec = {
    framework: 'plain', image: 'img', replicas: 1, command: ['/bin/sh', '-c', script], autoTuning: { ...SEARCH, ...autoTuning }, ...fields,
  } as TrainingJobSpec;
  return { reporter, folder, result: runLocally({ name: 'net', spec, workingDir: folder, reporter, interruptions, fresh }) };
}

test('runs a process for each trial, with its values, and takes the objective from the log', async () => {
  const { folder, reporter, result } = start('echo size $size $SIZE $0; echo score=$(( 10 - (size - 3) * (size - 3) ))', {}, { args: ['$(size)'] });
  const status = await result;
  expect(status).toMatchObject({
    phase: 'Completed', ready: '4/4', tuning: { trials: 4, succeeded: 4, failed: 0, best: { trial: 3, value: 10, parameters: { size: '3' } } },
  });
  expect([1, 2, 3, 4].map((trial) => reporter.textsOf(`net-trial-${trial}-worker-0`)[0])).toEqual(
    [1, 2, 3, 4].map((size) => `size ${size} ${size} ${size}`));
  expect(reporter.notices.at(-1)).toContain('best is trial 3 with score=10 (size=3)');
  const files = (name: string) => path.join(folder, '.trainyard', 'jobs', name, 'status.json');
  expect(JSON.parse(fs.readFileSync(files('net'), 'utf8')).status.tuning.best.trial).toBe(3);
  expect(JSON.parse(fs.readFileSync(files('net-trial-3'), 'utf8')).status.phase).toBe('Completed');
});

test('runs trials side by side', async () => {
  // Each waits for the other: one at a time, none would end.
  const script = 'touch here-$size; while [ ! -e here-$(( size % 2 == 1 ? size + 1 : size - 1 )) ]; do sleep 0.05; done; echo score=$size';
  const { result } = start(script, { parallelTrials: 2 });
  expect(await result).toMatchObject({ phase: 'Completed', tuning: { succeeded: 4, best: { trial: 4 } } });
});

test('counts trials that fail or say nothing, with the reason, and goes on', async () => {
  const { reporter, result } = start('[ $size = 1 ] && exit 7; [ $size = 2 ] && exit 0; [ $size = 3 ] && echo score=nan || echo score=5', { maxFailedTrials: 3 });
  expect(await result).toMatchObject({ phase: 'Completed', tuning: { succeeded: 1, failed: 3, best: { trial: 4, value: 5 } } });
  const said = reporter.warnings.join('\n');
  ['ReplicaFailed', 'ObjectiveMissing', 'ObjectiveNotANumber'].forEach((reason) => expect(said).toContain(reason));
});

test('takes a metric that was reported over HTTP before the log', async () => {
  const program = `
    const { KUBEFLOW_TRAINER_SERVER_URL: url, KUBEFLOW_TRAINER_SERVER_CA_CERT: ca, KUBEFLOW_TRAINER_SERVER_TOKEN: token, size } = process.env;
    const fs = require('fs'), body = JSON.stringify({ trainerStatus: { metrics: [{ name: 'score', value: size }], lastUpdatedTime: new Date().toISOString() } });
    const send = require(url.startsWith('https') ? 'https' : 'http').request(url, { method: 'POST', ca: ca && fs.readFileSync(ca),
      headers: { 'content-type': 'application/json', authorization: 'Bearer ' + fs.readFileSync(token, 'utf8') } },
      (answer) => { console.log('answered', answer.statusCode); answer.resume(); });
    send.end(body); console.log('score=99');`;
  const { result, reporter } = start('', { maxTrials: 4 }, { command: [process.execPath, '-e', program] });
  const status = await result;
  expect(reporter.lines.filter(({ text }) => text.includes('answered 200'))).toHaveLength(4);
  expect(status).toMatchObject({ phase: 'Completed', tuning: { succeeded: 4, best: { trial: 4, value: 4 } } });
});

test('hyperband\'s promoted trials go on from the checkpoints of the same point', async () => {
  const script = 'f=$CHECKPOINT_PATH/epochs; mkdir -p $CHECKPOINT_PATH; echo from $(cat $f 2>/dev/null || echo 0) to $TRAINYARD_BUDGET; echo $EPOCHS > $f; echo score=$x';
  const { reporter, result } = start(script, {
    algorithm: 'hyperband', maxTrials: 3, budget: { max: 2, reductionFactor: 2, parameter: 'EPOCHS' }, parameters: { x: { type: 'float', min: 0, max: 1 } },
  }, { checkpointPath: '/checkpoints' });
  expect(await result).toMatchObject({ phase: 'Completed', tuning: { succeeded: 3 } });
  expect([1, 2, 3].map((trial) => reporter.textsOf(`net-trial-${trial}-worker-0`)[0])).toEqual([
    'from 0 to 1', 'from 0 to 1', 'from 1 to 2',
  ]);
});

test('leaves no process when it is interrupted', async () => {
  const interruptions = new Interruptions();
  const { reporter, result } = start('echo pid $$$$; exec sleep 60', { parallelTrials: 2 }, {}, interruptions);
  await reporter.waitForLines((text) => text.includes('pid'), 2);
  interruptions.interrupt(0);
  expect((await result).phase).not.toBe('Completed');
  const pids = reporter.lines.flatMap(({ text }) => /^pid (\d+)$/.exec(text)?.[1] ?? []);
  expect(pids).toHaveLength(2);
  pids.forEach((pid) => expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH'));
});

describe('a search that was interrupted', () => {
  // The mark is made before the line that a test waits for: whoever reads the line may interrupt at once.
  const MARK = 'f=$CHECKPOINT_PATH/here; mkdir -p $CHECKPOINT_PATH; was=$(cat $f 2>/dev/null || echo nothing); echo before > $f; echo size $size after $was; ';
  const ENDS = `${MARK} echo score=$size`;
  const fields = { checkpointPath: '/checkpoints' };
  /** The third trial hangs until somebody ends it. */
  const script = `${MARK} [ -e go ] || [ $size != 3 ] || sleep 60; echo score=$size`;

  async function interrupted() {
    const interruptions = new Interruptions();
    const { folder, reporter, result } = start(script, {}, fields, interruptions);
    await reporter.waitForLines((text) => text.startsWith('size 3'), 1);
    interruptions.interrupt(0);
    expect((await result).phase).not.toBe('Completed');
    fs.writeFileSync(path.join(folder, 'go'), '');
    return folder;
  }
  const sizes = (reporter: RecordingReporter) => reporter.lines.map(({ text }) => text).filter((text) => text.startsWith('size'));

  test('goes on when the same job is run again, and the trial that ran begins again from its checkpoint', async () => {
    const { reporter, result } = start(script, {}, fields, undefined, await interrupted());
    expect(await result).toMatchObject({ phase: 'Completed', tuning: { trials: 4, succeeded: 4, failed: 0, best: { trial: 4 } } });
    expect(sizes(reporter)).toEqual(['size 3 after before', 'size 4 after nothing']);
    expect(reporter.notices).toContainEqual('continues the interrupted search: 2 trials have ended (--fresh restarts)');
  });

  test('restarts when that is asked for', async () => {
    const { reporter, result } = start(script, {}, fields, undefined, await interrupted(), true);
    expect(await result).toMatchObject({ phase: 'Completed', tuning: { succeeded: 4 } });
    expect(sizes(reporter)).toEqual([1, 2, 3, 4].map((size) => `size ${size} after nothing`));
  });

  test('restarts when the job is another one, and when it had come to its end', async () => {
    const folder = await interrupted();
    const other = start(ENDS, {}, fields, undefined, folder);
    expect((await other.result).tuning).toMatchObject({ succeeded: 4 });
    expect(sizes(other.reporter)).toHaveLength(4);
    const again = start(ENDS, {}, fields, undefined, folder);
    expect((await again.result).tuning).toMatchObject({ succeeded: 4 });
    expect(sizes(again.reporter)).toHaveLength(4);
  });
});
