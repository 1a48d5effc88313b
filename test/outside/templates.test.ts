/** What `trainyard init` of the installed package writes: each template is checked, synthesized, tested and applied as its README says. */
import fs from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { clusterEnvironment, Definitions, ensureNamespaces } from './support/cluster';
import { makeWorkspace } from './support/project';
import { mustShell, shell } from './support/shell';
import { TEMPLATES } from '../../src/cli/init/templates';
import type { TestObject } from '../cluster/support/cluster';

const definitions = new Definitions();

describe.each(Object.entries(TEMPLATES))('the template %s', (name, { hasPipeline }) => {
  let cwd: string;

  beforeAll(async () => {
    cwd = makeWorkspace(`template-${name}`);
    for (const entry of fs.readdirSync(cwd).filter((each) => each !== 'node_modules')) {
      fs.rmSync(path.join(cwd, entry), { recursive: true });
    }
    await mustShell(`npx trainyard init --template ${name}`, { cwd });
  });

  test('is checked, synthesized and valid', async () => {
    await mustShell('npm run lint && npm run synth && npm run validate', { cwd });
    expect(fs.readFileSync(path.join(cwd, '.gitignore'), 'utf8')).not.toContain('manifests');
  });

  test('has a pipeline that is up to date, where it is meant for one', async () => {
    expect((await shell('npx trainyard ci github --check', { cwd })).code).toBe(hasPipeline ? 0 : 1);
  });

  test('has a test that fails when the program has changed and its manifests have not', async () => {
    await mustShell('npm test', { cwd });
    const file = fs.readdirSync(path.join(cwd, 'manifests')).map((each) => path.join(cwd, 'manifests', each))
      .find((each) => fs.readFileSync(each, 'utf8').includes('replicas: 2'))!;
    const text = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, text.replace('replicas: 2', 'replicas: 3'));
    expect((await shell('npm test', { cwd })).code).toBe(1);
    fs.writeFileSync(file, text);
  });

  test('is applied by kubectl', async () => {
    const files = fs.readdirSync(path.join(cwd, 'manifests')).map((file) => path.join('manifests', file));
    const objects = files.flatMap((file) => parseAllDocuments(fs.readFileSync(path.join(cwd, file), 'utf8')).map((document) => document.toJS() as TestObject));
    await definitions.install(objects);
    const own = objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name);
    await ensureNamespaces([`template-${name}`, ...objects.flatMap(({ metadata }) => metadata.namespace ?? [])].filter((each) => !own.includes(each)));
    const env = clusterEnvironment(cwd, `template-${name}`);
    // What is in a namespace that another file creates is there after a second time.
    await shell('kubectl apply -f manifests', { cwd, env });
    const { stdout } = await mustShell('kubectl apply -f manifests', { cwd, env });
    expect(stdout.trim().split('\n')).toHaveLength(objects.length);
  });
});
