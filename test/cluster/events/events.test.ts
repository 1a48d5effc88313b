/**
 * Objects of EventDrivenTraining and CronTraining, accepted by the real API server with the upstream definitions; and their programs, run as they
 * stand in the ConfigMap, with the launcher's own account and Role, against the real API server. Pub/Sub and SQS are small servers that keep the
 * REST contracts, Kafka is a module with the interface of kafka-python: none of the three runs here.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Duration, Size, type Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Engine } from '../../../src';
import {
  CronTraining, DeadLetters, EventDrivenTraining, EventSource, KafkaSasl, TrainingConcurrency, type CronTrainingProps, type EventDrivenTrainingProps,
} from '../../../src/constructs/events';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { KEY, isSigned } from './support/aws';
import {
  JOB, bodyOf, collectionOf, end, eventOf, install, jobsOf, listen, objections, run, suite, synthesize, type Launched,
} from './support/launchers';
import { upstreamCrds } from '../../support/upstream-definitions';
import { mustRequest } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { mayNow, untilGranted } from '../support/rights';
import { create, jobsPath } from '../support/submit';

beforeAll(async () => {
  suite.folder = mkdtempSync(path.join(tmpdir(), 'trainyard-events-'));
  suite.namespace = await createNamespace('events');
  await installCrds([constructTrainingJobCrd(), ...upstreamCrds('keda', 'knative-eventing', 'spark-operator')]);
});
afterEach(() => {
  suite.children.splice(0).forEach((child) => child.kill());
  suite.servers.splice(0).forEach((server) => server.close());
});
afterAll(async () => {
  rmSync(suite.folder, { recursive: true });
  await deleteNamespace(suite.namespace);
});

describe('the API server accepts, strictly and without a warning,', () => {
  const byEvents = (chart: Chart, props: Partial<EventDrivenTrainingProps>) => void new EventDrivenTraining(chart, 'On', {
    metadata: { name: 'on' }, job: JOB, source: EventSource.knativeBroker('default'), maxRunningJobs: 2, launcherNodeSelector: { pool: 'cpu' }, launcherTolerations: [{ key: 'spot' }], ...props,
  });
  test.each<readonly [string, (chart: Chart) => void]>([
    ['Pub/Sub', (chart) => byEvents(chart, { source: EventSource.pubSub('projects/my-project/subscriptions/datasets'), pollingInterval: Duration.seconds(10) })],
    ['SQS', (chart) => byEvents(chart, { source: EventSource.sqs('https://sqs.eu-central-1.amazonaws.com/123456789012/datasets', 'eu-central-1') })],
    ['Kafka', (chart) => byEvents(chart, {
      launcherImage: 'launcher:1',
      source: EventSource.kafka({
        bootstrapServers: 'kafka:9093', topic: 'datasets', consumerGroup: 'training', sasl: KafkaSasl.PLAIN, tls: true, ownAuthority: true, secret: kplus.Secret.fromSecretName(chart, 'Secret', 'kafka'),
      }),
    })],
    ['Knative', (chart) => byEvents(chart, {})],
    ['Knative with everything', (chart) => byEvents(chart, {
      source: EventSource.knativeBroker('default', { attributes: { type: 'x' }, cesql: 'true', retries: 3, backoff: Duration.seconds(5), deadLetters: DeadLetters.object('v1', 'Service', 'failed') }),
    })],
    ['a schedule', (chart) => void new CronTraining(chart, 'Nightly', {
      job: JOB, schedule: '0 3 * * *', timeZone: 'Europe/Berlin', concurrency: TrainingConcurrency.REPLACE, startingDeadline: Duration.minutes(5), successfulJobs: 1, failedJobs: 1, suspendSchedule: true,
    })],
  ])('%s', async (_title, program) => {
    expect(await objections(synthesize(program))).toEqual([]);
  });
});

const byEvents = (name: string, props: Partial<EventDrivenTrainingProps>) => install((chart) => void new EventDrivenTraining(chart, name, {
  metadata: { name }, job: JOB, source: EventSource.knativeBroker('default'), ...props,
}));

describe('with messages of Pub/Sub', () => {
  /** The REST interface: pull, modifyAckDeadline and acknowledge of one subscription. */
  async function subscription(messages: { readonly messageId: string; readonly data: string; readonly attributes?: object }[]) {
    const waiting = [...messages];
    const calls: string[] = [];
    const host = await listen(async (request, response) => {
      const [, resource, call] = /^\/v1\/(.+):(\w+)$/.exec(request.url!)!;
      const body = JSON.parse(await bodyOf(request));
      calls.push(`${call}${body.ackIds ? ` ${body.ackIds} ${body.ackDeadlineSeconds ?? ''}`.trimEnd() : ''}`);
      expect(resource).toBe('projects/my-project/subscriptions/datasets');
      const message = call === 'pull' ? waiting.shift() : undefined;
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(message === undefined ? {} : { receivedMessages: [{ ackId: `ack-${message.messageId}`, message }] }));
    });
    return { host, calls, waiting };
  }
  const source = EventSource.pubSub('projects/my-project/subscriptions/datasets');
  const encoded = (text: string) => Buffer.from(text).toString('base64');

  test('each has a job of its own, and is acknowledged when the job is there', async () => {
    const launched = await byEvents('on-pubsub', { source });
    const { host, calls } = await subscription([
      { messageId: '1', data: encoded('{"dataset": "a"}'), attributes: { bucket: 'x' } }, { messageId: '2', data: encoded('"quotes\' and ümlauts') }, { messageId: '1', data: encoded('again') },
    ]);
    const { code, log } = await run(launched, { PUBSUB_EMULATOR_HOST: host });
    expect([code, log]).toEqual([0, [
      expect.stringMatching(/^job on-pubsub-[a-z2-7]{12} is created$/), expect.stringMatching(/ is created$/), expect.stringMatching(/ already exists$/),
    ]]);
    expect(calls).toEqual([
      'pull', 'modifyAckDeadline ack-1 120', 'acknowledge ack-1', 'pull', 'modifyAckDeadline ack-2 120', 'acknowledge ack-2', 'pull', 'modifyAckDeadline ack-1 120', 'acknowledge ack-1', 'pull',
    ]);
    const jobs = await jobsOf('on-pubsub');
    expect(jobs.map(eventOf)).toEqual(expect.arrayContaining([
      expect.objectContaining({ id: '1', source: '//pubsub.googleapis.com/projects/my-project/subscriptions/datasets', data: '{"dataset": "a"}', attributes: { bucket: 'x' } }),
      expect.objectContaining({ id: '2', data: '"quotes\' and ümlauts' }),
    ]));
    expect(jobs).toHaveLength(2);
    expect(jobs[0].metadata.labels).toEqual({ 'team': 'a', 'ml.collabnix.io/launcher': 'on-pubsub' });
  });

  test('they wait while as many jobs run as may', async () => {
    const launched = await byEvents('on-full', { source, maxRunningJobs: 1 });
    const { host, waiting } = await subscription([{ messageId: '1', data: '' }, { messageId: '2', data: '' }]);
    expect(await run(launched, { PUBSUB_EMULATOR_HOST: host })).toEqual({ code: 0, log: [expect.stringContaining('is created'), '1 of 1 jobs run: messages wait'] });
    expect(waiting).toHaveLength(1);
    const [{ metadata: { name } }] = await jobsOf('on-full');
    await end(name, 'Succeeded');
    expect((await run(launched, { PUBSUB_EMULATOR_HOST: host })).log).toEqual([expect.stringContaining('is created'), '1 of 1 jobs run: messages wait']);
    expect(await jobsOf('on-full')).toHaveLength(2);
  });

  test('one of which no job can be made goes back, and the others have theirs', async () => {
    const launched = await byEvents('on-large', { source });
    const { host, calls } = await subscription([{ messageId: '1', data: encoded('x'.repeat(100_000)) }, { messageId: '2', data: '' }]);
    const { code, log } = await run(launched, { PUBSUB_EMULATOR_HOST: host });
    expect([code, log]).toEqual([1, [expect.stringMatching(/^message 1: the event has \d+ bytes, and a container gets at most 92160: put the data into a bucket/), expect.stringContaining('is created')]]);
    expect(calls).toEqual(expect.arrayContaining(['modifyAckDeadline ack-1 600', 'acknowledge ack-2']));
    expect(calls).not.toContain('acknowledge ack-1');
  });

  test('the pod\'s workload identity gives the token', async () => {
    const launched = await byEvents('on-token', { source });
    let asked: unknown;
    const metadata = await listen((request, response) => {
      asked = [request.url, request.headers['metadata-flavor']];
      response.statusCode = 403;
      response.end('no identity');
    });
    const { code, log } = await run(launched, { GCE_METADATA_HOST: metadata });
    expect(asked).toEqual(['/computeMetadata/v1/instance/service-accounts/default/token', 'Google']);
    expect([code, log.at(-1)]).toEqual([1, 'RuntimeError: the pod has no Google Cloud identity: 403 no identity']);
  });
});

