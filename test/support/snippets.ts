/**
 * TypeScript blocks of the README and of docs/ that use constructs. A block that makes an App is a whole program; any other is what stands in a
 * chart. A Python block right after it is the same program, and a YAML block right after them is what it writes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from '@swc/core';
import * as cdk8s from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { parseAllDocuments } from 'yaml';
import { MODULES } from './library';

/** The repository. */
export const ROOT = path.join(__dirname, '..', '..');

/** A block of code, as a program. */
export interface Snippet {
  readonly where: string;
  readonly program: string;
  /** The same program in Python. */
  readonly python?: string;
  readonly yaml?: string;
}

function snippetsOf(file: string): Snippet[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const blocks = [...text.matchAll(/^```(?:ts|typescript)\n([\s\S]*?)^```\n(?:\n```python\n([\s\S]*?)^```\n)?(?:\s*^```yaml\n([\s\S]*?)^```)?/gm)];
  // Pages about the inside of the repository show other code, and programs of Pulumi run in a test of their own.
  return blocks.filter(([, code]) => (isProgram(code) || code.includes('(chart, ')) && !isStack(code))
    .map(([, code, python, yaml], index) => ({ where: `${file}, block ${index + 1}`, program: asProgram(code), python, yaml }));
}

/** Whether it makes its app itself, or several. */
function isProgram(code: string): boolean {
  return /\bnew (App|Environments)\(/.test(code);
}

/** Whether it is a program of Pulumi. */
function isStack(code: string): boolean {
  return code.includes("from 'trainyard/stacks'");
}

/** All TypeScript of a page that is a program of Pulumi, and what else there is. */
export function stacksOf(file: string): { readonly programs: readonly string[]; readonly others: readonly string[] } {
  const blocks = [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/^```(?:ts|typescript)\n([\s\S]*?)^```/gm)].map(([, code]) => code);
  return { programs: blocks.filter(isStack), others: blocks.filter((code) => !isStack(code)) };
}

/** A fragment gets the chart that it is in, and imports of the names that it uses, except of those that it imports itself. */
function asProgram(code: string): string {
  if (isProgram(code)) {
    return code;
  }
  const body = `const app = new App();\nconst chart = new Chart(app, 'docs');\n${code}\napp.synth();\n`;
  const imports = Object.entries({ ...MODULES, 'cdk8s': cdk8s, 'cdk8s-plus-28': kplus }).map(([name, exports]) => {
    const used = Object.keys(exports).filter((symbol) => new RegExp(`\\b${symbol}\\b(?!:)`).test(body));
    return { name, used };
  });
  // A name that two packages have is ours.
  const seen = new Set([...code.matchAll(/^import \{(.*)\} from /gm)].flatMap(([, names]) => names.split(',').map((name) => name.trim())));
  const lines = imports.map(({ name, used }) => {
    const names = used.filter((symbol) => !seen.has(symbol) && seen.add(symbol));
    return names.length > 0 ? `import { ${names.join(', ')} } from '${name}';\n` : '';
  });
  return lines.join('') + body;
}

function pagesIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder)).filter((file) => file.endsWith('.md')).sort().map((file) => `${folder}/${file}`);
}

/** Folders without programs for readers: tables of properties, commands, decisions. */
const WITHOUT_PROGRAMS = ['reference', 'cli', 'decisions', '.vitepress'];

/** The README and all pages of other folders. */
export const PAGES = ['README.md', ...pagesIn('docs'), ...readdirSync(path.join(ROOT, 'docs'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !WITHOUT_PROGRAMS.includes(entry.name)).flatMap(({ name }) => pagesIn(`docs/${name}`))];

/** All of their snippets. */
export const SNIPPETS = PAGES.flatMap(snippetsOf);

/** Pages of the reference that describe one construct each. */
export const CONSTRUCT_PAGES = readdirSync(path.join(ROOT, 'docs', 'reference'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => pagesIn(`docs/reference/${name}`)).filter((file) => !/(README|types)\.md$/.test(file));

/** Examples of the reference, which are those of docstrings. */
export const EXAMPLES = CONSTRUCT_PAGES.flatMap(snippetsOf);

/** First lines of YAML in which texts, or lists too, that nobody reads on a page are left out. */
const LONG_TEXTS_LEFT_OUT = '# Long texts are \'...\'.\n';
const LONG_LISTS_LEFT_OUT = '# Long lists are \'...\'.\n';

/** Longest text, and longest list, that such YAML shows. */
const LONGEST_TEXT = 120;
const LONGEST_LIST = 8;

/** What a program has written, as far as its YAML on the page shows it. */
export function asShown(written: string, yaml: string): string {
  const first = [LONG_TEXTS_LEFT_OUT, LONG_LISTS_LEFT_OUT].find((line) => yaml.startsWith(line));
  if (first === undefined) {
    return written;
  }
  const isLong = first === LONG_TEXTS_LEFT_OUT
    ? (value: unknown) => typeof value === 'string' && value.length > LONGEST_TEXT
    : (value: unknown) => Array.isArray(value) && value.length > LONGEST_LIST;
  const documents = parseAllDocuments(written)
    .map((document) => JSON.parse(JSON.stringify(document.toJS()), (_key, value: unknown) => (isLong(value) ? '...' : value)) as unknown);
  return first + cdk8s.Yaml.stringify(...documents);
}

/** Runs a program in the modules of the test. */
export function runSnippet(program: string): void {
  const { code } = transformSync(program, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } });
  new Function('require', 'exports', code)(require, {});
}
