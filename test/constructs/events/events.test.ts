import { Chart, Duration, Size, Testing, type App } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Engine, Framework, type TrainingJobProps } from '../../../src';
import {
  CronTraining, DeadLetters, EventDrivenTraining, EventSource, KafkaSasl, TrainingConcurrency, type CronTrainingProps, type EventDrivenTrainingProps,
} from '../../../src/constructs/events';
import { DRIVER_RULES } from '../../../src/manifests/spark/driver-access';
import { HUGGING_FACE_TOKEN } from '../../model/secrets/sample-tokens';
import { errorsOf } from '../../support/synth-errors';

const JOB: TrainingJobProps = { framework: Framework.pytorch(), image: 'train:1', command: ['torchrun', 'train.py'], replicas: 2 };
const PUBSUB = EventSource.pubSub('projects/my-project/subscriptions/datasets');
const EVENT = { name: 'TRAINYARD_EVENT', value: 'TRAINYARD-EVENT' };

function newChart() {
  return new Chart(Testing.app(), 'events', { namespace: 'ml' });
}

// Manifests are looked into freely here.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Found = any;

function synthesized(program: (chart: Chart) => void) {
  const chart = newChart();
  program(chart);
  const objects = Testing.synth(chart) as Found[];
  const one = (kind: string) => objects.find((object) => object.kind === kind);
  return { objects, one, launch: JSON.parse(one('ConfigMap').data['launch.json']) as Found };
}

const byEvents = (props: Partial<EventDrivenTrainingProps> = {}) => synthesized((chart) => (
  new EventDrivenTraining(chart, 'OnDataset', { metadata: { name: 'on-dataset' }, job: JOB, source: PUBSUB, ...props })));
const byTime = (props: Partial<CronTrainingProps> = {}) => synthesized((chart) => (
  new CronTraining(chart, 'Nightly', { metadata: { name: 'nightly' }, job: JOB, schedule: '0 3 * * *', ...props })));

