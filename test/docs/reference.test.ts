import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { referencePages } from '../../scripts/docs/reference-pages';
import { compileLibrary, exportsOf, submodules } from '../../scripts/public-api';
import { MODULES } from '../support/library';

const ROOT = path.join(__dirname, '..', '..');
const REFERENCE = path.join(ROOT, 'docs', 'reference');
const program = compileLibrary();
const pages = referencePages(program);

test('the pages are current: npm run docs', () => {
  const written = readdirSync(REFERENCE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md')).sort();
  expect(written).toEqual([...pages.keys()].sort());
  expect(written.filter((file) => readFileSync(path.join(REFERENCE, file), 'utf8') !== pages.get(file))).toEqual([]);
});

test('each link leads to a page and a heading', () => {
  const broken = [...pages].flatMap(([file, text]) => [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target).filter((target) => {
    if (target.startsWith('http')) {
      return false;
    }
    const [name, anchor] = target.split('#');
    const page = pages.get(name === '' ? file : path.posix.join(path.posix.dirname(file), name));
    return page === undefined || (anchor !== undefined && !page.toLowerCase().includes(`\n## ${anchor}\n`));
  }).map((target) => `${file}: ${target}`));
  expect(broken).toEqual([]);
});

test('the core has at most 150 types, and no name is in two submodules', () => {
  const names = submodules().map(({ specifier, index }) => [specifier, exportsOf(program, index).map(({ name }) => name)] as const);
  expect(names[0][1].length).toBeLessThanOrEqual(150);
  const all = names.flatMap(([, found]) => found);
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
});

test('each submodule can be imported by its name, in package.json, by compilers, and here', () => {
  const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: { readonly [specifier: string]: unknown }; readonly typesVersions: { readonly '*': { readonly [name: string]: unknown } };
  };
  const found = submodules().filter(({ name }) => name !== undefined).map(({ specifier }) => specifier);
  expect(Object.keys(MODULES).sort()).toEqual(['trainyard', ...found].sort());
  expect(found.filter((specifier) => manifest.exports[specifier.replace('trainyard', '.')] === undefined)).toEqual([]);
  expect(found.filter((specifier) => manifest.typesVersions['*'][specifier.replace('trainyard/', '')] === undefined)).toEqual([]);
  expect(found.filter((specifier) => !existsSync(path.join(ROOT, 'src', 'constructs', specifier.replace('trainyard/', ''), 'index.ts')))).toEqual([]);
});
