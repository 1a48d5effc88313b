import { sparkEngine, type SparkEngineSettings } from '../../../../src/manifests/engines/spark';
import { validateForEngine } from '../../../../src/manifests/engines/validation';
import type { ConfigMap } from '../../../../src/manifests/kubernetes';
import { DRIVER_RULES } from '../../../../src/manifests/spark/driver-access';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { launchedPrograms, someAddresses, variablesOf, wantedVariables, type LaunchedCase } from '../support/launched-programs';

// Tests look deep into rendered objects, and check what they find.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Rendered = any;

const JOB: TrainingJobSpec = { framework: 'pytorch', image: 'image', replicas: 3, command: ['python', 'train.py'], resources: { cpu: '2', memory: '8Gi' } };

function render(over: Partial<TrainingJobSpec> = {}, settings: SparkEngineSettings = {}) {
  const spec = { ...JOB, ...over };
  const engine = sparkEngine(settings);
  expect(validateForEngine(engine, 'net', spec)).toEqual([]);
  const { job, companions } = engine.render({ name: 'net', namespace: 'team', labels: { owner: 'me' }, spec });
  const { driver, executor, ...rest } = job.spec as Rendered;
  return {
    job: job as Rendered, spec: rest as Rendered, driver: driver as Rendered, executor: executor as Rendered, companions: companions as Rendered[],
    pod: executor.template.spec as Rendered,
    plan: JSON.parse((companions.find(({ kind }) => kind === 'ConfigMap') as ConfigMap).data!['plan.json']) as Rendered,
  };
}

