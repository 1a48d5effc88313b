import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { commandLine, programFor } from '../../src/cli/command-line';
import { temporaryFolder } from '../local/support/temporary-folder';
import { COMMAND, programArguments } from '../support/bundled';
import { startTrainyard, trainyard } from './support/command';

const root = temporaryFolder();
const job = path.join(root, 'job.yaml');
fs.writeFileSync(job, `apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
metadata: { name: j }
spec: { framework: plain, image: i, command: [sh, -c, 'echo one; sleep 0.2; echo two; sleep 30'], replicas: 2 }
`);

/** Commands that read a file, each in the shortest way of calling it. */
const READERS = [['run'], ['validate'], ['env'], ['graph'], ['diff'], ['migrate']];

test('the help names every command, and the exit codes', async () => {
  const { code, out, err } = await trainyard(['--help']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  for (const command of (await commandLine()).commands) {
    expect(out).toMatch(new RegExp(`^  ${command.name()} .*`, 'm'));
  }
  expect(out).toContain('Exit codes are 0 for success');
});

test('every command has a description, and every option of it too', async () => {
  for (const command of (await commandLine()).commands) {
    expect(command.description()).not.toBe('');
    expect(command.options.filter(({ description }) => description === '')).toEqual([]);
  }
});

test('each command is found alone, and is the same as among all; only completion asks for the others', async () => {
  for (const command of (await commandLine()).commands) {
    const alone = await programFor(command.name());
    expect(alone?.commands.map((each) => each.helpInformation())).toEqual(command.name() === 'completion' ? undefined : [command.helpInformation()]);
  }
  expect(await programFor(undefined)).toBeUndefined();
  expect(await programFor('--help')).toBeUndefined();
  expect(await programFor('vaildate')).toBeUndefined();
  expect(await programFor('constructor')).toBeUndefined();
  expect((await programFor('--version'))?.commands).toEqual([]);
});

describe('a wrong command line is told in one line, and exits with 2', () => {
  test.each([
    ['another command', ['vaildate'], 'trainyard: unknown command \'vaildate\'\n(Did you mean validate?)\n'],
    ['another option', ['env', job, '--engin', 'job'], 'trainyard: unknown option \'--engin\'\n(Did you mean --engine?)\n'],
    ['another value', ['env', job, '--engine', 'jop'], /^trainyard: option '-e, --engine <name>' argument 'jop' is invalid\. Engines are .* Did you mean 'job'\?\n$/],
    ['no value', ['env', job, '--engine'], 'trainyard: option \'-e, --engine <name>\' argument missing\n'],
    ['no file', ['env'], 'trainyard: missing required argument \'file\'\n'],
    ['a kubeconfig that is not there', ['diff', job, '--live', '--kubeconfig', 'nowhere'], 'trainyard: nowhere: no such file.\n'],
    ['one file too many', ['env', job, job], 'trainyard: too many arguments for \'env\'. Expected 1 argument but got 2.\n'],
  ])('%s', async (_what, args, expected) => {
    const { code, out, err } = await trainyard(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });

  test('a cluster that does not answer, in a kubeconfig in YAML', async () => {
    const kubeconfig = path.join(root, 'nowhere.yaml');
    fs.writeFileSync(kubeconfig, `current-context: nowhere
clusters: [{ name: nowhere, cluster: { server: 'https://127.0.0.1:1' } }]
contexts: [{ name: nowhere, context: { cluster: nowhere } }]
`);
    // As a process: the bundle loads YAML in its own way.
    const { code, out, err } = await startTrainyard(['list', '--kubeconfig', kubeconfig]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^trainyard: The cluster at https:\/\/127\.0\.0\.1:1\/ .* does not answer: /);
  });

  test('no command at all shows the help', async () => {
    const { code, out, err } = await startTrainyard([]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^Usage: trainyard /);
  });
});

test.each(READERS)('%s says which file is not there, and which is', async (...command) => {
  expect(await trainyard([...command, 'jop.yaml'], { cwd: root })).toEqual({ code: 2, out: '', err: expect.stringMatching(/^trainyard: jop\.yaml: no such file/) as string });
});

test.each([['validate'], ['env'], ['graph'], ['migrate']])('%s reads standard input, also of a pipe that has nothing yet', async (...command) => {
  const arguments_ = [...programArguments(COMMAND), ...command, '-'].map((argument) => `'${argument}'`).join(' ');
  const slowly = `{ head -c 60 '${job}'; sleep 0.3; tail -c +61 '${job}'; } | '${process.execPath}' ${arguments_}`;
  const { status, stdout } = spawnSync('/bin/sh', ['-c', slowly], { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', TRAINYARD_CRDS: '' } });
  expect(status).toBe(0);
  const direct = await trainyard([...command, '-'], { input: fs.readFileSync(job, 'utf8') });
  expect(stdout).toBe(direct.out);
});

test.each([['validate', [job]], ['env', [job]], ['diff', [job, '--against', job]], ['explain', ['backoffLimit']]])('%s has colours only where they are asked for', async (command, args) => {
  const plain = await trainyard([command, ...args]);
  const coloured = await trainyard([command, ...args], { env: { NO_COLOR: '', FORCE_COLOR: '1' } });
  const escape = String.fromCharCode(27);
  expect(plain.out + plain.err).not.toContain(escape);
  expect((coloured.out + coloured.err).replace(new RegExp(`${escape}\\[\\d+m`, 'g'), '')).toBe(plain.out + plain.err);
});

describe('nobody reads any more', () => {
  /** Starts the command, closes its output after some of it, and tells how it ended. */
  function closed(args: readonly string[]): Promise<{ readonly code: number | null; readonly err: string }> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, [...programArguments(COMMAND), ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } });
      let err = '';
      child.stderr.on('data', (chunk: Buffer) => {
        err += chunk.toString();
      });
      child.stdout.once('data', () => child.stdout.destroy());
      child.once('close', (code) => resolve({ code, err }));
    });
  }

  test('a command ends quietly', async () => {
    const many = path.join(root, 'many.yaml');
    fs.writeFileSync(many, Array.from({ length: 3000 }, (_, index) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c${index}","namespace":"a"}}`).join('\n---\n'));
    expect(await closed(['graph', many, '-f', 'json'])).toEqual({ code: 141, err: '' });
  });

  test('a run ends its replicas', async () => {
    const { code, err } = await closed(['run', job]);
    expect(code).toBe(143);
    expect(err).toContain('SIGTERM: stopping the replicas');
    expect(err).not.toMatch(/EPIPE|\n {4}at /);
  });
});
