/**
 * Every command that the README or a page of docs/ tells, word for word, with the installed package. Commands of the examples' READMEs are run by
 * examples.test.ts.
 */
import fs from 'node:fs';
import path from 'node:path';
import { clusterEnvironment, Definitions, ensureNamespaces } from './support/cluster';
import { BACKGROUND, BEFORE, EXIT_CODES, NOT_RUN, UNTIL } from './support/commands-not-run';
import { commandsOf, filesOf, PAGES, readPage, type PageCommand } from './support/page-commands';
import { makeWorkspace, packedFile } from './support/project';
import { Session, withOwnCommands } from './support/session';
import { mustShell } from './support/shell';

/** Commands of examples' READMEs, without those of Pulumi's programs, are run by examples.test.ts. */
const RUN_HERE = PAGES.filter((page) => !page.startsWith('examples/'));

/** First words of commands that can be run: everything else has to be in the list of those that are not. */
const RUNNABLE = new RegExp(`^(\\w+=\\S* )*(${[
  'npm', 'npx', 'node', 'trainyard', 'cdk8s', 'kubectl', 'cat', 'cd', 'cp', 'echo', 'export', 'grep', 'ls', 'mkdir', 'sed', 'ssh-keygen',
].join('|')}) `);

const commands = PAGES.map((page) => [page, commandsOf(readPage(page))] as const);
const all = commands.flatMap(([page, some]) => some.map(({ command, line }) => ({ command, where: `${page}:${line}` })));

test('every command of a page is run, or listed with the reason why not', () => {
  const unknown = all.filter(({ command }) => !(command in NOT_RUN) && !RUNNABLE.test(command));
  expect(unknown.map(({ command, where }) => `${where}: ${command}`)).toEqual([]);
  expect(all.length).toBeGreaterThan(200);
});

test('every program of Pulumi is left to the tests of stacks, and everything else is an example that is run', () => {
  const examples = PAGES.filter((page) => page.startsWith('examples/')).map((page) => path.dirname(page));
  const withoutProgram = examples.filter((folder) => !fs.existsSync(path.join(__dirname, '..', '..', folder, 'main.ts')));
  const run = commands.filter(([page]) => withoutProgram.includes(path.dirname(page)))
    .flatMap(([, some]) => some).filter(({ command }) => !(command in NOT_RUN));
  expect(run.map(({ command }) => command)).toEqual([]);
});

test('what is listed about commands is about commands that some page has', () => {
  const told = new Set(all.map(({ command }) => command));
  const listed = [NOT_RUN, UNTIL, BACKGROUND, EXIT_CODES, BEFORE].flatMap((list) => Object.keys(list));
  expect(listed.filter((command) => !told.has(command))).toEqual([]);
});

/** README's program. */
const [, program] = /^```ts\n([\s\S]*?)^```/m.exec(readPage('README.md'))!;

/** A job that ends by itself. */
const SHORT_JOB = `apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
metadata:
  name: digits
spec:
  framework: plain
  image: registry.example/digits:1
  command: [python3, --version]
  replicas: 2
`;

/** Files that pages take for granted. */
const GIVEN: { readonly [name: string]: string } = { 'main.ts': program, 'job.yaml': SHORT_JOB, 'jobs.yaml': SHORT_JOB, 'jobs/job.yaml': SHORT_JOB };

function write(folder: string, files: { readonly [name: string]: string }): void {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), content);
  }
}

/** A test where there is something to test. */
function testIf(condition: boolean): (name: string, run: () => Promise<void>) => void {
  return condition ? test : () => {};
}

const definitions = new Definitions();

beforeAll(async () => {
  // Kinds that pages ask the cluster for, and those of the project that `drift --live` compares with it.
  const kinds = {
    'kubeflow.org/v1': ['PyTorchJob'],
    'kubeflow.org/v1beta1': ['Experiment', 'Trial'],
    'trainer.kubeflow.org/v1alpha1': ['TrainingRuntime'],
    'argoproj.io/v1alpha1': ['AppProject', 'Application', 'ApplicationSet'],
    'kueue.x-k8s.io/v1beta2': ['ClusterQueue', 'LocalQueue', 'ResourceFlavor'],
  };
  await definitions.install(Object.entries(kinds).flatMap(([apiVersion, names]) => names.map((kind) => ({ apiVersion, kind, metadata: { name: 'any' } }))));
  // Where Argo CD has been installed, its namespace is.
  await ensureNamespaces(['argocd']);
});

describe.each(RUN_HERE.filter((page) => commandsOf(readPage(page)).some(({ command }) => !(command in NOT_RUN))))('%s', (page) => {
  const text = readPage(page);
  const runnable = commandsOf(text).filter(({ command }) => !(command in NOT_RUN));
  // What shows its output has been run as it stands, from the files above it; what does not takes more for granted.
  const recorded = runnable.filter(({ language, shown }) => language === 'console' && shown !== undefined);
  const others = runnable.filter((command) => !recorded.includes(command));

  async function start(name: string): Promise<{ folder: string; session: Session }> {
    const namespace = `page-${page.replace(/\W+/g, '-').toLowerCase()}`;
    const folder = makeWorkspace(`${page}-${name}`);
    await ensureNamespaces([namespace]);
    const env = { ...withOwnCommands(clusterEnvironment(folder, namespace), folder), TARBALL: packedFile() };
    return { folder, session: new Session(folder, env) };
  }

  testIf(recorded.length > 0)('shows what its commands give', async () => {
    const { folder, session } = await start('recorded');
    const wrong: string[] = [];
    const steps = [...filesOf(text), ...recorded].sort((one, other) => one.line - other.line);
    for (const step of steps) {
      if ('command' in step) {
        wrong.push(...(await session.run(step)).wrong);
      } else {
        write(folder, { [step.name]: step.content });
      }
    }
    await session.end();
    expect(wrong).toEqual([]);
  });

  testIf(others.length > 0)('has commands that work', async () => {
    const { folder, session } = await start('commands');
    write(folder, GIVEN);
    write(folder, Object.fromEntries(filesOf(text).map(({ name, content }) => [name, content])));
    await createJobs(folder, others);
    const wrong: string[] = [];
    for (const command of others) {
      wrong.push(...(await session.run(command)).wrong);
    }
    await session.end();
    expect(wrong).toEqual([]);
  });

  /** Makes the jobs that commands name. */
  async function createJobs(folder: string, some: readonly PageCommand[]): Promise<void> {
    const names = new Set(some.flatMap(({ command }) => [...command.matchAll(/\b(?:mltj|mltrainingjob)[ /](?!-)([\w-]+)/g)].map(([, name]) => name)));
    for (const name of names) {
      write(folder, { 'given.yaml': SHORT_JOB.replace('name: digits', `name: ${name}`) });
      await mustShell('kubectl apply -f given.yaml', { cwd: folder, env: clusterEnvironment(folder, `page-${page.replace(/\W+/g, '-').toLowerCase()}`) });
    }
  }
});
