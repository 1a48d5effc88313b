import fs from 'node:fs';
import path from 'node:path';
import { Interruptions, runLocally, type LocalRunOptions } from '../../../src/local/runner/run-locally';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { RecordingReporter } from '../support/recording-reporter';
import { isAlive, untilGone } from '../support/processes';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();
/** Restarts without a pause that a test would have to wait for. */
const AT_ONCE = { initialSeconds: 0, maxSeconds: 0 };
let runs = 0;

function start(spec: Partial<TrainingJobSpec>, extra: Partial<LocalRunOptions> = {}) {
  const reporter = new RecordingReporter();
  const folder = path.join(root, String(++runs));
  fs.mkdirSync(folder);
  const options = { name: 'job', spec: { framework: 'plain', image: 'img', replicas: 2, ...spec } as TrainingJobSpec, workingDir: folder, reporter, ...extra };
  return { reporter, folder, result: runLocally(options) };
}

function sh(script: string): Pick<TrainingJobSpec, 'command' | 'args'> {
  return { command: ['/bin/sh', '-c'], args: [script] };
}

/** A file that says whether this is the first start of the replica. */
const FIRST_START = 'f=started-$TRAINYARD_REPLICA_INDEX; if [ ! -e $f ]; then touch $f;';

test('completes when all replicas succeed, each with its place in the job', async () => {
  const { reporter, result } = start({ ...sh('echo $ROLE $RANK of $WORLD_SIZE'), replicas: 3 });
  const status = await result;
  expect(status).toMatchObject({ phase: 'Completed', ready: '3/3', workerStatuses: [{ role: 'worker', succeeded: 3, succeededIndexes: '0-2' }] });
  expect([0, 1, 2].map((rank) => reporter.textsOf(`job-worker-${rank}`))).toEqual([['worker 0 of 3'], ['worker 1 of 3'], ['worker 2 of 3']]);
  expect(reporter.phases.at(-1)).toBe('Completed');
});

test('runs a program of several processes that meet over the ports it gives out', async () => {
  const program = `
    const net = require('net'), { RANK, MASTER_ADDR, MASTER_PORT } = process.env;
    if (RANK === '0') {
      let sum = 0, left = 2;
      const server = net.createServer((socket) => socket.on('data', (data) => {
        sum += Number(data); socket.end();
        if (--left === 0) { console.log('sum', sum); server.close(); }
      })).listen(MASTER_PORT, MASTER_ADDR);
    } else {
      const dial = () => net.connect(MASTER_PORT, MASTER_ADDR).on('connect', function () { this.end(RANK); }).on('error', () => setTimeout(dial, 50));
      dial();
    }`;
  const { reporter, result } = start({ framework: 'pytorch', replicas: 3, command: [process.execPath, '-e', program] });
  expect((await result).phase).toBe('Completed');
  expect(reporter.textsOf('job-master')).toEqual(['sum 3']);
});

test('fails with the rank, the exit code and the last lines of the replica that failed', async () => {
  const { result } = start({ framework: 'jax', ...sh('[ $RANK = 1 ] && { echo loss is NaN; exit 3; }; sleep 60') });
  const { phase, lastFailure, conditions } = await result;
  expect(phase).toBe('Failed');
  expect(lastFailure).toMatchObject({ role: 'worker', index: 1, rank: 1, pod: 'job-worker-1', container: 'training', exitCode: 3, logTail: 'loss is NaN', attempt: 0 });
  expect(conditions).toContainEqual(expect.objectContaining({ type: 'Failed', status: 'True', reason: 'ReplicaFailed' }));
});

test('starts a single replica again where replicas are independent', async () => {
  const { reporter, result } = start({
    ...sh(`${FIRST_START} [ $RANK = 0 ] && exit 1; fi; echo rank $RANK attempt $TRAINYARD_ATTEMPT`),
    runPolicy: { restartPolicy: 'OnFailure', backoff: AT_ONCE },
  });
  expect(await result).toMatchObject({ phase: 'Completed', restarts: 1, attempt: 0 });
  expect(reporter.lines.map(({ text }) => text).sort()).toEqual(['rank 0 attempt 0', 'rank 1 attempt 0']);
});

