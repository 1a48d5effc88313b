/**
 * The sessions in docs/cli/*.md are real: each `console` block is run again and gives what the page shows. Files are the blocks before it that begin
 * with their name in a comment; drawings (SVG) beside the page are the files of their name that its commands write. What needs a cluster stands in
 * `text` blocks, which were recorded by hand. Every command has a page, and no page names an option that does not exist.
 *
 * `TRAINYARD_RECORD_DOCS=1` writes what the commands give into the pages.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { commandLine } from '../../src/cli/command-line';
import { appEnvironment, COMMAND, programArguments } from '../support/bundled';

const ROOT = path.join(__dirname, '..', '..');
const PAGES = path.join(ROOT, 'docs', 'cli');
const PROGRAM = programArguments(COMMAND).map((argument) => `"${argument}"`).join(' ');

/** Inside the repository, where apps find cdk8s and the package. */
let folder: string;

beforeEach(() => {
  fs.mkdirSync(path.join(ROOT, '.trainyard'), { recursive: true });
  folder = fs.mkdtempSync(path.join(ROOT, '.trainyard', 'docs-'));
});

afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

interface Block {
  readonly language: string;
  readonly content: string;
  /** Where the content stands in the page. */
  readonly start: number;
}

function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => ({ language: match[1], content: match[2], start: match.index + match[1].length + 4 }));
}

/** One session may have several commands. */
function commandsOf(content: string): string[] {
  return [...content.matchAll(/^\$ (.*)$/gm)].map(([, command]) => command);
}

function run(command: string): string {
  const script = `trainyard() { "${process.execPath}" ${PROGRAM} "$@"; }; { ${command}; } 2>&1`;
  const { stdout } = spawnSync('/bin/sh', ['-c', script], { cwd: folder, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', TRAINYARD_CRDS: '', ...appEnvironment() } });
  return stdout;
}

const pages = fs.existsSync(PAGES) ? fs.readdirSync(PAGES).filter((name) => name.endsWith('.md')).sort() : [];

test.each(pages)('%s shows what the commands give', (page) => {
  const file = path.join(PAGES, page);
  let text = fs.readFileSync(file, 'utf8');
  const recorded: { readonly start: number; readonly old: string; readonly fresh: string }[] = [];
  for (const { language, content, start } of blocksOf(text)) {
    const [, name] = /^(?:#|\/\/) (\S+\.\w+)\n/.exec(content) ?? [];
    if (name !== undefined) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), content);
    } else if (language === 'console') {
      const fresh = commandsOf(content).map((command) => `$ ${command}\n${run(command)}`).join('');
      recorded.push({ start, old: content, fresh: fresh.endsWith('\n') ? fresh : `${fresh}\n` });
    }
  }
  if (process.env.TRAINYARD_RECORD_DOCS) {
    for (const { start, old, fresh } of [...recorded].reverse()) {
      text = text.slice(0, start) + fresh + text.slice(start + old.length);
    }
    fs.writeFileSync(file, text);
    pictures(text).forEach((picture) => fs.copyFileSync(path.join(folder, picture), path.join(PAGES, picture)));
  } else {
    expect(recorded.map(({ fresh }) => fresh)).toEqual(recorded.map(({ old }) => old));
    pictures(text).forEach((picture) => expect(fs.readFileSync(path.join(folder, picture), 'utf8')).toBe(fs.readFileSync(path.join(PAGES, picture), 'utf8')));
  }
});

function pictures(text: string): string[] {
  return [...text.matchAll(/!\[[^\]]*\]\(([\w.-]+\.svg)\)/g)].map(([, name]) => name);
}

describe('the pages and the program name the same', () => {
  let program: Command;
  const read = (page: string) => fs.readFileSync(path.join(PAGES, page), 'utf8');
  let withPage: string[];
  beforeAll(async () => {
    program = await commandLine();
    // It says one line, which the index says as well.
    withPage = program.commands.map((command) => command.name()).filter((name) => name !== 'version');
  });

  /** A page of its own, or one with others of its kind. */
  const pagesOf = (name: string) => pages.filter((page) => new RegExp(`^\\$ trainyard ${name} --help\nUsage: trainyard ${name}[ |]`, 'm').test(read(page)));
  const commandsOn = (page: string) => withPage.filter((name) => pagesOf(name).includes(page));

  test('every command has a page with its help, and the index leads to it', () => {
    expect([...new Set(withPage.flatMap(pagesOf)), 'README.md'].sort()).toEqual(pages);
    for (const name of withPage) {
      const [page, ...others] = pagesOf(name);
      expect({ name, page, others }).toEqual({ name, page: expect.any(String), others: [] });
      expect(read('README.md')).toMatch(new RegExp(`^\\| \\[\`${name}\`\\]\\(${page.replace('.', '\\.')}(?:#[\\w-]+)?\\) \\|`, 'm'));
    }
    expect(read('README.md')).toContain('| `version` |');
    expect(read('README.md')).toContain('\n$ trainyard --help\nUsage: trainyard ');
  });

  test.each(pages)('every option that %s names is one of its command, or of the one that it is named with', (page) => {
    const optionsOf = (name: string) => {
      const command = program.commands.find((candidate) => candidate.name() === name) ?? program;
      return [...command.options, ...program.options].flatMap(({ short, long }) => [short, long]).concat('-h', '--help');
    };
    const prose = read(page).replace(/^```[\s\S]*?^```$/gm, '');
    const own = page.replace('.md', '');
    const isKnown = (option: string, command: string) => (
      command !== own ? optionsOf(command).includes(option)
        : (['README', 'completion'].includes(own) ? program.commands.map((candidate) => candidate.name()) : commandsOn(page)).some((name) => optionsOf(name).includes(option)));
    const inCode = [...prose.matchAll(/`([^`\n]+)`|^ {4}(.*)$/gm)].flatMap(([, span, line]) => (span ?? line).replace(/\s(#|>|-- ).*$/, '').split(/ (?:&&|\|) /));
    const wrong = inCode.flatMap((code) => {
      const [, called = own] = /trainyard ([a-z]+)/.exec(code) ?? [];
      const words = /^-|trainyard /.test(code) ? code.replace(/^.*trainyard /, '').match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? [] : [];
      return words.filter((word) => !isKnown(word, called)).map((word) => `${code}: ${word}`);
    });
    expect(wrong).toEqual([]);
  });
});