describe('with messages of SQS', () => {
  async function queue(messages: object[]) {
    const waiting = [...messages];
    const calls: string[] = [];
    const host = await listen(async (request, response) => {
      const body = await bodyOf(request);
      const call = String(request.headers['x-amz-target']).replace('AmazonSQS.', '');
      const asked = JSON.parse(body);
      calls.push([call, asked.ReceiptHandle, asked.VisibilityTimeout].filter((part) => part !== undefined).join(' '));
      const valid = isSigned(request, body);
      response.statusCode = valid ? 200 : 403;
      const message = call === 'ReceiveMessage' ? waiting.shift() : undefined;
      response.end(valid ? JSON.stringify(message === undefined ? {} : { Messages: [message] }) : '{"message": "SignatureDoesNotMatch"}');
    });
    return { calls, url: `http://${host}/123456789012/datasets` };
  }

  test('each has a job of its own, and is deleted when the job is there', async () => {
    const { url, calls } = await queue([{
      MessageId: 'm-1', ReceiptHandle: 'r-1', Body: 'dataset a', Attributes: { SentTimestamp: '1700000000000' }, MessageAttributes: { kind: { DataType: 'String', StringValue: 'images' } },
    }]);
    const launched = await byEvents('on-sqs', { source: EventSource.sqs(url, 'eu-central-1') });
    const { code, log } = await run(launched, { AWS_ACCESS_KEY_ID: KEY.id, AWS_SECRET_ACCESS_KEY: KEY.secret });
    expect([code, log]).toEqual([0, [expect.stringContaining('is created')]]);
    expect(calls).toEqual(['ReceiveMessage 120', 'DeleteMessage r-1', 'ReceiveMessage 120']);
    expect((await jobsOf('on-sqs')).map(eventOf)).toEqual([{
      id: 'm-1', source: url, type: 'com.amazonaws.sqs.message', time: '2023-11-14T22:13:20+00:00', attributes: { kind: 'images' }, data: 'dataset a',
    }]);
  });

  test('the service account\'s role gives the credentials', async () => {
    const { url } = await queue([]);
    const launched = await byEvents('on-role', { source: EventSource.sqs(url, 'eu-central-1') });
    let asked = '';
    const sts = await listen(async (request, response) => {
      asked = await bodyOf(request);
      const Credentials = { AccessKeyId: KEY.id, SecretAccessKey: KEY.secret, SessionToken: 'session' };
      response.end(JSON.stringify({ AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: { Credentials } } }));
    });
    writeFileSync(path.join(launched.directory, 'web-identity'), 'the-token');
    expect(await run(launched, {
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/launcher', AWS_WEB_IDENTITY_TOKEN_FILE: path.join(launched.directory, 'web-identity'), AWS_ENDPOINT_URL_STS: `http://${sts}`,
    })).toEqual({ code: 0, log: [] });
    expect(Object.fromEntries(new URLSearchParams(asked))).toMatchObject({ Action: 'AssumeRoleWithWebIdentity', RoleArn: 'arn:aws:iam::123456789012:role/launcher', WebIdentityToken: 'the-token' });
    expect(await run(launched)).toEqual({ code: 1, log: expect.arrayContaining(['RuntimeError: the pod has no AWS identity: give its service account a role']) });
  });
});

