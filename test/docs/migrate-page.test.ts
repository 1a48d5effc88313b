/** The page on migration shows what the command prints, and names all that it reads. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { migrateTexts } from '../../src/cli/migrate/migration';
import { reportLines } from '../../src/cli/migrate/report';
import { OPERATOR_ENGINE } from '../../src/manifests/engines/operator';
import { READERS } from '../../src/manifests/migrate/readers';

const PAGE = readFileSync(path.join(__dirname, '..', '..', 'docs', 'migrate.md'), 'utf8');

test('the program and the report are those of the manifest', () => {
  const [, manifest] = /^```yaml\n([\s\S]*?)^```/m.exec(PAGE)!;
  const result = migrateTexts([{ name: 'jobs.yaml', text: manifest }], { engine: OPERATOR_ENGINE, form: 'typescript' });
  expect(PAGE).toContain(`\`\`\`ts\n${result.outputs[0].text}\`\`\`\n`);
  expect(PAGE).toContain(`\`\`\`\n${reportLines(result, (text) => text).join('\n')}\n\`\`\`\n`);
});

test('every kind that is read is named', () => {
  const missing = READERS.map(({ kind }) => kind).filter((kind) => !PAGE.includes(`\`${kind}\``));
  expect(missing).toEqual([]);
});