test('starts the whole gang again, with other ports, where replicas depend on each other', async () => {
  const { reporter, result } = start({
    framework: 'jax',
    ...sh(`echo $TRAINYARD_ATTEMPT $RANK $COORDINATOR_PORT; ${FIRST_START} [ $RANK = 1 ] && exit 1; sleep 60; fi`),
    runPolicy: { restartPolicy: 'OnFailure', backoff: AT_ONCE },
  });
  expect(await result).toMatchObject({ phase: 'Completed', restarts: 1, attempt: 1 });
  const started = reporter.lines.map(({ text }) => text.split(' '));
  expect(started.map(([attempt, rank]) => `${attempt} ${rank}`).sort()).toEqual(['0 0', '0 1', '1 0', '1 1']);
  const portsOf = (attempt: string) => new Set(started.filter(([of]) => of === attempt).map(([, , port]) => port));
  expect(portsOf('0').size).toBe(1);
  expect(portsOf('1').size).toBe(1);
  expect(portsOf('0')).not.toEqual(portsOf('1'));
});

test('gives up when the restarts are used up', async () => {
  const { reporter, result } = start({ ...sh('echo try; exit 7'), replicas: 1, runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 2, backoff: AT_ONCE } });
  expect(await result).toMatchObject({ phase: 'Failed', restarts: 2, lastFailure: { exitCode: 7 } });
  expect(reporter.lines).toHaveLength(3);
});

test('with ExitCode a signal is tried again and an exit code is not', async () => {
  const policy = { restartPolicy: 'ExitCode', backoff: AT_ONCE } as const;
  const killed = start({ ...sh(`${FIRST_START} kill -KILL $$$$; fi; echo fine`), replicas: 1, runPolicy: policy });
  expect(await killed.result).toMatchObject({ phase: 'Completed', restarts: 1 });
  const failed = start({ ...sh(`${FIRST_START} exit 1; fi; echo fine`), replicas: 1, runPolicy: policy });
  expect(await failed.result).toMatchObject({ phase: 'Failed', restarts: 0, lastFailure: { exitCode: 1 } });
});

test('waits before a restart as long as the backoff says', async () => {
  const { reporter, result } = start({ ...sh(`${FIRST_START} exit 1; fi`), replicas: 1, runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 1, maxSeconds: 1 } } });
  const status = await result;
  expect(status.phase).toBe('Completed');
  expect(reporter.phases).toContain('Restarting');
});

test('ends the workers when the coordinator has succeeded', async () => {
  const { reporter, result } = start({ framework: 'pytorch', ...sh('echo $$$$; [ $ROLE = worker ] && exec sleep 300; sleep 0.3'), replicas: 3 });
  expect(await result).toMatchObject({ phase: 'Completed' });
  const pids = reporter.lines.map(({ text }) => Number(text));
  expect(pids).toHaveLength(3);
  expect(pids.filter(isAlive)).toEqual([]);
});

test('leaves no process behind, whatever cleanPodPolicy keeps', async () => {
  const { reporter, result } = start({
    framework: 'pytorch', ...sh('echo $$$$; [ $ROLE = worker ] && exec sleep 300; sleep 0.3'), runPolicy: { cleanPodPolicy: 'None' },
  });
  expect(await result).toMatchObject({ phase: 'Completed' });
  await Promise.all(reporter.lines.map(({ text }) => untilGone(Number(text))));
});

test('fails a job that runs longer than its deadline', async () => {
  const { result } = start({ ...sh('exec sleep 300'), runPolicy: { activeDeadlineSeconds: 1 } });
  const status = await result;
  expect(status.phase).toBe('Failed');
  expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Failed', reason: 'DeadlineExceeded' }));
});

test('an interruption lets replicas save their state and leaves no process', async () => {
  const interruptions = new Interruptions();
  const { reporter, result } = start({ ...sh('trap "echo saved; exit 0" TERM; echo $$$$; while :; do sleep 0.05; done') }, { interruptions });
  await reporter.waitForLines((text) => /^\d+$/.test(text), 2);
  interruptions.interrupt();
  expect((await result).phase).not.toBe('Failed');
  expect(reporter.lines.filter(({ text }) => text === 'saved')).toHaveLength(2);
  await Promise.all(reporter.lines.filter(({ text }) => /^\d+$/.test(text)).map(({ text }) => untilGone(Number(text))));
});

