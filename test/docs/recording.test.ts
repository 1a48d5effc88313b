import { readFileSync } from 'node:fs';
import path from 'node:path';
import { recording } from '../../scripts/docs/recording';

const root = path.join(__dirname, '..', '..');
const svg = recording();

test('the recording is current: npm run docs', () => {
  expect(readFileSync(path.join(root, 'docs', 'first-minutes.svg'), 'utf8')).toBe(svg);
});

test('it shows each command of the tutorial whose output the tests compare, and nothing else', () => {
  const page = readFileSync(path.join(root, 'docs', 'tutorial.md'), 'utf8');
  const shown = [...svg.matchAll(/class="part command"[^>]*>\$ ([^<]+)</g)].map(([, command]) => command);
  const written = page.split('\n').filter((line, index, lines) => line.startsWith('$ ') && lines[index - 1] === '```console').map((line) => line.slice(2));
  expect(shown.length).toBeGreaterThan(3);
  expect(shown).toEqual(written);
});

test('what programs print cannot be read as markup', () => {
  expect(svg.match(/<(?!\/?(svg|title|style|rect|circle|g|text)[ >]|!--)/g)).toBeNull();
});

test('each line has a moment of its own at which it appears', () => {
  const moments = [...svg.matchAll(/animation-name: (\w+)/g)].map(([, name]) => name);
  expect(new Set(moments).size).toBe(moments.length);
  moments.forEach((name) => expect(svg).toContain(`@keyframes ${name} `));
});
