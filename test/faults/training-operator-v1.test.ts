/**
 * The training operator v1, webhooks and all, runs what the engine renders: pods have the names and the environment that `trainyard env` tells, and
 * failures and successes mean what the engine's page says. Skipped, and said so, where it is not built.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { testWith } from './support/with-programs';
import { FORMS } from '../cluster/engines/support/accepted-job';
import { eventually, type TestObject } from '../cluster/support/cluster';
import { readYaml } from '../cluster/support/crds';
import { TestApi } from '../cluster/support/test-api';
import { findGoProgram } from '../cluster/support/upstream/go-program';
import { startTrainingOperator, TRAINING_OPERATOR } from '../cluster/support/upstream/training-operator';
import { PRINT_ENVIRONMENT } from '../manifests/engines/indexed/support/container-view';
import { variablesInPod, variablesSaid } from '../manifests/engines/support/environments';
import { upstreamCrds } from '../support/upstream-definitions';
import { ControlPlane } from '../../src/local/control-plane';
import type { Child } from '../../src/local/control-plane/child-process';
import { trainingOperatorV1Engine } from '../../src/manifests/engines/training-operator-v1';
import { v1Kind } from '../../src/manifests/engines/training-operator-v1/kinds';
import { validateForEngine } from '../../src/manifests/engines/validation';
import type { Pod } from '../../src/manifests/kubernetes';
import { resolveTrainingJob } from '../../src/model/training-job/replicas/resolve';
import { FRAMEWORK_NAMES, type FrameworkName, type TrainingJobSpec } from '../../src/model/training-job/spec';

const ENGINE = trainingOperatorV1Engine({});
const JOBS = '/apis/kubeflow.org/v1';
const BASE: TrainingJobSpec = { framework: 'pytorch', image: 'image', replicas: 3, command: PRINT_ENVIRONMENT };
const FRAMEWORKS = FRAMEWORK_NAMES.filter((framework) => v1Kind(framework) !== undefined);

const found = findGoProgram(TRAINING_OPERATOR);
const withOperator = testWith(found.missing, 'the training operator v1', () => [operator]);

let plane: ControlPlane | undefined;
let api: TestApi;
let operator: Child | undefined;
let namespace: string;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-v1-'));

beforeAll(async () => {
  plane = await ControlPlane.start({ controllerManager: { controllers: ['namespace-controller', 'serviceaccount-controller', 'garbage-collector-controller'] } });
  api = new TestApi(plane.access());
  await api.define(upstreamCrds('kubeflow-training-operator').flatMap(readYaml));
  operator = await startTrainingOperator(found.program!, folder, plane.kubeconfigPath, api);
  namespace = await api.createNamespace('team');
});
afterAll(async () => {
  await operator?.stop(10_000);
  await plane?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const collection = (framework: FrameworkName) => `${JOBS}/namespaces/${namespace}/${v1Kind(framework)!.kind.toLowerCase()}s`;

async function start(name: string, spec: TrainingJobSpec): Promise<void> {
  expect(validateForEngine(ENGINE, name, spec)).toEqual([]);
  const { job, companions } = ENGINE.render({ name, namespace, spec });
  for (const companion of companions) {
    await api.send('POST', `/api/v1/namespaces/${namespace}/${companion.kind.toLowerCase()}s?fieldValidation=Strict`, companion);
  }
  const url = `${collection(spec.framework)}?fieldValidation=Strict`;
  // Until its webhooks serve.
  await eventually(`${name} to be taken`, async () => api.send('POST', url, job).then(() => true, (error: Error) => (/connect: connection refused/.test(error.message) ? false : Promise.reject(error))));
}

/** Pods of a job that are not on their way out; those that are leave, as a kubelet would let them. */
async function livingPods(name: string): Promise<TestObject[]> {
  const pods = await api.list('pods', namespace, `training.kubeflow.org/job-name=${name}`);
  const leaving = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  await Promise.all(leaving.map(async ({ metadata }) => api.remove('pods', namespace, metadata.name, { gracePeriodSeconds: 0 })));
  return pods.filter((pod) => !leaving.includes(pod));
}

/** All pods of a job, which run then. MPI's launcher comes when its workers run. */
async function runningPods(name: string, spec: TrainingJobSpec): Promise<TestObject[]> {
  const count = resolveTrainingJob(name, spec).replicas.length;
  return eventually(`${count} pods of ${name}`, async () => {
    const pods = await livingPods(name);
    await Promise.all(pods.filter(({ status }) => status.phase === 'Pending').map(async (pod) => setStatus(pod, {
      phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [containerStatus(pod, { running: {} })],
    })));
    return pods.length === count && pods;
  });
}

