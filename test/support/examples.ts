/** Programs of examples/ and what they write. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transformSync } from '@swc/core';

/** The folder of all examples. */
export const EXAMPLES = path.join(__dirname, '..', '..', 'examples');

/** Names of the examples that are programs. */
export const EXAMPLE_NAMES = readdirSync(EXAMPLES).filter((name) => existsSync(path.join(EXAMPLES, name, 'main.ts')));

/** Packages of the test. */
const packages: NodeJS.Require = require;

/** What JavaScript files of examples/ are, by path. */
const compiled = new Map<string, string>();

function compile(file: string): string {
  const settings = { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } } as const;
  const code = compiled.get(file) ?? transformSync(readFileSync(file, 'utf8'), settings).code;
  compiled.set(file, code);
  return code;
}

/**
 * Runs a program, and what it imports by its place, from the start: a second run that only got the first one's modules would write nothing. Packages
 * are those of the test, as loading all of them takes a hundred times as long as most programs do.
 */
export function runExample(program: string): void {
  const modules = new Map<string, object>();
  const load = (file: string): object => {
    const known = modules.get(file);
    if (known !== undefined) {
      return known;
    }
    const exports = {};
    modules.set(file, exports);
    const from = path.dirname(file);
    const resolve = (name: string): unknown => (name.startsWith('.') ? load(`${path.join(from, name)}.ts`) : packages(name));
    new Function('require', 'exports', '__dirname', '__filename', compile(file))(resolve, exports, from, file);
    return exports;
  };
  load(path.join(EXAMPLES, program));
}

/** Runs a program of examples/ as cdk8s does. @param run how @default - with the packages of the test @returns every file that it wrote, by path */
export function everyFileOfExample(program: string, run = runExample): Map<string, string> {
  const outdir = mkdtempSync(path.join(tmpdir(), 'trainyard-example-'));
  process.env.CDK8S_OUTDIR = outdir;
  try {
    run(program);
    const files = readdirSync(outdir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      .map((entry) => path.relative(outdir, path.join(entry.parentPath, entry.name)));
    return new Map(files.sort().map((file) => [file, readFileSync(path.join(outdir, file), 'utf8')]));
  } finally {
    delete process.env.CDK8S_OUTDIR;
    rmSync(outdir, { recursive: true });
  }
}

/** What cdk8s itself writes, in folders of environments as well; a platform's kustomizations are folders, too, and are left out. */
export function synthesizeExample(program: string, run = runExample): Map<string, string> {
  return new Map([...everyFileOfExample(program, run)].filter(([file]) => !file.includes(path.sep) || file.endsWith('.k8s.yaml')));
}
