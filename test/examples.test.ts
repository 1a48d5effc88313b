/** Every example is synthesized and compared with the output that it shows. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { migrateTexts } from '../src/cli/migrate/migration';
import { reportLines } from '../src/cli/migrate/report';
import { OPERATOR_ENGINE } from '../src/manifests/engines/operator';

const EXAMPLES = path.join(__dirname, '..', 'examples');

/** Runs a program of examples/ as cdk8s does and returns what it wrote, by file name. */
function synthesize(program: string): Map<string, string> {
  const outdir = mkdtempSync(path.join(tmpdir(), 'trainyard-example-'));
  process.env.CDK8S_OUTDIR = outdir;
  try {
    // Each time from the start: a second run that only got the first one's module would write nothing.
    jest.isolateModules(() => {
      jest.requireActual(path.join(EXAMPLES, program));
    });
    return new Map(readdirSync(outdir).sort().map((file) => [file, readFileSync(path.join(outdir, file), 'utf8')]));
  } finally {
    delete process.env.CDK8S_OUTDIR;
    rmSync(outdir, { recursive: true });
  }
}

const read = (...file: string[]) => readFileSync(path.join(EXAMPLES, ...file), 'utf8');
const names = readdirSync(EXAMPLES).filter((name) => existsSync(path.join(EXAMPLES, name, 'main.ts')));

test('the root program holds every example', () => {
  expect([...read('main.ts').matchAll(/import '\.\/(.*)\/main';/g)].map(([, name]) => name).sort()).toEqual(names);
  expect([...synthesize('main.ts').keys()]).toEqual(names.map((name) => `${name}.k8s.yaml`));
});

test('a second synth writes the same bytes', () => {
  expect(synthesize('main.ts')).toEqual(synthesize('main.ts'));
});

test.each(names)('examples/%s has a README that says how to run it', (name) => {
  expect(read(name, 'README.md')).toContain('main.ts');
});

test('the quickstart is the program of the README and writes the YAML that stands there', () => {
  const blocks = [...readFileSync(path.join(EXAMPLES, '..', 'README.md'), 'utf8').matchAll(/^```(ts|yaml)\n([\s\S]*?)^```/gm)];
  expect(blocks[0][2]).toBe(read('quickstart', 'main.ts'));
  expect(blocks[1][2]).toBe(synthesize('quickstart/main.ts').get('quickstart.k8s.yaml'));
});

test('the blog\'s job in TypeScript is the blog\'s job in YAML', () => {
  const written = synthesize('blog/main.ts').get('blog.k8s.yaml')!;
  expect(parse(written)).toEqual(parse(read('blog', 'training-job.yaml')));
  expect(read('blog', 'README.md')).toContain(written);
});

test('the README of the jobs for spot machines shows what they are', () => {
  expect(read('fault-tolerance', 'README.md')).toContain(synthesize('fault-tolerance/main.ts').get('fault-tolerance.k8s.yaml')!);
});

test('the README of the queued job and the gang shows what they are', () => {
  expect(read('queue', 'README.md')).toContain(synthesize('queue/main.ts').get('queue.k8s.yaml')!);
});

test('the migrated job is what trainyard migrate makes of its file, and the README shows the report and the manifest', () => {
  const file = 'examples/migrate/migrate.yaml';
  const result = migrateTexts([{ name: file, text: read('migrate', 'migrate.yaml') }], { engine: OPERATOR_ENGINE, form: 'typescript' });
  expect(result.outputs.map(({ text }) => text)).toEqual([read('migrate', 'main.ts')]);
  expect(read('migrate', 'README.md')).toContain(reportLines(result, (text) => text).join('\n'));
  expect(read('migrate', 'README.md')).toContain(synthesize('migrate/main.ts').get('migrate.k8s.yaml')!);
});
