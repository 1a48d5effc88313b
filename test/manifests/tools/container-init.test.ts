/** `spec.init` with real processes, in each shell that this machine has; as process 1 where a PID namespace can be made. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import { INIT_NAME } from '../../../src/manifests/tools/container-init';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { expandReferences } from '../../../src/model/variable-references';

const runs = (command: string, ...args: readonly string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** What `/bin/sh` is in images. */
const SHELLS = [['/bin/sh'], ['dash'], ['bash'], ['busybox', 'sh']].filter(([command, ...args]) => runs(command, ...args, '-c', 'true'));

/** A PID namespace of its own, as root and as anybody; undefined where the machine allows none. */
const NAMESPACE = [['unshare'], ['unshare', '--user', '--map-root-user']]
  .map((words) => [...words, '--pid', '--fork', '--mount-proc', '--kill-child'])
  .find(([command, ...args]) => runs(command, ...args, 'true'));

/** Whether the shell's children can have SIGINT handled: bash by itself, others by the `env` of GNU coreutils. */
const RESETS_INTERRUPTS = runs('env', '--default-signal=INT,QUIT', 'true');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-init-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function specOf(spec: Partial<TrainingJobSpec>): TrainingJobSpec {
  return { framework: 'pytorch', image: 'img', replicas: 1, init: true, ...spec };
}

function podOf(spec: Partial<TrainingJobSpec>, ordinal = 0) {
  const job = resolveTrainingJob('net', specOf(spec));
  return constructReplicaPod({ job, replica: job.replicas[ordinal], namespace: 'ns', attempt: 0 }).spec!;
}

/** The words that the kubelet starts a job's container with, in one of the shells. */
function words(shell: readonly string[], command: readonly string[], variables: { readonly [name: string]: string } = {}): string[] {
  const [, ...rest] = podOf({ command }).containers[0].command!.map((word) => expandReferences(word, (name) => variables[name]));
  return [...shell, ...rest];
}

const script = (text: string) => ['sh', '-c', text];

/** A process with its output. */
class Running {
  public output = '';
  public readonly ended: Promise<number>;
  public readonly child: ChildProcess;
  private wake = () => {};

  public constructor([command, ...args]: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
        this.wake();
      });
    }
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject).once('close', (code, signal) => resolve(code ?? 128 + os.constants.signals[signal!]));
    });
  }

  public async line(text: string): Promise<void> {
    while (!this.output.split('\n').includes(text)) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Sends a signal, to process 1 of the namespace where one was made, as soon as it sleeps: bash may lose one that comes right before that. */
  public async tell(signal: NodeJS.Signals, isProcessOne = false): Promise<void> {
    const pid = isProcessOne ? Number(fs.readFileSync(`/proc/${this.child.pid}/task/${this.child.pid}/children`, 'utf8').trim()) : this.child.pid!;
    while (fs.existsSync('/proc/self/stat') && !/\) S [^)]*$/.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))) {
      await delay(2);
    }
    process.kill(pid, signal);
  }
}

