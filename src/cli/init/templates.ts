/** What `trainyard init` writes: the files of each template. Their texts are in `src/programs/init`. */
import { programText } from '../../programs/program-text';

/** Files by their path. */
export type Files = { readonly [path: string]: string };

/** A kind of project. */
export interface Template {
  /** For whom it is. */
  readonly title: string;
  /** Whether it has workflows of GitHub Actions. */
  readonly hasPipeline: boolean;
  /** @param name of the project: lower-case letters, digits and dashes */
  files(name: string): Files;
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

/** What any cdk8s project has. */
function common(name: string): Files {
  const scripts = { synth: 'cdk8s synth', validate: 'trainyard validate .', test: 'node --test test/', lint: 'tsc' };
  return {
    'cdk8s.yaml': CDK8S,
    'tsconfig.json': json(TSCONFIG),
    '.gitignore': GITIGNORE,
    'package.json': json({ name, version: '1.0.0', private: true, scripts }),
    'test/manifests.test.mjs': programText('init/manifests.test.mjs.txt'),
  };
}

/** By name. The first one is the default. */
export const TEMPLATES: { readonly [name: string]: Template } = {
  jobs: {
    title: 'a job that runs on this machine and on any cluster',
    hasPipeline: false,
    files: (name) => ({ 'main.ts': programText('init/main.ts.txt'), ...common(name) }),
  },
  gitops: {
    title: 'the platform and the jobs of a cluster, delivered by Argo CD',
    hasPipeline: true,
    files: (name) => ({
      'main.ts': named(programText('init/gitops/main.ts.txt'), name),
      'README.md': named(programText('init/gitops/README.md.txt'), name),
      ...common(name),
    }),
  },
  teams: {
    title: 'teams with quotas that share a cluster, with a folder for each',
    hasPipeline: true,
    files: (name) => ({
      'main.ts': programText('init/teams/main.ts.txt'),
      'platform/teams.ts': programText('init/teams/platform-teams.ts.txt'),
      'teams/vision/jobs.ts': programText('init/teams/jobs.ts.txt').replace('{{function}}', 'jobsOfVision'),
      'teams/speech/jobs.ts': programText('init/teams/jobs.ts.txt').replace('{{function}}', 'jobsOfSpeech'),
      '.github/CODEOWNERS': programText('init/teams/CODEOWNERS.txt'),
      'README.md': named(programText('init/teams/README.md.txt'), name),
      ...common(name),
    }),
  },
};

function named(text: string, name: string): string {
  return text.replaceAll('{{name}}', name);
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
