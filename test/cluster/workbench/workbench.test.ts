/** Workspaces, notebooks, PodDefaults and TensorBoards, shown to an API server that has the upstream definitions. Nothing is kept. */
import { App, Chart, Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { apiRequest, ControlPlane } from '../../../src/local/control-plane';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { Accelerator, Engine, Framework, Gpu, TrainingJob, type TrainingJobProps } from '../../../src';
import { Notebook, NotebookServer, PodDefault, TensorBoard, TensorBoardLogs, Workspace, WorkspaceServer } from '../../../src/constructs/workbench';
import { AllDefinitions } from '../support/all-definitions';
import type { TestObject } from '../support/cluster';
import { installDefinition } from '../support/crds';

let plane: ControlPlane;
let definitions: AllDefinitions;
beforeAll(async () => {
  plane = await ControlPlane.start();
  definitions = new AllDefinitions(plane.access());
  await installDefinition(plane.access(), constructTrainingJobCrd() as unknown as TestObject);
});
afterAll(async () => plane?.stop());

async function objections(object: TestObject): Promise<string[]> {
  const file = await definitions.pathOf(object);
  if (file === undefined) {
    return [`no definition here knows ${object.apiVersion} ${object.kind}`];
  }
  const { status, body, warnings } = await apiRequest<TestObject>(plane.access(), 'PATCH', `${file}?fieldValidation=Strict&fieldManager=test&force=true&dryRun=All`,
    { body: object, contentType: 'application/apply-patch+yaml' });
  return [...(status < 300 ? [] : [String(body.message)]), ...warnings].map((text) => `${object.kind}: ${text}`);
}

const JOB: TrainingJobProps = { metadata: { name: 'vision' }, framework: Framework.pytorch(), image: 'train:1', command: ['python', 'train.py'], replicas: 4, resources: { gpu: Gpu.nvidia(8) }, scheduling: { queueName: 'team' } };

const secret = (chart: Chart) => kplus.Secret.fromSecretName(chart, 'Secret', 'keys');

const PROGRAMS: readonly (readonly [string, (chart: Chart) => void])[] = [
  ['a workspace with an editor', (chart) => Workspace.of(new TrainingJob(chart, 'Train', JOB))],
  ['a workspace with SSH on JobSet', (chart) => Workspace.of(new TrainingJob(chart, 'Train', { ...JOB, engine: Engine.jobSet() }), {
    jobName: 'box', server: WorkspaceServer.ssh({ authorizedKeys: secret(chart) }), idleTimeout: Duration.minutes(30), maxDuration: Duration.hours(8),
    volumeMounts: [{ path: '/home/me', volume: kplus.Volume.fromEmptyDir(chart, 'Home', 'home') }],
  })],
  ['a workspace with JupyterLab in a plain Job', (chart) => Workspace.of(new TrainingJob(chart, 'Train', { ...JOB, engine: Engine.job() }), {
    jobName: 'box', server: WorkspaceServer.jupyterLab({ password: { secret: secret(chart), key: 'token' } }), accelerator: Accelerator.NVIDIA_L4.count(1),
  })],
  ['the least of a notebook', (chart) => new Notebook(chart, 'Lab', { server: NotebookServer.jupyter('jupyter:1') })],
  ['a notebook with everything', (chart) => {
    const hub = new PodDefault(chart, 'Hub', {
      metadata: { name: 'hub' }, description: 'The hub', env: { A: kplus.EnvValue.fromValue('1') }, envFrom: [kplus.Env.fromSecret(secret(chart))],
      volumeMounts: [{ path: '/data', volume: kplus.Volume.fromEmptyDir(chart, 'Data', 'data') }], tolerations: [{ key: 'spot' }], podLabels: { a: 'b' }, podAnnotations: { c: 'd' },
      imagePullSecrets: [kplus.Secret.fromSecretName(chart, 'Pull', 'pull')], serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'editor'),
      automountServiceAccountToken: true, command: ['x'], args: ['y'],
    });
    new Notebook(chart, 'Lab', {
      server: NotebookServer.rStudio('rstudio:1'), port: 8787, command: ['start'], args: ['--now'], workingDir: '/home/me', env: { B: kplus.EnvValue.fromValue('2') },
      resources: { memory: Size.gibibytes(8), sharedMemory: Size.gibibytes(1) }, accelerator: Accelerator.NVIDIA_L4.count(1),
      volumeMounts: [{ path: '/home/me', volume: kplus.Volume.fromEmptyDir(chart, 'Home', 'home') }], queueName: 'team', podDefaults: [hub], stopped: true,
      podSpec: { priorityClassName: 'high', containers: [{ name: 'proxy', image: 'proxy:1' }] },
    });
  }],
  ['a TensorBoard', (chart) => new TensorBoard(chart, 'Board', { logs: TensorBoardLogs.uri('gs://runs/vision') })],
];

describe('the API server accepts, strictly and without a warning,', () => {
  test.each(PROGRAMS)('%s', async (_title, program) => {
    const chart = new Chart(new App(), 'workbench', { namespace: 'default' });
    program(chart);
    const found: string[] = [];
    for (const object of Testing.synth(chart) as TestObject[]) {
      found.push(...await objections(object));
    }
    expect(found).toEqual([]);
  });
});