describe.each(SHELLS.map((shell) => [shell.join(' '), shell] as const))('below an init in %s', (name, shell) => {
  const init = (command: readonly string[], env?: NodeJS.ProcessEnv) => new Running(words(shell, command), env);

  test.each([
    ['success', 'exit 0', 0], ['a failure', 'exit 3', 3], ['the code of a missing program', 'exit 127', 127], ['SIGKILL', 'kill -9 $$$$', 137],
    ['a SIGTERM of its own', 'kill -TERM $$$$', 143],
  ])('the end of a program is its own: %s', async (_what, text, code) => {
    expect(await init(script(text)).ended).toBe(code);
  });

  test('a program that is missing ends with 127, and one that cannot be run with 126', async () => {
    const missing = init(['no-such-program']);
    expect(await missing.ended).toBe(127);
    expect(missing.output).toContain('no-such-program');
    expect(await init([folder]).ended).toBe(126);
  });

  test('a program gets its arguments, its input and its variables as they are, and the kubelet\'s references', async () => {
    const args = ['$(touch x)', '`id`', 'a  b', '', '"\'', '$HOME', 'two\nlines', '-n', '$(RANK)', '$$(RANK)', '=', '*'];
    const started = new Running(words(shell, ['sh', '-c', 'printf "<%s>" "$@"; read -r line; echo "$line"; env | grep -c "^trainyard" || true', 'zero', ...args], { RANK: '7' }));
    started.child.stdin!.end('input\n');
    expect(await started.ended).toBe(0);
    expect(started.output).toBe('<$(touch x)><`id`><a  b><><"\'><$HOME><two\nlines><-n><7><$(RANK)><=><*>input\n0\n');
  });

  const interrupts = RESETS_INTERRUPTS || name.includes('bash') ? ['INT', 'QUIT'] : [];
  test.each(['HUP', 'USR1', 'USR2', 'TERM', ...interrupts])('SIG%s reaches the program, which can save and choose its code', async (signal) => {
    const file = path.join(folder, `${name.replaceAll('/', '-')}-${signal}`);
    const started = init(script(`trap 'echo saved > "${file}"; exit 7' ${signal}; echo up; while :; do sleep 0.05; done`));
    await started.line('up');
    await started.tell(`SIG${signal}` as NodeJS.Signals);
    expect(await started.ended).toBe(7);
    expect(fs.readFileSync(file, 'utf8')).toBe('saved\n');
  });

  test('a program without a handler ends by SIGTERM', async () => {
    const started = init(script('echo up; exec sleep 600'));
    await started.line('up');
    await started.tell('SIGTERM');
    expect(await started.ended).toBe(143);
  });

  test('a program that goes on after SIGTERM is waited for, however often it is told', async () => {
    const started = init(script('n=0; trap \'n=$((n + 1)); echo told $n\' TERM; trap "exit 5" USR1; echo up; while :; do sleep 0.05; done'));
    await started.line('up');
    for (let time = 1; time <= 3; time++) {
      await started.tell('SIGTERM');
      await started.line(`told ${time}`);
    }
    await started.tell('SIGUSR1');
    expect(await started.ended).toBe(5);
  });

  test('the other processes of a program are not told: it needs them to save', async () => {
    const worker = 'trap "echo worker told" TERM; echo worker up; while :; do sleep 0.05; done';
    const started = init(script(`sh -c '${worker}' & w=$!; trap 'sleep 0.3; echo saved; kill -KILL $w; exit 0' TERM; echo up; while :; do sleep 0.05; done`));
    await started.line('worker up');
    await started.line('up');
    await started.tell('SIGTERM');
    expect(await started.ended).toBe(0);
    expect(started.output).toContain('saved');
    expect(started.output).not.toContain('worker told');
  });

  test('a SIGTERM that comes before the program starts keeps it from starting', async () => {
    const bin = fs.mkdtempSync(path.join(folder, 'bin-'));
    // The init looks whether there is an env that can reset signals.
    fs.writeFileSync(path.join(bin, 'env'), '#!/bin/sh\nkill -TERM "$PPID"\nexit 1\n', { mode: 0o755 });
    const started = init(script('echo never'), { ...process.env, PATH: `${bin}:${process.env.PATH}` });
    expect(await started.ended).toBe(143);
    expect(started.output).toBe('');
  });

  (NAMESPACE === undefined ? describe.skip : describe)('as process 1', () => {
    const inNamespace = (command: readonly string[]) => new Running([...NAMESPACE!, ...words(shell, command)]);

    test('a program without a handler ends by SIGTERM, which it ignores as process 1', async () => {
      const text = 'echo up; read -r line; exit 5';
      const alone = new Running([...NAMESPACE!, ...script(text)]);
      await alone.line('up');
      await alone.tell('SIGTERM', true);
      alone.child.stdin!.end('on\n');
      expect(await alone.ended).toBe(5);
      const started = inNamespace(script(text));
      await started.line('up');
      await started.tell('SIGTERM', true);
      expect(await started.ended).toBe(143);
    });

    test('a program behind a shell that ends by SIGTERM is told too, and can save', async () => {
      const program = 'trap "sleep 0.3; echo saved; exit 0" TERM; echo up; while :; do sleep 0.05; done';
      const started = inNamespace(script(`sh -c '${program}'; echo never`));
      await started.line('up');
      await started.tell('SIGTERM', true);
      expect(await started.ended).toBe(143);
      expect(started.output).toContain('saved');
      expect(started.output).not.toContain('never');
    });

    test('processes whose parent has ended leave nothing behind', async () => {
      // The inner shell ends first, so that its child becomes one of process 1.
      const started = inNamespace(script('orphan=$(sh -c \'sleep 0.2 >&- 2>&- & echo $!\'); echo "orphan $orphan"; while [ -e "/proc/$orphan" ]; do sleep 0.05; done; exit 9'));
      expect(await started.ended).toBe(9);
      expect(started.output).toMatch(/^orphan \d+$/m);
    });
  });
});

test('there is no init unless a job asks for one, nor around a command of the image or of a framework', () => {
  const command = ['python3', 'train.py'];
  expect(podOf({ command, init: false }).containers[0].command).toEqual(command);
  expect(podOf({ command, init: undefined })).toEqual(podOf({ command, init: false }));
  const mpi: Partial<TrainingJobSpec> = { framework: 'mpi', command: undefined, replicas: undefined, roles: [{ name: 'launcher', command: ['mpirun'] }, { name: 'worker' }] };
  expect(validateTrainingJob('net', specOf(mpi))).toEqual([]);
  expect(podOf(mpi).containers[0].command).toContain(INIT_NAME);
  expect(podOf(mpi, 1).containers[0].command).toEqual(['/bin/sh', '/etc/mpi/worker.sh']);
  const helpers = [{ name: 'cache', image: 'redis:7' }, { name: 'actor', command: ['act'] }];
  expect(validateTrainingJob('net', specOf({ command, helpers }))).toEqual([]);
  expect(podOf({ command, helpers }, 1).containers[0].command).toBeUndefined();
  expect(podOf({ command, helpers }, 2).containers[0].command).toContain(INIT_NAME);
});

test('programs that run beside a program of the framework have an init too', () => {
  const { containers } = podOf({ framework: 'mxnet', replicas: 2, command: ['python3', 'train.py'] });
  expect(containers.map(({ name }) => name)).toEqual(['training', 'scheduler', 'server']);
  for (const container of containers) {
    expect(container.command).toContain(INIT_NAME);
  }
});

test('a debugged program finds the tools in front of its PYTHONPATH below the init', () => {
  const [, ...rest] = podOf({ debug: {}, command: script('echo "$PYTHONPATH"; exit 4') }).containers[0].command!.map((word) => expandReferences(word, () => undefined));
  const { stdout, status } = spawnSync('/bin/sh', rest, { env: { PATH: process.env.PATH }, encoding: 'utf8' });
  expect([stdout, status]).toEqual(['/etc/trainyard/tools\n', 4]);
});
