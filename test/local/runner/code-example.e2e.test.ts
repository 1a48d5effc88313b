/** examples/code-bundle as a user runs it: in place from the program, and from its manifest alone, as a cluster would. */
import fs from 'node:fs';
import path from 'node:path';
import { loadJob } from '../../../src/cli/load-jobs';
import { synthesize } from '../../../src/cli/synth-app';
import { runLocally } from '../../../src/local/runner/run-locally';
import { RecordingReporter } from '../support/recording-reporter';
import { temporaryFolder } from '../support/temporary-folder';

const EXAMPLE = path.join(__dirname, '../../../examples/code-bundle');
const root = temporaryFolder();

async function trained(file: string, stateFolder: string) {
  const { name, spec, folder, codeFolder, configMaps } = loadJob(file);
  const reporter = new RecordingReporter();
  const { phase } = await runLocally({ name, spec, workingDir: folder, codeFolder, configMaps, stateFolder, reporter, env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } });
  return { phase, codeFolder, lines: reporter.lines.filter(({ container }) => container === 'training').map(({ text }) => text).sort() };
}

test('the example trains with the files in place, and its README shows what it prints', async () => {
  const { phase, codeFolder, lines } = await trained(path.join(EXAMPLE, 'main.ts'), path.join(root, 'in-place'));
  expect({ phase, codeFolder }).toEqual({ phase: 'Completed', codeFolder: path.join(EXAMPLE, 'src') });
  expect(lines).toHaveLength(2);
  const readme = fs.readFileSync(path.join(EXAMPLE, 'README.md'), 'utf8');
  lines.forEach((line) => expect(readme).toContain(line));
});

test('its manifest alone trains the same, from the archive in the ConfigMap', async () => {
  const objects = synthesize(path.join(EXAMPLE, 'main.ts'), false).objects.map(({ object }) => object);
  const file = path.join(root, 'job.json');
  fs.writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const { phase, codeFolder, lines } = await trained(file, path.join(root, 'unpacked'));
  expect({ phase, codeFolder }).toEqual({ phase: 'Completed', codeFolder: undefined });
  expect(lines).toEqual((await trained(path.join(EXAMPLE, 'main.ts'), path.join(root, 'again'))).lines);
});
