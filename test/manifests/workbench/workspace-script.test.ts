/** The program of a workspace, as real processes: a server of Node's, and connections over the loopback. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { workspaceCommand } from '../../../src/manifests/workbench/workspace-script';
import { programText } from '../../../src/programs/program-text';
import { expandReferences } from '../../../src/model/variable-references';

const SERVER = 'require("node:net").createServer(() => {}).listen(Number(process.argv[1]), "127.0.0.1", () => console.log("listening"))';

const hasTables = process.platform === 'linux';
const onLinux = hasTables ? test : test.skip;

let folder: string;
let keepFile: string;
let ticks: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'trainyard-workspace-'));
  keepFile = path.join(folder, 'keep');
  ticks = path.join(folder, 'ticks');
  writeFileSync(path.join(folder, 'sleep'), '#!/bin/sh\nprintf x >>"$TICKS"\nexec /bin/sleep 0.05\n', { mode: 0o755 });
});
afterEach(() => {
  started.splice(0).forEach((child) => child.kill('SIGTERM'));
  rmSync(folder, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A workspace as the kubelet would start it. A second of its `sleep` is a twentieth of ours, and is written down. */
function start(port: number, command: readonly string[], idleSeconds: number) {
  const [program, ...args] = workspaceCommand({ server: { name: 'server', command, port, hint: 'Install it.' }, idleSeconds, stepSeconds: 1, keepFile })
    .map((word) => expandReferences(word, () => undefined));
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, TICKS: ticks } });
  started.push(child);
  let output = '';
  const heard = new Promise<void>((resolve) => {
    child.stdout.on('data', (data) => {
      output += data;
      if (output.includes('listening')) {
        resolve();
      }
    });
    child.stderr.on('data', (data) => (output += data));
  });
  const ended = once(child, 'close').then(([code]) => ({ code, output: () => output }));
  return { child, heard, ended };
}

/** Waits until so many more seconds have gone by for the workspace. */
async function passed(seconds: number): Promise<void> {
  const count = () => (existsSync(ticks) ? statSync(ticks).size : 0);
  const until = count() + seconds;
  while (count() < until) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** A workspace whose server listens. Until then a file keeps it, however long that takes. */
async function listening(idleSeconds: number) {
  writeFileSync(keepFile, '');
  const port = await freePort();
  const workspace = start(port, ['node', '-e', SERVER, String(port)], idleSeconds);
  await workspace.heard;
  return { ...workspace, port, release: () => rmSync(keepFile) };
}

onLinux('it ends well when nobody has been connected for a while', async () => {
  const { release, ended } = await listening(2);
  release();
  const { code, output } = await ended;
  expect(code).toBe(0);
  expect(output()).toContain('workspace: no connection for 2 seconds: stopping');
});

onLinux('it stays while somebody is connected, and ends when they have gone', async () => {
  const { child, port, release, ended } = await listening(2);
  const socket = await connected(port);
  release();
  // Twice as long as it would wait for anybody.
  await passed(5);
  expect(child.exitCode).toBeNull();
  socket.destroy();
  expect((await ended).code).toBe(0);
});

onLinux('a file keeps it', async () => {
  const { child, release, ended } = await listening(1);
  await passed(4);
  expect(child.exitCode).toBeNull();
  release();
  expect((await ended).code).toBe(0);
});

test('it ends as its server ends', async () => {
  const { ended } = start(1, ['sh', '-c', 'exit 3'], 0);
  expect((await ended).code).toBe(3);
});

test('it ends well, and its server with it, when it is asked to', async () => {
  const { child, port, ended } = await listening(0);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  await expect(connected(port)).rejects.toThrow('ECONNREFUSED');
});

test('an image without the server says so', async () => {
  const { ended } = start(1, ['no-such-editor', '--port', '1'], 0);
  const { code, output } = await ended;
  expect(code).toBe(127);
  expect(output()).toBe('workspace: this image has no \'no-such-editor\'. Install it.\n');
});

test('what is meant for shells is no reference for the kubelet, whatever variables there are', () => {
  const command = workspaceCommand({ server: { name: 'ssh', port: 2222, hint: 'x', command: ['sh', '-c', programText('workbench/sshd.sh')] }, idleSeconds: 60 });
  const everything = () => 'replaced';
  expect(command.map((word) => expandReferences(word, everything)).join(' ')).not.toContain('replaced');
  expect(expandReferences(command[command.length - 1], everything)).toBe(programText('workbench/sshd.sh'));
});