describe('an EventDrivenTraining of a queue', () => {
  test('is a ScaledJob whose pod has a template of the job, and may create such jobs', () => {
    const { objects, one, launch } = byEvents();
    expect(objects.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'ConfigMap', 'Role', 'RoleBinding', 'TriggerAuthentication', 'ScaledJob']);
    expect(launch).toEqual({
      name: 'on-dataset',
      jobs: '/apis/ml.collabnix.io/v1alpha1/namespaces/ml/mltrainingjobs',
      source: { kind: 'pubsub', subscription: 'projects/my-project/subscriptions/datasets' },
      job: {
        apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob',
        metadata: { name: 'on-dataset-trainyard0id', namespace: 'ml', labels: { 'ml.collabnix.io/launcher': 'on-dataset' } },
        spec: { framework: 'pytorch', image: 'train:1', command: ['torchrun', 'train.py'], replicas: 2, env: [EVENT] },
      },
      companions: [],
    });
    expect(one('Role').rules).toEqual([{ apiGroups: ['ml.collabnix.io'], resources: ['mltrainingjobs'], verbs: ['create'] }]);
    expect(one('RoleBinding')).toMatchObject({ roleRef: { name: one('Role').metadata.name }, subjects: [{ kind: 'ServiceAccount', name: one('ServiceAccount').metadata.name, namespace: 'ml' }] });
    expect(one('TriggerAuthentication').spec).toEqual({ podIdentity: { provider: 'gcp' } });
    expect(one('ScaledJob').spec).toMatchObject({
      maxReplicaCount: 1,
      triggers: [{
        type: 'gcp-pubsub', metadata: { subscriptionName: 'projects/my-project/subscriptions/datasets', mode: 'SubscriptionSize', value: '1' },
        authenticationRef: { name: one('TriggerAuthentication').metadata.name },
      }],
      jobTargetRef: { template: { spec: {
        serviceAccountName: one('ServiceAccount').metadata.name, restartPolicy: 'Never',
        volumes: [{ name: 'launcher', configMap: { name: one('ConfigMap').metadata.name } }],
      } } },
    });
    expect(Object.keys(one('ConfigMap').data)).toEqual(['launch.json', 'launcher.py', 'main.py']);
  });

  test('may list jobs when it has to count them', () => {
    const { one, launch } = byEvents({ maxRunningJobs: 3, pollingInterval: Duration.seconds(10) });
    expect(launch.maxRunning).toBe(3);
    expect(one('Role').rules).toEqual([{ apiGroups: ['ml.collabnix.io'], resources: ['mltrainingjobs'], verbs: ['create', 'list'] }]);
    expect(one('ScaledJob').spec.pollingInterval).toBe(10);
  });

  test('of SQS is counted without what is in flight', () => {
    const { one } = byEvents({ source: EventSource.sqs('https://sqs.eu-central-1.amazonaws.com/123456789012/datasets', 'eu-central-1') });
    expect(one('ScaledJob').spec.triggers[0]).toMatchObject({
      type: 'aws-sqs-queue', metadata: { queueURL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/datasets', awsRegion: 'eu-central-1', queueLength: '1', scaleOnInFlight: 'false' },
    });
    expect(one('TriggerAuthentication').spec).toEqual({ podIdentity: { provider: 'aws' } });
    expect(one('ConfigMap').data['main.py']).toContain('AmazonSQS');
  });

  test('of Kafka reads the same Secret as KEDA', () => {
    const chart = newChart();
    const options = { bootstrapServers: 'kafka:9093', topic: 'datasets', consumerGroup: 'training' };
    const { one, launch } = byEvents({
      launcherImage: 'launcher:1',
      source: EventSource.kafka({ ...options, sasl: KafkaSasl.SCRAM_SHA_512, tls: true, ownAuthority: true, secret: kplus.Secret.fromSecretName(chart, 'Secret', 'kafka') }),
    });
    expect(one('TriggerAuthentication').spec.secretTargetRef).toEqual(['username', 'password', 'ca'].map((key) => ({ parameter: key, name: 'kafka', key })));
    const [{ image, env }] = one('ScaledJob').spec.jobTargetRef.template.spec.containers;
    expect(image).toBe('launcher:1');
    expect(env.map(({ name }: { name: string }) => name)).toEqual(['KAFKA_USERNAME', 'KAFKA_PASSWORD', 'KAFKA_CA']);
    expect(launch.source).toMatchObject({ sasl: 'scram_sha512', tls: true });
    // Nothing to say about who it is.
    expect(byEvents({ launcherImage: 'launcher:1', source: EventSource.kafka(options) }).one('TriggerAuthentication')).toBeUndefined();
    expect(byEvents({ launcherImage: 'launcher:1', source: EventSource.kafka(options) }).one('ScaledJob').spec.triggers).toEqual([{
      type: 'kafka', metadata: { bootstrapServers: 'kafka:9093', topic: 'datasets', consumerGroup: 'training', lagThreshold: '1', offsetResetPolicy: 'earliest' },
    }]);
  });
});

test('KEDA hears of SASL and TLS where its definitions want them', () => {
  const chart = newChart();
  const secret = kplus.Secret.fromSecretName(chart, 'Secret', 'kafka');
  const { one } = byEvents({ launcherImage: 'launcher:1', source: EventSource.kafka({ bootstrapServers: 'kafka:9093', topic: 'datasets', consumerGroup: 'training', sasl: KafkaSasl.PLAIN, tls: true, secret }) });
  expect(one('ScaledJob').spec.triggers[0].metadata).toMatchObject({ sasl: 'plaintext', tls: 'enable' });
});

