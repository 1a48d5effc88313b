import fs from 'node:fs';
import path from 'node:path';
import { JobStateFolder, ReplicaLogs } from '../../../src/local/runner/state-folder';
import type { Replica } from '../../../src/model/frameworks/contract';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();
const REPLICA = { podName: 'job-worker-0' } as Replica;
const line = (text: string) => ({ container: 'training', stream: 'stdout' as const, text });
const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

let state: JobStateFolder;
beforeEach(async () => { state = await JobStateFolder.open(root, 'job'); });
afterEach(() => {
  jest.restoreAllMocks();
  state.close();
});

test('a status that does not fit on the disk leaves the one of before, and nothing beside it', () => {
  state.writeStatus({ phase: 'Running' });
  const write = fs.writeFileSync;
  jest.spyOn(fs, 'writeFileSync').mockImplementationOnce((file, data) => {
    write(file, String(data).slice(0, 5));
    throw full();
  });
  expect(() => state.writeStatus({ phase: 'Completed' })).toThrow(`The run was stopped, because ${state.file('status.json')} cannot be written: the disk is full (ENOSPC). `
    + 'Free some space and run the job again; it continues from its checkpoints.');
  expect(JSON.parse(fs.readFileSync(state.file('status.json'), 'utf8'))).toEqual({ phase: 'Running' });
  expect(fs.readdirSync(path.dirname(state.file('status.json'))).filter((name) => name.startsWith('status'))).toEqual(['status.json']);
});

test('a line that cannot be written is reported once, and throws nothing where nobody would catch it', () => {
  const errors: string[] = [];
  const logs = new ReplicaLogs(state, ({ message }) => errors.push(message));
  logs.write(REPLICA, 0, line('one'));
  jest.spyOn(fs, 'writeSync').mockImplementation(() => { throw full(); });
  logs.write(REPLICA, 0, line('two'));
  logs.write(REPLICA, 0, line('three'));
  logs.close();
  expect(errors).toEqual([expect.stringMatching(/job-worker-0\.attempt-0\.log cannot be written: the disk is full \(ENOSPC\)/)]);
  expect(fs.readFileSync(state.logFile('job-worker-0', 0, 'training'), 'utf8')).toBe('one\n');
});

test('a line of which the disk takes a part at first is written whole', () => {
  const logs = new ReplicaLogs(state, (error) => { throw error; });
  const write = fs.writeSync as (file: number, buffer: Buffer, from: number, length?: number) => number;
  const parts = jest.spyOn(fs, 'writeSync').mockImplementation(((file: number, buffer: Buffer, from: number) => (
    write(file, buffer, from, Math.min(3, buffer.length - from)))) as typeof fs.writeSync);
  logs.write(REPLICA, 0, line('0123456789'));
  logs.close();
  expect(parts.mock.calls.length).toBeGreaterThan(1);
  expect(fs.readFileSync(state.logFile('job-worker-0', 0, 'training'), 'utf8')).toBe('0123456789\n');
});
