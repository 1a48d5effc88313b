/** What somebody sees who imports `trainyard/stacks` without Pulumi, and what one with Pulumi gets: the bundle in a process of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';

const ROOT = path.join(__dirname, '..', '..');
const read = (...file: string[]) => readFileSync(path.join(ROOT, ...file), 'utf8');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'trainyard-stacks-'));
  // As scripts/bundle.mjs makes it, into a package of its own.
  const installed = path.join(folder, 'node_modules', 'trainyard');
  const options = {
    entryPoints: [path.join(ROOT, 'src', 'stacks', 'index.ts')], outfile: path.join(installed, 'lib', 'stacks', 'index.js'),
    bundle: true, format: 'cjs', platform: 'node', target: 'node20', external: ['@pulumi/*', 'cdk8s', 'constructs'],
  };
  const script = "import { build } from 'esbuild'; import { inlinePrograms } from './scripts/inline-programs.mjs';"
    + `await build({ ...${JSON.stringify(options)}, plugins: [inlinePrograms()] });`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT });
  mkdirSync(installed, { recursive: true });
  writeFileSync(path.join(installed, 'package.json'), read('package.json'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(script: string): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** Puts packages where the program finds them. */
function install(packages: { readonly [name: string]: string }): void {
  for (const [name, version] of Object.entries(packages)) {
    const target = path.join(folder, 'node_modules', name);
    mkdirSync(target, { recursive: true });
    writeFileSync(path.join(target, 'package.json'), JSON.stringify({ name, version }));
  }
}

afterEach(() => rmSync(path.join(folder, 'node_modules', '@pulumi'), { recursive: true, force: true }));

test.each(["require('trainyard/stacks')", "import('trainyard/stacks')"])('%s without Pulumi says what to install', (script) => {
  const { status, output } = run(script);
  expect(status).toBe(1);
  expect(output).toContain('trainyard/stacks consists of Pulumi resources, but @pulumi/pulumi and @pulumi/gcp and @pulumi/kubernetes cannot be found.');
  expect(output).toContain('Run: npm install @pulumi/pulumi@^3 @pulumi/gcp@^9 @pulumi/kubernetes@^4');
});

test('it names the packages that are missing, and no others', () => {
  install({ '@pulumi/pulumi': '3.248.0', '@pulumi/kubernetes': '4.34.2' });
  expect(run("require('trainyard/stacks')").output).toContain('but @pulumi/gcp cannot be found.');
});

test('it says which version is too old', () => {
  install({ '@pulumi/pulumi': '3.248.0', '@pulumi/gcp': '8.41.1', '@pulumi/kubernetes': '4.34.2' });
  expect(run("require('trainyard/stacks')").output).toContain('trainyard/stacks found @pulumi/gcp 8.41.1, where 9.0.0 or newer is needed.');
});

test('with Pulumi the components are there, for require and for import', () => {
  symlinkSync(path.join(ROOT, 'node_modules', '@pulumi'), path.join(folder, 'node_modules', '@pulumi'));
  const names = execFileSync(process.execPath, ['--input-type=module', '-e', "import { GkeCluster, TrainingStack } from 'trainyard/stacks'; console.log(GkeCluster.name, TrainingStack.name)"], { cwd: folder, encoding: 'utf8' });
  expect(names.trim()).toBe('GkeCluster TrainingStack');
  expect(run("console.log(Object.keys(require('trainyard/stacks')).sort().join())").output.trim())
    .toBe('AlloyDb,ArtifactRegistry,BigQueryDataset,ChartDeployment,CheckpointBucket,CloudSqlForKubeflow,FilestoreStore,GkeCluster,GpuNetwork,GpuNodePool,'
      + 'InvalidArgsError,KubeflowOnGkeStack,PlatformDeployment,PrivateServiceAccess,PubSubTopic,RedisForRay,TrainingStack,WorkloadIdentityBinding');
});

test('an installation of trainyard pulls in no package of Pulumi', () => {
  const { dependencies, peerDependencies, optionalDependencies = {} } = JSON.parse(read('package.json'));
  expect(Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }).filter((name) => name.startsWith('@pulumi'))).toEqual([]);
  const { packages } = parse(read('package-lock.json')) as { readonly packages: { readonly [path: string]: { readonly dev?: boolean } } };
  const pulumi = Object.entries(packages).filter(([name]) => name.includes('node_modules/@pulumi/'));
  expect(pulumi.length).toBeGreaterThan(0);
  expect(pulumi.every(([, { dev }]) => dev === true)).toBe(true);
});
