/**
 * Every example from the installed package: its README's commands word for word, and what it writes through `trainyard validate` and, twice, through
 * kubectl. A second application that changes something would change it on every run of a pipeline.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { clusterEnvironment, Definitions, ensureNamespaces } from './support/cluster';
import { NOT_RUN } from './support/commands-not-run';
import { commandsOf, readPage, type PageCommand } from './support/page-commands';
import { makeWorkspace } from './support/project';
import { Session, withOwnCommands } from './support/session';
import { mustShell } from './support/shell';
import { apiRequest } from '../../src/local/control-plane';
import { clusterAccess, eventually, type TestObject } from '../cluster/support/cluster';
import { EXAMPLE_NAMES } from '../support/examples';

/** `kubectl apply` writes the object once more into an annotation, and annotations have 256 KiB together. */
const LARGEST_OBJECT = 252 * 1024;

/** kubectl sends the selector of a PodDisruptionBudget each time, without comparing it (its patch strategy is `replace`), and nothing changes. */
const ALWAYS_CONFIGURED = /^poddisruptionbudget\.policy\/\S+ configured$/;

/** A folder with an environment of its own, which has a cluster of its own, and what is to be applied there. */
interface Output {
  readonly files: readonly string[];
  readonly objects: readonly TestObject[];
}

const definitions = new Definitions();

function readOutputs(dist: string): Output[] {
  const files = fs.existsSync(dist) ? fs.readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.k8s.yaml')).sort() : [];
  return [...new Set(files.map((file) => path.dirname(file)))].map((folder) => {
    const own = files.filter((file) => path.dirname(file) === folder);
    const objects = own.flatMap((file) => parseAllDocuments(fs.readFileSync(path.join(dist, file), 'utf8')).map((document) => document.toJS() as TestObject | null));
    return { files: own.map((file) => path.join(path.basename(dist), file)), objects: objects.filter((object) => object !== null) };
  });
}

/** Lets the cluster know all kinds, and have all namespaces that are expected from elsewhere. */
async function prepare({ objects }: Output): Promise<void> {
  await definitions.install(objects);
  const own = objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name);
  await ensureNamespaces(objects.flatMap(({ metadata }) => metadata.namespace ?? []).filter((name) => !own.includes(name)));
}

/** ConfigMaps that a pod template cannot start without. */
function configMapsOf(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap(configMapsOf);
  }
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value as { readonly [key: string]: { readonly name?: string; readonly optional?: boolean } }).flatMap(([key, inner]) => (
    ['configMap', 'configMapRef', 'configMapKeyRef'].includes(key) ? (inner.optional || inner.name === undefined ? [] : [inner.name]) : configMapsOf(inner)));
}

/** Folder that a command writes the manifests into. */
const OUTPUT_FOLDER = /^CDK8S_OUTDIR=(\S+) /;

/** Commands of a README up to the one that writes the manifests, and those behind it. */
function splitAtSynthesis(commands: readonly PageCommand[]): [PageCommand[], PageCommand[]] {
  const runnable = commands.filter(({ command }) => !(command in NOT_RUN));
  const first = runnable.findIndex(isSynthesis);
  return [runnable.slice(0, first + 1), runnable.slice(first + 1)];
}

function isSynthesis({ command }: PageCommand): boolean {
  return OUTPUT_FOLDER.test(command);
}

