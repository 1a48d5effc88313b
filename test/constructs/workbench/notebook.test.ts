import { ApiObject, App, Chart, JsonPatch, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Accelerator, Checkpoint, Framework, Gpu, TrainingJob } from '../../../src';
import {
  Notebook, NotebookServer, PodDefault, TensorBoard, TensorBoardLogs, type NotebookProps, type PodDefaultProps,
} from '../../../src/constructs/workbench';
import { errorsOf } from '../../support/synth-errors';

const JUPYTER = NotebookServer.jupyter('jupyter:1');

function notebookOf(props: Partial<NotebookProps> = {}, chart = Testing.chart()) {
  new Notebook(chart, 'Lab', { server: JUPYTER, metadata: { name: 'lab' }, ...props });
  return Testing.synth(chart).find(({ kind }) => kind === 'Notebook');
}

function problemsOf(program: (chart: Chart) => void): string[] {
  const app = new App();
  program(new Chart(app, 'chart', { namespace: 'ml' }));
  return errorsOf(app).map((line) => line.replace(/^\[[^\]]*\] /, ''));
}

describe('a Notebook', () => {
  test('is a container of its name', () => {
    expect(notebookOf()).toEqual({
      apiVersion: 'kubeflow.org/v1', kind: 'Notebook', metadata: { name: 'lab', annotations: { 'notebooks.kubeflow.org/server-type': 'jupyter' } },
      spec: { template: { spec: { containers: [{ name: 'lab', image: 'jupyter:1', resources: {} }], automountServiceAccountToken: false, securityContext: { seccompProfile: { type: 'RuntimeDefault' } } } } },
    });
  });

  test('with every option', () => {
    const chart = new Chart(Testing.app(), 'chart', { namespace: 'ml' });
    expect(notebookOf({
      server: NotebookServer.rStudio('rstudio:1'), port: 8787, command: ['start'], args: ['--now'], workingDir: '/home/me', env: { A: kplus.EnvValue.fromValue('1') },
      envFrom: [kplus.Env.fromSecret(kplus.Secret.fromSecretName(chart, 'S', 'hub'))], resources: { gpu: Gpu.nvidia(1), memory: Size.gibibytes(8), sharedMemory: Size.gibibytes(1) },
      volumeMounts: [{ path: '/home/me', volume: kplus.Volume.fromPersistentVolumeClaim(chart, 'V', kplus.PersistentVolumeClaim.fromClaimName(chart, 'C', 'home'), { name: 'home' }) }],
      nodeSelector: { pool: 'gpu' }, tolerations: [{ key: 'spot' }], serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'A', 'editor'),
      imagePullSecrets: [kplus.Secret.fromSecretName(chart, 'P', 'pull')], queueName: 'team', stopped: true,
      podDefaults: [new PodDefault(chart, 'Hub', { metadata: { name: 'hub' }, env: { B: kplus.EnvValue.fromValue('2') } })],
      podSpec: { priorityClassName: 'high', containers: [{ name: 'proxy', image: 'proxy:1' }], volumes: [{ name: 'x', emptyDir: {} }], tolerations: [{ key: 'y' }] },
    }, chart)).toMatchSnapshot();
  });

  test('has the limits, the selector and the tolerations of its accelerator', () => {
    const { spec } = notebookOf({ accelerator: Accelerator.NVIDIA_L4.count(1) }).spec.template;
    expect(spec.containers[0].resources.limits).toEqual({ 'nvidia.com/gpu': '1' });
    expect(spec.nodeSelector).toMatchObject({ 'cloud.google.com/gke-accelerator': 'nvidia-l4' });
    expect(spec.tolerations.length).toBeGreaterThan(0);
  });

  test.each([
    [NotebookServer.jupyter('a'), { 'notebooks.kubeflow.org/server-type': 'jupyter' }],
    [NotebookServer.codeServer('a'), { 'notebooks.kubeflow.org/server-type': 'group-one', 'notebooks.kubeflow.org/http-rewrite-uri': '/' }],
    [NotebookServer.rStudio('a'), {
      'notebooks.kubeflow.org/server-type': 'group-two', 'notebooks.kubeflow.org/http-rewrite-uri': '/',
      'notebooks.kubeflow.org/http-headers-request-set': '{"X-RStudio-Root-Path":"/notebook/ml/lab/"}',
    }],
  ])('says what becomes of its path: %o', (server, annotations) => {
    expect(notebookOf({ server }, new Chart(Testing.app(), 'chart', { namespace: 'ml' })).metadata.annotations).toEqual(annotations);
  });

  test('takes variables, volumes and PodDefaults later', () => {
    const chart = Testing.chart();
    const notebook = new Notebook(chart, 'Lab', { server: JUPYTER });
    notebook.addEnv('A', kplus.EnvValue.fromValue('1'));
    notebook.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'D', 'data'));
    notebook.addPodDefault(new PodDefault(chart, 'Hub', { selector: { hub: 'true' }, env: { B: kplus.EnvValue.fromValue('2') } }));
    expect(() => notebook.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'E', 'e'))).toThrow('Notebook at \'test/Lab\': cannot mount volume \'e\' at \'/data\'');
    expect(Object.keys(notebook.env)).toEqual(['A']);
    expect(notebook.podDefaults).toHaveLength(1);
    const object = Testing.synth(chart).find(({ kind }) => kind === 'Notebook');
    expect(object.metadata.labels).toEqual({ hub: 'true' });
    expect(object.spec.template.spec.containers[0]).toMatchObject({ env: [{ name: 'A', value: '1' }], volumeMounts: [{ mountPath: '/data' }] });
    expect(notebook.resourceType).toBe('notebooks');
  });

  test('has a generated name that leaves room, and can be changed by its default child', () => {
    const chart = new Chart(Testing.app(), 'x'.repeat(60));
    const notebook = new Notebook(chart, 'Lab', { server: JUPYTER });
    expect(notebook.name.length).toBeLessThanOrEqual(52);
    ApiObject.of(notebook).addJsonPatch(JsonPatch.add('/spec/template/spec/runtimeClassName', 'nvidia'));
    expect(Testing.synth(chart)[0].spec.template.spec.runtimeClassName).toBe('nvidia');
  });

  test('is refused with what its controller would not take, and with PodDefaults of elsewhere', () => {
    expect(problemsOf((chart) => {
      const other = new PodDefault(chart, 'Hub', { metadata: { name: 'hub', namespace: 'other' }, env: { B: kplus.EnvValue.fromValue('2') } });
      new Notebook(chart, 'Lab', { metadata: { name: 'lab' }, server: JUPYTER, port: 0, podDefaults: [other] });
    })).toEqual([
      'Notebook \'lab\': spec.template.spec.containers[0].ports: 0: must be a whole number from 1 to 65535.',
      'Notebook \'lab\': podDefaults: "hub": is in namespace "other", but the webhook looks in the pod\'s own namespace. Use one namespace for both.',
    ]);
  });

  test('is refused with accelerators twice', () => {
    const [problem] = problemsOf((chart) => {
      new Notebook(chart, 'Lab', { metadata: { name: 'lab' }, server: JUPYTER, resources: { gpu: Gpu.nvidia(1) }, accelerator: Accelerator.NVIDIA_L4.count(1) });
    });
    expect(problem).toContain('Notebook \'lab\': resources.gpu: 1:');
  });
});

