/** The commands on jobs against a real API server, with our operator and pods that are processes: from submit to delete. */
import fs from 'node:fs';
import path from 'node:path';
import { DevEnvironment } from '../../../src/local/dev/dev-environment';
import { loadConnection } from '../../../src/operator/runtime/credentials/kubeconfig';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import type { KubeObject } from '../../../src/operator/runtime/kube-object';
import { CONFIG_MAPS } from '../../../src/operator/runtime/resource-kind';
import { TRAINING_JOBS } from '../../../src/operator/training/resources';
import { startTrainyard, trainyard, type Finished } from '../../cli/support/command';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { eventually } from '../support/cluster';

// As the package has it.
const OPERATOR_PROGRAM = path.join(__dirname, '..', '..', '..', 'assets', 'operator.mjs.br');
const FOREVER = 'while :; do sleep 0.05; done';

const folder = temporaryFolder();
let environment: DevEnvironment;
let client: KubeClient;

beforeAll(async () => {
  environment = await DevEnvironment.start({
    workingDir: folder, operatorProgram: OPERATOR_PROGRAM, onLine: () => undefined, notice: () => undefined, warn: () => undefined,
  });
  client = new KubeClient({ connection: await loadConnection({ kubeconfig: environment.kubeconfig }) });
});

afterAll(async () => {
  client.close();
  await environment.stop(0);
});

const run = async (...args: string[]): Promise<Finished> => trainyard([...args, '--kubeconfig', environment.kubeconfig], { cwd: folder });

interface Job extends KubeObject {
  readonly spec: { readonly [field: string]: unknown };
  readonly status?: { readonly phase?: string };
}

const get = async (name: string): Promise<Job | undefined> => client.tryGet<Job>(TRAINING_JOBS, { namespace: 'default', name });

/** A file with a job that runs a script. */
function jobFile(name: string, script: string, spec: object = {}, beside: readonly object[] = []): string {
  const job = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name }, spec: { framework: 'jax', image: 'img', replicas: 2, command: ['/bin/sh', '-c', script], ...spec } };
  fs.writeFileSync(path.join(folder, `${name}.json`), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...beside, job] }));
  return `${name}.json`;
}

test('a job is submitted, watched to its end, seen and read', async () => {
  const submitted = await run('submit', jobFile('hello', 'echo rank $RANK says hello; printf "\\033[31mred\\033[2J\\n" >&2'), '--watch');
  expect(submitted).toMatchObject({ code: 0, out: 'MLTrainingJob default/hello is created.\n' });
  expect(submitted.err).toContain('MLTrainingJob default/hello: Completed · 2/2 ready');

  const list = await run('list');
  expect(list.out.split('\n')[0]).toMatch(/^NAME +KIND +STATE +READY +AGE$/);
  expect(list.out).toMatch(/^hello +MLTrainingJob +Completed +2\/2 +\d+ s$/m);
  expect((await run('list', '-o', 'name')).out).toContain('mltrainingjob.ml.collabnix.io/hello\n');
  expect(JSON.parse((await run('list', '-o', 'json', '--state', 'succeeded')).out)).toContainEqual(expect.objectContaining({ name: 'hello', state: 'Succeeded', ready: '2/2' }));
  expect((await run('list', '--state', 'failed', '-o', 'name')).out).not.toContain('hello');

  const logs = await run('logs', 'hello');
  expect(logs.out).toMatch(/^\[0\] worker-0 \| rank 0 says hello$/m);
  expect(logs.out).toMatch(/^\[1\] worker-1 \| rank 1 says hello$/m);
  expect(logs.out).toContain('\\u001b[31mred\\u001b[2J');
  expect((await run('logs', 'hello', '--rank', '1', '--grep', 'says')).out).toBe('rank 1 says hello\n');
  expect((await run('logs', 'mltj/hello', '--rank', '5')).err).toContain('there are pods of the ranks 0 to 1');
  expect((await run('logs', 'hello', '-c', 'sidecar')).err).toContain('the pods have the containers training');

  const status = await run('status', 'hello');
  expect(status).toMatchObject({ code: 0, err: '' });
  expect(status.out).toMatch(/^MLTrainingJob default\/hello: Completed · 2\/2 ready$/m);
  expect(status.out).toMatch(/^ +0 +worker +hello-worker-0 +Succeeded/m);
  expect(status.out).toContain('What happened:');
  expect(JSON.parse((await run('status', 'hello', '-o', 'json')).out)).toMatchObject({ state: 'Succeeded', replicas: [{ rank: 0, state: 'Succeeded' }, { rank: 1 }] });
  expect(await run('wait', 'hello')).toMatchObject({ code: 0 });
  expect(await run('wait', 'hello', '--for', 'failed')).toMatchObject({ code: 1 });
});

