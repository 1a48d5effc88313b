/**
 * Katib's own controller, webhooks, algorithm, collector and manager of observations run the searches that the construct writes, with the real
 * controllers of each engine behind the trials: what a program prints is what a trial has reached. Skipped, and said so, where they are not built.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { testWith } from './support/with-programs';
import { FORMS } from '../cluster/engines/support/accepted-job';
import { eventually, type TestObject } from '../cluster/support/cluster';
import { readYaml } from '../cluster/support/crds';
import { TestKubelet } from '../cluster/support/kubelet';
import { installOperator, startOperator, type Installation, type OperatorProcess } from '../cluster/support/operator';
import { TestApi } from '../cluster/support/test-api';
import { findGoProgram } from '../cluster/support/upstream/go-program';
import { JOBSET, startJobSetManager } from '../cluster/support/upstream/jobset';
import { findKatib, KATIB, KATIB_CONTROLLER, startKatib, type RunningKatib } from '../cluster/support/upstream/katib';
import { processNamespaceProblem, runPod, type Ended } from '../cluster/support/upstream/pod-processes';
import { startTrainerManager, TRAINER } from '../cluster/support/upstream/trainer';
import { startTrainingOperator, TRAINING_OPERATOR } from '../cluster/support/upstream/training-operator';
import { upstreamCrds } from '../support/upstream-definitions';
import { Engine, Framework, RestartPolicy, TrainingJob, TuningGoal, TuningParameter, type TrainingJobProps } from '../../src';
import { HyperparameterSearch, KatibAlgorithm, KatibMetrics, SearchEngine, type KatibOptions } from '../../src/constructs/tuning';
import { ControlPlane } from '../../src/local/control-plane';
import type { Child } from '../../src/local/control-plane/child-process';
import { v1Kind } from '../../src/manifests/engines/training-operator-v1/kinds';
import type { Pod } from '../../src/manifests/kubernetes';
import { resolveTrainingJob } from '../../src/model/training-job/replicas/resolve';
import { FRAMEWORK_NAMES, type FrameworkName } from '../../src/model/training-job/spec';

const KATIB_API = '/apis/kubeflow.org/v1beta1';
const CONTROLLERS = ['job-controller', 'garbage-collector-controller', 'namespace-controller', 'serviceaccount-controller', 'root-ca-certificate-publisher-controller'];
const MANAGERS = [JOBSET, TRAINER, TRAINING_OPERATOR].map((wanted) => findGoProgram(wanted));

const missing = [findKatib(), ...MANAGERS].find((found) => found.missing !== undefined)?.missing ?? processNamespaceProblem();
const withKatib = testWith(missing, 'Katib', () => [katib?.controller]);

const COLLECTOR = 'metrics-logger-and-collector';

/**
 * Writes lines, given as Python, to a descriptor, and ends when the collector has repeated them, because a collector that starts after the end of a
 * program finds none.
 */
const program = (descriptor: string, lines: readonly string[], code = 0) => ['python3', '-c', `
import os, sys, time
rate = sys.argv[1].split('=')[1]
to = ${descriptor}
for line in [${lines.join(', ')}]:
    os.write(to, (line + "\\n").encode())
    while line not in open("/var/log/katib/said-${COLLECTOR}").read():
        time.sleep(0.05)
sys.exit(${code})
`];

/** A value that does not count, one that does, and a last line without any. */
const LINES = ['"loss=9"', 'f"loss: {rate}"', 'f"I am {os.environ[\'KATIB_TRIAL_NAME\']} {os.environ[\'TRAINYARD_TRIAL\']}"'];

let plane: ControlPlane | undefined;
let api: TestApi;
let katib: RunningKatib | undefined;
let installation: Installation | undefined;
let operator: OperatorProcess | undefined;
const managers: Child[] = [];
let namespace: string;
let kubelet: TestKubelet;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-katib-'));

beforeAll(async () => {
  plane = await ControlPlane.start({
    controllerManager: { controllers: CONTROLLERS },
    users: [{ name: KATIB_CONTROLLER, groups: ['system:serviceaccounts'] }],
  });
  api = new TestApi(plane.access());
  await api.define(upstreamCrds('jobset', 'kubeflow-trainer', 'kubeflow-training-operator').flatMap(readYaml));
  const own = (name: string) => fs.mkdtempSync(path.join(folder, name));
  const [jobSet, trainer, trainingOperator] = MANAGERS.map(({ program }) => program!);
  installation = await installOperator(api, await api.createNamespace('operator'));
  operator = startOperator(installation, { STATUS_COUNTS_SECONDS: '1' });
  managers.push(await startJobSetManager(jobSet, own('jobset'), plane.kubeconfigPath, api));
  managers.push(await startTrainerManager(trainer, own('trainer'), plane.kubeconfigPath, api));
  managers.push(await startTrainingOperator(trainingOperator, own('v1'), plane.kubeconfigPath, api));
  katib = await startKatib(own('katib'), plane.kubeconfig(KATIB_CONTROLLER), api, MORE_TRIALS);
  await grantMore();
  namespace = await api.createNamespace('team');
  await api.patch('namespaces', '', namespace, { metadata: { labels: { 'katib.kubeflow.org/metrics-collector-injection': 'enabled' } } });
  kubelet = new TestKubelet(api, namespace);
});
afterAll(async () => {
  const complaints = operator?.complaints();
  await katib?.stop();
  await Promise.all(managers.map(async (manager) => manager.stop(10_000)));
  await operator?.stop();
  await plane?.stop();
  installation?.removeFiles();
  fs.rmSync(folder, { recursive: true, force: true });
  expect(complaints ?? []).toEqual([]);
});

