import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { commandLine } from '../../../src/cli/command-line';
import { bashScript } from '../../../src/cli/completion/bash';
import { completedProgram, type CompletedProgram } from '../../../src/cli/completion/command-tree';
import { fishScript } from '../../../src/cli/completion/fish';
import { zshScript } from '../../../src/cli/completion/zsh';
import { engines } from '../../../src/manifests/engines/registry';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { trainyard } from '../support/command';

let program: CompletedProgram;
/** Names of all commands; filled before the tests run. */
const commands: string[] = [];
const root = temporaryFolder();
const folder = path.join(root, 'work');
fs.mkdirSync(path.join(folder, 'jobs of mine'), { recursive: true });
fs.writeFileSync(path.join(folder, 'job one.yaml'), '');
fs.writeFileSync(path.join(folder, 'main.ts'), '');
beforeAll(async () => {
  program = completedProgram(await commandLine());
  commands.push(...program.commands.map(({ name }) => name));
  for (const [shell, script] of Object.entries({ bash: bashScript, zsh: zshScript, fish: fishScript })) {
    fs.writeFileSync(path.join(root, shell), script(program));
  }
});

const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;
/** Shells that a machine may lack are told as skipped, and never passed over. */
const where = (shell: string) => (has(shell) ? describe : describe.skip);

/** What bash proposes behind a line; words are taken apart as readline does it, so that `=` is a word. */
function inBash(line: string, env: NodeJS.ProcessEnv = process.env): string[] {
  const words = [...line.matchAll(/=|[^\s=]+/g)].map(([word]) => word).concat(/[\s=]$/.test(line) ? [''] : []);
  const script = `source "${root}/bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trainyard; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...(/=$/.test(line) ? words.slice(0, -1) : words)], { cwd: folder, encoding: 'utf8', env });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((proposal) => proposal !== '');
}

const engineNames = engines().map(({ name }) => name);
const CASES: readonly (readonly [line: string, expected: readonly string[]])[] = [
  ['trainyard ', commands],
  ['trainyard va', ['validate']],
  ['trainyard zzz', []],
  ['trainyard env --engine ', engineNames],
  ['trainyard env -e j', engineNames.filter((name) => name.startsWith('j'))],
  ['trainyard validate main.ts --output s', ['sarif']],
  ['trainyard completion ', ['bash', 'zsh', 'fish']],
  ['trainyard help gr', ['graph']],
  ['trainyard explain runPolicy.backoffL', ['runPolicy.backoffLimit']],
];

describe('bash', () => {
  test.each([
    ...CASES,
    ['trainyard -', ['-V', '--version', '-h', '--help']],
    ['trainyard env --engine=', engineNames],
    ['trainyard env --engine=tr', engineNames.filter((name) => name.startsWith('tr'))],
    ['trainyard env --ro', ['--role']],
    ['trainyard dev ', []],
    ['trainyard env --rank ', []],
    ['trainyard run ', ['job one.yaml', 'jobs of mine', 'main.ts']],
    ['trainyard run m', ['main.ts']],
    ['trainyard run main.ts ', ['job one.yaml', 'jobs of mine', 'main.ts']],
    ['trainyard validate --crds ', ['job one.yaml', 'jobs of mine', 'main.ts']],
    ['trainyard migrate -o ', ['jobs of mine']],
    ['trainyard nothing ', []],
  ] as typeof CASES)('%s', (line, expected) => {
    expect([...inBash(line)].sort()).toEqual([...expected].sort());
  });

  test('names of jobs, of the namespace that was written', () => {
    const bin = path.join(root, 'bin');
    fs.mkdirSync(bin, { recursive: true });
    const asked = path.join(root, 'asked');
    fs.writeFileSync(path.join(bin, 'trainyard'), `#!/bin/sh\necho "$@" > '${asked}'\necho mltrainingjob.ml.collabnix.io/digits\necho job.batch/dump\necho rayjob.ray.io/tune\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
    expect(inBash('trainyard logs ', env)).toEqual(['digits', 'dump', 'tune']);
    expect(fs.readFileSync(asked, 'utf8')).toBe('list --output name --request-timeout 2s\n');
    expect(inBash('trainyard delete -n team-a digits d', env)).toEqual(['digits', 'dump']);
    expect(fs.readFileSync(asked, 'utf8')).toBe('list --output name --request-timeout 2s -n team-a\n');
  });

  test('every option of every command', () => {
    for (const { name, options } of program.commands) {
      expect(inBash(`trainyard ${name} -`)).toEqual(options.flatMap(({ flags }) => flags));
    }
  });

  test('the script is what the command prints', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect(await trainyard(['completion', shell])).toEqual({ code: 0, out: `${fs.readFileSync(path.join(root, shell), 'utf8')}\n`, err: '' });
    }
  });
});

