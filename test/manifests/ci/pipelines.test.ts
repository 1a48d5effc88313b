/**
 * Generated pipelines in the eyes of others: actionlint (syntax, expressions, untrusted input), and the schemas of GitHub and GitLab.
 * Skipped, and said so, where a checker is not on this machine (`npm run pipeline-checkers:install`).
 */
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { pipelineText } from '../../../src/cli/ci/pipeline-text';
import { ACTION_RELEASES, constructGitHubWorkflows } from '../../../src/manifests/ci/github';
import { constructGitLabPipeline } from '../../../src/manifests/ci/gitlab';
import type { PipelineFile, PipelineSpec } from '../../../src/manifests/ci/spec';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { ACTIONLINT, CHECK_JSONSCHEMA, findChecker, runChecker } from '../../support/pipeline-checkers';
import { describeUnless } from '../../support/where-possible';

const root = temporaryFolder();

const PLAIN: PipelineSpec = {
  app: '.', manifests: 'dist', branch: 'main', node: '22', lint: 'npm run lint', test: 'npm test', synth: 'npx cdk8s synth', schedule: '17 4 * * *',
};
const SPECS: readonly (readonly [string, PipelineSpec])[] = [
  ['one app', PLAIN],
  ['environments', { ...PLAIN, promotion: { file: 'environments.yaml', targets: [
    { name: 'qa', from: 'dev', mode: 'automatic' }, { name: 'stress', from: 'qa', mode: 'automatic' }, { name: 'prod', from: 'stress', mode: 'pull-request' },
  ] } }],
  ['promotion by people alone', { ...PLAIN, promotion: { file: 'environments.yaml', targets: [{ name: 'prod', from: 'dev', mode: 'pull-request' }] } }],
  ['everything otherwise', {
    app: 'deploy/main.ts', manifests: 'deploy/out', branch: 'release/1.x', node: '24.1', lint: 'npx eslint . && npx tsc', test: 'npx vitest run', synth: 'CDK8S_OUTDIR=deploy/out npx tsx deploy/main.ts',
    schedule: '0 0 * * 1', promotion: { file: 'deploy/settings.json', targets: [{ name: 'prod', from: 'dev', mode: 'pull-request' }] },
  }],
  ['a program in Python', { ...PLAIN, isPython: true, lint: '.venv/bin/pyright', test: '.venv/bin/pytest', synth: 'CDK8S_OUTDIR=dist .venv/bin/python main.py' }],
];
const HOSTS = { github: constructGitHubWorkflows, gitlab: constructGitLabPipeline } as const;

/** Writes the files of a host. @returns their paths */
function write(host: keyof typeof HOSTS, name: string, spec: PipelineSpec): { readonly folder: string; readonly files: readonly string[] } {
  const folder = path.join(root, host, name.replace(/ /g, '-'));
  const files = HOSTS[host](spec).map((file) => {
    fs.mkdirSync(path.join(folder, path.dirname(file.path)), { recursive: true });
    fs.writeFileSync(path.join(folder, file.path), pipelineText(file, [host]));
    return file.path;
  });
  return { folder, files };
}

const checkers = Object.fromEntries([ACTIONLINT, CHECK_JSONSCHEMA].map((checker) => [checker.name, findChecker(checker)]));
const where = (name: string) => (
  describeUnless(checkers[name] === undefined ? `${name} is not on this machine (npm run pipeline-checkers:install)` : undefined, `pipelines in ${name}`));

where('actionlint')('actionlint', () => {
  const lint = (folder: string, files: readonly string[]) => runChecker(checkers.actionlint!, ['-no-color', '-shellcheck=', '-pyflakes=', ...files], folder);

  test.each(SPECS)('takes the workflows of %s', (name, spec) => {
    const { folder, files } = write('github', name, spec);
    expect(lint(folder, files)).toEqual({ code: 0, output: '' });
  });

  test.each([
    ['an unknown field', (text: string) => text.replace('runs-on:', 'run-on:'), 'run-on'],
    ['untrusted input in a script', (text: string) => text.replace('run: npm ci', 'run: echo ${{ github.event.pull_request.title }}'), 'potentially untrusted'],
    ['an input that an action does not have', (text: string) => text.replace('actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8', 'actions/checkout@v4').replace('persist-credentials', 'keep-credentials'), 'keep-credentials'],
  ])('refuses %s', (what, spoil, message) => {
    const { folder, files: [file] } = write('github', `spoilt ${what}`, PLAIN);
    const place = path.join(folder, file);
    fs.writeFileSync(place, spoil(fs.readFileSync(place, 'utf8')));
    expect(lint(folder, [file])).toMatchObject({ code: 1, output: expect.stringContaining(message) as string });
  });
});

