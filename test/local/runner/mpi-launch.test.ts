import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeMpiAgent } from '../../../src/local/runner/mpi-launch';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mpi-agent-'));
const agent = path.join(folder, 'run-on-host.sh');

beforeAll(() => writeMpiAgent(agent));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** Calls the script as mpirun calls ssh. */
const onHost = (host: string, command: string) => spawnSync(agent, ['-x', '-F', '/etc/mpi/ssh_config', '-o', 'ConnectionAttempts=10', host, command], { encoding: 'utf8' });

test('what mpirun would have run on a host runs here', () => {
  expect(onHost('job-worker-0.job', 'echo one two; exit 3')).toMatchObject({ stdout: 'one two\n', status: 3 });
});

test('each host has a folder for temporary files, which goes with the pods', () => {
  const [one, other] = ['job-worker-0.job', 'job-worker-1.job'].map((host) => onHost(host, 'test -d "$TMPDIR" && echo "$TMPDIR"').stdout.trim());
  expect(path.dirname(one)).toBe(path.join(folder, 'pods'));
  expect(path.dirname(other)).toBe(path.join(folder, 'pods'));
  expect(one).not.toBe(other);
});

test('a host without room for temporary files says so', () => {
  const file = path.join(folder, 'taken', 'run-on-host.sh');
  fs.mkdirSync(path.dirname(file));
  writeMpiAgent(file);
  fs.writeFileSync(path.join(path.dirname(file), 'pods'), 'a file');
  const { status, stderr } = spawnSync(file, ['host', 'true'], { encoding: 'utf8' });
  expect(status).not.toBe(0);
  expect(stderr).toContain(path.join(path.dirname(file), 'pods'));
});