test('a second interruption does not wait for a replica that will not end', async () => {
  const interruptions = new Interruptions();
  const { reporter, result } = start({ ...sh('trap "" TERM; echo $$$$; while :; do sleep 0.05; done') }, { interruptions });
  await reporter.waitForLines((text) => /^\d+$/.test(text), 2);
  interruptions.interrupt();
  interruptions.interrupt(0);
  await result;
  await Promise.all(reporter.lines.map(({ text }) => untilGone(Number(text))));
});

test('keeps checkpoints from one run to the next, and logs of the last run', async () => {
  const spec = { ...sh('echo $CHECKPOINT_PATH; cat $CHECKPOINT_PATH/state 2>/dev/null; echo $RANK > $CHECKPOINT_PATH/state'), replicas: 1, checkpointPath: '/ckpt' };
  const first = start(spec);
  await first.result;
  const folder = path.join(first.folder, '.trainyard/jobs/job/checkpoints');
  expect(first.reporter.lines.map(({ text }) => text)).toEqual([folder]);
  const second = start(spec, { workingDir: first.folder });
  await second.result;
  expect(second.reporter.lines.map(({ text }) => text)).toEqual([folder, '0']);
  expect(fs.readFileSync(path.join(first.folder, '.trainyard/jobs/job/logs/job-worker-0.attempt-0.log'), 'utf8')).toBe(`${folder}\n0\n`);
  expect(second.reporter.notices).toContain(`/ckpt (checkpointPath) is ${folder}, with checkpoints of an earlier run`);
  expect(fs.readFileSync(path.join(first.folder, '.trainyard/.gitignore'), 'utf8')).toBe('*\n');
  const third = start(spec, { workingDir: first.folder, fresh: true });
  await third.result;
  expect(third.reporter.lines.map(({ text }) => text)).toEqual([folder]);
});

test('gives two hundred replicas a port each', async () => {
  const { reporter, result } = start({ framework: 'lightgbm', ...sh('echo $LIGHTGBM_LISTEN_PORT'), replicas: 200, runPolicy: { successPolicy: 'AllReplicas' } });
  expect((await result).phase).toBe('Completed');
  expect(new Set(reporter.lines.map(({ text }) => text)).size).toBe(200);
});

test('maps a claim for checkpoints to a folder of the claim\'s name', async () => {
  const { reporter, folder, result } = start({ ...sh('echo $CHECKPOINT_PATH'), replicas: 1, checkpointPath: '/ckpt', checkpoint: { claimName: 'shared' } });
  await result;
  expect(reporter.lines.map(({ text }) => text)).toEqual([path.join(folder, '.trainyard/claims/shared')]);
});

test('passes on a checkpoint URL unchanged', async () => {
  const { reporter, result } = start({ ...sh('echo $CHECKPOINT_PATH'), replicas: 1, checkpointPath: 's3://bucket/run/' });
  await result;
  expect(reporter.lines.map(({ text }) => text)).toEqual(['s3://bucket/run/']);
});

test('writes the job with its status for inspection, and removes what only running pods need', async () => {
  const { folder, result } = start({ ...sh('exit 0') });
  const status = await result;
  const job = path.join(folder, '.trainyard/jobs/job');
  expect(JSON.parse(fs.readFileSync(path.join(job, 'status.json'), 'utf8'))).toMatchObject({
    apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'job', namespace: 'default' }, status: JSON.parse(JSON.stringify(status)),
  });
  expect(fs.existsSync(path.join(job, 'pods'))).toBe(false);
});

test('refuses a second run of the same job at the same time', async () => {
  const interruptions = new Interruptions();
  const first = start({ ...sh('echo up; exec sleep 300') }, { interruptions });
  await first.reporter.waitForLines((text) => text === 'up');
  await expect(start({ ...sh('exit 0') }, { workingDir: first.folder }).result).rejects.toThrow("Job 'job' already runs from this folder");
  interruptions.interrupt(0);
  await first.result;
});

test('gives replicas config maps and secrets that stand beside the job', async () => {
  const { reporter, result } = start({
    ...sh('echo $LEVEL; cat /etc/keys/key'),
    replicas: 1,
    env: [{ name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } }],
    template: {
      spec: {
        volumes: [{ name: 'keys', secret: { secretName: 'keys' } }],
        containers: [{ name: 'training', volumeMounts: [{ name: 'keys', mountPath: '/etc/keys' }] }],
      },
    },
  }, {
    configMaps: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { level: 'debug' } }],
    secrets: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { key: 'open sesame' } }],
  });
  expect((await result).phase).toBe('Completed');
  expect(reporter.lines.map(({ text }) => text)).toEqual(['debug', 'open sesame']);
});

