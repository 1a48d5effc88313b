/** Tests of the scripts in Lua (`src/programs`), which are written in Lua (`test_*.lua` in this folder) and need no interpreter on the machine. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { APPLICATION_CUSTOMIZATION, KIND_CUSTOMIZATIONS } from '../../src/manifests/argo-cd/kinds';
import { programText } from '../../src/programs/program-text';
import { runLua } from '../support/lua';

const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter((file) => /(^|[\\/])test_\w+\.lua$/.test(file)).sort();
const support = readFileSync(path.join(__dirname, 'support', 'tests.lua'), 'utf8');

/** `RayJob health`, `RayJob discovery`, `RayJob retry` and so on, and what they share. */
const scripts = Object.fromEntries([
  ...[...KIND_CUSTOMIZATIONS, APPLICATION_CUSTOMIZATION].flatMap(({ kind, health, actions }) => [
    [`${kind} health`, health], [`${kind} discovery`, actions?.discovery], ...(actions?.actions ?? []).map(({ name, lua }) => [`${kind} ${name}`, lua]),
  ].filter(([, script]) => script !== undefined)),
  ['shared', programText('argo-cd/shared.lua')],
]) as { readonly [name: string]: string };

describe.each(files)('%s', (file) => {
  const results = runLua(`${support}\n${readFileSync(path.join(__dirname, file), 'utf8')}\nreturn results`, scripts, 'string') as { name: string; problem: string }[];
  test.each(results)('$name', ({ problem }) => expect(problem).toBe(''));
});