describe('a PodDefault', () => {
  function podDefaultOf(props: PodDefaultProps) {
    const chart = Testing.chart();
    new PodDefault(chart, 'Hub', { metadata: { name: 'hub' }, ...props });
    return Testing.synth(chart)[0];
  }

  test('is chosen by its name', () => {
    expect(podDefaultOf({ env: { A: kplus.EnvValue.fromValue('1') } })).toEqual({
      apiVersion: 'kubeflow.org/v1alpha1', kind: 'PodDefault', metadata: { name: 'hub' },
      spec: { desc: 'hub', selector: { matchLabels: { hub: 'true' } }, env: [{ name: 'A', value: '1' }] },
    });
  });

  test('with every option', () => {
    const chart = Testing.chart();
    expect(podDefaultOf({
      description: 'The hub', selector: { team: 'a' }, env: { A: kplus.EnvValue.fromValue('1') }, envFrom: [kplus.Env.fromSecret(kplus.Secret.fromSecretName(chart, 'S', 'hub'))],
      volumeMounts: [{ path: '/data', volume: kplus.Volume.fromEmptyDir(chart, 'V', 'data') }], tolerations: [{ key: 'spot' }], imagePullSecrets: [kplus.Secret.fromSecretName(chart, 'P', 'pull')],
      serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'A', 'editor'), automountServiceAccountToken: true, podLabels: { a: 'b' }, podAnnotations: { c: 'd' }, command: ['x'], args: ['y'],
    })).toMatchSnapshot();
  });

  test('takes variables and volumes later', () => {
    const chart = Testing.chart();
    const podDefault = new PodDefault(chart, 'Hub', {});
    podDefault.addEnv('A', kplus.EnvValue.fromValue('1'));
    podDefault.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'V', 'data'));
    expect(Testing.synth(chart)[0].spec).toMatchObject({ env: [{ name: 'A', value: '1' }], volumes: [{ name: 'data' }], volumeMounts: [{ mountPath: '/data' }] });
  });

  test('is refused when it adds nothing', () => {
    expect(problemsOf((chart) => new PodDefault(chart, 'Hub', { metadata: { name: 'hub' } }))).toEqual(['PodDefault \'hub\': spec: adds nothing to pods. Set a variable, a volume or a toleration.']);
  });
});