describe('an EventDrivenTraining of a broker', () => {
  test('is a Trigger that sends events to a server', () => {
    const { objects, one, launch } = byEvents({
      source: EventSource.knativeBroker('default', { attributes: { type: 'dataset.ready' }, cesql: 'subject LIKE \'a%\'', retries: 5, backoff: Duration.seconds(30), deadLetters: DeadLetters.object('v1', 'Service', 'failed') }),
    });
    expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['ServiceAccount', 'ConfigMap', 'Role', 'RoleBinding', 'Deployment', 'Service', 'Trigger']));
    expect(one('Trigger')).toMatchObject({
      apiVersion: 'eventing.knative.dev/v1',
      metadata: { name: 'on-dataset' },
      spec: {
        broker: 'default', filters: [{ exact: { type: 'dataset.ready' } }, { cesql: 'subject LIKE \'a%\'' }],
        subscriber: { ref: { apiVersion: 'v1', kind: 'Service', name: one('Service').metadata.name } },
        delivery: { retry: 5, backoffPolicy: 'exponential', backoffDelay: 'PT30S', deadLetterSink: { ref: { apiVersion: 'v1', kind: 'Service', name: 'failed' } } },
      },
    });
    expect(one('Deployment').spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' }, selector: { matchLabels: one('Service').spec.selector } });
    expect(launch.source).toBeUndefined();
  });

  test('starts its server anew when the job changes', () => {
    const source = EventSource.knativeBroker('default', { deadLetters: DeadLetters.uri('http://failed') });
    const mark = (job: TrainingJobProps) => byEvents({ source, job }).one('Deployment').spec.template.metadata.annotations['ml.collabnix.io/launcher-files'];
    expect(mark(JOB)).toBe(mark(JOB));
    expect(mark(JOB)).not.toBe(mark({ ...JOB, image: 'train:2' }));
  });
});

describe('a CronTraining', () => {
  test('is a CronJob whose pod creates the job, and keeps the job\'s own concurrency', () => {
    const { objects, one, launch } = byTime();
    expect(objects.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'ConfigMap', 'Role', 'RoleBinding', 'CronJob']);
    expect(launch.schedule).toEqual({ concurrency: 'Forbid', prunes: false });
    expect(launch.job.spec.env).toBeUndefined();
    expect(one('Role').rules).toEqual([{ apiGroups: ['ml.collabnix.io'], resources: ['mltrainingjobs'], verbs: ['create', 'list'] }]);
    expect(one('CronJob').spec).toMatchObject({
      schedule: '0 3 * * *', concurrencyPolicy: 'Forbid',
      jobTemplate: { spec: { template: { spec: { containers: [{ env: [{ name: 'JOB_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.labels[\'batch.kubernetes.io/job-name\']' } } }] }] } } } },
    });
  });

  test('is as its options say', () => {
    const { one, launch } = byTime({
      timeZone: 'Europe/Berlin', concurrency: TrainingConcurrency.REPLACE, startingDeadline: Duration.minutes(10), successfulJobs: 3, failedJobs: 5, suspendSchedule: true,
    });
    expect(one('CronJob').spec).toMatchObject({ timeZone: 'Europe/Berlin', startingDeadlineSeconds: 600, suspend: true });
    expect(launch.schedule).toEqual({ concurrency: 'Replace', successful: 3, failed: 5, prunes: true });
    expect(one('Role').rules[0].verbs).toEqual(['create', 'list', 'delete']);
    expect(byTime({ concurrency: TrainingConcurrency.ALLOW }).one('Role').rules[0].verbs).toEqual(['create']);
  });
});