test('with messages of Kafka, each has a job of its own, and is committed when the job is there', async () => {
  const launched = await byEvents('on-kafka', {
    launcherImage: 'launcher:1', source: EventSource.kafka({ bootstrapServers: 'kafka-0:9092,kafka-1:9092', topic: 'datasets', consumerGroup: 'training' }),
  });
  mkdirSync(path.join(launched.directory, 'modules', 'kafka'), { recursive: true });
  writeFileSync(path.join(launched.directory, 'modules', 'kafka', '__init__.py'), `
import collections
Record = collections.namedtuple('Record', 'topic partition offset timestamp key value headers')
class KafkaConsumer:
    def __init__(self, *topics, **options):
        print('consumer', topics, sorted(options.items()))
        self.records = iter([Record('datasets', 0, 41, 1700000000000, b'k', b'a', [('h', b'1')]), Record('datasets', 0, 42, 1700000000001, None, b'\\xff', [])])
    def __next__(self):
        return next(self.records)
    def commit(self):
        print('commit')
    def close(self, autocommit=True):
        print('close', autocommit)
`);
  const { code, log } = await run(launched, { PYTHONPATH: path.join(launched.directory, 'modules') });
  expect([code, log]).toEqual([0, [
    expect.stringContaining('(\'datasets\',) [(\'auto_offset_reset\', \'earliest\'), (\'bootstrap_servers\', [\'kafka-0:9092\', \'kafka-1:9092\'])'),
    expect.stringContaining('is created'), 'commit', expect.stringContaining('is created'), 'commit', 'close False',
  ]]);
  expect((await jobsOf('on-kafka')).map(eventOf)).toEqual(expect.arrayContaining([
    expect.objectContaining({ id: 'datasets/0/41', subject: 'k', data: 'a', attributes: { h: '1' } }), expect.objectContaining({ id: 'datasets/0/42', data_base64: '/w==' }),
  ]));
});

