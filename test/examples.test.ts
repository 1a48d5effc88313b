/** Every example is synthesized and compared with the output that it shows. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { EXAMPLE_NAMES, EXAMPLES, everyFileOfExample, synthesizeExample } from './support/examples';
import { Definitions } from '../src/cli/crd/definitions';
import { migrateTexts } from '../src/cli/migrate/migration';
import { reportLines } from '../src/cli/migrate/report';
import { diagnosticLine } from '../src/cli/validate/output-text';
import { readSources } from '../src/cli/validate/sources';
import { validateSources } from '../src/cli/validate/validate-sources';
import { WARNING_RECORD_VARIABLE, type RecordedWarning } from '../src/manifests/checks/warning-record';
import { OPERATOR_ENGINE } from '../src/manifests/engines/operator';
import { formatViolation } from '../src/model/violations';

const read = (...file: string[]) => readFileSync(path.join(EXAMPLES, ...file), 'utf8');
const names = EXAMPLE_NAMES;

test('the root program holds every example', () => {
  expect([...read('main.ts').matchAll(/import '\.\/(.*)\/main';/g)].map(([, name]) => name).sort()).toEqual(names);
  const files = [...synthesizeExample('main.ts').keys()];
  // A platform is several files, whose names begin with its own, and environments are folders.
  const platforms = ['gitops', 'kubeflow-gke', 'kubeflow-local'];
  const ownerOf = (file: string) => platforms.find((name) => file.startsWith(`${name}-`)) ?? (file.includes('/') ? 'environments' : file.replace('.k8s.yaml', ''));
  expect([...new Set(files.map(ownerOf))].sort()).toEqual(names);
});

describe('all examples', () => {
  let folder: string;
  let files: Map<string, string>;
  let warnings: RecordedWarning[];

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'trainyard-examples-'));
    const record = path.join(folder, 'warnings');
    writeFileSync(record, '');
    process.env[WARNING_RECORD_VARIABLE] = record;
    files = everyFileOfExample('main.ts');
    delete process.env[WARNING_RECORD_VARIABLE];
    warnings = readFileSync(record, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as RecordedWarning);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test('synthesize without a warning', () => {
    expect(warnings.map(({ construct, finding }) => `${construct}: ${formatViolation(finding)} [${finding.rule}]`)).toEqual([]);
  });

  test('write what trainyard validate accepts without a definition and without a warning', () => {
    const places = [...files].filter(([file]) => /\.(yaml|json)$/.test(file)).map(([file, text]) => {
      const place = path.join(folder, file);
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, text);
      return place;
    });
    const { diagnostics, warnings: told, objects } = validateSources(readSources(places, () => ''), { engine: OPERATOR_ENGINE, definitions: Definitions.PACKAGED });
    expect(objects).toBeGreaterThan(300);
    expect([...diagnostics, ...told].map((diagnostic) => diagnosticLine(diagnostic, (text) => text))).toEqual([]);
  });
});

test('a second synth writes the same bytes', () => {
  const written = synthesizeExample('main.ts');
  expect(synthesizeExample('main.ts')).toEqual(written);
  // As by another process, which loads all packages anew.
  expect(synthesizeExample('main.ts', (program) => jest.isolateModules(() => jest.requireActual(path.join(EXAMPLES, program))))).toEqual(written);
});

test.each(names)('examples/%s has a README that says how to run it', (name) => {
  expect(read(name, 'README.md')).toContain('main.ts');
});

test('the quickstart is the program of the README and writes the YAML that stands there', () => {
  const blocks = [...readFileSync(path.join(EXAMPLES, '..', 'README.md'), 'utf8').matchAll(/^```(ts|yaml)\n([\s\S]*?)^```/gm)];
  expect(blocks[0][2]).toBe(read('quickstart', 'main.ts'));
  expect(blocks[1][2]).toBe(synthesizeExample('quickstart/main.ts').get('quickstart.k8s.yaml'));
});

test('the blog\'s job in TypeScript is the blog\'s job in YAML', () => {
  const written = synthesizeExample('blog/main.ts').get('blog.k8s.yaml')!;
  expect(parse(written)).toEqual(parse(read('blog', 'training-job.yaml')));
  expect(read('blog', 'README.md')).toContain(written);
});

test('the README of the jobs for spot machines shows what they are', () => {
  expect(read('fault-tolerance', 'README.md')).toContain(synthesizeExample('fault-tolerance/main.ts').get('fault-tolerance.k8s.yaml')!);
});

test('the README of the queued job and the gang shows what they are', () => {
  expect(read('queue', 'README.md')).toContain(synthesizeExample('queue/main.ts').get('queue.k8s.yaml')!);
});

test('the README of the queues shows one of them, and how machines are asked for', () => {
  const written = synthesizeExample('queues/main.ts').get('queues.k8s.yaml')!.split('---\n');
  for (const wanted of ['kind: ClusterQueue\nmetadata:\n  name: research', 'kind: ProvisioningRequestConfig']) {
    expect(read('queues', 'README.md')).toContain(written.find((object) => object.includes(wanted))!);
  }
});

test('the README of the jobs with accelerators shows what they are', () => {
  expect(read('accelerators', 'README.md')).toContain(synthesizeExample('accelerators/main.ts').get('accelerators.k8s.yaml')!);
});

test.each(['credentials', 'identity', 'run-identity'])('the README of %s shows what its program writes', (name) => {
  expect(read(name, 'README.md')).toContain(synthesizeExample(`${name}/main.ts`).get(`${name}.k8s.yaml`)!);
});

test('the README of the stores shows what the shared one is, and the job on it', () => {
  const written = synthesizeExample('storage/main.ts').get('storage.k8s.yaml')!;
  const [, hint] = /^ *(ml\.collabnix\.io\/store: .*Filestore.*)$/m.exec(written)!;
  expect(read('storage', 'README.md')).toContain(hint);
  expect(read('storage', 'README.md')).toContain(written.split('---\n').find((object) => object.includes('name: vision'))!);
});

test('the README of the two teams shows a job of one of them', () => {
  const [job] = synthesizeExample('multi-tenant/main.ts').get('multi-tenant.k8s.yaml')!.split('---\n').filter((text) => text.includes('kind: MLTrainingJob'));
  expect(read('multi-tenant', 'README.md')).toContain(job);
});

test('the README of the environments shows their files, and what a promotion changes', () => {
  const files = synthesizeExample('environments/main.ts');
  expect(read('environments', 'README.md')).toContain([...files.keys()].map((file) => `    manifests/${file}\n`).join(''));
  const jobs = ['dev', 'stress'].map((name) => files.get(`${name}/ml-${name}-teams.k8s.yaml`)!.split('---\n').find((text) => text.includes('kind: MLTrainingJob'))!);
  expect(jobs.map((text) => [/replicas: (\d+)/.exec(text)![1], /image: (.*)/.exec(text)![1]])).toEqual([['1', 'registry.example/train:1.6'], ['8', 'registry.example/train:1.5']]);
});

test('the README of GitOps shows the files of its program, and the Application of its jobs', () => {
  const files = synthesizeExample('gitops/main.ts');
  const applications = files.get('gitops-applications.k8s.yaml')!.split('---\n');
  expect(read('gitops', 'README.md')).toContain([...files.keys()].map((file) => `    ${file}\n`).join(''));
  expect(read('gitops', 'README.md')).toContain(applications.at(-1)!);
});

test('the README of the node pools shows the choices in their order', () => {
  const [, description] = /^ *(description: .*)$/m.exec(synthesizeExample('node-pools/main.ts').get('node-pools.k8s.yaml')!)!;
  expect(read('node-pools', 'README.md')).toContain(description);
});

test('the migrated job is what trainyard migrate makes of its file, and the README shows the report and the manifest', () => {
  const file = 'examples/migrate/migrate.yaml';
  const result = migrateTexts([{ name: file, text: read('migrate', 'migrate.yaml') }], { engine: OPERATOR_ENGINE, form: 'typescript' });
  expect(result.outputs.map(({ text }) => text)).toEqual([read('migrate', 'main.ts')]);
  expect(read('migrate', 'README.md')).toContain(reportLines(result, (text) => text).join('\n'));
  expect(read('migrate', 'README.md')).toContain(synthesizeExample('migrate/main.ts').get('migrate.k8s.yaml')!);
});

test('the README of the code bundle shows the job that its program writes', () => {
  const [, job] = synthesizeExample('code-bundle/main.ts').get('code-bundle.k8s.yaml')!.split('---\n');
  expect(read('code-bundle', 'README.md')).toContain(job);
});
