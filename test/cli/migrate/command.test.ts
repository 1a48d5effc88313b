import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { migrateCommand } from '../../../src/cli/commands/migrate';
import { pytorchJob } from '../../manifests/migrate/migrating';
import { trainyard } from '../support/command';

const JOB = pytorchJob();

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-migrate-'));
});
afterEach(() => {
  process.exitCode = undefined;
  fs.rmSync(folder, { recursive: true });
});

const write = (name: string, text: string) => fs.writeFileSync(path.join(folder, name), text);

test('reads standard input, and writes the program to standard output and the report to standard error', async () => {
  const { code, out, err } = await trainyard(['migrate', '-'], { input: JOB });
  expect(code).toBe(0);
  expect(out).toContain('import { CleanPodPolicy, Framework, RestartPolicy, TrainingJob } from \'trainyard\';');
  expect(out.endsWith('app.synth();\n')).toBe(true);
  expect(err).toContain('standard input: PyTorchJob mnist is the MLTrainingJob mnist\n');
  expect(err).toMatch(/1 job written: 0 lost, 2 differ, \d changed\.\n$/);
});

test('writes a file for each input, and tells by its exit code that something could not be read', async () => {
  write('good.yaml', JOB);
  write('mixed.yaml', `${JOB}---\nkind: [\n`);
  const { code, out, err } = await trainyard(['migrate', 'good.yaml', 'mixed.yaml', '--as', 'yaml', '-o', 'out'], { cwd: folder });
  expect(code).toBe(1);
  expect(out).toBe('');
  expect(fs.readdirSync(path.join(folder, 'out')).sort()).toEqual(['good.yaml', 'mixed.yaml']);
  expect(fs.readFileSync(path.join(folder, 'out', 'mixed.yaml'), 'utf8')).toMatch(/^apiVersion: ml.collabnix.io\/v1alpha1\n/);
  expect(err).toContain('error: mixed.yaml, document 2');
  expect(err).toContain(`Wrote ${path.join('out', 'good.yaml')}\n`);
});

test('exits with 2 for a file that is not there', async () => {
  expect(await trainyard(['migrate', 'none.yaml'], { cwd: folder })).toMatchObject({ code: 2, out: '', err: 'trainyard: none.yaml: no such file.\n' });
});

/** Runs the sub-command in this process, with its files in the test's folder. @throws Error with the words for the user */
async function migrate(...args: readonly string[]): Promise<void> {
  const command = migrateCommand().exitOverride().configureOutput({ writeErr: () => undefined });
  const [out, err] = [jest.spyOn(process.stdout, 'write').mockReturnValue(true), jest.spyOn(process.stderr, 'write').mockReturnValue(true)];
  try {
    await command.parseAsync(args, { from: 'user' });
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

test('replaces no file unless it is told to, and never one that it reads', async () => {
  write('job.yaml', JOB);
  const [job, out] = [path.join(folder, 'job.yaml'), path.join(folder, 'out')];
  await migrate(job, '-o', out);
  await expect(migrate(job, '-o', out)).rejects.toThrow('already exists. Choose another folder, or replace it with --force.');
  await migrate(job, '-o', out, '--force', '--gang-scheduler', 'scheduler-plugins-scheduler');
  expect(fs.readFileSync(path.join(out, 'job.ts'), 'utf8')).toContain('scheduling: { gang: Gang.coscheduling() },');
  await expect(migrate(job, '--as', 'yaml', '-o', folder, '--force')).rejects.toThrow('is one of the files that are migrated');
  expect(fs.readFileSync(job, 'utf8')).toBe(JOB);
});

test.each([
  [['.'], '. is a folder. Name its files'],
  [['-', '--to', 'trianer'], 'Did you mean \'trainer\'?'],
  [['-', '--as', 'python'], 'Allowed choices are typescript, yaml'],
  [['-', '--gang-scheduler', 'mine'], 'It is one of volcano, coscheduling'],
  [[], 'missing required argument'],
])('a wrong command line %j is told', async (args, message) => {
  await expect(migrate(...args)).rejects.toThrow(message);
});
