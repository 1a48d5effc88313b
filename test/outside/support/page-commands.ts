/** The commands that pages tell: lines of their fenced and their indented blocks. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './project';
import { EXAMPLES } from '../../support/examples';

/** A command of a page. */
export interface PageCommand {
  /** As it stands there, with what continues it on further lines. */
  readonly command: string;
  /** Line of the page, from 1. */
  readonly line: number;
  /** What the page shows of its output; undefined where it shows none. */
  readonly shown?: string;
  /** What its block is fenced as; `indented` for one that is only indented. */
  readonly language: string;
}

/** A block that says in its first line, `# job.yaml` or `// main.ts, which ...`, which file it is. */
export interface PageFile {
  readonly name: string;
  readonly content: string;
  readonly line: number;
}

interface Block {
  readonly language: string;
  readonly lines: readonly string[];
  /** Line of the page in which the content begins, from 1. */
  readonly line: number;
}

/** Where commands are told: the README, all pages, and the README of each example. */
export const PAGES: readonly string[] = [
  'README.md',
  ...fs.readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md')).sort().map((file) => path.posix.join('docs', file)),
  ...fs.readdirSync(EXAMPLES).filter((name) => fs.existsSync(path.join(EXAMPLES, name, 'README.md'))).sort().map((name) => `examples/${name}/README.md`),
];

/** Languages of blocks that are all commands, of those that are a session, and of those that may be anything. */
const SCRIPTS = ['sh', 'bash', 'shell'];
const PERHAPS = ['console', 'text', '', 'indented'];

/** How a line begins that is a command where it could be anything else: with variables, and with a program that is on some machine. */
const PROGRAM = new RegExp(`^(\\w+=\\S* )*(${[
  'npm', 'npx', 'node', 'pnpm', 'yarn', 'tsx', 'trainyard', 'cdk8s', 'projen', 'jest', 'python3?', 'pip3?', 'uv', 'torchrun', 'mpirun', 'ray', 'spark-submit',
  'kubectl', 'kustomize', 'helm', 'kind', 'minikube', 'k3d', 'argocd', 'flux', 'istioctl', 'kfp', 'docker', 'podman', 'crane', 'oras', 'skopeo',
  'gcloud', 'gsutil', 'bq', 'aws', 'az', 'terraform', 'pulumi', 'git', 'gh', 'glab', 'make', 'go', 'cargo', 'apt-get', 'brew', 'sudo',
  'cat', 'cd', 'cp', 'curl', 'diff', 'echo', 'export', 'find', 'grep', 'head', 'jq', 'ls', 'mkdir', 'mv', 'openssl', 'rm', 'sed', 'sort', 'source',
  'ssh', 'ssh-keygen', 'tail', 'tar', 'test', 'touch', 'wget', 'xargs', 'yq',
].join('|')}) `);

function blocksOf(text: string): Block[] {
  const blocks: { language: string; lines: string[]; line: number }[] = [];
  let fence: string | undefined;
  let isIndented = false;
  text.split('\n').forEach((content, index, lines) => {
    const [, marks, language] = /^\s*(`{3,})(\S*)/.exec(content) ?? [];
    if (fence !== undefined) {
      if (marks === fence && language === '') {
        fence = undefined;
      } else {
        blocks.at(-1)!.lines.push(content);
      }
    } else if (marks !== undefined) {
      fence = marks;
      isIndented = false;
      blocks.push({ language, lines: [], line: index + 2 });
    } else if (/^ {4}/.test(content) && (isIndented || (lines[index - 1] ?? '').trim() === '')) {
      if (!isIndented) {
        blocks.push({ language: 'indented', lines: [], line: index + 1 });
      }
      isIndented = true;
      blocks.at(-1)!.lines.push(content.slice(4));
    } else {
      isIndented = false;
    }
  });
  return blocks;
}

function commandsOfBlock({ language, lines, line }: Block): PageCommand[] {
  const isSession = lines.some((content) => content.startsWith('$ '));
  if (!SCRIPTS.includes(language) && !(PERHAPS.includes(language) && (isSession || lines.some((content) => PROGRAM.test(content))))) {
    return [];
  }
  const found: { command: string; line: number; shown: string[]; language: string }[] = [];
  lines.forEach((content, index) => {
    const isContinued = lines[index - 1]?.endsWith('\\') && found.length > 0;
    const isCommand = isSession ? content.startsWith('$ ') : SCRIPTS.includes(language) ? /^[^#\s]/.test(content) : PROGRAM.test(content);
    if (isContinued) {
      found.at(-1)!.command += `\n${content}`;
    } else if (isCommand) {
      found.push({ command: isSession ? content.slice(2) : content, line: line + index, shown: [], language });
    } else {
      found.at(-1)?.shown.push(content);
    }
  });
  return found.map(({ shown, ...command }) => ({ ...command, ...(isSession && { shown: shown.map((content) => `${content}\n`).join('') }) }));
}

/** Commands of a page, in their order. */
export function commandsOf(text: string): PageCommand[] {
  return blocksOf(text).flatMap(commandsOfBlock);
}

/** Files of a page, in their order. */
export function filesOf(text: string): PageFile[] {
  return blocksOf(text).flatMap(({ language, lines, line }) => {
    const [, name] = /^(?:#|\/\/) (\S+\.\w+)(?:,.*)?$/.exec(lines[0] ?? '') ?? [];
    return name === undefined || language === 'indented' ? [] : [{ name, content: `${lines.join('\n')}\n`, line }];
  });
}

/** Text of a page. */
export function readPage(page: string): string {
  return fs.readFileSync(path.join(ROOT, page), 'utf8');
}
