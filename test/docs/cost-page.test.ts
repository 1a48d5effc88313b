/** docs/teams/cost.md shows a program, a table and what they cost: those of examples/cost, whose README shows the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { trainyard } from '../cli/support/command';
import { temporaryFolder } from '../local/support/temporary-folder';
import { EXAMPLES, synthesizeExample } from '../support/examples';
import { ROOT } from '../support/snippets';

const page = readFileSync(path.join(ROOT, 'docs', 'teams', 'cost.md'), 'utf8');
const example = (file: string) => readFileSync(path.join(EXAMPLES, 'cost', file), 'utf8');
const blockOf = (language: string) => new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)![1];

const folder = temporaryFolder();

test('program and table of the page are those of the example', () => {
  expect(blockOf('ts')).toBe(example('main.ts'));
  expect(blockOf('yaml')).toBe(example('prices.yaml'));
});

test('the program costs what page and README say', async () => {
  // As the command does by itself: it synthesizes the program and reckons with what that writes.
  writeFileSync(path.join(folder, 'cost.k8s.yaml'), synthesizeExample('cost/main.ts').get('cost.k8s.yaml')!);
  const { code, out, err: notes } = await trainyard(['cost', path.join(folder, 'cost.k8s.yaml'), '--prices', path.join(EXAMPLES, 'cost', 'prices.yaml'), '--hours', '0.5']);
  expect(code).toBe(0);
  const [command, ...shown] = blockOf('console').split('\n');
  expect(command).toBe('$ npx trainyard cost examples/cost/main.ts --prices examples/cost/prices.yaml --hours 0.5');
  expect(shown.join('\n')).toBe(out + notes);
  expect(example('README.md')).toContain(out.trimEnd().split('\n').map((line) => (line === '' ? '' : `    ${line}`)).join('\n'));
});