describe('a TensorBoard', () => {
  const job = (chart: Chart, checkpoint?: Checkpoint, namespace?: string) => new TrainingJob(chart, 'Train', {
    metadata: { name: 'train', namespace }, framework: Framework.pytorch(), image: 'a', replicas: 1, ...(checkpoint && { checkpoint }),
  });

  test('shows files of a claim or of a bucket', () => {
    const chart = Testing.chart();
    const board = new TensorBoard(chart, 'Board', { metadata: { name: 'board' }, logs: TensorBoardLogs.claim(kplus.PersistentVolumeClaim.fromClaimName(chart, 'C', 'runs'), '/vision') });
    expect(Testing.synth(chart)).toEqual([{ apiVersion: 'tensorboard.kubeflow.org/v1alpha1', kind: 'Tensorboard', metadata: { name: 'board' }, spec: { logspath: 'pvc://runs/vision' } }]);
    expect(board.resourceType).toBe('tensorboards');
    expect(board.logs.location).toBe('pvc://runs/vision');
    expect(TensorBoardLogs.uri('gs://runs/a').location).toBe('gs://runs/a');
  });

  test('shows what a job leaves', () => {
    const chart = Testing.chart();
    expect(TensorBoardLogs.ofJob(job(chart, Checkpoint.at('gs://runs/vision/')), 'logs').location).toBe('gs://runs/vision/logs');
    const claim = kplus.PersistentVolumeClaim.fromClaimName(chart, 'C', 'runs');
    expect(TensorBoardLogs.ofJob(job(new Chart(Testing.app(), 'b'), Checkpoint.onClaim(claim, { folder: 'vision' })), 'logs').location).toBe('pvc://runs/vision/logs');
    expect(() => TensorBoardLogs.ofJob(job(new Chart(Testing.app(), 'c')))).toThrow('TensorBoardLogs.ofJob: TrainingJob \'c/Train\' has no checkpoint');
  });

  test('carries the labels of its PodDefaults, and a generated name that leaves room', () => {
    const chart = new Chart(Testing.app(), 'x'.repeat(60));
    const board = new TensorBoard(chart, 'Board', { logs: TensorBoardLogs.uri('s3://runs'), podDefaults: [new PodDefault(chart, 'Hub', { selector: { aws: 'true' }, serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'A', 'reader') })] });
    expect(board.name.length).toBeLessThanOrEqual(58);
    expect(Testing.synth(chart).find(({ kind }) => kind === 'Tensorboard').metadata.labels).toEqual({ aws: 'true' });
  });

  test('is as it was', () => {
    const chart = new Chart(Testing.app(), 'chart', { namespace: 'ml' });
    const hub = new PodDefault(chart, 'Hub', { metadata: { name: 'hub' }, selector: { aws: 'true' }, serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'A', 'reader') });
    const board = new TensorBoard(chart, 'Board', { metadata: { name: 'board' }, logs: TensorBoardLogs.uri('s3://runs/vision') });
    board.addPodDefault(hub);
    expect(Testing.synth(chart)).toMatchSnapshot();
  });

  test('is refused where its controller would wait for ever', () => {
    expect(problemsOf((chart) => {
      new TensorBoard(chart, 'Board', { metadata: { name: 'board' }, logs: TensorBoardLogs.uri('/logs') });
      const claim = kplus.PersistentVolumeClaim.fromClaimName(chart, 'C', 'runs');
      new TensorBoard(chart, 'Other', { metadata: { name: 'other' }, logs: TensorBoardLogs.ofJob(job(chart, Checkpoint.onClaim(claim), 'elsewhere')) });
    })).toEqual([
      expect.stringContaining('TensorBoard \'board\': spec.logspath: "/logs": the controller reads from'),
      expect.stringContaining('TensorBoard \'other\': metadata.namespace: "ml": the claim \'pvc://runs/train\' is in the namespace of the job, \'elsewhere\''),
    ]);
  });
});
