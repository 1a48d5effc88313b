/** Groups on this machine, and the examples of groups and arrays as a user runs them. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { loadJob } from '../../../src/cli/load-jobs';
import { runLocally } from '../../../src/local/runner/run-locally';
import type { HelperSpec } from '../../../src/model/training-job/replicas/role-specs';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { RecordingReporter } from '../support/recording-reporter';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();
let runs = 0;

function start(script: string, helpers: readonly HelperSpec[], fields: Partial<TrainingJobSpec> = {}) {
  const reporter = new RecordingReporter();
  const folder = path.join(root, String(++runs));
  fs.mkdirSync(folder, { recursive: true });
  const spec: TrainingJobSpec = { framework: 'plain', image: 'img', replicas: 1, command: ['/bin/sh', '-c', script], helpers, ...fields };
  return { reporter, folder, result: runLocally({ name: 'net', spec, workingDir: folder, reporter }) };
}

const helper = (script: string, more: Partial<HelperSpec> = {}): HelperSpec => ({ name: 'actor', command: ['/bin/sh', '-c', script], ...more });

test('helpers are processes beside the primary, each with a port of its own, and are ended when it has succeeded', async () => {
  const { reporter, result } = start('while [ ! -e ready-0 ] || [ ! -e ready-1 ]; do sleep 0.05; done; echo $TRAINYARD_ACTOR_HOSTS', [
    helper('echo $$$$ $TRAINYARD_PORT $TRAINYARD_ACTOR_HOSTS $TRAINYARD_PRIMARY_HOSTS; touch ready-$TRAINYARD_REPLICA_INDEX; exec sleep 60', { replicas: 2 }),
  ]);
  expect(await result).toMatchObject({ phase: 'Completed', ready: expect.any(String), restarts: 0 });
  const said = [0, 1].map((index) => reporter.textsOf(`net-actor-${index}`)[0].split(' '));
  const hosts = reporter.textsOf('net-worker-0')[0].split(',');
  expect(hosts).toEqual(said.map(([, port]) => `127.0.0.1:${port}`));
  expect(new Set([...hosts, said[0][3]]).size).toBe(3);
  said.forEach(([pid]) => expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH'));
});

test('a failed helper is started again while the primary goes on', async () => {
  const { result } = start('while [ ! -e again ]; do sleep 0.05; done', [helper('[ ! -e tried ] || { touch again; exec sleep 60; }; touch tried; exit 3')], {
    runPolicy: { backoff: { initialSeconds: 0 } },
  });
  expect(await result).toMatchObject({ phase: 'Completed', restarts: 1, attempt: 0, lastFailure: { role: 'actor', exitCode: 3 } });
});

test('a failed helper ends the job, or nothing, as it says', async () => {
  expect(await start('exec sleep 60', [helper('exit 3', { onFailure: 'Fail' })]).result).toMatchObject({ phase: 'Failed', lastFailure: { role: 'actor', exitCode: 3 } });
  expect(await start('while [ ! -e gone ]; do sleep 0.05; done; sleep 0.2', [helper('touch gone; exit 3', { onFailure: 'Ignore' })]).result)
    .toMatchObject({ phase: 'Completed', restarts: 0 });
});

test('a helper that relies on its image is told that no image is pulled', async () => {
  await expect(start('true', [{ name: 'buffer', image: 'redis' }]).result).rejects.toThrow(/spec\.helpers\[0\]\.command: is needed to run buffer on this machine/);
});

const examples = spawnSync('python3', ['--version']).status === 0 ? describe : describe.skip;
const example = (name: string) => loadJob(path.join(__dirname, '../../../examples', name, 'main.ts'));

examples('the example', () => {
  test('of a group learns, and leaves no process', async () => {
    const { name, spec, folder } = example('job-group');
    const reporter = new RecordingReporter();
    const status = await runLocally({ name, spec, workingDir: folder, stateFolder: path.join(root, 'group'), reporter });
    expect(status).toMatchObject({ phase: 'Completed', restarts: 0 });
    expect(reporter.textsOf('bandit-learner-0').at(-1)).toBe('learned: arm 7 is the best');
    expect(reporter.textsOf('bandit-actor-2')[0]).toMatch(/^actor 2 plays for http:\/\/127\.0\.0\.1:\d+$/);
  }, 120_000);

  test('of an array counts all primes', async () => {
    const { name, spec, folder } = example('array');
    const reporter = new RecordingReporter();
    const stateFolder = path.join(root, 'array');
    const status = await runLocally({ name, spec, workingDir: folder, stateFolder, reporter });
    expect(status).toMatchObject({ phase: 'Completed', ready: '12/12', array: { succeeded: 12, completedIndexes: '0-11' } });
    const results = Array.from({ length: 12 }, (_, index) => (
      JSON.parse(fs.readFileSync(path.join(stateFolder, 'claims', 'results', 'primes', `index-${index}`, 'result.json'), 'utf8'))));
    expect(results.reduce((sum, { primes }) => sum + Number(primes), 0)).toBe(11_301);
  }, 120_000);
});
