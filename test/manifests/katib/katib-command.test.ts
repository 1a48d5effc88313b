import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { trialOf, wrapped, type Json } from './katib';
import { jobSetEngine } from '../../../src/manifests/engines/jobset';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { constructTrialTemplate, katibProgram, type Program } from '../../../src/manifests/katib/trial-template';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'trainyard-katib-'));
  writeFileSync(path.join(folder, 'show.sh'), 'for word in "$@"; do echo "[$word]"; done; echo done\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the collector reads when Katib's webhook has wrapped a program. */
function collected(program: Program): string {
  const log = path.join(folder, 'metrics.log');
  const [shell, ...args] = wrapped(program, log);
  execFileSync(shell, args, { cwd: folder, stdio: 'ignore' });
  expect(readFileSync(`${log}.pid`, 'utf8')).toBe('completed\n');
  return readFileSync(log, 'utf8');
}

const SHOW = ['sh', 'show.sh'];

test.each<[string, Program, string]>([
  ['plain words', { command: SHOW, args: ['--epochs=3', 'a'] }, '[--epochs=3]\n[a]\ndone\n'],
  ['words with spaces and signs', { command: SHOW, args: ['a b', '$HOME', 'x;y', '*', 'it\'s'] }, '[a b]\n[$HOME]\n[x;y]\n[*]\n[it\'s]\ndone\n'],
  ['a script of several commands', { command: ['sh', '-c', 'echo one; echo two'] }, 'one\ntwo\n'],
  ['a script with words of its own', { command: ['/bin/sh', '-c', 'echo one\nexec "$@"', 'name', ...SHOW], args: ['a b'] }, 'one\n[a b]\ndone\n'],
])('Katib sees all that a program prints: %s', (_what, program, expected) => {
  expect(collected(katibProgram(program))).toBe(expected);
});

test('without it Katib\'s line is another program', () => {
  expect(collected({ command: SHOW, args: ['a b'] })).toBe('[a]\n[b]\ndone\n');
  expect(collected({ command: ['sh', '-c', 'echo one; echo two'] })).toBe('two\n');
});

test('a program of plain words, and one that the image starts, stay as they are', () => {
  expect(katibProgram({ command: ['python', 'train.py'], args: ['--epochs=3'] })).toEqual({ command: ['python', 'train.py'], args: ['--epochs=3'] });
  expect(katibProgram({ args: ['--epochs=3'] })).toEqual({ args: ['--epochs=3'] });
});

const JOB: TrainingJobSpec = { framework: 'pytorch', image: 'train:1', replicas: 2, command: ['python', 'train.py'], args: ['--lr=$(lr)'] };
const SEARCH = {
  name: 'tuned', job: JOB, settings: { collector: { kind: 'StdOut' } as const }, tuning: { objective: 'loss', parameters: { lr: { type: 'float', min: 0.1, max: 1 } as const } },
};

test('references to variables stand in quotes, where the kubelet still finds them', () => {
  const { spec } = trialOf(constructTrialTemplate(OPERATOR_ENGINE, SEARCH), { name: 'tuned-a', values: { lr: '0.5' } });
  expect([spec.command, spec.args]).toEqual([['sh', '-c'], ['python train.py \'--lr=$(lr)\'']]);
});

test('programs of roles, and of containers in templates, are written so too', () => {
  const training = { name: 'training', command: ['python', 'a b.py'] };
  const job: TrainingJobSpec = { ...JOB, replicas: undefined, roles: [{ name: 'master', replicas: 1, args: ['x y'] }], template: { spec: { containers: [training, { name: 'other', command: ['a b'] }] } } };
  const { spec } = trialOf(constructTrialTemplate(OPERATOR_ENGINE, { ...SEARCH, job }), { name: 'tuned-a', values: { lr: '0.5' } });
  expect(spec.roles[0]).toMatchObject({ command: ['sh', '-c'], args: ['python train.py \'x y\''] });
  expect(spec.template.spec.containers).toEqual([{ name: 'training', command: ['sh', '-c'], args: ['python \'a b.py\''] }, { name: 'other', command: ['a b'] }]);
});

test('a program that our shell starts is one line for Katib\'s', () => {
  const { spec } = trialOf(constructTrialTemplate(jobSetEngine(), SEARCH), { name: 'tuned-a', values: { lr: '0.5' } });
  const commands = spec.replicatedJobs.map((entry: Json) => entry.template.spec.template.spec.containers[0].command);
  expect(new Set(commands.map((command: string[]) => command.join(' ')))).toEqual(new Set(['sh -c']));
});

test('where no shell starts the program it stays as it is', () => {
  const search = { ...SEARCH, settings: { collector: { kind: 'Push' } as const } };
  expect(trialOf(constructTrialTemplate(OPERATOR_ENGINE, search), { name: 'tuned-a', values: { lr: '0.5' } }).spec).toMatchObject({ command: JOB.command, args: JOB.args });
});