describe('what starts jobs', () => {
  test('has a launcher as its options say', () => {
    const chart = newChart();
    const { one } = byTime({
      launcherImage: 'python:mine', launcherImagePullSecrets: [kplus.Secret.fromSecretName(chart, 'Secret', 'registry')], launcherNodeSelector: { pool: 'cpu' },
      launcherTolerations: [{ key: 'spot' }], launcherServiceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'launcher'),
    });
    expect(one('CronJob').spec.jobTemplate.spec.template.spec).toMatchObject({
      serviceAccountName: 'launcher', imagePullSecrets: [{ name: 'registry' }], nodeSelector: { pool: 'cpu' }, tolerations: [{ key: 'spot' }], containers: [{ image: 'python:mine' }],
    });
    expect(one('RoleBinding').subjects).toEqual([{ kind: 'ServiceAccount', name: 'launcher', namespace: 'ml' }]);
    expect(one('ServiceAccount')).toBeUndefined();
  });

  test.each([
    ['JobSet', Engine.jobSet(), 'jobset.x-k8s.io', 'jobsets', []],
    ['Trainer, with the runtime of each job', Engine.trainer(), 'trainer.kubeflow.org', 'trainjobs', [{ apiGroups: ['trainer.kubeflow.org'], resources: ['trainingruntimes'], verbs: ['create', 'patch'] }]],
    ['Spark, with the driver of each job', Engine.spark(), 'sparkoperator.k8s.io', 'sparkapplications', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }]],
  ] as const)('starts jobs of %s', (_what, engine, group, plural, beside) => {
    const { objects, launch } = byEvents({ job: { ...JOB, engine, resources: { memory: Size.gibibytes(4) } } });
    const [first, ...others] = objects.filter(({ kind }) => kind === 'Role').at(-1).rules;
    expect(first).toEqual({ apiGroups: [group], resources: [plural], verbs: beside.length > 0 ? ['create', 'get'] : ['create'] });
    expect(others).toEqual(beside);
    expect(launch.jobs).toContain(`/${group}/`);
    expect(JSON.stringify(launch.job)).toContain('TRAINYARD-EVENT');
  });

  test('starts jobs on Spark that share the account of their drivers', () => {
    const { objects, launch } = byEvents({ job: { ...JOB, engine: Engine.spark(), resources: { memory: Size.gibibytes(4) } } });
    const { serviceAccount } = launch.job.spec.driver;
    const binding = objects.find(({ kind, subjects }) => kind === 'RoleBinding' && subjects[0].name === serviceAccount);
    expect(objects.find(({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === serviceAccount)).toBeDefined();
    expect(objects.find(({ kind, metadata }) => kind === 'Role' && metadata.name === binding.roleRef.name).rules).toEqual(DRIVER_RULES);
  });

  test('has labels and annotations of the job, and takes variables and volumes later', () => {
    const { launch } = synthesized((chart) => {
      const training = new EventDrivenTraining(chart, 'OnDataset', { source: PUBSUB, job: { ...JOB, metadata: { labels: { team: 'a' }, annotations: { note: 'x' } } } });
      training.addEnv('A', kplus.EnvValue.fromValue('1'));
      training.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'Data', 'data'));
      const nightly = new CronTraining(chart, 'Nightly', { schedule: '@daily', job: JOB });
      nightly.addEnv('B', kplus.EnvValue.fromValue('2'));
      nightly.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'Other', 'other'));
    });
    expect(launch.job.metadata).toMatchObject({ labels: { team: 'a' }, annotations: { note: 'x' } });
    expect(launch.job.spec.env).toEqual([{ name: 'A', value: '1' }, EVENT]);
    expect(launch.job.spec.template.spec.volumes).toEqual([{ name: 'data', emptyDir: {} }]);
  });

  test('gives jobs the labels of the chart', () => {
    const chart = new Chart(Testing.app(), 'events', { namespace: 'ml', labels: { cost: 'research' } });
    new CronTraining(chart, 'Nightly', { schedule: '@daily', job: JOB });
    const files = (Testing.synth(chart) as Found[]).find(({ kind }) => kind === 'ConfigMap');
    expect(JSON.parse(files.data['launch.json']).job.metadata.labels).toMatchObject({ cost: 'research' });
  });

  test('has generated names with room for those of pods', () => {
    const chart = new Chart(Testing.app(), 'x'.repeat(60), { namespace: 'ml' });
    new EventDrivenTraining(chart, 'OnDataset', { source: PUBSUB, job: JOB });
    new CronTraining(chart, 'Nightly', { schedule: '@daily', job: JOB });
    expect(() => Testing.synth(chart)).not.toThrow();
  });
});