/** Kinds of trials and rights in addition to those of Katib's manifests, as the page says; its account has no others. */
const MORE_TRIALS = ['MLTrainingJob.v1alpha1.ml.collabnix.io', 'JobSet.v1alpha2.jobset.x-k8s.io', 'JAXJob.v1.kubeflow.org', 'PaddleJob.v1.kubeflow.org'];
const MORE_RIGHTS = [['ml.collabnix.io', 'mltrainingjobs'], ['jobset.x-k8s.io', 'jobsets'], ['kubeflow.org', 'jaxjobs'], ['kubeflow.org', 'paddlejobs']];

async function grantMore(): Promise<void> {
  const name = 'katib-more';
  const rules = MORE_RIGHTS.map(([group, resource]) => ({ apiGroups: [group], resources: [resource], verbs: ['get', 'list', 'watch', 'create', 'delete'] }));
  await api.create('clusterroles', undefined, { metadata: { name }, rules });
  await api.create('clusterrolebindings', undefined, {
    metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace: 'kubeflow', name: 'katib-controller' }],
  });
}

const COLLECTIONS: { readonly [kind: string]: string } = {
  Experiment: `${KATIB_API}/namespaces/NAMESPACE/experiments`,
  TrainingRuntime: '/apis/trainer.kubeflow.org/v1alpha1/namespaces/NAMESPACE/trainingruntimes',
  Service: '/api/v1/namespaces/NAMESPACE/services',
};

/** Starts a search whose trials have these properties. @returns how many pods a trial has */
async function start(name: string, props: Partial<TrainingJobProps>, options: KatibOptions = {}, maxTrials = 2): Promise<number> {
  const job = { framework: Framework.pytorch(), image: 'registry.example/train:1', command: program('1', LINES), args: ['--lr=$(lr)'], ...props };
  const chart = new Chart(new App(), 'katib', { namespace });
  new HyperparameterSearch(chart, 'Tuned', {
    metadata: { name }, job, objective: 'loss', goal: TuningGoal.MINIMIZE, maxTrials, parallelTrials: maxTrials, maxFailedTrials: 0,
    parameters: { lr: TuningParameter.float({ min: 0.001, max: 0.1 }) },
    searchEngine: SearchEngine.katib({ algorithm: KatibAlgorithm.sobol(), ...options }),
  });
  for (const object of Testing.synth(chart) as TestObject[]) {
    await api.send('POST', `${COLLECTIONS[object.kind!].replace('NAMESPACE', namespace)}?fieldValidation=Strict`, object);
  }
  await algorithmRuns(name);
  return resolveTrainingJob(name, new TrainingJob(Testing.chart(), 'Job', job)._toSpec()).replicas.length;
}

const experiment = async (name: string) => api.send('GET', `${KATIB_API}/namespaces/${namespace}/experiments/${name}`);
const trialsOf = async (name: string) => (
  await api.send('GET', `${KATIB_API}/namespaces/${namespace}/trials?labelSelector=katib.kubeflow.org/experiment=${name}`)).items as TestObject[];

/** Its service of algorithms runs, as a Deployment controller would say. */
async function algorithmRuns(name: string): Promise<void> {
  const url = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const found = await eventually(`the Deployment of ${name}`, async () => (
    ((await api.send('GET', url)).items as TestObject[]).find(({ metadata }) => (metadata.ownerReferences as { name: string }[] | undefined)?.[0]?.name === name)));
  await api.send('PATCH', `${url}/${found.metadata.name}/status`, { status: { conditions: [{ type: 'Available', status: 'True' }] } }, 'application/merge-patch+json');
}

const isTrue = (object: TestObject, type: string) => (
  (object.status?.conditions ?? []) as { type: string; status: string }[]).some((condition) => condition.type === type && condition.status === 'True');

async function trials(name: string, count: number): Promise<string[]> {
  const found = await eventually(`${count} trials of ${name}`, async () => {
    const all = await trialsOf(name);
    return all.length === count && all;
  });
  return found.map(({ metadata }) => metadata.name);
}

