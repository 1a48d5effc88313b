/**
 * Kubeflow Trainer's own manager and JobSet's run the hooks that the engine renders: the pods of each come in their order, and the end of the last
 * one is the TrainJob's. Skipped, and said so, where the managers are not built.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually, type TestObject } from '../cluster/support/cluster';
import { readYaml } from '../cluster/support/crds';
import { TestApi } from '../cluster/support/test-api';
import { findGoProgram } from '../cluster/support/upstream/go-program';
import { JOBSET, startJobSetManager } from '../cluster/support/upstream/jobset';
import { startTrainerManager, TRAINER } from '../cluster/support/upstream/trainer';
import { upstreamCrds } from '../support/upstream-definitions';
import { ControlPlane } from '../../src/local/control-plane';
import type { Child } from '../../src/local/control-plane/child-process';
import { trainerEngine } from '../../src/manifests/engines/trainer';
import { validateForEngine } from '../../src/manifests/engines/validation';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';
import { testUnless } from '../support/where-possible';

const TRAINJOBS_API = '/apis/trainer.kubeflow.org/v1alpha1';
const CONTROLLERS = ['job-controller', 'garbage-collector-controller', 'namespace-controller', 'serviceaccount-controller', 'root-ca-certificate-publisher-controller'];

const [jobSet, trainer] = [findGoProgram(JOBSET), findGoProgram(TRAINER)];
const withTrainer = testUnless(jobSet.missing ?? trainer.missing, 'Trainer\'s own manager');

let plane: ControlPlane | undefined;
let api: TestApi;
const managers: Child[] = [];
let namespace: string;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-trainer-'));

beforeAll(async () => {
  plane = await ControlPlane.start({ controllerManager: { controllers: CONTROLLERS } });
  api = new TestApi(plane.access());
  await api.define(upstreamCrds('jobset', 'kubeflow-trainer').flatMap(readYaml));
  managers.push(await startJobSetManager(jobSet.program!, folder, plane.kubeconfigPath, api));
  managers.push(await startTrainerManager(trainer.program!, folder, plane.kubeconfigPath, api));
  namespace = await api.createNamespace('team');
});
afterAll(async () => {
  await Promise.all(managers.map(async (manager) => manager.stop(10_000)));
  await plane?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const HOOK = { command: ['x'] };
const SPEC: TrainingJobSpec = {
  framework: 'pytorch', image: 'image', replicas: 3, command: ['train'], runPolicy: { successPolicy: 'AllWorkers', restartPolicy: 'OnFailure' },
  hooks: { before: HOOK, after: HOOK },
};

/** Sends a job, again until the webhooks answer, and know its runtime. */
async function start(name: string, spec: TrainingJobSpec): Promise<void> {
  expect(validateForEngine(trainerEngine(), name, spec)).toEqual([]);
  const { job, companions } = trainerEngine().render({ name, namespace, spec });
  for (const [plural, object] of [...companions.map((companion) => ['trainingruntimes', companion] as const), ['trainjobs', job] as const]) {
    await eventually(`${plural} ${name} to be accepted: ${managers[1].lastLogLines(5)}`, async () => (
      api.send('POST', `${TRAINJOBS_API}/namespaces/${namespace}/${plural}?fieldValidation=Strict`, object).then(() => true, () => false)));
  }
}

async function pods(name: string, count: number, selector: string): Promise<TestObject[]> {
  return eventually(`${count} pods ${selector} of ${name}`, async () => {
    const found = await api.list('pods', namespace, `job=${name},${selector}`);
    return found.length === count && found;
  });
}

const hook = async (name: string, which: string): Promise<TestObject> => (await pods(name, 1, `ml.collabnix.io/hook=${which}`))[0];

async function setStatus(pod: TestObject, status: object): Promise<void> {
  await api.send('PATCH', `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/status`, { status }, 'application/merge-patch+json');
}

const readyJobs = async (name: string) => (
  (await api.send('GET', `/apis/jobset.x-k8s.io/v1alpha2/namespaces/${namespace}/jobsets/${name}`)).status?.replicatedJobsStatus ?? []) as { name: string; ready: number }[];

async function ended(name: string): Promise<string> {
  return eventually(`the end of ${name}`, async () => {
    const conditions = ((await api.send('GET', `${TRAINJOBS_API}/namespaces/${namespace}/trainjobs/${name}`)).status?.conditions ?? []) as { type: string; status: string }[];
    return conditions.find(({ type, status }) => status === 'True' && ['Complete', 'Failed'].includes(type))?.type;
  });
}

withTrainer('before ends before there are replicas, after starts when they have ended, and its end is the TrainJob\'s', async () => {
  await start('hooks', SPEC);
  const before = await hook('hooks', 'before');
  await setStatus(before, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
  await eventually('before to run', async () => (await readyJobs('hooks')).some(({ name, ready }) => name === 'hook-before' && ready === 1));
  expect(await api.list('pods', namespace, 'job=hooks,role!=hook')).toEqual([]);
  await setStatus(before, { phase: 'Succeeded' });
  const replicas = await pods('hooks', 3, 'role!=hook');
  expect(await api.list('pods', namespace, 'job=hooks,ml.collabnix.io/hook=after')).toEqual([]);
  await Promise.all(replicas.map(async (pod) => setStatus(pod, { phase: 'Succeeded' })));
  await setStatus(await hook('hooks', 'after'), { phase: 'Succeeded' });
  expect(await ended('hooks')).toBe('Complete');
});

withTrainer('a failed hook fails the TrainJob before it has replicas', async () => {
  await start('unprepared', SPEC);
  await setStatus(await hook('unprepared', 'before'), { phase: 'Failed' });
  expect(await ended('unprepared')).toBe('Failed');
  expect(await api.list('pods', namespace, 'job=unprepared,role!=hook')).toEqual([]);
});