describe('synth tells what is wrong', () => {
  function told(program: (chart: Chart) => void, chart = newChart()) {
    program(chart);
    return errorsOf(chart.node.root as never);
  }

  test('with the source and the schedule, before the job', () => {
    const job = { ...JOB, replicas: -1 };
    expect(told((chart) => {
      new EventDrivenTraining(chart, 'OnDataset', { metadata: { name: 'on-dataset' }, source: EventSource.pubSub('datasets'), job });
      new CronTraining(chart, 'Nightly', { metadata: { name: 'nightly' }, schedule: 'nightly', job });
    })).toEqual([
      '[events/OnDataset] EventDrivenTraining \'on-dataset\': source.subscription: "datasets": must be projects/PROJECT/subscriptions/NAME.',
      expect.stringMatching(/CronTraining 'nightly': schedule: "nightly": must have five fields/),
    ]);
  });

  test('with the job', () => {
    expect(told((chart) => new CronTraining(chart, 'Nightly', { metadata: { name: 'nightly' }, schedule: '@daily', job: { ...JOB, replicas: -1 } }))).toEqual([
      expect.stringMatching(/CronTraining 'nightly': job: spec\.replicas: -1: /),
    ]);
  });

  test('with a variable that is the event\'s', () => {
    expect(told((chart) => new EventDrivenTraining(chart, 'OnDataset', {
      metadata: { name: 'on-dataset' }, source: PUBSUB, job: { ...JOB, env: { TRAINYARD_EVENT: kplus.EnvValue.fromValue('mine') } },
    }))).toEqual([expect.stringMatching(/EventDrivenTraining 'on-dataset': job\.env\.TRAINYARD_EVENT: "mine": is the variable with the event/)]);
  });

  test('without a namespace', () => {
    expect(told((chart) => new CronTraining(chart, 'Nightly', { metadata: { name: 'nightly' }, schedule: '@daily', job: JOB }), Testing.chart())).toEqual([
      expect.stringMatching(/CronTraining 'nightly': metadata\.namespace: is required/),
    ]);
  });

  test('at once, where the job has a name of its own or an autoscaler', () => {
    const chart = newChart();
    expect(() => new CronTraining(chart, 'A', { schedule: '@daily', job: { ...JOB, metadata: { name: 'mine' } } }))
      .toThrow('CronTraining at \'events/A\': sets \'job.metadata.name\', but jobs are named after the object that starts them and are in its namespace. Set it in the metadata of the construct itself.');
    expect(() => new EventDrivenTraining(chart, 'B', { source: PUBSUB, job: { ...JOB, metadata: { namespace: 'other' } } })).toThrow(/sets 'job\.metadata\.namespace'/);
    const metrics = [kplus.Metric.resourceCpu(kplus.MetricTarget.averageUtilization(80))];
    expect(() => new CronTraining(chart, 'C', { schedule: '@daily', job: { ...JOB, elastic: { minReplicas: 1, maxReplicas: 4, metrics } } }))
      .toThrow('CronTraining at \'events/C\': sets \'job.elastic.metrics\', which create an autoscaler for one job, but many are started. Remove the metrics.');
  });
});

test('all kinds are as they were', () => {
  const chart = newChart();
  new EventDrivenTraining(chart, 'OnDataset', { metadata: { name: 'on-dataset' }, source: EventSource.knativeBroker('default'), job: JOB, maxRunningJobs: 2 });
  new EventDrivenTraining(chart, 'OnMessage', { metadata: { name: 'on-message' }, source: PUBSUB, job: JOB, maxRunningJobs: 2 });
  new CronTraining(chart, 'Nightly', { metadata: { name: 'nightly' }, schedule: '0 3 * * *', job: JOB });
  // The programs are told of by their own tests.
  const objects = (Testing.synth(chart) as Found[]).map((object) => (object.kind === 'ConfigMap' ? { ...object, data: Object.keys(object.data) } : object));
  const written = JSON.stringify(objects, (key, value: unknown) => (key === 'ml.collabnix.io/launcher-files' ? 'DIGEST' : value));
  expect(JSON.parse(written)).toMatchSnapshot();
});

