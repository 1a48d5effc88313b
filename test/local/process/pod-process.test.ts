import fs from 'node:fs';
import path from 'node:path';
import type { RestartPauses } from '../../../src/local/process/pod-status';
import { MemoryObjectSource } from '../../../src/local/process/object-source';
import { PodProcess, type PodLine } from '../../../src/local/process/pod-process';
import { ProcessGuard } from '../../../src/local/process/process-guard';
import type { Container, Pod, PodSpec, PodStatus } from '../../../src/manifests/kubernetes';
import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import { isAlive, untilGone } from '../support/processes';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();
const guard = new ProcessGuard();
afterAll(() => guard.close());

class Started {
  public readonly lines: PodLine[] = [];
  public readonly statuses: PodStatus[] = [];
  public readonly process: PodProcess;
  private readonly waiters = new Set<() => void>();

  public constructor(spec: Partial<PodSpec> & { readonly containers: Container[] }, pauses?: RestartPauses) {
    const pod: Pod = { metadata: { name: 'p', namespace: 'default' }, spec };
    this.process = new PodProcess({
      pod,
      folders: { pod: path.join(root, 'pod'), claims: path.join(root, 'claims') },
      objects: new MemoryObjectSource(),
      guard,
      inherited: { PATH: process.env.PATH! },
      workingDir: root,
      onLine: (line) => this.lines.push(line) && this.waiters.forEach((wake) => wake()),
      onStatus: (status) => this.statuses.push(status) && this.waiters.forEach((wake) => wake()),
      warn: () => undefined,
      pauses,
    });
  }

  public async line(test: (text: string) => boolean): Promise<string> {
    return (await this.first(this.lines, ({ text }) => test(text))).text;
  }

  public async status(test: (status: PodStatus) => boolean): Promise<PodStatus> {
    return this.first(this.statuses, test);
  }

  /** The first item that passes, as soon as there is one. */
  private async first<T>(items: readonly T[], test: (item: T) => boolean): Promise<T> {
    for (;;) {
      const found = items.find(test);
      if (found) {
        return found;
      }
      await new Promise<void>((resolve) => this.waiters.add(resolve));
    }
  }

  public terminated(container = 'training') {
    const all = [...(this.process.status.containerStatuses ?? []), ...(this.process.status.initContainerStatuses ?? [])];
    return all.find(({ name }) => name === container)?.state?.terminated;
  }
}

function sh(script: string, extra: Partial<Container> = {}): Container {
  return { name: 'training', image: 'img', command: ['/bin/sh', '-c', script], ...extra };
}