/** Waits for a trial's pods, all of which run then. @returns the one with the collector, and the others */
async function podsOf(trial: string, count: number): Promise<readonly [primary: TestObject, ...others: TestObject[]]> {
  const pods = await eventually(`${count} pods of ${trial}`, async () => {
    const found = await api.list('pods', namespace, `katib.kubeflow.org/trial=${trial}`);
    // The launcher of some comes when the workers run.
    await kubelet.run(...found.filter(({ status }) => status.phase === 'Pending').map(({ metadata }) => metadata.name));
    return found.length === count && found;
  });
  const hasCollector = ({ spec }: TestObject) => spec.containers.some(({ name }: { name: string }) => name === COLLECTOR);
  const primary = pods.filter(hasCollector);
  expect({ trial, primary: primary.map(({ metadata }) => metadata.name) }).toEqual({ trial, primary: [expect.anything()] });
  return [primary[0], ...pods.filter((pod) => !hasCollector(pod))];
}

/** Runs the programs of a trial's primary pod, and lets the pods end as these did. */
async function runTrial(trial: string, count: number): Promise<{ [container: string]: Ended }> {
  const [primary, ...others] = await podsOf(trial, count);
  const ended = await runPod(primary as unknown as Pod, '/var/log/katib', { [COLLECTOR]: [findGoProgram(KATIB.collector).program!] });
  const exitCode = Math.max(...Object.values(ended).map(({ code }) => code ?? 1));
  if (exitCode === 0) {
    await Promise.all(others.map(async ({ metadata: { name } }) => kubelet.end(name)));
  }
  await kubelet.end(primary.metadata.name, { exitCode });
  return ended;
}

/** A search that goes well: what is printed last is what trials have reached, and the least of it is the best. */
async function findsTheBest(name: string, count: number, said = (trial: string) => `I am ${trial} ${trial}`): Promise<void> {
  for (const trial of await trials(name, 2)) {
    const ended = await runTrial(trial, count);
    expect(Object.entries(ended).filter(([, { code }]) => code !== 0)).toEqual([]);
    expect(ended[COLLECTOR].output).toContain(said(trial));
  }
  await eventually(`${name} to succeed`, async () => isTrue(await experiment(name), 'Succeeded'));
  const values = (await trialsOf(name)).map((trial) => ({
    lr: Number(trial.spec.parameterAssignments[0].value), latest: Number(trial.status!.observation.metrics[0].latest), done: isTrue(trial, 'Succeeded'),
  }));
  expect(values).toEqual(values.map(({ lr }) => ({ lr, latest: lr, done: true })));
  const best = (await experiment(name)).status!.currentOptimalTrial;
  expect(Number(best.parameterAssignments[0].value)).toBe(Math.min(...values.map(({ lr }) => lr)));
}

/** Each with its frameworks; without those whose jobs need objects of their own, which a search refuses. */
const ENGINES: readonly (readonly [string, Engine, readonly FrameworkName[]])[] = [
  ['operator', Engine.operator(), FRAMEWORK_NAMES],
  ['trainer', Engine.trainer(), ['pytorch', 'jax', 'xgboost']],
  ['v1', Engine.trainingOperatorV1(), FRAMEWORK_NAMES.filter((framework) => v1Kind(framework) !== undefined)],
  ['jobset', Engine.jobSet(), FRAMEWORK_NAMES.filter((framework) => !['mpi', 'horovod', 'deepspeed'].includes(framework))],
  ['job', Engine.job(), ['jax', 'plain']],
];

ENGINES.forEach(([title, engine, frameworks]) => {
  const framework = Framework[frameworks.find((name) => name === 'pytorch') ?? 'jax']();
  withKatib(`trials by ${title}: what the first replica prints last counts, and the best is found`, async () => {
    await findsTheBest(`best-${title}`, await start(`best-${title}`, { engine, framework, replicas: 2 }));
  });
  withKatib(`trials by ${title}: a program that fails is a failed trial, and ends a search that allows none`, async () => {
    const count = await start(`fails-${title}`, { engine, framework, replicas: 2, runPolicy: { restartPolicy: RestartPolicy.NEVER }, command: program('1', LINES, 3) }, {}, 1);
    const [trial] = await trials(`fails-${title}`, 1);
    await runTrial(trial, count);
    await eventually('the search to fail', async () => isTrue(await experiment(`fails-${title}`), 'Failed'));
  });
  withKatib(`trials by ${title}: pods of every framework are let in, and one of them has the collector`, async () => {
    for (const name of frameworks) {
      for (const [index, form] of FORMS[name].entries()) {
        const search = `${name}-${index}-${title}`;
        const count = await start(search, { engine, framework: Framework[name](), ...form }, {}, 1);
        await podsOf((await trials(search, 1))[0], count);
      }
    }
  });
});

withKatib('a file of JSON lines is read as well as what is printed', async () => {
  const command = program('os.open("/var/log/katib/metrics.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)', ['\'{"loss": "9"}\'', '\'{"loss": "\' + rate + \'"}\'']);
  const count = await start('json', { replicas: 1, command }, { metrics: KatibMetrics.file({ json: true }) });
  await findsTheBest('json', count, () => '{"loss": "9"}');
});