describe('with events of Knative', () => {
  async function serve(launched: Launched): Promise<string> {
    const child = spawn('python3', ['-B', '-u', path.join(launched.directory, 'main.py')], { env: { ...launched.env, PORT: '0', TRAINYARD_LAUNCHER_ADDRESS: '127.0.0.1' } });
    suite.children.push(child);
    return new Promise((resolve, reject) => {
      child.stderr.on('data', (part: Buffer) => reject(new Error(part.toString())));
      child.stdout.on('data', (part: Buffer) => {
        const port = /listening on port (\d+)/.exec(part.toString())?.[1];
        if (port !== undefined) {
          resolve(`http://127.0.0.1:${port}`);
        }
      });
    });
  }
  const event = { 'ce-specversion': '1.0', 'ce-id': 'e-1', 'ce-source': '/buckets/x', 'ce-type': 'dataset.ready', 'Content-Type': 'application/json' };
  const post = async (url: string, headers: { [name: string]: string }, body: string) => (await fetch(url, { method: 'POST', headers, body })).status;

  test('each has a job of its own, in both forms of CloudEvents, and only once', async () => {
    const url = await serve(await byEvents('on-knative', {}));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await post(url, event, '{"dataset": "a"}')).toBe(204);
    expect(await post(url, event, '{"dataset": "a"}')).toBe(204);
    expect(await post(url, { 'Content-Type': 'application/cloudevents+json' }, JSON.stringify({ specversion: '1.0', id: 'e-2', source: '/buckets/x', type: 'dataset.ready', data: 1 }))).toBe(204);
    expect((await jobsOf('on-knative')).map(eventOf)).toEqual(expect.arrayContaining([
      { specversion: '1.0', id: 'e-1', source: '/buckets/x', type: 'dataset.ready', datacontenttype: 'application/json', data: { dataset: 'a' } },
      { specversion: '1.0', id: 'e-2', source: '/buckets/x', type: 'dataset.ready', data: 1 },
    ]));
    expect(await jobsOf('on-knative')).toHaveLength(2);
  });

  test('what is no event is refused for good, and what has no room is sent again', async () => {
    const url = await serve(await byEvents('on-busy', { maxRunningJobs: 1 }));
    expect(await post(url, {}, 'x')).toBe(400);
    expect(await post(url, { 'Content-Type': 'application/cloudevents+json' }, 'x')).toBe(400);
    expect(await post(url, event, `"${'x'.repeat(100_000)}"`)).toBe(422);
    // As many at the same time as there are: one of them has room.
    const answers = await Promise.all(['a', 'b', 'c'].map((id) => post(url, { ...event, 'ce-id': id }, '1')));
    expect(answers.sort()).toEqual([204, 503, 503]);
    expect(await jobsOf('on-busy')).toHaveLength(1);
  });
});