test('reports a pod that runs and succeeds', async () => {
  const started = new Started({ containers: [sh('echo out; echo err >&2')] });
  await started.process.ended;
  expect(started.lines).toHaveLength(2);
  expect(started.lines).toEqual(expect.arrayContaining([
    { container: 'training', stream: 'stdout', text: 'out' }, { container: 'training', stream: 'stderr', text: 'err' },
  ]));
  expect(started.statuses.map(({ phase }) => phase)).toEqual(['Running', 'Succeeded']);
  expect(started.statuses[0].conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  expect(started.terminated()).toMatchObject({ exitCode: 0, reason: 'Completed' });
  expect(started.process.status.podIP).toBe('127.0.0.1');
});

test('reports the exit code and the last twenty lines of a failure', async () => {
  const started = new Started({ containers: [sh('i=0; while [ $i -lt 50 ]; do echo line $i; i=$((i+1)); done; exit 3')] });
  await started.process.ended;
  expect(started.process.status.phase).toBe('Failed');
  expect(started.terminated()).toMatchObject({ exitCode: 3, reason: 'Error' });
  expect(started.terminated()!.message!.split('\n')).toEqual(Array.from({ length: 20 }, (_, i) => `line ${i + 30}`));
});

test('reports the end by a signal as 128 and its number', async () => {
  const started = new Started({ containers: [sh('kill -KILL $$$$')] });
  await started.process.ended;
  expect(started.terminated()).toMatchObject({ exitCode: 137, signal: 9 });
});

test('says when a program is not there, and when a folder is not', async () => {
  const missing = new Started({ containers: [{ name: 'training', command: ['no-such-program-anywhere'] }] });
  await missing.process.ended;
  expect(missing.terminated()).toMatchObject({ exitCode: 127, reason: 'ContainerCannotRun', message: expect.stringContaining('no program of that name is on PATH') });
  expect(missing.process.status.phase).toBe('Failed');
  const path = new Started({ containers: [{ name: 'training', command: ['/image/bin/python'] }] });
  await path.process.ended;
  expect(path.terminated()!.message).toContain('Paths of the image do not exist here');
});

test('reports a pod that cannot be started as it is written', async () => {
  const started = new Started({ containers: [{ name: 'training', image: 'img' }] });
  await started.process.ended;
  expect(started.process.status).toMatchObject({ phase: 'Failed', reason: 'CreateContainerConfigError', message: expect.stringContaining('has no command') });
});

test('runs init containers one after another, before the others', async () => {
  const started = new Started({
    initContainers: [sh('sleep 0.1; echo first', { name: 'one' }), sh('echo second', { name: 'two' })],
    containers: [sh('echo third')],
  });
  await started.process.ended;
  expect(started.lines.map(({ text }) => text)).toEqual(['first', 'second', 'third']);
  expect(started.statuses[0].phase).toBe('Pending');
  expect(started.process.status.phase).toBe('Succeeded');
});

test('starts nothing after an init container that failed', async () => {
  const started = new Started({ initContainers: [sh('exit 4', { name: 'one' })], containers: [sh('echo never')] });
  await started.process.ended;
  expect(started.lines).toEqual([]);
  expect(started.process.status.phase).toBe('Failed');
  expect(started.terminated('one')).toMatchObject({ exitCode: 4 });
  expect(started.process.status.containerStatuses![0].state).toEqual({ waiting: { reason: 'PodInitializing' } });
});

test('ends a sidecar when the containers are done, and the pod with it', async () => {
  const started = new Started({
    initContainers: [sh('trap "echo sidecar ends; exit 0" TERM; echo sidecar runs; while :; do sleep 0.05; done', { name: 'side', restartPolicy: 'Always' })],
    containers: [sh('sleep 0.2; echo done')],
  });
  await started.process.ended;
  expect(started.lines.map(({ text }) => text)).toEqual(['sidecar runs', 'done', 'sidecar ends']);
  expect(started.process.status.phase).toBe('Succeeded');
});

test('is running as long as one container is', async () => {
  const started = new Started({ containers: [sh('exit 0'), sh('echo up; sleep 60', { name: 'helper' })] });
  await started.line((text) => text === 'up');
  while (!started.terminated()) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(started.process.status.phase).toBe('Running');
  await started.process.stop(0);
  expect(started.process.status.phase).toBe('Failed');
});

test('asks to end first, so that a program can save its state', async () => {
  const started = new Started({ containers: [sh('trap "echo saved; exit 0" TERM; echo up; while :; do sleep 0.05; done')] });
  await started.line((text) => text === 'up');
  await started.process.stop(30);
  expect(started.lines.map(({ text }) => text)).toEqual(['up', 'saved']);
  expect(started.terminated()).toMatchObject({ exitCode: 0 });
});

test('kills what does not end within the grace period', async () => {
  const started = new Started({ containers: [sh('trap "" TERM; echo up; while :; do sleep 0.05; done')] });
  await started.line((text) => text === 'up');
  await started.process.stop(0.2);
  expect(started.terminated()).toMatchObject({ exitCode: 137 });
});

test('asks the program behind a shell to end as well, once the shell is gone', async () => {
  const child = 'trap "echo saved; exit 0" TERM; echo up; while :; do sleep 0.05; done';
  const started = new Started({ containers: [sh(`/bin/sh -c '${child}'; echo never`)] });
  await started.line((text) => text === 'up');
  await started.process.stop(30);
  expect(started.lines.map(({ text }) => text)).toContain('saved');
  expect(started.lines.map(({ text }) => text)).not.toContain('never');
});

test.each([
  ['itself', ['/bin/sh', '-c', 'trap "echo saved; exit 3" TERM; echo up; while :; do sleep 0.05; done'], 3],
  ['behind a shell', ['/bin/sh', '-c', '/bin/sh -c \'trap "echo saved; exit 3" TERM; echo up; while :; do sleep 0.05; done\'; echo never'], 143],
])('asks a program below an init to end: %s', async (_where, command, exitCode) => {
  const job = resolveTrainingJob('net', { framework: 'plain', image: 'img', replicas: 1, command, init: true });
  const { spec } = constructReplicaPod({ job, replica: job.replicas[0], namespace: 'default', attempt: 0 });
  const started = new Started(spec!);
  await started.line((text) => text === 'up');
  await started.process.stop(30);
  expect(started.lines.map(({ text }) => text)).toContain('saved');
  expect(started.terminated()).toMatchObject({ exitCode });
});

test('does not start what was stopped before', async () => {
  const started = new Started({ initContainers: [sh('echo up; sleep 60', { name: 'init' })], containers: [sh('echo never')] });
  await started.line((text) => text === 'up');
  await started.process.stop(0);
  expect(started.lines.map(({ text }) => text)).toEqual(['up']);
});

test('leaves no process behind when the first one ends, not even one with a session of its own', async () => {
  const detach = "require('child_process').spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })";
  const started = new Started({
    containers: [sh(`sleep 300 & echo $!; "${process.execPath}" -e "console.log(${detach}.pid); process.exit(0)"; exit 0`)],
  });
  await started.process.ended;
  const pids = started.lines.map(({ text }) => Number(text));
  expect(pids).toHaveLength(2);
  await untilGone(pids[0]);
  if (process.platform === 'linux') {
    await untilGone(pids[1]);
  } else {
    process.kill(pids[1], 'SIGKILL');
  }
  expect(isAlive(pids[0])).toBe(false);
});

test('gives each new pod an empty emptyDir, and removes it', async () => {
  const mount = { volumes: [{ name: 'v', emptyDir: {} }] };
  const container = sh('ls $DIR; touch $DIR/file; echo $DIR', { volumeMounts: [{ name: 'v', mountPath: '/scratch' }], env: [{ name: 'DIR', value: '/scratch' }] });
  for (let i = 0; i < 2; i++) {
    const started = new Started({ containers: [container], ...mount });
    await started.process.ended;
    expect(started.lines).toHaveLength(1);
    const folder = started.lines[0].text;
    expect(fs.readdirSync(folder)).toEqual(['file']);
    if (i === 1) {
      started.process.discard();
      expect(fs.existsSync(folder)).toBe(false);
    }
  }
});

describe('a pod whose containers are restarted', () => {
  const pauses = { initialMs: 20, maxMs: 40, resetAfterMs: 600_000 };
  const counting = (file: string, script: string) => sh(`n=$(cat ${file} 2>/dev/null || echo 0); n=$((n+1)); echo $n > ${file}; echo run $n; ${script}`);
  const fresh = (name: string) => path.join(root, `${name}-${Math.random()}`);

  test('starts a failed container again in place, and tells how often and why', async () => {
    const started = new Started({ restartPolicy: 'OnFailure', containers: [counting(fresh('n'), '[ $n -ge 4 ] || { echo no $n; exit 3; }')] }, pauses);
    await started.process.ended;

    expect(started.lines.filter(({ text }) => text.startsWith('run')).map(({ text }) => text)).toEqual(['run 1', 'run 2', 'run 3', 'run 4']);
    expect(started.process.status.phase).toBe('Succeeded');
    expect(started.process.status.containerStatuses![0]).toMatchObject({
      restartCount: 3, state: { terminated: { exitCode: 0 } }, lastState: { terminated: { exitCode: 3, message: 'run 3\nno 3' } },
    });
    expect(started.statuses.map(({ phase }) => phase)).not.toContain('Failed');
    const waiting = started.statuses.flatMap(({ containerStatuses }) => containerStatuses![0].state?.waiting ?? []);
    expect(waiting.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'CrashLoopBackOff: back-off 0s restarting failed container=training',
      'CrashLoopBackOff: back-off 0.02s restarting failed container=training',
      'CrashLoopBackOff: back-off 0.04s restarting failed container=training',
    ]);
  });

  test('leaves a container alone that succeeded, unless it is always restarted', async () => {
    const once = new Started({ restartPolicy: 'OnFailure', containers: [sh('exit 0')] }, pauses);
    await once.process.ended;
    expect(once.process.status.containerStatuses![0].restartCount).toBe(0);

    const file = fresh('n');
    // Deaf to the signal that ends the pod, which may come before the third run has ended.
    const deaf = sh(`trap '' TERM; n=$(cat ${file} 2>/dev/null || echo 0); n=$((n+1)); echo $n > ${file}; echo run $n`);
    const always = new Started({ restartPolicy: 'Always', containers: [deaf] }, pauses);
    await always.line((text) => text === 'run 3');
    await always.process.stop(1);
    expect(always.process.status.phase).toBe('Succeeded');
  });

  test('starts a failed init container again, and the others after it', async () => {
    const started = new Started({
      restartPolicy: 'OnFailure', initContainers: [{ ...counting(fresh('n'), '[ $n -ge 2 ]'), name: 'fetch' }], containers: [sh('echo trains')],
    }, pauses);
    await started.process.ended;
    expect(started.lines.map(({ text }) => text)).toEqual(['run 1', 'run 2', 'trains']);
    expect(started.process.status.initContainerStatuses![0].restartCount).toBe(1);
  });

  test('starts nothing again once it is stopped, also in the middle of a pause', async () => {
    const started = new Started({ restartPolicy: 'OnFailure', containers: [counting(fresh('n'), 'exit 1')] }, { initialMs: 3_600_000, maxMs: 3_600_000, resetAfterMs: 1e9 });
    // The first pause is none at all, the second an hour: only then there is no process that the stop could end by a signal.
    await started.status(({ containerStatuses }) => containerStatuses?.[0].restartCount === 1 && containerStatuses[0].state?.waiting !== undefined);
    await started.process.stop(5);
    expect(started.lines.map(({ text }) => text)).toEqual(['run 1', 'run 2']);
    expect(started.process.status.phase).toBe('Failed');
    expect(started.terminated()).toMatchObject({ exitCode: 1 });
  });
});
