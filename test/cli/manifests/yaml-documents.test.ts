import { parseYaml, type YamlProblem } from '../../../src/cli/manifests/yaml-documents';
import { computingMs, LITTLE_MS } from '../../support/cpu-time';

/** Half of them take 10 to 30 ms, and the quotes 500 ms. */
test.each([
  ['lists', '['.repeat(20_000), 'line 3'],
  ['objects', '{a: '.repeat(20_000), 'line 3'],
  ['dashes', '- '.repeat(20_000), 'line 3'],
  ['keys', '? '.repeat(20_000), 'line 3'],
  ['indented objects', Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'line 102'],
])('%s within each other end with the line', (_what, text, place) => {
  const manifest = `# a\n---\n${text}`;
  expect(computingMs(() => parseYaml(manifest))).toBeLessThan(LITTLE_MS);
  const { documents, problems: [problem] } = parseYaml(manifest);
  expect(documents).toEqual([]);
  expect(problem.message).toMatch(/objects and lists are nested more than 100 levels deep here/);
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
  expect(computingMs(() => parseYaml(text))).toBeLessThan(LITTLE_MS);
  const { documents, problems } = parseYaml(text);
  expect(problems).toMatchObject([{ index: 0, line: 2 }]);
  expect(documents).toHaveLength(3000);
  expect(documents[2999].source.lines.linePos(documents[2999].source.document.contents!.range[0])).toEqual({ line: 6001, col: 1 });
});

test('a document may have as many characters as the API server takes', () => {
  const { documents, problems } = parseYaml(`a: b\n---\nb: "${'x'.repeat(3 * 1024 * 1024)}"\n---\nc: d\n`);
  expect(documents.map(({ value }) => value)).toEqual([{ a: 'b' }, { c: 'd' }]);
  expect(problems).toMatchObject([{ index: 1, line: 2, message: expect.stringMatching(/^the document has 3145\d+ characters, and the API server accepts at most 3145728/) }]);
});

test('a key twice is told with its line, also in a map with many', () => {
  const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`);
  expect(computingMs(() => parseYaml(keys.join('\n')))).toBeLessThan(LITTLE_MS);
  expect(parseYaml([...keys, 'k7: 2'].join('\n')).problems).toMatchObject([{ index: 0, line: 20_001, column: 1, message: 'Map keys must be unique' }]);
  expect(parseYaml('a: {b: 1, b: 2}').problems).toHaveLength(1);
  expect(parseYaml('x: &x {b: 1}\ny: &y {c: 2}\nz: {<<: *x, d: 3}').documents[0].value).toMatchObject({ z: { b: 1, d: 3 } });
});

test.each([
  ['commas', `[${','.repeat(300_000)}]`],
  ['tags', '!a '.repeat(300_000)],
  ['closing brackets', ']'.repeat(300_000)],
])('many wrong things are told by the first of them: %s', (_what, text) => {
  let problems: readonly YamlProblem[] = [];
  const took = computingMs(() => {
    ({ problems } = parseYaml(text));
  });
  expect(took).toBeLessThan(LITTLE_MS);
  expect(problems).toHaveLength(1);
  expect(Error.stackTraceLimit).toBeGreaterThan(0);
});

test('a text has an end of its documents', () => {
  const { problems, documents } = parseYaml('---\n'.repeat(20_002));
  expect(problems).toEqual([{ index: 20_000, line: 20_001, column: 1, message: 'the text has more than 20000 documents. Split it.' }]);
  expect(documents).toHaveLength(20_000);
});

test('an alias that names nothing is a problem of its document', () => {
  const { problems, documents } = parseYaml('a: 1\n---\nb: [1, *c]\n---\nd: &d [*d]\n---\ne: 2\n');
  expect(problems.map(({ index, line }) => [index, line])).toEqual([[1, 3], [2, 5]]);
  expect(problems[0].message).toBe('*c: there is no anchor with this name before it');
  expect(documents.map(({ value }) => value)).toEqual([{ a: 1 }, { e: 2 }]);
});

test('aliases are bounded in their number and in what they grow to', () => {
  expect(parseYaml(`a: &a 1\nb: [${'*a,'.repeat(501)}]`).problems).toMatchObject([{ line: 2, message: expect.stringContaining('more than 500 aliases') }]);
  const grown = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`).join('');
  expect(parseYaml(`a0: &a0 x\n${grown}`).problems).toMatchObject([{ message: expect.stringContaining('more than 1000000 values') }]);
  expect(parseYaml('a: &a {x: 1}\nb: *a\nc: [*a, *a]').documents[0].value).toEqual({ a: { x: 1 }, b: { x: 1 }, c: [{ x: 1 }, { x: 1 }] });
});