describe('with a schedule', () => {
  const byTime = (name: string, props: Partial<CronTrainingProps> = {}) => install((chart) => void new CronTraining(chart, name, { metadata: { name }, job: JOB, schedule: '@daily', ...props }));
  /** Minutes since 1970, as the controller puts them behind the name. */
  const at = (name: string, time: string) => ({ JOB_NAME: `${name}-${Date.parse(time) / 60_000}` });

  test('a time has one job, called after it', async () => {
    const launched = await byTime('daily');
    expect(await run(launched, at('daily', '2026-11-21T03:00:00Z'))).toEqual({ code: 0, log: ['job daily-202611210300 is created'] });
    expect(await run(launched, at('daily', '2026-11-21T03:00:00Z'))).toEqual({ code: 0, log: [] });
    expect((await jobsOf('daily')).map(({ metadata }) => metadata.name)).toEqual(['daily-202611210300']);
  });

  test('the next one is left out while it runs, and started when it has ended', async () => {
    const launched = await byTime('forbidding');
    await run(launched, at('forbidding', '2026-11-21T03:00:00Z'));
    expect((await run(launched, at('forbidding', '2026-11-22T03:00:00Z'))).log).toEqual(['forbidding-202611210300 runs: forbidding-202611220300 is left out']);
    await end('forbidding-202611210300', 'Failed');
    expect((await run(launched, at('forbidding', '2026-11-23T03:00:00Z'))).log).toEqual(['job forbidding-202611230300 is created']);
  });

  test('or takes its place, or stands beside it', async () => {
    const replacing = await byTime('replacing', { concurrency: TrainingConcurrency.REPLACE });
    await run(replacing, at('replacing', '2026-11-21T03:00:00Z'));
    expect((await run(replacing, at('replacing', '2026-11-22T03:00:00Z'))).log).toEqual(['job replacing-202611210300 is deleted', 'job replacing-202611220300 is created']);
    const allowing = await byTime('allowing', { concurrency: TrainingConcurrency.ALLOW });
    await run(allowing, at('allowing', '2026-11-21T03:00:00Z'));
    await run(allowing, { JOB_NAME: 'by-hand' });
    expect(await jobsOf('allowing')).toHaveLength(2);
  });

  test('keeps as many as it is told of those that have ended', async () => {
    const launched = await byTime('keeping', { successfulJobs: 1, failedJobs: 0 });
    for (const [day, outcome] of [[1, 'Succeeded'], [2, 'Succeeded'], [3, 'Failed']] as const) {
      await run(launched, at('keeping', `2026-11-0${day}T03:00:00Z`));
      await end(`keeping-2026110${day}0300`, outcome);
    }
    expect((await run(launched, at('keeping', '2026-11-04T03:00:00Z'))).log).toEqual(expect.arrayContaining(['job keeping-202611040300 is created', 'job keeping-202611030300 is deleted']));
    const names = (await jobsOf('keeping')).map(({ metadata }) => metadata.name);
    expect(names).toEqual(expect.arrayContaining(['keeping-202611040300']));
    expect(names.filter((name) => name < 'keeping-20261103')).toHaveLength(1);
  });

  test('what an engine puts beside the job goes with it', async () => {
    const launched = await byTime('sparkling', { job: { ...JOB, engine: Engine.spark(), resources: { memory: Size.gibibytes(4) } } });
    expect((await run(launched, at('sparkling', '2026-11-21T03:00:00Z'))).log).toEqual(['job sparkling-202611210300 is created']);
    const { body: job } = await mustRequest('GET', `/apis/sparkoperator.k8s.io/v1beta2/namespaces/${suite.namespace}/sparkapplications/sparkling-202611210300`);
    const { body: files } = await mustRequest('GET', `${collectionOf('ConfigMap')}/sparkling-202611210300-spark`);
    expect(files.metadata.ownerReferences).toEqual([{ apiVersion: 'sparkoperator.k8s.io/v1beta2', kind: 'SparkApplication', name: 'sparkling-202611210300', uid: job.metadata.uid }]);
    expect(JSON.stringify(files.data)).not.toContain('trainyard0id');
  });

  test('a job that the API server refuses is an error with its words', async () => {
    const launched = await byTime('refused');
    writeFileSync(path.join(launched.directory, 'launch.json'), JSON.stringify({
      name: 'refused', jobs: jobsPath(suite.namespace), schedule: { concurrency: 'Allow', prunes: false }, companions: [],
      job: { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'refused-trainyard0id' }, spec: { framework: 'pytorch', image: 'x', replicas: -1 } },
    }));
    const { code, log } = await run(launched, at('refused', '2026-11-21T03:00:00Z'));
    expect([code, log]).toEqual([1, [expect.stringMatching(/^MLTrainingJob refused-202611210300 is refused: .*spec\.replicas/)]]);
  });
});