describe('a token that is written out is refused', () => {
  const job = { ...JOB, env: { HF_TOKEN: kplus.EnvValue.fromValue(HUGGING_FACE_TOKEN) } };
  const annotations = { note: HUGGING_FACE_TOKEN };

  test.each<[string, (chart: Chart) => EventDrivenTraining | CronTraining, string]>([
    ['of an EventDrivenTraining', (chart) => new EventDrivenTraining(chart, 'A', { metadata: { name: 'a' }, job, source: PUBSUB }), 'EventDrivenTraining \'a\': job: spec.env[\'HF_TOKEN\']'],
    ['of a CronTraining', (chart) => new CronTraining(chart, 'A', { metadata: { name: 'a' }, job, schedule: '@daily' }), 'CronTraining \'a\': job: spec.env[\'HF_TOKEN\']'],
  ])('in the job %s', (_whose, make, where) => {
    const chart = newChart();
    make(chart);
    expect(errorsOf(chart.node.root as App)).toEqual([expect.stringContaining(`${where}: "hf_... (37 characters)": looks like a Hugging Face token`)]);
  });

  test.each<[string, (chart: Chart) => EventDrivenTraining | CronTraining]>([
    ['ScaledJob', (chart) => new EventDrivenTraining(chart, 'A', { metadata: { name: 'a', annotations }, job: JOB, source: PUBSUB })],
    ['Trigger', (chart) => new EventDrivenTraining(chart, 'A', { metadata: { name: 'a', annotations }, job: JOB, source: EventSource.knativeBroker('default') })],
    ['CronJob', (chart) => new CronTraining(chart, 'A', { metadata: { name: 'a', annotations }, job: JOB, schedule: '@daily' })],
  ])('in the %s', (kind, make) => {
    const chart = newChart();
    make(chart);
    expect(errorsOf(chart.node.root as App)).toEqual([expect.stringContaining(`${kind} 'a': metadata.annotations.note: "hf_... (37 characters)": looks like a Hugging Face token`)]);
  });

  test('in a variable of the job that comes later', () => {
    const chart = newChart();
    new CronTraining(chart, 'A', { metadata: { name: 'a' }, job: JOB, schedule: '@daily' }).addEnv('HF_TOKEN', kplus.EnvValue.fromValue(HUGGING_FACE_TOKEN));
    expect(errorsOf(chart.node.root as App)).toEqual([expect.stringContaining('CronTraining \'a\': job: spec.env[\'HF_TOKEN\']')]);
  });
});

test.each([[KafkaSasl.PLAIN, 'plaintext'], [KafkaSasl.SCRAM_SHA_256, 'scram_sha256'], [KafkaSasl.SCRAM_SHA_512, 'scram_sha512']])('Kafka is told who the client is by %s', (sasl, written) => {
  const chart = newChart();
  const secret = kplus.Secret.fromSecretName(chart, 'Secret', 'kafka');
  const { one, launch } = byEvents({ launcherImage: 'launcher:1', source: EventSource.kafka({ bootstrapServers: 'kafka:9093', topic: 'datasets', consumerGroup: 'training', sasl, tls: true, secret }) });
  expect(one('ScaledJob').spec.triggers[0].metadata.sasl).toBe(written);
  expect(launch.source.sasl).toBe(written);
});

test.each([[TrainingConcurrency.ALLOW, 'Allow'], [TrainingConcurrency.FORBID, 'Forbid'], [TrainingConcurrency.REPLACE, 'Replace']])('a job that is due while another one runs: %s', (concurrency, written) => {
  expect(byTime({ concurrency }).launch.schedule.concurrency).toBe(written);
});
