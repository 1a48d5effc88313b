/** Jobs that hang, and checks before training, with real processes. */
import fs from 'node:fs';
import path from 'node:path';
import { runLocally } from '../../../src/local/runner/run-locally';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../../src/model/training-job/status/status';
import { RecordingReporter } from '../support/recording-reporter';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();

interface LocalResult {
  readonly status: TrainingJobStatus;
  readonly reporter: RecordingReporter;
}

async function run(name: string, spec: Partial<TrainingJobSpec>, script: string): Promise<LocalResult> {
  const workingDir = path.join(root, name);
  fs.mkdirSync(workingDir);
  fs.writeFileSync(path.join(workingDir, 'train.py'), script);
  const reporter = new RecordingReporter();
  const status = await runLocally({
    name,
    spec: { framework: 'pytorch', image: 'registry.example/train:1', replicas: 2, command: ['python3', 'train.py'], ...spec },
    workingDir,
    reporter,
  });
  return { status, reporter };
}

/** Rank 0 listens for rank 1, which in the first attempt never comes. */
const HANGS_ONCE = `
import os, socket, time

def all_reduce():
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(('127.0.0.1', int(os.environ['MASTER_PORT'])))
    server.listen(1)
    server.accept()

def load_batch():
    while os.environ['TRAINYARD_ATTEMPT'] == '0':
        time.sleep(60)

if os.environ['RANK'] == '0':
    all_reduce()
else:
    load_batch()
    while True:
        try:
            socket.create_connection((os.environ['MASTER_ADDR'], int(os.environ['MASTER_PORT'])))
            break
        except OSError:
            time.sleep(0.05)
print('done')
`;

const RESTARTS = { restartPolicy: 'OnFailure', backoff: { initialSeconds: 0, maxSeconds: 0 } } as const;

describe('a job of which one rank waits for another for ever', () => {
  test('is started again when it stalls, finishes, and keeps where each rank was', async () => {
    const { status, reporter } = await run('hangs', { debug: {}, runPolicy: { ...RESTARTS, stall: { timeoutSeconds: 2 } } }, HANGS_ONCE);

    expect(status).toMatchObject({ phase: 'Completed', restarts: 1, attempt: 1, lastRestart: { cause: 'Stall', reason: 'Stalled' } });
    expect(status.lastFailure).toMatchObject({ reason: 'Stalled', attempt: 0, message: expect.stringContaining('no progress for 2 s') as string });
    const stacks = (role: string) => status.lastFailure!.stackDumps!.find((dump) => dump.role === role)!.stacks;
    expect(stacks('master')).toMatch(/line \d+ in all_reduce/);
    expect(stacks('worker')).toMatch(/line \d+ in load_batch/);
    expect(reporter.warnings.join()).toContain('no progress was ever reported');
  });

  test('fails when its policy says so, with the stacks', async () => {
    const { status } = await run('fails', { debug: {}, runPolicy: { stall: { timeoutSeconds: 2, action: 'Fail' } } }, HANGS_ONCE);

    expect(status).toMatchObject({ phase: 'Failed', lastFailure: { reason: 'Stalled' } });
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Failed', status: 'True', reason: 'Stalled' }));
    expect(status.lastFailure!.stackDumps!.map(({ stacks }) => stacks).join()).toMatch(/all_reduce[\s\S]*load_batch|load_batch[\s\S]*all_reduce/);
  });

  test('leaves no stacks when it is not debugged', async () => {
    const { status } = await run('silent', { runPolicy: { stall: { timeoutSeconds: 2, action: 'Fail' } } }, HANGS_ONCE);

    expect(status.lastFailure).toMatchObject({ reason: 'Stalled' });
    expect(status.lastFailure!.stackDumps).toBeUndefined();
  });
});

describe('debug', () => {
  test('leaves the program its own PYTHONPATH, sitecustomize and preStop hook', async () => {
    const folder = path.join(root, 'own');
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, 'sitecustomize.py'), 'import builtins\nbuiltins.CUSTOMIZED = True\n');
    const { status, reporter } = await run('polite', {
      replicas: 1,
      debug: {},
      env: [{ name: 'PYTHONPATH', value: folder }, { name: 'TORCH_DISTRIBUTED_DEBUG', value: 'OFF' }],
      runPolicy: { stall: { timeoutSeconds: 3, action: 'Fail' } },
      template: { spec: { containers: [{
        name: 'training', lifecycle: { preStop: { exec: { command: ['/bin/sh', '-c', `touch ${path.join(folder, 'hooked')}`] } } },
      }] } },
    }, `
import os, sys, time
print('customized', CUSTOMIZED, os.environ['TORCH_DISTRIBUTED_DEBUG'], os.environ['NCCL_DEBUG'], sys.path.count(${JSON.stringify(folder)}), flush=True)
time.sleep(60)
`);

    expect(status.lastFailure!.stackDumps).toHaveLength(1);
    expect(reporter.textsOf('polite-master')).toContain('customized True OFF INFO 1');
    expect(fs.existsSync(path.join(folder, 'hooked'))).toBe(true);
  });
});

const PASSES = 'print("trained")\n';

describe('preflight', () => {
  test('lets the job train when all replicas reach each other', async () => {
    const { status, reporter } = await run('checked', {
      replicas: 3, preflight: { timeoutSeconds: 30 }, runPolicy: { successPolicy: 'AllWorkers' },
    }, PASSES);

    expect(status).toMatchObject({ phase: 'Completed', restarts: 0, disruptions: 0 });
    expect(status.preflight).toBeUndefined();
    expect(reporter.textsOf('checked-worker-1')).toEqual(expect.arrayContaining(['preflight: all-reduce over TCP is right', 'preflight: passed', 'trained']));
  });

  test('fails the job after some tries when a peer never comes, counts no restart, and says who it was', async () => {
    const idle = { name: 'trainyard-preflight', image: 'registry.example/train:1', command: ['sleep', '300'] };
    const { status, reporter } = await run('lonely', {
      replicas: undefined,
      roles: [{ name: 'master' }, { name: 'worker', replicas: 2, template: { spec: { initContainers: [idle] } } }],
      preflight: { timeoutSeconds: 1 },
      runPolicy: RESTARTS,
      template: { spec: { terminationGracePeriodSeconds: 2 } },
    }, PASSES);

    expect(status).toMatchObject({ phase: 'Failed', restarts: 0, disruptions: 0, lastFailure: { reason: 'PreflightFailed', attempt: 3 } });
    expect(status.conditions).toContainEqual(expect.objectContaining({
      type: 'Failed', reason: 'PreflightFailed', message: expect.stringMatching(/^spec\.preflight failed 4 times in a row/) as string,
    }));
    expect(reporter.warnings).toContainEqual(expect.stringContaining('rank 0 waited for ranks 1, 2, which did not come'));
    expect(reporter.lines.some(({ text }) => text === 'trained')).toBe(false);
  });

  test('says so when the image has no Python', async () => {
    const { status } = await run('naked', {
      replicas: 1, preflight: {}, runPolicy: RESTARTS, command: ['/bin/sh', '-c', 'true'], env: [{ name: 'PATH', value: '/nowhere' }],
    }, PASSES);

    expect(status.lastFailure).toMatchObject({ reason: 'PreflightFailed', message: expect.stringContaining('spec.preflight.image') as string });
  });
});