where('check-jsonschema')('the schema', () => {
  const schemas = { github: 'vendor.github-workflows', gitlab: 'vendor.gitlab-ci' } as const;
  // GitLab's schema has tags of its own in YAML.
  const check = (host: keyof typeof HOSTS, folder: string, files: readonly string[]) => (
    runChecker(checkers['check-jsonschema']!, ['--builtin-schema', schemas[host], ...(host === 'gitlab' ? ['--data-transform', 'gitlab-ci'] : []), ...files], folder));
  const cases = SPECS.flatMap(([name, spec]) => (['github', 'gitlab'] as const).map((host) => [host, name, spec] as const));

  test.each(cases)('of %s takes the pipelines of %s', (host, name, spec) => {
    const { folder, files } = write(host, name, spec);
    expect(check(host, folder, files)).toMatchObject({ code: 0, output: expect.stringContaining('ok -- validation done') as string });
  });

  test.each([
    ['github', 'runs-on:', 'run-on:'], ['gitlab', 'script:', 'scripts:'],
  ] as const)('of %s refuses an unknown field', (host, right, wrong) => {
    const { folder, files: [file] } = write(host, 'spoilt', PLAIN);
    const place = path.join(folder, file);
    fs.writeFileSync(place, fs.readFileSync(place, 'utf8').replaceAll(right, wrong));
    expect(check(host, folder, [file])).toMatchObject({ code: 1 });
  });
});

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: { readonly [name: string]: unknown };
}
interface Job {
  readonly permissions?: { readonly [scope: string]: string };
  readonly steps: readonly Step[];
  readonly if?: string;
}
interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly concurrency: object;
  readonly jobs: { readonly [name: string]: Job };
}

const workflows = (spec: PipelineSpec) => constructGitHubWorkflows(spec).map((file) => parse(pipelineText(file, ['github'])) as Workflow);

describe.each(SPECS)('workflows of %s', (_name, spec) => {
  const all = workflows(spec);
  const jobs = all.flatMap((workflow) => Object.values(workflow.jobs));
  const steps = jobs.flatMap((job) => job.steps);

  test('have the least rights: a job that writes runs nothing of the program', () => {
    expect(all.map(({ permissions }) => permissions)).toEqual(all.map(() => ({ contents: 'read' })));
    const writers = jobs.filter(({ permissions }) => permissions !== undefined);
    expect(writers.length).toBe(all.length);
    for (const { steps: own } of writers) {
      expect(own.filter(({ run }) => /\bnp[mx]\b/.test(run ?? ''))).toEqual([]);
    }
    expect(steps.filter(({ uses }) => uses?.includes('checkout')).every((step) => step.with?.['persist-credentials'] === false)).toBe(true);
  });

  test('have no expression in a script', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });

  test('name each action by a commit, with its release behind it', () => {
    const uses = steps.flatMap((step) => step.uses ?? []);
    expect(uses.filter((one) => !/@[0-9a-f]{40}$/.test(one) || ACTION_RELEASES[one] === undefined)).toEqual([]);
    const text = constructGitHubWorkflows(spec).map((file) => pipelineText(file, ['github'])).join('');
    expect(text.match(/uses: \S+$/gm)).toBeNull();
  });

  test('keep installed packages, and end runs that nobody waits for', () => {
    const [action, cache] = spec.isPython ? ['setup-python', 'pip'] : ['setup-node', 'npm'];
    const caches = steps.filter(({ uses }) => uses?.includes(action)).map((step) => step.with?.cache);
    expect(new Set(caches)).toEqual(new Set([cache]));
    expect(all.every(({ concurrency }) => concurrency !== undefined)).toBe(true);
  });
});

test('drift is looked for on each push and by the schedule, and only pull requests get a comment', () => {
  const [{ on, jobs }] = workflows(PLAIN);
  expect(on).toEqual({ pull_request: {}, push: { branches: ['main'] }, schedule: [{ cron: '17 4 * * *' }] });
  expect(Object.keys(jobs)).toEqual(['lint', 'test', 'synth', 'drift', 'diff', 'comment']);
  expect(Object.entries(jobs).filter(([, job]) => job.if !== undefined).map(([name]) => name)).toEqual(['diff', 'comment']);
  const pipeline = constructGitLabPipeline(PLAIN)[0].content as { readonly [job: string]: { readonly rules?: object } };
  expect(['lint', 'test', 'synth', 'drift', 'diff', 'comment'].filter((job) => pipeline[job].rules !== undefined)).toEqual(['diff', 'comment']);
});

test('the texts are these', () => {
  const texts = ([...SPECS.slice(1, 2)]).flatMap(([, spec]) => [...constructGitHubWorkflows(spec), ...constructGitLabPipeline(spec)]
    .map((file: PipelineFile) => `${file.path}\n${pipelineText(file, ['ci'])}`));
  expect(texts.join('\n')).toMatchSnapshot();
});
