import { parseYaml } from '../../../src/cli/manifests/yaml-documents';
import { computingMs } from '../../support/cpu-time';

/** Half of them take 10 to 30 ms, and the quotes 500 ms. */
const LIMIT_MS = 5000;

test.each([
  ['lists', '['.repeat(20_000), 'line 3'],
  ['objects', '{a: '.repeat(20_000), 'line 3'],
  ['dashes', '- '.repeat(20_000), 'line 3'],
  ['keys', '? '.repeat(20_000), 'line 3'],
  ['indented objects', Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'line 102'],
])('%s within each other end with the line', (_what, text, place) => {
  const manifest = `# a\n---\n${text}`;
  expect(computingMs(() => parseYaml(manifest), LIMIT_MS)).toBeLessThan(LIMIT_MS);
  const { documents, problems: [problem] } = parseYaml(manifest);
  expect(documents).toEqual([]);
  expect(problem.message).toMatch(/^more than 100 objects and lists are within each other here/);
  expect(`line ${problem.line}`).toBe(place);
});

test('what is as deep as manifests are is read, and the documents around what is deeper', () => {
  const deep = (levels: number) => `a: ${'['.repeat(levels)}1${']'.repeat(levels)}\n`;
  const { documents, problems } = parseYaml(`${deep(90)}---\n${deep(200)}---\nb: 1\n`);
  expect(documents.map(({ index }) => index)).toEqual([0, 2]);
  expect(documents[1].value).toEqual({ b: 1 });
  expect(documents[1].source.lines.linePos(documents[1].source.document.contents!.range[0])).toEqual({ line: 5, col: 1 });
  expect(problems).toMatchObject([{ index: 1, line: 3 }]);
});

test('an open quote in front of many documents costs one more look at each', () => {
  const text = `a: "x\n${'---\nb: c\n'.repeat(3000)}`;
  expect(computingMs(() => parseYaml(text), LIMIT_MS)).toBeLessThan(LIMIT_MS);
  const { documents, problems } = parseYaml(text);
  expect(problems).toMatchObject([{ index: 0, line: 2 }]);
  expect(documents).toHaveLength(3000);
  expect(documents[2999].source.lines.linePos(documents[2999].source.document.contents!.range[0])).toEqual({ line: 6001, col: 1 });
});

test('a document may have as many characters as the API server takes', () => {
  const { documents, problems } = parseYaml(`a: b\n---\nb: "${'x'.repeat(3 * 1024 * 1024)}"\n---\nc: d\n`);
  expect(documents.map(({ value }) => value)).toEqual([{ a: 'b' }, { c: 'd' }]);
  expect(problems).toMatchObject([{ index: 1, line: 2, message: expect.stringMatching(/^the document has 3145\d+ characters, and the API server takes 3145728 at most/) }]);
});

test('a key twice is told with its line, also in a map with many', () => {
  const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`);
  expect(computingMs(() => parseYaml(keys.join('\n')), LIMIT_MS)).toBeLessThan(LIMIT_MS);
  expect(parseYaml([...keys, 'k7: 2'].join('\n')).problems).toMatchObject([{ index: 0, line: 20_001, column: 1, message: 'Map keys must be unique' }]);
  expect(parseYaml('a: {b: 1, b: 2}').problems).toHaveLength(1);
  expect(parseYaml('x: &x {b: 1}\ny: &y {c: 2}\nz: {<<: *x, d: 3}').documents[0].value).toMatchObject({ z: { b: 1, d: 3 } });
});