describe.each(EXAMPLE_NAMES)('examples/%s', (name) => {
  const commands = commandsOf(readPage(`examples/${name}/README.md`));
  const [first, rest] = splitAtSynthesis(commands);
  const outputFolder = OUTPUT_FOLDER.exec(first.at(-1)?.command ?? '')?.[1] ?? 'dist';
  const wrong: string[] = [];
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let session: Session;
  let outputs: Output[];

  beforeAll(async () => {
    folder = makeWorkspace(name);
    await ensureNamespaces([`example-${name}`]);
    env = withOwnCommands(clusterEnvironment(folder, `example-${name}`), folder);
    session = new Session(folder, env);
    for (const command of first) {
      wrong.push(...(await session.run(command)).wrong);
    }
    if (!first.some(isSynthesis)) {
      await mustShell(`CDK8S_OUTDIR=dist npx tsx examples/${name}/main.ts`, { cwd: folder, env });
    }
    outputs = readOutputs(path.join(folder, outputFolder));
    for (const output of outputs) {
      await prepare(output);
    }
  });

  test('is synthesized by the command of its README', () => {
    expect(wrong).toEqual([]);
    expect(outputs.flatMap(({ objects }) => objects).length).toBeGreaterThan(0);
  });

  test('has no object that is too large for kubectl apply', () => {
    const large = outputs.flatMap(({ objects }) => objects).map((object) => ({ object, bytes: Buffer.byteLength(JSON.stringify(object)) }))
      .filter(({ bytes }) => bytes >= LARGEST_OBJECT);
    expect(large.map(({ object, bytes }) => `${object.kind} ${object.metadata.name}: ${bytes} bytes`)).toEqual([]);
  });

  test('is valid for trainyard validate', async () => {
    for (const { files } of outputs) {
      await mustShell(`npx trainyard validate ${files.join(' ')}`, { cwd: folder, env });
    }
  });

  test('is applied by kubectl, and is unchanged when it is applied once more', async () => {
    for (const [index, { files, objects }] of outputs.entries()) {
      await replaceEnvironment(outputs[index - 1]?.objects ?? [], objects);
      const apply = `kubectl apply ${files.map((file) => `-f ${file}`).join(' ')}`;
      await mustShell(apply, { cwd: folder, env });
      const { stdout } = await mustShell(apply, { cwd: folder, env });
      const lines = stdout.trim().split('\n');
      expect(lines.filter((line) => !line.endsWith(' unchanged') && !ALWAYS_CONFIGURED.test(line))).toEqual([]);
      expect(lines).toHaveLength(objects.length);
      for (const { kind, metadata: { name: own, namespace = `example-${name}` }, spec } of objects.filter((object) => ['Deployment', 'StatefulSet', 'DaemonSet'].includes(object.kind!))) {
        for (const configMap of new Set(configMapsOf(spec))) {
          const { status } = await apiRequest(clusterAccess(), 'GET', `/api/v1/namespaces/${namespace}/configmaps/${configMap}`);
          expect(`${kind} ${own} mounts ${configMap}: ${status}`).toBe(`${kind} ${own} mounts ${configMap}: 200`);
        }
      }
    }
  });

  test('has a README whose other commands work', async () => {
    const found: string[] = [];
    for (const command of rest) {
      found.push(...(await session.run(command)).wrong);
    }
    expect(found).toEqual([]);
  });

  // Another example may have objects of the same name in the same namespace. Definitions and namespaces stay.
  afterAll(async () => {
    await session.end();
    await remove(outputs.flatMap(({ objects }) => objects).filter(({ kind }) => !['Namespace', 'CustomResourceDefinition'].includes(kind!)), '--wait=false');
  });

  /** Environments have clusters of their own, in which a job of the same name is another job, and policies are others. */
  async function replaceEnvironment(before: Output['objects'], after: Output['objects']): Promise<void> {
    const own = ['MLTrainingJob', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];
    await remove(before.filter(({ kind }) => own.includes(kind!)), '--timeout=60s');
    for (const job of before.length === 0 ? [] : after.filter(({ kind }) => kind === 'MLTrainingJob')) {
      // The API server goes on with a policy for a moment after it was deleted.
      const jobs = `/apis/${job.apiVersion}/namespaces/${job.metadata.namespace ?? `example-${name}`}/mltrainingjobs?dryRun=All`;
      await eventually('the end of the policies of another environment', async () => {
        const { body } = await apiRequest<{ readonly message?: string }>(clusterAccess(), 'POST', jobs, { body: job });
        return body.message?.includes('ValidatingAdmissionPolicy') === true ? undefined : true;
      });
    }
  }

  async function remove(objects: Output['objects'], flag: string): Promise<void> {
    if (objects.length > 0) {
      fs.writeFileSync(path.join(folder, 'removed.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
      await mustShell(`kubectl delete --ignore-not-found ${flag} -f removed.json`, { cwd: folder, env });
    }
  }
});
