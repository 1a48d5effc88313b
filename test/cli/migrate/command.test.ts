import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pytorchJob } from '../../manifests/migrate/migrating';

const MAIN = path.join(__dirname, '..', '..', '..', 'src', 'cli', 'main.ts');
const JOB = pytorchJob();

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-migrate-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `trainyard migrate` in the test's folder. */
function migrate(args: readonly string[], input = ''): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', require.resolve('tsx'), MAIN, 'migrate', ...args], { cwd: folder, env: { ...process.env, NO_COLOR: '1' } });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => { out += chunk.toString(); });
    child.stderr.on('data', (chunk: Buffer) => { err += chunk.toString(); });
    child.once('close', (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });
}

const write = (name: string, text: string) => fs.writeFileSync(path.join(folder, name), text);

test('reads standard input, and writes the program to standard output and the report to standard error', async () => {
  const { code, out, err } = await migrate(['-'], JOB);
  expect(code).toBe(0);
  expect(out).toContain('import { CleanPodPolicy, Framework, RestartPolicy, TrainingJob } from \'trainyard\';');
  expect(out.endsWith('app.synth();\n')).toBe(true);
  expect(err).toContain('standard input: PyTorchJob mnist is the MLTrainingJob mnist\n');
  expect(err).toMatch(/1 job written: 0 lost, 2 differ, \d changed\.\n$/);
});

test('writes a file for each input, and tells by its exit code that something could not be read', async () => {
  write('good.yaml', JOB);
  write('mixed.yaml', `${JOB}---\nkind: [\n`);
  const { code, out, err } = await migrate(['good.yaml', 'mixed.yaml', '--as', 'yaml', '-o', 'out']);
  expect(code).toBe(1);
  expect(out).toBe('');
  expect(fs.readdirSync(path.join(folder, 'out')).sort()).toEqual(['good.yaml', 'mixed.yaml']);
  expect(fs.readFileSync(path.join(folder, 'out', 'mixed.yaml'), 'utf8')).toMatch(/^apiVersion: ml.collabnix.io\/v1alpha1\n/);
  expect(err).toContain('error: mixed.yaml, document 2');
  expect(err).toContain(`Wrote ${path.join('out', 'good.yaml')}\n`);
});

test('replaces no file unless it is told to, and never one that it reads', async () => {
  write('job.yaml', JOB);
  expect(await migrate(['job.yaml', '-o', 'out'])).toMatchObject({ code: 0 });
  expect(await migrate(['job.yaml', '-o', 'out'])).toMatchObject({ code: 2, err: expect.stringContaining('is there already') });
  expect(await migrate(['job.yaml', '-o', 'out', '--force'])).toMatchObject({ code: 0 });
  expect(await migrate(['job.yaml', '--as', 'yaml', '-o', '.', '--force'])).toMatchObject({ code: 2, err: expect.stringContaining('is one of the files that are migrated') });
  expect(fs.readFileSync(path.join(folder, 'job.yaml'), 'utf8')).toBe(JOB);
});

test.each([
  [['none.yaml'], 'There is no file none.yaml.'],
  [['.'], '. is a folder. Name its files'],
  [['-', '--to', 'trianer'], 'Did you mean \'trainer\'?'],
  [['-', '--as', 'python'], 'Allowed choices are typescript, yaml'],
  [['-', '--gang-scheduler', 'mine'], 'volcano, coscheduling'],
  [[], 'missing required argument'],
])('a wrong command line %j is told, with exit code 2', async (args, message) => {
  expect(await migrate(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) });
});

test('knows the old operator\'s gang scheduler by the names that it has there', async () => {
  const { out } = await migrate(['-', '--gang-scheduler', 'scheduler-plugins-scheduler'], JOB);
  expect(out).toContain('scheduling: { gang: Gang.coscheduling() },');
});
