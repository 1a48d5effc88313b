/** No text can stop a process: every expression that the code has takes a time that grows with the length of the text, and not faster. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { slowText } from '../../support/expression-time';

/** Texts of 60,000 characters take about 1 ms, or up to seconds. */
const LIMIT_MS = 200;

const SOURCE = path.join(__dirname, '../../../src');

/** The expressions that are written in a program, once each. */
function expressionsOf(file: string): RegExp[] {
  const program = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022);
  const found: RegExp[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push(new RegExp(node.text.slice(1, end), node.text.slice(end + 1)));
    }
    ts.forEachChild(node, visit);
  };
  visit(program);
  return found;
}

const expressions = new Map(readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  .flatMap((file) => expressionsOf(path.join(SOURCE, file)).map((expression) => [String(expression), { file, expression }] as const)));

test('all expressions of the code take linear time', () => {
  const slow = [...expressions.values()].flatMap(({ file, expression }) => {
    const text = slowText(expression, LIMIT_MS);
    return text === undefined ? [] : [`${file}: ${expression} takes long for ${text.map((part) => JSON.stringify(part)).join(', then many of ')}`];
  });
  expect(slow).toEqual([]);
  expect(expressions.size).toBeGreaterThan(500);
}, 120_000);

test.each([
  /-(MIG-.*|SHARED)$/, /\{ (.*) \}/, /a: ([^;]*?), b: ([^;]*?), c/, /\$\$|\$\(([^)]*)\)|[^$]+|\$/g, /-----BEGIN ([A-Z ]+)-----[\s\S]+?-----END \1-----/g, /^a.*b.*c$/,
  /(?<![\w./-])["']?a?\s*[=:]/, /^ {2}\[([^\]]*)\] /gm, /a(?=.*b)/, /(?<=^|,)a.*;/,
])('%s is found to take longer', (expression) => {
  expect(slowText(expression, 5)).toBeDefined();
});

test.each([/^-(MIG-.*|SHARED)$/, /-MIG-.*|-SHARED$/s, /'(.*)'/, /(?<![a-z])[a-z][a-z0-9]{0,31}:\/\//, /^a+$/])('%s is found to take linear time', (expression) => {
  expect(slowText(expression, LIMIT_MS)).toBeUndefined();
});