test('nothing is ever overwritten', async () => {
  const settings = (text: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { text } });
  const file = jobFile('once', 'exit 0', {}, [settings('a')]);
  expect(await run('submit', file)).toMatchObject({ code: 0, err: expect.stringContaining('ConfigMap settings is created') as string });
  expect(await run('submit', file)).toMatchObject({ code: 2, err: expect.stringContaining('MLTrainingJob default/once exists. Nothing was changed.') as string });
  const again = await run('submit', file, '--generate-name', '--set', 'hyperparameters.LR=0.1', '--set', 'replicas=1');
  expect(again.out).toMatch(/^MLTrainingJob default\/once-[a-z0-9]{5} is created\.\n$/);
  expect((await get(/once-\w+/.exec(again.out)![0]))!.spec).toMatchObject({ replicas: 1, hyperparameters: { LR: '0.1' } });

  const other = await run('submit', jobFile('twice', 'exit 0', {}, [settings('b')]));
  expect(other).toMatchObject({ code: 2, err: expect.stringContaining('these objects exist and are different:\n  ConfigMap default/settings') as string });
  expect(await get('twice')).toBeUndefined();
  expect(await run('submit', jobFile('wrong', 'exit 0', { replicas: 0 }))).toMatchObject({ code: 2, err: expect.stringContaining('spec.replicas') as string });
});

test('a job is suspended, resumed, waited for and deleted', async () => {
  await run('submit', jobFile('stops', FOREVER));
  expect(await run('wait', 'stops', '--for', 'running', '--timeout', '2m')).toMatchObject({ code: 0 });
  expect(await run('suspend', 'stops')).toMatchObject({ code: 0, out: 'MLTrainingJob default/stops is suspended.\n' });
  expect(await run('wait', 'stops', '--for', 'suspended')).toMatchObject({ code: 0 });
  expect((await run('status', 'stops')).out).toContain('The job is suspended: it has no pods until it is resumed. (Suspended)');
  await eventually('the pods to be gone', async () => (await run('logs', 'stops')).err.includes('has no pods, so there are no logs here'));
  await run('resume', 'stops');
  expect(await run('wait', 'stops', '--for', 'running', '--timeout', '2m')).toMatchObject({ code: 0 });
  expect(await run('wait', 'stops', '--timeout', '1s')).toMatchObject({ code: 1, err: expect.stringContaining('is not finished after 0:01') as string });
  expect(await run('delete', 'stops', 'nothere')).toMatchObject({ code: 2, err: expect.stringContaining("There is no job 'nothere'") as string });
  expect(await get('stops')).toBeDefined();
  expect(await run('delete', 'stops', '--wait')).toMatchObject({ code: 0 });
  expect(await get('stops')).toBeUndefined();
});

test('logs follow a job through a restart until its end', async () => {
  const marker = path.join(folder, 'restarted');
  const script = `echo begin $ATTEMPT; if [ -e ${marker} ]; then echo second; else touch ${marker}; echo first; exit 1; fi`;
  await run('submit', jobFile('again', script, { replicas: 1, runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 2, backoff: { initialSeconds: 0, maxSeconds: 0 } } }));
  const followed = await startTrainyard(['logs', 'again', '--follow', '--kubeconfig', environment.kubeconfig], { cwd: folder });
  expect(followed.code).toBe(0);
  const lines = followed.out.split('\n').map((line) => line.split(' | ')[1]);
  expect(lines.filter((line) => line === 'second')).toHaveLength(1);
  expect(lines.filter((line) => line === 'first').length).toBeLessThanOrEqual(1);
});