const containerStatus = ({ spec }: TestObject, state: object): object => (
  { name: spec.containers[0].name, image: 'image', imageID: '', ready: 'running' in state, restartCount: 0, state });

async function setStatus({ metadata: { name } }: TestObject, status: object): Promise<void> {
  await api.send('PATCH', `/api/v1/namespaces/${namespace}/pods/${name}/status`, { status }, 'application/merge-patch+json');
}

async function end(pod: TestObject, exitCode: number): Promise<void> {
  await setStatus(pod, { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [containerStatus(pod, { terminated: { exitCode, reason: 'Error' } })] });
}

async function untilCondition(name: string, spec: TrainingJobSpec, wanted: string): Promise<void> {
  await eventually(`${name} to be ${wanted}`, async () => {
    const { status } = await api.send('GET', `${collection(spec.framework)}/${name}`);
    return ((status?.conditions ?? []) as { type: string; status: string }[]).some(({ type, status: value }) => type === wanted && value === 'True');
  });
}

const podOf = (pods: readonly TestObject[], suffix: string) => pods.find(({ metadata }) => metadata.name.endsWith(suffix))!;

FRAMEWORKS.forEach((framework) => withOperator(`pods of ${framework} have the names and the environment that are told, and their success is the job's`, async () => {
  for (const [index, form] of FORMS[framework].entries()) {
    const spec = { framework, image: 'image', command: PRINT_ENVIRONMENT, ...form } as TrainingJobSpec;
    const name = `${framework}-${index}`;
    await start(name, spec);
    const pods = await runningPods(name, spec);
    const told = ENGINE.environments({ name, namespace, spec });
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(told.map(({ pod }) => pod).sort());
    for (const environment of told) {
      const pod = pods.find(({ metadata }) => metadata.name === environment.pod) as unknown as Pod;
      const inside = await variablesInPod({ pod } as never, v1Kind(framework)!.container);
      expect({ pod: environment.pod, ...inside }).toEqual({ pod: environment.pod, ...variablesSaid(environment) });
    }
    await untilCondition(name, spec, 'Running');
    await Promise.all(pods.map(async (pod) => end(pod, 0)));
    await untilCondition(name, spec, 'Succeeded');
  }
}));

withOperator('a failure that nothing retries is the job\'s', async () => {
  await start('never', { ...BASE, runPolicy: { restartPolicy: 'Never' } });
  await end(podOf(await runningPods('never', BASE), 'worker-1'), 1);
  await untilCondition('never', BASE, 'Failed');
});

withOperator('with ExitCode, the code of a signal brings a new pod, and one of the program ends the job', async () => {
  await start('codes', { ...BASE, runPolicy: { restartPolicy: 'ExitCode' } });
  const lost = podOf(await runningPods('codes', BASE), 'worker-0');
  await end(lost, 137);
  const again = await eventually('another pod', async () => (await runningPods('codes', BASE)).find(({ metadata }) => metadata.name === lost.metadata.name && metadata.uid !== lost.metadata.uid));
  await untilCondition('codes', BASE, 'Running');
  await end(again, 1);
  await untilCondition('codes', BASE, 'Failed');
});

withOperator('a suspended job has no pods until it is resumed, and none when it is suspended again', async () => {
  await start('rests', { ...BASE, suspend: true });
  await untilCondition('rests', BASE, 'Suspended');
  expect(await livingPods('rests')).toEqual([]);
  const suspend = async (value: boolean) => api.send('PATCH', `${collection('pytorch')}/rests`, { spec: { runPolicy: { suspend: value } } }, 'application/merge-patch+json');
  await suspend(false);
  await runningPods('rests', BASE);
  await suspend(true);
  await eventually('its pods to go', async () => (await livingPods('rests')).length === 0);
});

withOperator('the master\'s success is the job\'s, the workers\' pods are deleted, and the job goes when its time has come', async () => {
  await start('done', { ...BASE, runPolicy: { cleanPodPolicy: 'Running', ttlSecondsAfterFinished: 5 } });
  const pods = await runningPods('done', BASE);
  await end(podOf(pods, 'master-0'), 0);
  await untilCondition('done', BASE, 'Succeeded');
  await eventually('only the master\'s pod to be left, or none with the job', async () => (await livingPods('done')).every(({ metadata }) => metadata.name.endsWith('master-0')));
  await eventually('the job to be gone', async () => api.send('GET', `${collection('pytorch')}/done`).then(() => false, () => true));
});