where('fish')('fish', () => {
  const inFish = (line: string) => {
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', `source ${root}/fish; complete -C $argv[1]`, line], { cwd: folder, encoding: 'utf8', env: { ...process.env, HOME: root } });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((proposal) => proposal !== '').map((proposal) => proposal.split('\t')[0]);
  };

  test.each([
    ...CASES,
    ['trainyard env --engine=tr', engineNames.filter((name) => name.startsWith('tr')).map((name) => `--engine=${name}`)],
    ['trainyard run m', ['main.ts']],
    ['trainyard dev ', []],
    ['trainyard migrate -o ', ['jobs of mine/']],
  ] as typeof CASES)('%s', (line, expected) => {
    expect([...inFish(line)].sort()).toEqual([...expected].sort());
  });
});

where('zsh')('zsh', () => {
  test('reads the script', () => {
    expect(spawnSync('zsh', ['-n', path.join(root, 'zsh')], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  /** What zsh shows: in a terminal of its own the line is typed, the tabulator pressed, and the list read before the next prompt. */
  const inZsh = (line: string) => {
    const script = path.join(root, 'terminal.zsh');
    fs.writeFileSync(script, [
      'zmodload zsh/zpty',
      'zpty shell \'env TERM=dumb COLUMNS=60 zsh -f -i\'',
      `zpty -w shell 'PS1="> "; autoload -Uz compinit; compinit -u -D; source ${path.join(root, 'zsh')}; LISTMAX=10000; setopt no_beep no_always_last_prompt'`,
      'zpty -w shell \'bindkey "^I" list-choices; print REA""DY\'',
      // What is typed is echoed, maybe twice; only what is printed is this word. Behind the prompt the shell itself reads keys.
      'zpty -r -m shell output \'*READY*> *\'',
      'zpty -w -n shell "$1"$\'\\t\'',
      // Ctrl-U empties the line.
      'zpty -w -n shell $\'\\x15print DO""NE\\n\'',
      'zpty -r -m shell output \'*DONE*\'',
      'print -r -- "$output"',
      'zpty -d shell',
    ].join('\n'));
    return spawnSync('zsh', ['-f', script, line], { cwd: folder, encoding: 'utf8', env: { ...process.env, HOME: root } }).stdout;
  };

  test.each(CASES.filter(([, expected]) => expected.length > 1))('%s', (line, expected) => {
    const shown = inZsh(line).split(/\s+/);
    expect(expected.filter((proposal) => !shown.includes(proposal))).toEqual([]);
  });
});

test('what is special in a shell is not a command and no option', () => {
  const strange = new Command('trainyard').exitOverride();
  strange.command('run').description('it\'s "quoted": [a] $HOME `x` \\').option('--a <b:c>', 'it\'s "quoted": [a] $HOME `x` \\').argument('<file>');
  const tree = completedProgram(strange);
  for (const [shell, script, flag] of [['bash', bashScript(tree), '-n'], ['zsh', zshScript(tree), '-n'], ['fish', fishScript(tree), '-n']] as const) {
    if (has(shell)) {
      fs.writeFileSync(path.join(root, `strange.${shell}`), script);
      expect(spawnSync(shell, [flag, path.join(root, `strange.${shell}`)], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    }
  }
});