test('reports everything that is wrong with a job before it starts anything', async () => {
  const { result } = start({ framework: 'pytorh' as 'pytorch', image: '', replicas: 0 });
  await expect(result).rejects.toThrow(/^Job 'job' has 3 problems:\n {2}spec\.framework: .*Did you mean 'pytorch'\?\n {2}spec\.image: .*\n {2}spec\.replicas: 0: /);
});

test('asks for the command of every role that has none', async () => {
  const { result } = start({ framework: 'tensorflow', replicas: undefined, roles: [{ name: 'ps', command: ['true'] }, { name: 'chief' }, { name: 'worker', args: ['x'] }] });
  await expect(result).rejects.toThrow(/spec\.roles\[1\]\.command: is needed to run chief on this machine.*\n.*spec\.roles\[2\]\.command: is needed to run worker/);
});

test('runs a suspended job, and says so', async () => {
  const { reporter, result } = start({ ...sh('exit 0'), suspend: true });
  expect((await result).phase).toBe('Completed');
  expect(reporter.notices).toContain('the job is suspended (spec.suspend), but runs here anyway');
});

test('leaves out a sidecar that only its image could start', async () => {
  const { reporter, result } = start({ ...sh('exit 0'), replicas: 1, template: { spec: { containers: [{ name: 'exporter', image: 'exporter:1' }] } } });
  expect((await result).phase).toBe('Completed');
  expect(reporter.warnings).toEqual(["container 'exporter' is left out: it runs the entry point of image 'exporter:1', and no image is pulled"]);
});

test('binds JAX\'s coordinator to loopback, on rank 0 alone', async () => {
  const { reporter, result } = start({ framework: 'jax', ...sh('echo "${JAX_COORDINATOR_BIND_ADDRESS:-none} $JAX_COORDINATOR_ADDRESS"') });
  await result;
  const [[bind, address]] = reporter.textsOf('job-worker-0').map((text) => text.split(' '));
  expect(bind).toBe(address);
  expect(reporter.textsOf('job-worker-1')).toEqual([`none ${address}`]);
});

test('gives an MPI launcher the cluster\'s hostfile and a stand-in for ssh, and lets workers wait', async () => {
  const { reporter, result } = start({
    framework: 'mpi',
    replicas: undefined,
    nprocPerNode: 2,
    roles: [
      { name: 'launcher', command: ['/bin/sh', '-c'], args: ['cat $OMPI_MCA_orte_default_hostfile; $OMPI_MCA_plm_rsh_agent -o ConnectionAttempts=10 job-worker-0 echo ran "here"'] },
      { name: 'worker', replicas: 2, command: ['/usr/sbin/sshd', '-De'] },
    ],
  });
  expect((await result).phase).toBe('Completed');
  expect(reporter.lines.map(({ pod, text }) => `${pod}: ${text}`)).toEqual([
    'job-launcher: job-worker-0.job slots=2', 'job-launcher: job-worker-1.job slots=2', 'job-launcher: ran here',
  ]);
});