test('a launcher may create jobs, and nothing that it was not told to', async () => {
  const objects = synthesize((chart) => new EventDrivenTraining(chart, 'Rights', { metadata: { name: 'rights' }, job: JOB, source: EventSource.knativeBroker('default') }));
  for (const kind of ['ServiceAccount', 'Role', 'RoleBinding']) {
    await create(collectionOf(kind), objects.find((object) => object.kind === kind)!);
  }
  const user = `system:serviceaccount:${suite.namespace}:${objects.find(({ kind }) => kind === 'ServiceAccount')!.metadata.name}`;
  const may = (verb: string, resource: string, group: string, where = suite.namespace) => mayNow({ user, verb, resource, group, namespace: where });
  await untilGranted({ user, verb: 'create', resource: 'mltrainingjobs', group: 'ml.collabnix.io', namespace: suite.namespace });
  for (const [verb, resource, group, where] of [
    ['list', 'mltrainingjobs', 'ml.collabnix.io', suite.namespace], ['delete', 'mltrainingjobs', 'ml.collabnix.io', suite.namespace], ['create', 'mltrainingjobs', 'ml.collabnix.io', 'default'],
    ['create', 'pods', '', suite.namespace], ['get', 'secrets', '', suite.namespace],
  ]) {
    expect([verb, resource, where, await may(verb, resource, group, where)]).toEqual([verb, resource, where, false]);
  }
});
