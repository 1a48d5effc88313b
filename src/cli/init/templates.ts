/** The files that `trainyard init` writes for each template. Their texts are in `src/programs/init`. */
import { installNpm, PYTHON_INSTALLATION } from './installation';
import { packageVersion } from '../version';
import { programText } from '../../programs/program-text';

/** Files by their path. */
export type Files = { readonly [path: string]: string };

/** A kind of project. */
export interface Template {
  readonly title: string;
  /** Commands of its GitHub Actions workflows; undefined if it has none. The scripts of an older package.json may not be set yet. */
  readonly pipeline?: { readonly lint?: string; readonly test?: string };
  /** @param name of the project: lower-case letters, digits and dashes */
  files(name: string): Files;
  /** Commands that install what the program needs. @param folder of the project */
  installation(folder: string): readonly string[];
  /** Commands of the next steps, each with a comment. */
  readonly next: readonly string[];
}

const CDK8S = `language: typescript
app: npx tsx main.ts
output: manifests
`;

const TSCONFIG = {
  compilerOptions: {
    target: 'es2022', module: 'preserve', moduleResolution: 'bundler', types: ['node'], strict: true, noEmit: true, skipLibCheck: true,
  },
  include: ['**/*.ts'],
};

const GITIGNORE = `node_modules/
.trainyard/
`;

/** cdk8s would ask the registry for a newer version, and print a stack trace if there is no network. */
const SCRIPTS = { synth: 'cdk8s synth --no-check-upgrade', validate: 'trainyard validate .', test: 'node --test test/*.test.mjs', lint: 'tsc' };

const GKE_SCRIPTS = { ...SCRIPTS, test: 'node --import tsx --test test/*.test.*' };

/** Packages that a program imports, and tools that run it. */
const CDK8S_PACKAGES = ['cdk8s', 'cdk8s-plus-28', 'constructs'];
const TOOLS = ['cdk8s-cli', 'tsx', 'typescript', '@types/node'];
const PULUMI_PACKAGES = ['@pulumi/pulumi@^3', '@pulumi/gcp@^9', '@pulumi/kubernetes@^4'];

const NPM_PIPELINE = { lint: 'npm run lint', test: 'npm test' };

/** Shared by all cdk8s projects in TypeScript. */
const CDK8S_PROJECT = {
  installation: (folder: string) => installNpm(folder, { packages: CDK8S_PACKAGES, tools: TOOLS, scripts: SCRIPTS }),
  next: [
    'npx trainyard run .       # the job as processes on this machine',
    'npx trainyard validate .  # what is wrong with it',
    'npm run synth             # manifests/, for kubectl apply -f',
  ],
};

/** The files of any cdk8s project in TypeScript, except the program. @param settings of its package.json */
export function projectFiles(name: string, settings: object = {}): Files {
  return {
    'cdk8s.yaml': CDK8S,
    'tsconfig.json': json(TSCONFIG),
    '.gitignore': GITIGNORE,
    'package.json': json({ name, version: '1.0.0', private: true, scripts: SCRIPTS, ...settings }),
    'test/manifests.test.mjs': programText('init/manifests.test.mjs.txt'),
  };
}

/** By name. The first one is the default. */
export const TEMPLATES: { readonly [name: string]: Template } = {
  jobs: {
    ...CDK8S_PROJECT,
    title: 'a job that runs on this machine and on any cluster',
    files: (name) => ({ 'main.ts': programText('init/main.ts.txt'), ...projectFiles(name) }),
  },
  gitops: {
    ...CDK8S_PROJECT,
    title: 'the platform and the jobs of a cluster, delivered by Argo CD',
    pipeline: NPM_PIPELINE,
    files: (name) => ({
      'main.ts': named(programText('init/gitops/main.ts.txt'), name),
      'README.md': named(programText('init/gitops/README.md.txt'), name),
      ...projectFiles(name),
    }),
  },
  teams: {
    ...CDK8S_PROJECT,
    title: 'teams with quotas that share a cluster, with a folder for each',
    pipeline: NPM_PIPELINE,
    files: (name) => ({
      'main.ts': programText('init/teams/main.ts.txt'),
      'platform/teams.ts': programText('init/teams/platform-teams.ts.txt'),
      'teams/vision/jobs.ts': programText('init/teams/jobs.ts.txt').replace('{{function}}', 'jobsOfVision'),
      'teams/speech/jobs.ts': programText('init/teams/jobs.ts.txt').replace('{{function}}', 'jobsOfSpeech'),
      '.github/CODEOWNERS': programText('init/teams/CODEOWNERS.txt'),
      'README.md': named(programText('init/teams/README.md.txt'), name),
      ...projectFiles(name),
    }),
  },
  gke: {
    title: 'a GKE cluster with GPUs, created by Pulumi, and the jobs that run on it',
    pipeline: NPM_PIPELINE,
    files: (name) => ({
      'main.ts': programText('init/gke/main.ts.txt'),
      'stack.ts': programText('init/gke/stack.ts.txt'),
      'shared.ts': programText('init/gke/shared.ts.txt'),
      'charts.ts': programText('init/gke/charts.ts.txt'),
      'Pulumi.yaml': named(programText('init/gke/Pulumi.yaml.txt'), name),
      'Pulumi.dev.yaml': named(programText('init/gke/Pulumi.dev.yaml.txt'), name),
      'test/stack.test.ts': named(programText('init/gke/stack.test.ts.txt'), name),
      'README.md': named(programText('init/gke/README.md.txt'), name),
      // Pulumi starts what `main` names.
      ...projectFiles(name, { main: 'stack.ts', scripts: GKE_SCRIPTS }),
    }),
    installation: (folder) => installNpm(folder, { packages: [...CDK8S_PACKAGES, ...PULUMI_PACKAGES], tools: TOOLS, scripts: GKE_SCRIPTS }),
    next: [
      'npm run synth             # manifests/: the jobs',
      'npm test                  # the stack, without a cloud',
      'pulumi preview            # what the cluster would be: see README.md',
    ],
  },
  python: {
    title: 'a job, described in Python',
    pipeline: {},
    files: (name) => ({
      'main.py': programText('init/python/main.py.txt'),
      'requirements.txt': programText('init/python/requirements.txt.txt').replace('{{wheel}}', wheelName()),
      'pyproject.toml': named(programText('init/python/pyproject.toml.txt'), name),
      'cdk8s.yaml': programText('init/python/cdk8s.yaml.txt'),
      '.gitignore': programText('init/python/gitignore.txt'),
      'tests/test_manifests.py': programText('init/python/test_manifests.py.txt'),
      'README.md': named(programText('init/python/README.md.txt'), name),
    }),
    installation: () => PYTHON_INSTALLATION,
    next: [
      'trainyard run .           # the job as processes on this machine',
      'trainyard validate .      # what is wrong with it',
      'CDK8S_OUTDIR=manifests python main.py',
    ],
  },
};

function named(text: string, name: string): string {
  return text.replaceAll('{{name}}', name);
}

/** File of the Python package, in which version 0.1.0-dev.0 is written 0.1.0.dev0. */
function wheelName(): string {
  return `trainyard-${packageVersion().replace('-dev.', '.dev')}-py3-none-any.whl`;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
