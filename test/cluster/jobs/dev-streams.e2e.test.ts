/** exec, port-forward, cp, top and open against a real API server, with pods that are processes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { parse } from 'yaml';
import { freePorts } from '../../../src/local/control-plane/ports';
import { DevEnvironment } from '../../../src/local/dev/dev-environment';
import { loadConnection } from '../../../src/operator/runtime/credentials/kubeconfig';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import type { KubeObject } from '../../../src/operator/runtime/kube-object';
import type { ResourceKind } from '../../../src/operator/runtime/resource-kind';
import { COMMAND, programArguments } from '../../support/bundled';
import { startTrainyard, trainyard, type CommandOptions, type Finished } from '../../cli/support/command';
import { untilGone } from '../../local/support/processes';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { eventually } from '../support/cluster';

// As the package has it.
const OPERATOR_PROGRAM = path.join(__dirname, '..', '..', '..', 'assets', 'operator.mjs.br');
const ON_TERMINAL = path.join(__dirname, '..', '..', '..', 'src', 'programs', 'local', 'on_terminal.py');
const FOREVER = 'while :; do sleep 0.05; done';
const MIB = 2 ** 20;
const RBAC = 'rbac.authorization.k8s.io';

const folder = temporaryFolder();
let environment: DevEnvironment;
let webPort: number;

beforeAll(async () => {
  fs.mkdirSync(path.join(folder, 'bin'));
  fs.writeFileSync(path.join(folder, 'bin', 'nvidia-smi'), '#!/bin/sh\necho "0, 87, 20480, 81920"\n', { mode: 0o755 });
  environment = await DevEnvironment.start({
    workingDir: folder, operatorProgram: OPERATOR_PROGRAM, onLine: () => undefined, notice: () => undefined, warn: () => undefined,
    env: { ...process.env, PATH: `${path.join(folder, 'bin')}:${process.env.PATH}` },
  });
  [webPort] = await freePorts(1);
  fs.mkdirSync(path.join(folder, 'site'));
  fs.writeFileSync(path.join(folder, 'site', 'big.bin'), Buffer.alloc(3 * MIB, 'site'));
  // Rank 0 serves a folder, and has a port with a name.
  const web = `[ $RANK = 0 ] && exec python3 -m http.server ${webPort} --bind 127.0.0.1 --directory site; ${FOREVER}`;
  const template = { spec: { containers: [{ name: 'training', ports: [{ name: 'tensorboard', containerPort: webPort }] }] } };
  await submit('digits', web, { replicas: 2, checkpointPath: '/checkpoints/digits', template });
  await submit('quick', 'exit 0', { replicas: 1 });
  expect(await run('wait', 'digits', '--for', 'running', '--timeout', '2m')).toMatchObject({ code: 0 });
  expect(await run('wait', 'quick', '--timeout', '2m')).toMatchObject({ code: 0 });
});

afterAll(async () => environment.stop(0));

const known = () => ({ KUBECONFIG: environment.kubeconfig });
const run = async (...args: string[]): Promise<Finished> => trainyard(args, { cwd: folder, env: known() });
const start = async (args: readonly string[], options: CommandOptions = {}): Promise<Finished> => (
  startTrainyard(args, { cwd: folder, env: known(), ...options }));

async function submit(name: string, script: string, spec: object): Promise<void> {
  const complete = { framework: 'jax', image: 'img', command: ['/bin/sh', '-c', script], ...spec };
  const job = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name }, spec: complete };
  fs.writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(job));
  expect(await run('submit', `${name}.json`)).toMatchObject({ code: 0 });
}

/** A command as a process that goes on. */
function launch(args: readonly string[], before: readonly string[] = []): { readonly child: ChildProcess; readonly out: () => string } {
  const [program, ...rest] = [...before, process.execPath, ...programArguments(COMMAND), ...args];
  const child = spawn(program, rest, { cwd: folder, env: { ...process.env, ...known(), NO_COLOR: '1' }, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  let out = '';
  [child.stdout, child.stderr].forEach((stream) => stream!.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  }));
  return { child, out: () => out };
}