describe('reports of progress', () => {
  const QUICKSTART = path.join(__dirname, '..', '..', '..', 'examples', 'quickstart');
  const python = (script: string): Pick<TrainingJobSpec, 'command' | 'args'> => ({
    command: ['python3', '-c'], args: [`import sys; sys.path.insert(0, '${QUICKSTART}'); import trainyard_progress as progress\n${script}`],
  });
  const STATUS = (folder: string) => JSON.parse(fs.readFileSync(path.join(folder, '.trainyard', 'jobs', 'job', 'status.json'), 'utf8')).status;

  test('of the Python helper stand in the status; only rank 0 speaks', async () => {
    const { folder, reporter, result } = start(python(`
print(progress.report(45.7, {'loss': 0.25, 'rank': __import__('os').environ['RANK']}), progress.flush(), progress.checkpoint('/ckpt/9', 9, wait=30))
progress.report(46)`));
    expect((await result).phase).toBe('Completed');
    expect(reporter.textsOf('job-worker-0')).toEqual(['True True True']);
    expect(reporter.textsOf('job-worker-1')).toEqual(['False True False']);
    expect(STATUS(folder)).toMatchObject({
      trainerStatus: { progressPercentage: 46, metrics: [{ name: 'loss', value: '0.25' }, { name: 'rank', value: '0' }] },
      checkpoint: { path: '/ckpt/9', step: 9 },
    });
    // How many are kept apart depends on the pace of the machine.
    const { progressHistory: [first] } = STATUS(folder) as { readonly progressHistory: readonly object[] };
    expect(first).toMatchObject({ progressPercentage: expect.any(Number) });
  });

  test('of the helper for Node.js do, too', async () => {
    const helper = path.join(__dirname, '..', '..', '..', 'examples', 'progress', 'trainyard-progress.mjs');
    const program = `import * as progress from '${helper}';
      console.log(await progress.report({ percent: 12, metrics: { loss: 1 } }), await progress.report({ percent: 13 }), await progress.checkpoint('/c/1', 1));`;
    const { folder, reporter, result } = start({ replicas: 1, command: [process.execPath, '--input-type=module', '-e', program] });
    expect((await result).phase).toBe('Completed');
    expect(reporter.textsOf('job-worker-0')).toEqual(['true false true']);
    expect(STATUS(folder)).toMatchObject({ trainerStatus: { progressPercentage: 12 }, checkpoint: { path: '/c/1', step: 1 } });
  });

  test('tell the next attempt where to go on', async () => {
    const script = `
import os
if os.environ['TRAINYARD_ATTEMPT'] == '0' and 'RESUME_FROM' not in os.environ:
    progress.checkpoint(os.environ['CHECKPOINT_PATH'] + '/step-7', 7)
    sys.exit(1)
print(os.environ['RESUME_FROM'], os.environ['CHECKPOINT_KEEP_LAST'])`;
    const { folder, reporter, result } = start({
      ...python(script), replicas: 1, checkpointPath: '/ckpt', checkpoint: { keepLast: 2 }, runPolicy: { restartPolicy: 'OnFailure', backoff: AT_ONCE },
    });
    expect((await result).phase).toBe('Completed');
    expect(reporter.textsOf('job-worker-0')).toEqual([`${folder}/.trainyard/jobs/job/checkpoints/step-7 2`]);
  });

  test('that nobody takes do not fail the training, and are complained of once', async () => {
    const { reporter, result } = start({ ...python(`
import os
os.environ['TRAINYARD_PROGRESS_URL'] = 'http://127.0.0.1:1/'
progress.EXIT_SECONDS = 0.1
print(progress.report(1), progress.report(2, force=True), progress.flush(0.5), progress.checkpoint('/c', wait=0.5))`), replicas: 1 });
    expect((await result).phase).toBe('Completed');
    expect(reporter.textsOf('job-worker-0').filter((text) => text.startsWith('True'))).toEqual(['True True False False']);
    expect(reporter.textsOf('job-worker-0').filter((text) => text.startsWith('trainyard_progress:'))).toHaveLength(1);
  });

  test('need the token of the run', async () => {
    const { folder, reporter, result } = start({ ...python(`
import os
open('bad', 'w').write('guess')
os.environ['TRAINYARD_PROGRESS_TOKEN_FILE'] = 'bad'
progress.EXIT_SECONDS = 0.1
progress.report(50)
print(progress.flush(1))`), replicas: 1 });
    expect((await result).phase).toBe('Completed');
    expect(reporter.textsOf('job-worker-0')).toContain('False');
    expect(STATUS(folder).trainerStatus).toBeUndefined();
  });

  test('checkpoints are pruned as the job says, oldest first', async () => {
    const { folder, result } = start({ ...python(`
import os, pathlib
folder = pathlib.Path(os.environ['CHECKPOINT_PATH']); folder.mkdir(parents=True, exist_ok=True)
for step in range(5):
    (folder / f'{step}').mkdir()
    (folder / f'{step}' / 'shard').write_text('x')
progress.prune(sorted(folder.iterdir()))`), replicas: 1, checkpointPath: '/ckpt', checkpoint: { keepLast: 2 } });
    expect((await result).phase).toBe('Completed');
    expect(fs.readdirSync(path.join(folder, '.trainyard', 'jobs', 'job', 'checkpoints')).sort()).toEqual(['3', '4']);
  });
});