describe('a SparkApplication', () => {
  test('is whole', () => {
    const { job, companions } = render();
    // The driver's text is tested by running it.
    const shown = companions.map((object) => (object.kind === 'ConfigMap' ? { ...object, data: { ...object.data, 'driver.py': '...' } } : object));
    expect([job, ...shown]).toMatchSnapshot();
  });

  test('has an executor for each replica, which takes one task', () => {
    const { job, spec, executor } = render();
    expect(job).toMatchObject({
      apiVersion: 'sparkoperator.k8s.io/v1beta2', kind: 'SparkApplication', metadata: { name: 'net', namespace: 'team', labels: { job: 'net' } },
    });
    expect(executor).toMatchObject({ instances: 3, cores: 1, coreRequest: '2', coreLimit: '2' });
    expect(spec.sparkConf).toMatchObject({ 'spark.task.cpus': '1', 'spark.dynamicAllocation.enabled': 'false', 'spark.kubernetes.allocation.batch.size': '3' });
  });

  test('runs a driver of ours, which stands in a ConfigMap beside it', () => {
    const { spec, driver, companions } = render();
    expect(spec).toMatchObject({ type: 'Python', pythonVersion: '3', mode: 'cluster', sparkVersion: '4.0.1', image: 'image', mainApplicationFile: 'local:///etc/trainyard/launch/driver.py' });
    expect(driver).toMatchObject({ cores: 1, coreRequest: '1', coreLimit: '1', memory: '1024m', memoryOverhead: '1024m', serviceAccount: 'net-spark' });
    expect(driver.template.spec).toMatchObject({
      containers: [{ name: 'spark-kubernetes-driver', volumeMounts: [{ name: 'trainyard-driver', mountPath: '/etc/trainyard/launch', readOnly: true }] }],
      volumes: [{ name: 'trainyard-driver', configMap: { name: 'net-spark' } }],
    });
    expect(companions.map(({ kind, metadata }) => [kind, metadata.name])).toEqual(['ServiceAccount', 'Role', 'RoleBinding', 'ConfigMap'].map((kind) => [kind, 'net-spark']));
  });

  test('has a driver with an account of its own, whose rights executors do not get', () => {
    const { driver, executor, companions, pod } = render();
    const [account, role, binding] = companions;
    expect(account).toMatchObject({ kind: 'ServiceAccount', metadata: { name: 'net-spark', namespace: 'team', labels: { job: 'net', owner: 'me' } } });
    expect(role.rules).toEqual(DRIVER_RULES);
    expect(binding).toMatchObject({
      roleRef: { kind: 'Role', name: role.metadata.name }, subjects: [{ kind: 'ServiceAccount', name: account.metadata.name, namespace: 'team' }],
    });
    expect(driver).toMatchObject({ serviceAccount: 'net-spark', template: { spec: { automountServiceAccountToken: true } } });
    // Spark gives executors the driver's account unless a setting says otherwise.
    expect(executor.serviceAccount).toBe('default');
    expect(pod.automountServiceAccountToken).toBe(false);
  });

  test('runs its executors as the job\'s account, and its driver as one that is named', () => {
    const { driver, executor, companions } = render({ template: { spec: { serviceAccountName: 'trainer' } } }, { driver: { serviceAccountName: 'spark' } });
    expect([driver.serviceAccount, executor.serviceAccount]).toEqual(['spark', 'trainer']);
    expect(companions.map(({ kind }) => kind)).toEqual(['ConfigMap']);
  });

  test('has the account of the operator\'s chart without a namespace, which a binding would need', () => {
    const { job, companions } = sparkEngine().render({ name: 'net', spec: JOB });
    expect((job.spec as Rendered).driver.serviceAccount).toBe('spark-operator-spark');
    expect(companions.map(({ kind }) => kind)).toEqual(['ConfigMap']);
  });

  test('splits the memory of a replica into a small heap and the rest, which is the program\'s', () => {
    expect(render().executor).toMatchObject({ memory: '512m', memoryOverhead: `${8 * 1024 - 512}m` });
    expect(render({ resources: { memory: '2G' } }).executor).toMatchObject({ memory: '512m', memoryOverhead: `${1907 - 512}m` });
  });

  test('asks for devices and disk in its executors\' template, and leaves image, cpu and memory to Spark', () => {
    const { pod } = render({ resources: { cpu: '8', memory: '64Gi', gpu: 4, ephemeralStorage: '10Gi', sharedMemory: '8Gi' } });
    const [container] = pod.containers;
    expect(container.name).toBe('spark-kubernetes-executor');
    expect(container.image).toBeUndefined();
    expect(container.command).toBeUndefined();
    expect(container.resources).toEqual({ requests: { 'ephemeral-storage': '10Gi' }, limits: { 'ephemeral-storage': '10Gi', 'nvidia.com/gpu': '4' } });
    expect(container.volumeMounts).toContainEqual({ name: 'trainyard-shared-memory', mountPath: '/dev/shm' });
    expect(pod.tolerations).toEqual([{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
    expect(render().pod.containers[0].resources).toBeUndefined();
  });

  test('runs other programs in roles that are otherwise alike', () => {
    const roles = [{ name: 'actor', replicas: 2, command: ['act'] }, { name: 'learner', command: ['learn'], restartPolicy: 'OnFailure' as const }];
    const { plan, executor } = render({ framework: 'plain', replicas: undefined, roles });
    expect(executor.instances).toBe(3);
    const told = plan.groups.map(({ name, replicas, first, command, restartPolicy }: Rendered) => [name, replicas, first, command, restartPolicy]);
    expect(told).toEqual([
      ['actor', 2, 0, ['act'], 'Never'], ['learner', 1, 2, ['learn'], 'OnFailure'],
    ]);
  });

  test.each<[string, Partial<TrainingJobSpec>]>([
    ['PyTorch', {}], ['TensorFlow', { framework: 'tensorflow', replicas: undefined, roles: [{ name: 'chief' }, { name: 'worker', replicas: 2 }, { name: 'ps', replicas: 2 }] }],
    ['XGBoost', { framework: 'xgboost' }], ['PaddlePaddle', { framework: 'paddle' }],
  ])('gives every program of %s what the operator would, from one template', async (_title, over) => {
    const { pod, plan } = render(over);
    const job = resolveTrainingJob('net', { ...JOB, ...over });
    const addresses = someAddresses(job);
    const cases: LaunchedCase[] = [];
    const wanted: object[] = [];
    for (const replica of job.replicas) {
      cases.push({ plan, ordinal: replica.ordinal, attempt: 0, addresses, base: await variablesOf(pod, pod.containers[0].env) });
      wanted.push(await wantedVariables(job, replica, addresses, pod));
    }
    expect(launchedPrograms(cases).map(({ env: { TRAINYARD_LAUNCH_STATE: _state, TRAINYARD_LAUNCH_LOG: _log, ...env } }) => env)).toEqual(wanted);
  });

  test('leaves restarts to the driver, and only lost drivers to the operator', () => {
    const { spec, driver, plan } = render({ runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 2, activeDeadlineSeconds: 3600, ttlSecondsAfterFinished: 60 } }, { applicationRetries: 2 });
    expect(spec).toMatchObject({ restartPolicy: { type: 'OnFailure', onFailureRetries: 2, onFailureRetryInterval: 10 }, timeToLiveSeconds: 60 });
    expect(spec.sparkConf).toMatchObject({ 'spark.task.maxFailures': '1000000', 'spark.executor.maxNumFailures': '1000000' });
    expect(driver.template.spec.activeDeadlineSeconds).toBe(3600);
    expect(plan).toMatchObject({ scope: 'gang', backoffLimit: 2 });
    expect(render().spec.restartPolicy).toEqual({ type: 'Never' });
  });

  test('is queued where Kueue knows it, and suspended where it is in no queue', () => {
    const { job, spec } = render({ scheduling: { queueName: 'research' } }, { kueue: true });
    expect(job.metadata.labels).toMatchObject({ 'kueue.x-k8s.io/queue-name': 'research' });
    expect(spec.suspend).toBeUndefined();
    expect(render({ suspend: true }).spec.suspend).toBe(true);
  });

  test.each([['Volcano', 'volcano'], ['YuniKorn', 'yunikorn'], ['Coscheduling', 'kube-scheduler']] as const)('is a gang of %s', (scheduler, batchScheduler) => {
    const { spec, driver, executor } = render({ scheduling: { gang: { scheduler } } });
    expect(spec).toMatchObject({ batchScheduler });
    // The operator's webhook, which would name the scheduler, passes over pods with templates.
    expect([driver, executor].map(({ template }) => template.spec.schedulerName)).toEqual([batchScheduler, batchScheduler]);
    expect(render({ scheduling: { gang: { scheduler: 'Volcano', queue: 'gpu' }, priorityClassName: 'high' } }).spec.batchSchedulerOptions)
      .toEqual({ queue: 'gpu', priorityClassName: 'high' });
  });

  test('secures the driver like the replicas, and gives it none of their nodes', () => {
    const { driver, pod } = render({
      security: { restricted: true, runAsUser: 185 },
      template: { spec: { imagePullSecrets: [{ name: 'registry' }], containers: [{ name: 'training', imagePullPolicy: 'Always' }] } },
      scheduling: { tolerations: [{ key: 'spot', operator: 'Exists' }], nodeSelector: { pool: 'gpu' }, topology: { key: 'rack' } },
    }, { driver: { nodeSelector: { pool: 'stable' }, cpu: '2', memory: '4Gi', serviceAccountName: 'spark' } });
    for (const spec of [driver.template.spec, pod]) {
      expect(spec).toMatchObject({
        imagePullSecrets: [{ name: 'registry' }], tolerations: [{ key: 'spot', operator: 'Exists' }],
        securityContext: { runAsNonRoot: true, runAsUser: 185, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [{ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
      });
    }
    expect(driver).toMatchObject({ coreRequest: '2', memory: '2048m', memoryOverhead: '2048m', serviceAccount: 'spark', template: { metadata: { labels: { owner: 'me', job: 'net' } } } });
    expect([driver.template.spec.nodeSelector, pod.nodeSelector]).toEqual([{ pool: 'stable' }, { pool: 'gpu' }]);
    expect(driver.template.spec.affinity).toBeUndefined();
    expect(pod.affinity.podAffinity).toBeDefined();
  });

  test('says what each replica will see, with names in the place of addresses', () => {
    const environments = sparkEngine().environments({ name: 'net', spec: JOB });
    expect(environments.map(({ role, index, pod }) => [role, index, pod])).toEqual([
      ['master', 0, 'net-*-exec-*'], ['worker', 0, 'net-*-exec-*'], ['worker', 1, 'net-*-exec-*'],
    ]);
    expect(Object.fromEntries(environments[2].env.map(({ name, value }) => [name, value])))
      .toMatchObject({ ROLE: 'worker', RANK: '2', TRAINYARD_REPLICA_INDEX: '1', MASTER_ADDR: '<master-0>', TRAINYARD_ATTEMPT: '0' });
  });
});