test('a job that failed shows why, and runs again with changes', async () => {
  const submitted = await run('submit', jobFile('fails', 'echo out of ideas; exit 3', { replicas: 1, runPolicy: { restartPolicy: 'Never' } }), '-w');
  expect(submitted).toMatchObject({ code: 1, err: expect.stringContaining('Failed') as string });
  const status = await run('status', 'fails');
  expect(status.out).toContain('exit code 3');
  expect(status.out).toContain('| out of ideas');
  const again = await run('rerun', 'fails', '--set', 'args=["-c", "exit 0"]', '--set', 'command=["/bin/sh"]', '--watch');
  expect(again).toMatchObject({ code: 0, out: 'MLTrainingJob default/fails-2 is created from fails.\n' });
  expect((await run('rerun', 'fails-2')).out).toBe('MLTrainingJob default/fails-3 is created from fails-2.\n');
  expect(await run('rerun', 'fails', '--name', 'fails-2')).toMatchObject({ code: 2, err: expect.stringContaining("MLTrainingJob 'fails-2' exists") as string });
  const uid = (await get('fails'))!.metadata!.uid;
  expect(await run('rerun', 'fails', '--replace', '--set', 'command=["/bin/true"]')).toMatchObject({ code: 0 });
  expect((await get('fails'))!.metadata!.uid).not.toBe(uid);
});

test('code that is deleted with a job stays for those that run it again', async () => {
  const owners = async () => (await client.get(CONFIG_MAPS, { namespace: 'default', name: 'coded-code' })).metadata?.ownerReferences?.map(({ name, uid }) => [name, uid]).sort();
  const uidOf = async (name: string) => (await get(name))!.metadata!.uid;
  await run('submit', jobFile('coded', 'exit 0', { suspend: true, code: { digest: `sha256:${'0'.repeat(64)}`, configMap: 'coded-code' } }));
  const first = await uidOf('coded');
  const owner = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'coded', uid: first };
  await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'coded-code', namespace: 'default', ownerReferences: [owner] } } as KubeObject);
  expect(await run('rerun', 'coded')).toMatchObject({ code: 0 });
  expect(await owners()).toEqual([['coded', first], ['coded-2', await uidOf('coded-2')]]);
  expect(await run('delete', 'coded-2', '--wait')).toMatchObject({ code: 0 });
  expect(await run('rerun', 'coded', '--replace')).toMatchObject({ code: 0 });
  expect(await uidOf('coded')).not.toBe(first);
  expect(await owners()).toContainEqual(['coded', await uidOf('coded')]);
});

test('checkpoints of a job that runs again are its own, or those of the first', async () => {
  await run('submit', jobFile('saves', 'exit 0', { replicas: 1, checkpointPath: '/checkpoints/saves/latest' }), '-w');
  await run('rerun', 'saves');
  expect((await get('saves-2'))!.spec.checkpointPath).toBe('/checkpoints/saves-2/latest');
  await run('rerun', 'saves', '--from-checkpoint');
  expect((await get('saves-3'))!.spec.checkpointPath).toBe('/checkpoints/saves/latest');
});

test('an elastic job is scaled', async () => {
  const elastic = { framework: 'pytorch', elastic: { minReplicas: 1, maxReplicas: 3 } };
  await run('submit', jobFile('grows', FOREVER, elastic));
  await run('wait', 'grows', '--for', 'running');
  expect(await run('scale', 'grows', '3')).toMatchObject({ code: 0, out: 'MLTrainingJob default/grows has 3 replicas, before 2.\n' });
  await eventually('the third replica', async () => (JSON.parse((await run('status', 'grows', '-o', 'json')).out) as { readonly replicas: readonly object[] }).replicas.length === 3);
  expect(await run('scale', 'grows', '9')).toMatchObject({ code: 2 });
  expect(await run('scale', 'grows', '2', '--role', 'worker')).toMatchObject({ code: 2, err: expect.stringContaining('its replicas have no roles') as string });
  await run('delete', 'grows');
});

test('the same job on another engine', async () => {
  const file = jobFile('batch', 'exit 0', { framework: 'jax' });
  const submitted = await run('submit', file, '--engine', 'job', '--name', 'batch-on-job');
  expect(submitted.out).toBe('Job default/batch-on-job is created.\n');
  expect((await run('list', '--kind', 'jobs')).out).toMatch(/^batch-on-job +Job +/m);
  expect(await run('submit', file, '-e', 'spark')).toMatchObject({ code: 2, err: expect.stringContaining('cannot run on') as string });
});

test('a cluster that does not answer is told in a sentence', async () => {
  const kubeconfig = path.join(folder, 'nowhere.yaml');
  const text = fs.readFileSync(environment.kubeconfig, 'utf8').replaceAll(environment.url, 'https://127.0.0.1:1');
  fs.writeFileSync(kubeconfig, text);
  expect(await trainyard(['list', '--kubeconfig', kubeconfig])).toMatchObject({ code: 2, err: expect.stringMatching(/^trainyard: The cluster at https:\/\/127\.0\.0\.1:1\/ .* does not answer: /) as string });
});
