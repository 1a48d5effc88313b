/** The page that says what shows each behaviour of the operator: that what it names is there. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as ts from 'typescript';
import { linksOf } from './support/links';
import { fileOf, isThere, namedTests, ROOT } from './support/named-tests';

const PAGE = readFileSync(path.join(ROOT, 'docs', 'behaviours.md'), 'utf8');

/** Rows of the page's tables of behaviours, by cells: what, tests on a real API server, tests of the code, where it is described, properties. */
const ROWS = PAGE.slice(0, PAGE.indexOf('## Not tested here')).split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Behaviour'))
  .map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));

const TESTS = ROWS.flatMap(([what, ...cells]) => cells.flatMap((cell) => namedTests(cell).map((test) => ({ what, ...test }))));

/** Members of every interface and class of the constructs, with the first name in each member's type. */
function membersOfConstructs(): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const file of readdirSync(path.join(ROOT, 'src', 'constructs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
    const source = ts.createSourceFile(file, readFileSync(path.join(ROOT, 'src', 'constructs', file), 'utf8'), ts.ScriptTarget.ES2022);
    source.forEachChild((node) => {
      if ((ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) && node.name !== undefined) {
        found.set(node.name.text, new Map([...node.members].flatMap((member) => {
          const type = ts.isPropertySignature(member) ? member.type?.getText(source) : '';
          return member.name === undefined ? [] : [[member.name.getText(source), /[A-Za-z]\w*/.exec(type ?? '')?.[0] ?? ''] as const];
        })));
      }
    });
  }
  return found;
}

const MEMBERS = membersOfConstructs();

/** Interfaces that have the members of others too. */
const EXTENDED: { readonly [name: string]: readonly string[] } = { TrainingJobProps: ['TrainingReplicas', 'JobSettings'] };

/** Whether constructs have a property, `runPolicy.backoff.initial`, or a factory, `Gang.kai`. */
function isProperty(written: string): boolean {
  const [first, ...rest] = written.split('.');
  const start = first === 'TrainingOperator' ? 'TrainingOperatorProps' : MEMBERS.has(first) ? first : 'TrainingJobProps';
  let type = start;
  return (start === 'TrainingJobProps' ? [first, ...rest] : rest).every((name) => {
    const next = [type, ...EXTENDED[type] ?? []].map((one) => MEMBERS.get(one)?.get(name)).find((found) => found !== undefined);
    type = next ?? '';
    return next !== undefined;
  });
}

test('every behaviour has a test against a real API server, one of the code, and is described', () => {
  expect(ROWS.length).toBeGreaterThan(70);
  const lacking = ROWS.filter(([, cluster, code, described]) => (
    !cluster.includes('npm run bench') && ![cluster, code].every((cell) => cell.includes('.test.ts` *')) || !described.startsWith('[docs](')));
  expect(lacking.map(([what]) => what)).toEqual([]);
  // Nothing escapes the checks below by being written otherwise.
  expect(TESTS).toHaveLength(PAGE.split('.test.ts` *').length - 1);
});

test('every test that is named is there', () => {
  expect(TESTS.filter((test) => !isThere(test))).toEqual([]);
});

test('tests on a real API server are those that have one', () => {
  const named = ROWS.flatMap(([, cluster]) => [...cluster.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, file]) => path.relative(ROOT, fileOf(file))));
  expect(named.filter((file) => !/^test\/(cluster|faults|frameworks|attacks)\//.test(file))).toEqual([]);
});

test('every property is one of the constructs, and an example uses it', () => {
  const wrong = ROWS.flatMap(([what, , , described, properties = '']) => {
    const names = [...properties.matchAll(/`([\w.]+)`/g)].map(([, name]) => name);
    const examples = linksOf(described.split('[example]').slice(1).map((link) => `[example]${link}`).join(' '), 'docs/behaviours.md')
      .map(({ file }) => readFileSync(path.join(ROOT, file), 'utf8')).join('\n');
    return names.filter((name) => !isProperty(name) || examples !== '' && !examples.includes(name.split('.').pop()!)).map((name) => `${what}: ${name}`);
  });
  expect(wrong).toEqual([]);
});
