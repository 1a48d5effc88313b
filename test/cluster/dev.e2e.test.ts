import fs from 'node:fs';
import path from 'node:path';
import { DevEnvironment } from '../../src/local/dev/dev-environment';
import type { PodLine } from '../../src/local/process/pod-process';
import type { Pod } from '../../src/manifests/kubernetes';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';
import type { TrainingJobStatus } from '../../src/model/training-job/status/status';
import { KubeClient } from '../../src/operator/runtime/kube-client';
import type { KubeObject } from '../../src/operator/runtime/kube-object';
import { loadConnection } from '../../src/operator/runtime/credentials/kubeconfig';
import { PODS } from '../../src/operator/runtime/resource-kind';
import { TRAINING_JOBS } from '../../src/operator/training/resources';
import { untilGone } from '../local/support/processes';
import { temporaryFolder } from '../local/support/temporary-folder';
import { eventually } from './support/cluster';

type Job = KubeObject & { spec: TrainingJobSpec; status?: TrainingJobStatus };

// As the package has it.
const OPERATOR_PROGRAM = path.join(__dirname, '..', '..', 'assets', 'operator.mjs.br');
const AT_ONCE = { initialSeconds: 0, maxSeconds: 0 };
const FOREVER = 'while :; do sleep 0.05; done';

const folder = temporaryFolder();
const lines: { readonly pod: string; readonly text: string }[] = [];
const warnings: string[] = [];
let environment: DevEnvironment;
let client: KubeClient;

async function start(keep = false): Promise<void> {
  environment = await DevEnvironment.start({
    workingDir: folder,
    operatorProgram: OPERATOR_PROGRAM,
    keep,
    onLine: (pod: Pod, { text }: PodLine) => lines.push({ pod: `${pod.metadata?.namespace}/${pod.metadata?.name}`, text }),
    notice: () => undefined,
    warn: (message) => warnings.push(message),
  });
  client = new KubeClient({ connection: await loadConnection({ kubeconfig: environment.kubeconfig }) });
}

async function apply(name: string, spec: Partial<TrainingJobSpec>, namespace = 'default'): Promise<void> {
  const complete = { framework: 'jax', image: 'img', replicas: 2, ...spec } as TrainingJobSpec;
  await client.create(TRAINING_JOBS, { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name, namespace }, spec: complete } as KubeObject);
}

async function untilPhase(name: string, phase: string, namespace = 'default'): Promise<Job> {
  return eventually(`job ${name} to be ${phase}`, async () => {
    const job = await client.get<Job>(TRAINING_JOBS, { namespace, name });
    return job.status?.phase === phase && job;
  });
}

async function untilLine(pod: string, test: (text: string) => boolean): Promise<string> {
  return eventually(`a line of ${pod}`, async () => lines.find((line) => line.pod === pod && test(line.text))?.text);
}

function sh(script: string): Pick<TrainingJobSpec, 'command' | 'args'> {
  return { command: ['/bin/sh', '-c'], args: [script] };
}

beforeAll(async () => start());
afterAll(async () => {
  client.close();
  await environment.stop(0);
});

test('a job that is applied runs as processes, which meet on loopback', async () => {
  await apply('hello', sh('echo $RANK of $WORLD_SIZE at $JAX_COORDINATOR_ADDRESS in $PWD'));
  const { status } = await untilPhase('hello', 'Completed');
  expect(status).toMatchObject({ ready: '2/2', workerStatuses: [{ role: 'worker', succeeded: 2 }] });
  const said = [0, 1].map((rank) => lines.find(({ pod }) => pod === `default/hello-worker-${rank}`)!.text);
  expect(said[0]).toMatch(/^0 of 2 at 127\.0\.0\.1:\d+ in /);
  expect(said[1].slice(1)).toBe(said[0].slice(1));
  expect(said[0]).toContain(` in ${folder}`);
});

test('kubectl logs has the output, of a pod that runs as well', async () => {
  await apply('logs', { ...sh(`echo one; echo two; ${FOREVER}`), replicas: 1 });
  await untilLine('default/logs-worker-0', (text) => text === 'two');
  const ref = { namespace: 'default', name: 'logs-worker-0' };
  expect(await client.podLogs(ref)).toBe('one\ntwo\n');
  expect(await client.podLogs(ref, { tailLines: 1 })).toBe('two\n');
  await expect(client.podLogs({ ...ref, name: 'none' })).rejects.toThrow('not found');
});

test('a search finds its objective in the logs of its trials, which run side by side', async () => {
  await apply('curve', {
    ...sh('echo try $x $X $0; echo score=$(( 20 - (x - 5) * (x - 5) ))'),
    args: ['echo try $x $X $0; echo score=$(( 20 - (x - 5) * (x - 5) ))', '$(x)'],
    replicas: 1,
    autoTuning: { objective: 'score', algorithm: 'grid', maxTrials: 6, parallelTrials: 2, parameters: { x: { type: 'int', min: 2, max: 7 } } },
  });
  const { status } = await untilPhase('curve', 'Completed');
  expect(status!.tuning).toMatchObject({ trials: 6, succeeded: 6, failed: 0, best: { trial: 4, value: 20, parameters: { x: '5' } } });
  expect(lines.find(({ pod }) => pod === 'default/curve-trial-4-worker-0')!.text).toBe('try 5 5 5');
});

