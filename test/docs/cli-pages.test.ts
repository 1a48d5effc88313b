/**
 * The sessions in docs/cli/*.md are real: each `console` block is run again and gives what the page shows. Files are the blocks before it that begin
 * with their name in a comment. What needs a cluster stands in `text` blocks, which were recorded by hand.
 *
 * `TRAINYARD_RECORD_DOCS=1` writes what the commands give into the pages.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { COMMAND, programArguments } from '../support/bundled';

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
  const { stdout } = spawnSync('/bin/sh', ['-c', script], { cwd: folder, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', TRAINYARD_CRDS: '' } });
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
  } else {
    expect(recorded.map(({ fresh }) => fresh)).toEqual(recorded.map(({ old }) => old));
  }
});
