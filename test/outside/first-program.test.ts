/** A new project with the installed package: the README's program, word for word, and programs with cdk8s-plus of several versions. */
import fs from 'node:fs';
import path from 'node:path';
import { makeWorkspace, project } from './support/project';
import { mustShell, shell } from './support/shell';
import { readPage } from './support/page-commands';

const [program, manifest] = ['ts', 'yaml'].map((language) => new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(readPage('README.md'))![1]);

/** Objects of cdk8s-plus in each place where TrainingJob takes some. */
const WITH_CDK8S_PLUS = `
import { App, Chart, Size } from 'cdk8s';
import { ConfigMap, Cpu, EnvFrom, EnvValue, PersistentVolumeAccessMode, PersistentVolumeClaim, Secret, ServiceAccount, Volume } from 'PACKAGE';
import { Checkpoint, Framework, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'plus');
const claim = new PersistentVolumeClaim(chart, 'Claim', { storage: Size.gibibytes(10), accessModes: [PersistentVolumeAccessMode.READ_WRITE_MANY] });
new TrainingJob(chart, 'Job', {
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  command: ['python3', 'train.py'],
  replicas: 2,
  resources: { cpu: Cpu.units(2) },
  env: { TOKEN: EnvValue.fromSecretValue({ secret: Secret.fromSecretName(chart, 'Token', 'token'), key: 'token' }) },
  envFrom: [new EnvFrom(ConfigMap.fromConfigMapName(chart, 'Settings', 'settings'))],
  volumeMounts: [{ path: '/data', volume: Volume.fromEmptyDir(chart, 'Scratch', 'scratch') }],
  serviceAccount: ServiceAccount.fromServiceAccountName(chart, 'Account', 'trainer'),
  checkpoint: Checkpoint.onClaim(claim, { path: '/checkpoints' }),
});
app.synth();
`;

/** A workspace that has these programs and nothing else for the compiler. */
function withPrograms(name: string, programs: { readonly [file: string]: string }): string {
  const folder = makeWorkspace(name);
  fs.rmSync(path.join(folder, 'examples'), { recursive: true });
  for (const [file, text] of Object.entries(programs)) {
    fs.writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

test('the package has what its package.json names, and no code of tests', async () => {
  const installed = path.join(project(), 'node_modules', 'trainyard');
  const { main, types, bin, exports } = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8')) as {
    main: string; types: string; bin: { [name: string]: string }; exports: { [name: string]: string | { types: string; default: string } };
  };
  const files = [main, types, ...Object.values(bin), ...Object.values(exports).flatMap((one) => (typeof one === 'string' ? [one] : [one.types, one.default]))];
  expect(files.filter((file) => !file.includes('*') && !fs.existsSync(path.join(installed, file)))).toEqual([]);
  expect(fs.readdirSync(installed).filter((name) => ['test', 'src', 'bench', 'scripts'].includes(name))).toEqual([]);
  const { stdout } = await mustShell('npx trainyard --version', { cwd: project() });
  expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+/);
});

test('the package has no script that npm would run, or warn of, where it is installed', () => {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(project(), 'node_modules', 'trainyard', 'package.json'), 'utf8')) as { scripts: { [name: string]: string } };
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
});

test('the README\'s program, in a project of cdk8s init, compiles and writes what the README shows', async () => {
  const cwd = withPrograms('first', { 'main.ts': program });
  await mustShell('npx tsc --noEmit', { cwd });
  // By ts-node, as cdk8s.yaml of the template says.
  await mustShell('npx cdk8s synth', { cwd });
  expect(fs.readFileSync(path.join(cwd, 'dist', 'quickstart.k8s.yaml'), 'utf8')).toBe(manifest);
});

test('the program of a project of ES modules finds the package too', async () => {
  const cwd = withPrograms('modules', { 'main.mjs': program });
  await mustShell('CDK8S_OUTDIR=dist node main.mjs', { cwd });
  expect(fs.readFileSync(path.join(cwd, 'dist', 'quickstart.k8s.yaml'), 'utf8')).toBe(manifest);
});

test('submodules have the classes of the core, in ES modules, CommonJS and every way to resolve types', async () => {
  const names = "console.log(RayCluster === ray.RayCluster, new RayCluster(new Chart(new App(), 'c'), 'R', { image: 'rayproject/ray:2.54.0' }).headServiceName);";
  const cwd = withPrograms('submodules', {
    'main.mjs': `import { App, Chart } from 'cdk8s';\nimport { ray } from 'trainyard';\nimport { RayCluster } from 'trainyard/ray';\n${names}\n`,
    'main.cjs': `const { App, Chart } = require('cdk8s');\nconst { ray } = require('trainyard');\nconst { RayCluster } = require('trainyard/ray');\n${names}\n`,
    'main.ts': `import { App, Chart } from 'cdk8s';\nimport { ray } from 'trainyard';\nimport { RayCluster } from 'trainyard/ray';\n${names}\n`,
  });
  const [modules, common] = await Promise.all(['main.mjs', 'main.cjs'].map(async (file) => (await mustShell(`node ${file}`, { cwd })).stdout));
  expect(modules).toMatch(/^true c-r-[0-9a-f]{8}-head-svc\n$/);
  expect(common).toBe(modules);
  for (const [module, resolution] of [['commonjs', 'node10'], ['node16', 'node16'], ['esnext', 'bundler']]) {
    expect((await shell(`npx tsc --noEmit --strict --target es2022 --skipLibCheck --types node --module ${module} --moduleResolution ${resolution} main.ts`, { cwd })).out).toBe('');
  }
});

const PLUS = fs.readdirSync(path.join(__dirname, '..', '..', 'node_modules')).filter((name) => /^cdk8s-plus-\d+$/.test(name)).sort();

test('two versions of cdk8s-plus are tried: the one that the package asks for, and the newest', () => {
  expect(PLUS).toHaveLength(2);
  expect(PLUS[0]).toBe('cdk8s-plus-28');
});

describe.each(PLUS)('objects of %s', (name) => {
  let cwd: string;

  beforeAll(() => {
    cwd = withPrograms(name, { 'main.ts': WITH_CDK8S_PLUS.replace('PACKAGE', name) });
  });

  test('have the right types for a TrainingJob', async () => {
    expect((await shell('npx tsc --noEmit', { cwd })).out).toBe('');
  });

  test('are what a TrainingJob takes', async () => {
    const { stdout } = await mustShell('CDK8S_OUTDIR=dist npx tsx main.ts && cat dist/plus.k8s.yaml', { cwd });
    for (const part of ['emptyDir: {}', 'mountPath: /data', 'name: settings', 'serviceAccountName: trainer', 'claimName: plus-claim']) {
      expect(stdout).toContain(part);
    }
  });
});

test('all examples compile with the settings of cdk8s init', async () => {
  const cwd = makeWorkspace('types');
  // Those have packages and settings of their own, of Pulumi.
  await mustShell('rm -rf examples/gke-data examples/gke-kubeflow examples/gke-training', { cwd });
  expect((await shell('npx tsc --noEmit', { cwd })).out).toBe('');
});