test('a job may name any namespace', async () => {
  await apply('elsewhere', { ...sh('exit 0'), replicas: 1 }, 'ml-workloads');
  await untilPhase('elsewhere', 'Completed', 'ml-workloads');
});

test('a failure has its exit code, its node and its last lines', async () => {
  await apply('broken', sh(`[ $RANK = 1 ] && { echo loss is NaN; exit 3; }; ${FOREVER}`));
  const { status } = await untilPhase('broken', 'Failed');
  expect(status?.lastFailure).toMatchObject({ pod: 'broken-worker-1', rank: 1, node: 'local', exitCode: 3, logTail: 'loss is NaN' });
});

test('a pod that cannot be run without its image says so', async () => {
  await apply('image', { replicas: 1 });
  const { status } = await untilPhase('image', 'Failed');
  expect(status?.lastFailure).toMatchObject({ reason: 'CreateContainerConfigError', message: expect.stringContaining('the local runner pulls no images') });
});

test('a replica that is killed brings the gang to its next attempt', async () => {
  const script = `echo $$$$; [ $TRAINYARD_ATTEMPT = 1 ] && exit 0; ${FOREVER}`;
  await apply('again', { ...sh(script), runPolicy: { restartPolicy: 'OnFailure', backoff: AT_ONCE } });
  await untilPhase('again', 'Running');
  process.kill(Number(await untilLine('default/again-worker-1', () => true)), 'SIGKILL');
  const { status } = await untilPhase('again', 'Completed');
  expect(status).toMatchObject({ attempt: 1, restarts: 1, lastFailure: { pod: 'again-worker-1', exitCode: 137 } });
});

test('an MPI launcher gets a hostfile with the workers\' names and a stand-in for ssh', async () => {
  await apply('mpi', {
    framework: 'mpi',
    replicas: undefined,
    roles: [
      { name: 'launcher', ...sh('cat $OMPI_MCA_orte_default_hostfile; $OMPI_MCA_plm_rsh_agent -x mpi-worker-0 echo ran here') },
      { name: 'worker', replicas: 2 },
    ],
  });
  await untilPhase('mpi', 'Completed');
  const said = lines.filter(({ pod }) => pod === 'default/mpi-launcher').map(({ text }) => text);
  expect(said).toEqual(['mpi-worker-0.mpi slots=1', 'mpi-worker-1.mpi slots=1', 'ran here']);
});

test('a job that is deleted ends its processes gracefully and leaves no pod', async () => {
  await apply('deleted', sh(`trap "echo saved; exit 0" TERM; echo $$$$; ${FOREVER}`));
  await untilPhase('deleted', 'Running');
  const pids = await Promise.all([0, 1].map(async (rank) => Number(await untilLine(`default/deleted-worker-${rank}`, () => true))));
  await client.delete(TRAINING_JOBS, { namespace: 'default', name: 'deleted' });
  await Promise.all(pids.map(untilGone));
  await eventually('all pods to go', async () => (await client.list(PODS, { namespace: 'default', labelSelector: 'job=deleted' })).items.length === 0);
  expect(lines.filter(({ pod, text }) => pod.startsWith('default/deleted') && text === 'saved')).toHaveLength(2);
});

test('a pod of no job runs as well, and one that is force-deleted is killed', async () => {
  const pod = {
    apiVersion: 'v1', kind: 'Pod', metadata: { name: 'lonely', namespace: 'default' },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'img', command: ['/bin/sh', '-c', `trap "" TERM; echo $$$$; ${FOREVER}`] }] },
  };
  await client.create(PODS, pod as KubeObject);
  const pid = Number(await untilLine('default/lonely', () => true));
  await client.delete(PODS, { namespace: 'default', name: 'lonely' }, { gracePeriodSeconds: 0 });
  await untilGone(pid);
});

test('a second one in the same folder is refused and disturbs nothing', async () => {
  await expect(DevEnvironment.start({
    workingDir: folder, operatorProgram: OPERATOR_PROGRAM, onLine: () => undefined, notice: () => undefined, warn: () => undefined,
  })).rejects.toThrow('trainyard dev already runs in this folder');
  expect(fs.existsSync(environment.kubeconfig)).toBe(true);
});

test('an end leaves no process; what is kept goes on the next time, with the pods that ran taken for lost', async () => {
  await apply('kept', sh(`echo $$$$; [ $TRAINYARD_ATTEMPT = 1 ] && exit 0; ${FOREVER}`));
  await untilPhase('kept', 'Running');
  const pids = await Promise.all([0, 1].map(async (rank) => Number(await untilLine(`default/kept-worker-${rank}`, () => true))));
  client.close();
  await environment.stop();
  await Promise.all(pids.map(untilGone));
  await start(true);
  const { status } = await untilPhase('kept', 'Completed');
  expect(status).toMatchObject({ attempt: 1, restarts: 0 });
  expect(status?.disruptions).toBeGreaterThan(0);
});