async function until<T>(what: string, find: () => T | undefined | null | false): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = find();
    if (found) {
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no ${what}`);
}

const ended = async (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('close', resolve));

describe('exec', () => {
  test('runs a command with the replica\'s environment, and ends with its exit code', async () => {
    expect(await run('exec', 'digits', '--', 'sh', '-c', 'echo rank $RANK; echo bad >&2; exit 42')).toEqual({ code: 42, out: 'rank 0\n', err: 'bad\n' });
    expect(await run('exec', 'mltj/digits', '--rank', '1', '--', 'sh', '-c', 'echo rank $RANK')).toEqual({ code: 0, out: 'rank 1\n', err: '' });
    expect(await run('exec', 'digits', '--role', 'worker', '-c', 'training', '--', 'true')).toMatchObject({ code: 0 });
    expect(await run('exec', 'digits', '--', 'sh', '-c', 'kill -9 $$')).toMatchObject({ code: 137 });
  });

  test('paths are those of the container', async () => {
    expect(await run('exec', 'digits', '--', 'sh', '-c', 'mkdir -p /checkpoints/digits && echo step 1 > /checkpoints/digits/state')).toMatchObject({ code: 0 });
    expect(await run('exec', 'digits', '--', 'cat', '/checkpoints/digits/state')).toMatchObject({ code: 0, out: 'step 1\n' });
  });

  test('passes on an input to its end, also one that is empty', async () => {
    const input = 'x'.repeat(5 * MIB);
    const counted = await start(['exec', 'digits', '-i', '--', 'wc', '-c'], { input });
    expect(counted).toMatchObject({ code: 0, err: '' });
    expect(Number(counted.out)).toBe(input.length);
    expect(await start(['exec', 'digits', '--stdin', '--', 'cat'], { input: '' })).toEqual({ code: 0, out: '', err: '' });
    // A command that reads none of it, while more comes.
    expect(await start(['exec', 'digits', '-i', '--', 'true'], { input })).toMatchObject({ code: 0 });
    // Without --stdin there is none.
    expect(await start(['exec', 'digits', '--', 'cat'], { input })).toEqual({ code: 0, out: '', err: '' });
  });

  test('passes on bytes as they are, and many of them', async () => {
    const script = 'import os,hashlib,sys; b=os.urandom(1<<20)*50; sys.stdout.buffer.write(b); sys.stderr.write(hashlib.sha256(b).hexdigest())';
    const { child } = launch(['exec', 'digits', '--', 'python3', '-c', script]);
    const hash = createHash('sha256');
    let [bytes, told] = [0, ''];
    child.stdout!.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      hash.update(chunk);
    });
    child.stderr!.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
    expect(await ended(child)).toBe(0);
    expect(bytes).toBe(50 * MIB);
    expect(hash.digest('hex')).toBe(told);
  });

  test('what cannot be run is told', async () => {
    expect(await run('exec', 'digits', '--', 'no-such-program', '--flag')).toMatchObject({
      code: 127, out: '', err: expect.stringMatching(/^trainyard: MLTrainingJob default\/digits, replica worker-0: running 'no-such-program' in container training failed: .*no program of that name/) as string,
    });
    expect(await run('exec', 'digits', '--rank', '7', '--', 'true')).toMatchObject({ code: 2, err: expect.stringContaining('there are pods of the ranks 0 to 1') as string });
    expect(await run('exec', 'digits', '-c', 'sidecar', '--', 'true')).toMatchObject({ code: 2, err: expect.stringContaining('pod digits-worker-0 has the containers training') as string });
    expect(await run('exec', 'quick', '--', 'true')).toMatchObject({ code: 2, err: expect.stringMatching(/has no pods|is not running/) as string });
    expect(await start(['exec', 'digits', '-it', '--', 'sh'])).toMatchObject({ code: 2, err: expect.stringContaining('--tty: standard input and output are not both a terminal') as string });
    expect(await run('exec', 'digits')).toMatchObject({ code: 2, err: expect.stringContaining("missing required argument 'command'") as string });
  });

  test('a command ends with whoever waits for it', async () => {
    const { child, out } = launch(['exec', 'digits', '--', 'sh', '-c', 'echo $$; exec sleep 300']);
    const pid = Number(await until('process id', () => /^\d+$/m.exec(out())?.[0]));
    child.kill('SIGINT');
    await ended(child);
    await untilGone(pid);
  });

  test('a terminal: its size, its keys, and its state afterwards', async () => {
    const script = 'test -t 0 && stty size && read line && echo got $line; until [ "$(stty size)" = "20 90" ]; do sleep 0.1; done; exit 9';
    const { child, out } = launch(['exec', 'digits', '-it', '--', 'sh', '-c', script], ['python3', ON_TERMINAL]);
    const sizes = child.stdio[3] as NodeJS.WritableStream;
    sizes.write('101 37\n');
    await until('size', () => out().includes('37 101'));
    child.stdin!.write('hello\r');
    await until('answer', () => out().includes('got hello'));
    sizes.write('90 20\n');
    expect(await ended(child)).toBe(9);
  });
});

describe('port-forward', () => {
  const fetched = async (port: number, file = 'big.bin') => new Promise<string>((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path: `/${file}`, agent: false }, (response) => {
      const hash = createHash('sha256');
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        hash.update(chunk);
      }).once('end', () => resolve(`${response.statusCode} ${bytes} ${hash.digest('hex')}`)).once('error', reject);
    }).once('error', reject);
  });

  test('many connections at a time, by number and by name, until Ctrl-C', async () => {
    const { child, out } = launch(['port-forward', 'digits', `:${webPort}`, ':tensorboard']);
    await until('second port', () => out().split('\n').length > 2);
    const ports = [...out().matchAll(/^Forwarding 127\.0\.0\.1:(\d+) -> digits-worker-0:(\d+)$/gm)].map(([, local, remote]) => [Number(local), Number(remote)]);
    expect(ports.map(([, remote]) => remote)).toEqual([webPort, webPort]);
    const expected = `200 ${3 * MIB} ${createHash('sha256').update(Buffer.alloc(3 * MIB, 'site')).digest('hex')}`;
    const answers = await Promise.all(Array.from({ length: 12 }, async (_, at) => fetched(ports[at % 2][0])));
    expect(new Set(answers)).toEqual(new Set([expected]));
    expect(await fetched(ports[0][0], 'missing')).toMatch(/^404 /);
    child.kill('SIGINT');
    expect(await ended(child)).toBe(0);
    await expect(fetched(ports[0][0])).rejects.toThrow('ECONNREFUSED');
  });

  test('a replica that restarts is reached again', async () => {
    const [port] = await freePorts(1);
    const atOnce = { restartPolicy: 'OnFailure', backoffLimit: 3, backoff: { initialSeconds: 0, maxSeconds: 0 } };
    await submit('again', `echo $$$$ > again.pid; exec python3 -m http.server ${port} --bind 127.0.0.1 --directory site`, { replicas: 1, runPolicy: atOnce });
    expect(await run('wait', 'again', '--for', 'running', '--timeout', '2m')).toMatchObject({ code: 0 });
    const { child, out } = launch(['port-forward', 'again', `:${port}`]);
    const local = Number(await until('port', () => /:(\d+) ->/.exec(out())?.[1]));
    const answers = async () => fetched(local).catch(() => '');
    await eventually('first answer', async () => (await answers()).startsWith('200'));
    const pid = fs.readFileSync(path.join(folder, 'again.pid'), 'utf8');
    process.kill(Number(pid), 'SIGKILL');
    await eventually('second process', () => Promise.resolve(fs.readFileSync(path.join(folder, 'again.pid'), 'utf8') !== pid));
    await eventually('second answer', async () => (await answers()).startsWith('200'));
    expect(child.exitCode).toBeNull();
    // Without a job, the next connection ends the command.
    expect(await run('delete', 'again', '--wait')).toMatchObject({ code: 0 });
    await eventually('its end', async () => {
      await answers();
      return child.exitCode !== null;
    });
    expect(child.exitCode).toBe(1);
    expect(out()).toContain('MLTrainingJob default/again is deleted');
  });

  test('a port at which nothing listens', async () => {
    const [silent] = await freePorts(1);
    const { child, out } = launch(['port-forward', 'digits', `:${silent}`]);
    const local = Number(await until('port', () => /:(\d+) ->/.exec(out())?.[1]));
    await expect(fetched(local)).rejects.toThrow(/ECONNRESET|socket hang up/);
    await until('reason', () => out().includes(`port ${silent} of pod digits-worker-0: nothing listens on 127.0.0.1:${silent}`));
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
  });

  test('what cannot be forwarded is told', async () => {
    const taken = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as net.AddressInfo;
    expect(await run('port-forward', 'digits', `${port}:80`)).toMatchObject({ code: 2, err: expect.stringContaining(`Listening on 127.0.0.1:${port}: another program uses this port.`) as string });
    taken.close();
    expect(await run('port-forward', 'digits', 'tensorbord')).toMatchObject({ code: 2, err: expect.stringContaining(`tensorboard (${webPort}). Did you mean 'tensorboard'?`) as string });
    expect(await run('port-forward', 'digits', '80:81:82')).toMatchObject({ code: 2 });
    expect(await run('port-forward', 'digits', ':80', '--address', '203.0.113.1')).toMatchObject({ code: 2, err: expect.stringContaining('this machine does not have the address 203.0.113.1') as string });
  });
});

describe('cp', () => {
  test('a folder with folders in it, a link to a folder, and a file', async () => {
    const script = 'mkdir -p step-1/a/b && printf weights > step-1/model.bin && printf deep > "step-1/a/b/two words" && ln -s model.bin step-1/link && ln step-1/model.bin step-1/same && ln -sfn step-1 latest && mkdir empty';
    expect(await run('exec', 'digits', '--', 'sh', '-c', `mkdir -p /checkpoints/digits && cd /checkpoints/digits && ${script}`)).toMatchObject({ code: 0, err: '' });

    const copied = await run('cp', 'digits:/checkpoints/digits/step-1', '.');
    expect(copied).toMatchObject({ code: 0, out: expect.stringMatching(/^Copied 3 files, \d+ B, to .*\/step-1\.\n$/) as string });
    expect(copied.err).toMatch(/skipped 1 links or devices: \.\/link -> model\.bin/);
    const there = path.join(folder, 'step-1');
    expect(fs.readdirSync(there, { recursive: true }).map(String).sort()).toEqual(['a', 'a/b', 'a/b/two words', 'model.bin', 'same']);
    expect(fs.readFileSync(path.join(there, 'same'), 'utf8')).toBe('weights');

    expect(await run('cp', 'digits:/checkpoints/digits/latest/', 'out/newest')).toMatchObject({ code: 0 });
    expect(fs.readFileSync(path.join(folder, 'out/newest/a/b/two words'), 'utf8')).toBe('deep');
    expect(await run('cp', 'digits:/checkpoints/digits/step-1/model.bin', 'out/')).toMatchObject({ code: 0, out: expect.stringContaining('Copied 1 file, 7 B, to ') as string });
    expect(fs.readFileSync(path.join(folder, 'out/model.bin'), 'utf8')).toBe('weights');
    expect(await run('cp', 'digits:/checkpoints/digits/step-1/link', 'out/followed')).toMatchObject({ code: 0 });
    expect(fs.readFileSync(path.join(folder, 'out/followed'), 'utf8')).toBe('weights');
    expect(await run('cp', 'digits:/checkpoints/digits/empty', 'out')).toMatchObject({ code: 0 });
    expect(fs.readdirSync(path.join(folder, 'out')).sort()).toEqual(['empty', 'followed', 'model.bin', 'newest']);
  });

  test('nothing is overwritten without --force', async () => {
    fs.mkdirSync(path.join(folder, 'here/digits'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'here/digits/mine'), 'mine');
    await run('exec', 'digits', '--', 'sh', '-c', 'mkdir -p /checkpoints/digits; echo 1 > /checkpoints/digits/state');
    expect(await run('cp', 'digits:/checkpoints/digits', 'here')).toMatchObject({ code: 2, err: expect.stringContaining('here/digits exists. Nothing was copied.') as string });
    expect(fs.readdirSync(path.join(folder, 'here/digits'))).toEqual(['mine']);
    expect(await run('cp', 'digits:/checkpoints/digits', 'here', '--force')).toMatchObject({ code: 0 });
    expect(fs.readdirSync(path.join(folder, 'here/digits'))).toEqual(expect.arrayContaining(['mine', 'state']));
  });

  test('many bytes', async () => {
    const script = 'import os,hashlib; b=os.urandom(1<<20)*50; open("large","wb").write(b); print(hashlib.sha256(b).hexdigest())';
    const { out } = await run('exec', 'digits', '--', 'python3', '-c', script);
    expect(await run('cp', `digits:${path.join(folder, 'large')}`, 'large-copy')).toMatchObject({ code: 0, out: expect.stringContaining('50.0 MiB') as string });
    expect(createHash('sha256').update(fs.readFileSync(path.join(folder, 'large-copy'))).digest('hex')).toBe(out.trim());
  });

  test('what cannot be copied is told, and leaves nothing', async () => {
    expect(await run('cp', 'digits:/checkpoints/digits/none', 'nothing')).toMatchObject({ code: 2, err: expect.stringMatching(/^trainyard: Copying \/checkpoints\/digits\/none of MLTrainingJob default\/digits, replica worker-0: tar ended with exit code 2: .*none/) as string });
    expect(await run('cp', 'here', 'digits:/checkpoints')).toMatchObject({ code: 2, err: expect.stringContaining('trainyard cp copies out of a replica, not into one') as string });
    expect(await run('cp', 'digits:/x', 'nothing', '--rank', '9')).toMatchObject({ code: 2, err: expect.stringContaining('ranks 0 to 1') as string });
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('.trainyard-cp') || name === 'nothing')).toEqual([]);
  });
});

describe('top', () => {
  test('replicas without a metrics server', async () => {
    const { code, out, err } = await run('top', 'digits');
    expect(code).toBe(0);
    expect(out).toMatch(/^RANK +ROLE +POD +STATE\n0 +worker +digits-worker-0 +Running\n1 +worker +digits-worker-1 +Running\n$/);
    expect(err).toContain('CPU and memory are unknown: the cluster has no metrics server');
    expect(JSON.parse((await run('top', 'digits', '-o', 'json')).out)).toMatchObject({ hasMetrics: false, replicas: [{ rank: 0, state: 'Running' }, { rank: 1 }] });
  });

  test('GPUs, as nvidia-smi in the container has them', async () => {
    await submit('gpus', FOREVER, { replicas: 1, resources: { gpu: 1 } });
    expect(await run('wait', 'gpus', '--for', 'running', '--timeout', '2m')).toMatchObject({ code: 0 });
    const { out } = await run('top', 'gpus');
    expect(out).toMatch(/^0 +worker +gpus-worker-0 +Running +1, 87 %$/m);
    expect(out).toMatch(/^0 +gpus-worker-0 +0 +87 % +20\.0 GiB of 80\.0 GiB$/m);
  });
});

test('somebody who may only read is told which permission is missing', async () => {
  const client = new KubeClient({ connection: await loadConnection({ kubeconfig: environment.kubeconfig }) });
  const kind = (plural: string, name: string): ResourceKind => ({ group: RBAC, version: 'v1', plural, kind: name, namespaced: true });
  const rules = [{ apiGroups: ['', 'ml.collabnix.io'], resources: ['pods', 'services', 'mltrainingjobs'], verbs: ['get', 'list'] }];
  const metadata = { name: 'reader', namespace: 'default' };
  await client.create(kind('roles', 'Role'), { metadata, rules } as KubeObject);
  const roleRef = { apiGroup: RBAC, kind: 'Role', name: 'reader' };
  await client.create(kind('rolebindings', 'RoleBinding'), { metadata, roleRef, subjects: [{ apiGroup: RBAC, kind: 'User', name: 'reader' }] } as KubeObject);
  client.close();
  const config = parse(fs.readFileSync(environment.kubeconfig, 'utf8')) as { readonly users: readonly { readonly user: object }[] };
  const kubeconfig = path.join(folder, 'reader.json');
  fs.writeFileSync(kubeconfig, JSON.stringify({ ...config, users: config.users.map((entry) => ({ ...entry, user: { ...entry.user, as: 'reader' } })) }));
  const refused = (what: string, resource: string) => ({
    code: 2, err: expect.stringMatching(new RegExp(`^trainyard: You do not have permission to ${what}: .*forbidden.* the verbs get and create on ${resource}\\.$`, 'm')) as string,
  });
  expect(await run('exec', 'digits', '--kubeconfig', kubeconfig, '--', 'true')).toMatchObject(refused('run commands in pods', 'pods/exec'));
  expect(await run('cp', 'digits:/x', 'nothing', '--kubeconfig', kubeconfig)).toMatchObject(refused('run commands in pods', 'pods/exec'));
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('.trainyard-cp'))).toEqual([]);
  const { child, out } = launch(['port-forward', 'digits', `:${webPort}`, '--kubeconfig', kubeconfig]);
  const local = Number(await until('port', () => /:(\d+) ->/.exec(out())?.[1]));
  await expect(fetch(`http://127.0.0.1:${local}/`)).rejects.toThrow();
  expect(await ended(child)).toBe(1);
  expect(out()).toMatch(/You do not have permission to forward ports of pods: .* the verbs get and create on pods\/portforward\.$/m);
});

describe('open', () => {
  test('a page of a pod, forwarded', async () => {
    const { child, out } = launch(['open', 'digits']);
    const address = await until('address', () => /^tensorboard: (http:\/\/127\.0\.0\.1:\d+\/)$/m.exec(out())?.[1]);
    expect((await fetch(address)).status).toBe(200);
    child.kill('SIGINT');
    expect(await ended(child)).toBe(0);
  });

  test('a job without a page, and a page that a job does not have', async () => {
    expect(await run('open', 'quick')).toMatchObject({ code: 2, err: expect.stringContaining('MLTrainingJob default/quick has no page to open.') as string });
    expect(await run('open', 'digits', 'tensorbord')).toMatchObject({ code: 2, err: expect.stringContaining("It has tensorboard. Did you mean 'tensorboard'?") as string });
  });

  test('a tracker outside of the cluster', async () => {
    await submit('tracked', 'exit 0', { replicas: 1, env: [{ name: 'MLFLOW_TRACKING_URI', value: 'https://mlflow.example.com' }] });
    expect(await run('open', 'tracked')).toMatchObject({ code: 0, out: 'mlflow: https://mlflow.example.com/\n' });
  });
});
