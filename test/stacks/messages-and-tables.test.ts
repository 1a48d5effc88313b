/** Topics that start jobs, and tables that metrics are kept in. */
import * as pulumi from '@pulumi/pulumi';
import { EventSource } from '../../src/constructs/events';
import { BigQueryDataset, PubSubTopic, type BigQueryDatasetArgs, type PubSubTopicArgs } from '../../src/stacks';
import { late, settled, startRecording, unknown, valueOf } from './support/mocks';

const TOPIC = 'gcp:pubsub/topic:Topic';
const SUBSCRIPTION = 'gcp:pubsub/subscription:Subscription';
const DATASET = 'gcp:bigquery/dataset:Dataset';
const TABLE = 'gcp:bigquery/table:Table';
const AGENT = 'serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com';
const READER = 'serviceAccount:launcher@ml-test.iam.gserviceaccount.com';
const KEY = 'projects/ml-test/locations/europe-west4/keyRings/ml/cryptoKeys/data';
const PUBSUB: PubSubTopicArgs = { project: 'ml-test' };
const BIGQUERY: BigQueryDatasetArgs = { project: 'ml-test', location: 'europe-west4' };
const COLUMNS = [{ name: 'at', type: 'TIMESTAMP', mode: 'REQUIRED' }, { name: 'run', type: 'STRING' }, { name: 'loss', type: 'FLOAT64' }];

afterEach(() => jest.restoreAllMocks());

describe('PubSubTopic', () => {
  test('a topic has subscriptions that stay, and is named by their ids', async () => {
    const recorder = await startRecording();
    const topic = new PubSubTopic('datasets', { ...PUBSUB, subscriptions: { jobs: { subscribers: [late(READER)] } }, publishers: ['user:ada@example.com'] });
    await settled();
    expect(recorder.one(TOPIC).inputs).toMatchSnapshot();
    expect(recorder.one(SUBSCRIPTION).inputs).toMatchSnapshot();
    expect(recorder.one('gcp:pubsub/topicIAMMember:TopicIAMMember').inputs).toEqual({ project: 'ml-test', topic: 'datasets', role: 'roles/pubsub.publisher', member: 'user:ada@example.com' });
    expect(recorder.one('gcp:pubsub/subscriptionIAMMember:SubscriptionIAMMember').inputs).toEqual({ project: 'ml-test', subscription: 'jobs', role: 'roles/pubsub.subscriber', member: READER });
    const id = await valueOf(topic.subscriptions.get('jobs')!);
    expect(id).toBe('projects/ml-test/subscriptions/jobs');
    // What jobs are started by takes this very name.
    expect(() => EventSource.pubSub(id)).not.toThrow();
    expect(await valueOf(topic.id)).toBe('projects/ml-test/topics/datasets');
  });

  test('dead letters have a topic and a subscription, and Pub/Sub may move messages there', async () => {
    const recorder = await startRecording();
    const topic = new PubSubTopic('datasets', { ...PUBSUB, subscriptions: { jobs: { deadLetters: { maxAttempts: late(10) } } } });
    await settled();
    expect(recorder.graph()).toMatchSnapshot();
    const [dead, jobs] = recorder.of(SUBSCRIPTION).sort((a, b) => (a.inputs.name < b.inputs.name ? 1 : -1));
    expect(jobs.inputs.deadLetterPolicy).toEqual({ deadLetterTopic: 'datasets-jobs-dead-letters-id', maxDeliveryAttempts: 10 });
    expect(dead.inputs).toMatchObject({ name: 'jobs-dead-letters', messageRetentionDuration: '2678400s', expirationPolicy: { ttl: '' } });
    expect(recorder.one('gcp:pubsub/topicIAMMember:TopicIAMMember').inputs).toMatchObject({ topic: 'jobs-dead-letters', role: 'roles/pubsub.publisher', member: AGENT });
    expect(recorder.one('gcp:pubsub/subscriptionIAMMember:SubscriptionIAMMember').inputs).toMatchObject({ subscription: 'jobs', role: 'roles/pubsub.subscriber', member: AGENT });
    expect(await valueOf(topic.deadLetters.get('jobs')!)).toBe('projects/ml-test/subscriptions/jobs-dead-letters');
  });

  test('all options arrive where they belong', async () => {
    const recorder = await startRecording();
    new PubSubTopic('datasets', {
      ...PUBSUB, projectNumber: '123456789012', topic: 'ml.datasets', retentionSeconds: 86_400, regions: ['europe-west4'], kmsKey: KEY, labels: { team: 'vision' },
      subscriptions: {
        jobs: {
          ackDeadlineSeconds: 120, retentionSeconds: 3600, retainAcknowledged: true, ordering: true, exactlyOnce: true, filter: 'attributes.kind = "images"', expirationDays: 7,
          minBackoffSeconds: 5, maxBackoffSeconds: 60,
        },
      },
    });
    await settled();
    expect(recorder.sorted().filter(({ type }) => type.startsWith('gcp:')).map(({ type, inputs }) => ({ type, ...inputs }))).toMatchSnapshot();
  });

  test.each<[string, Partial<Record<keyof PubSubTopicArgs, unknown>>, string]>([
    ['name', { topic: 'google-data' }, 'topic: "google-data": must have 3 to 255 letters'],
    ['region', { regions: ['EU'] }, 'regions[0]: "EU": must be a region'],
    ['time', { retentionSeconds: 60 }, 'retentionSeconds: 60: is not from 600'],
    ['field of a subscription', { subscriptions: { jobs: { ackDeadlineSecs: 10 } } }, "subscriptions.jobs.ackDeadlineSecs: 10: is not a field of a subscription. Did you mean 'ackDeadlineSeconds'?"],
    ['number of attempts', { subscriptions: { jobs: { deadLetters: { maxAttempts: 3 } } } }, 'subscriptions.jobs.deadLetters.maxAttempts: 3: is not from 5 to 100.'],
    ['topic of dead letters', { subscriptions: { jobs: { deadLetters: { topic: 'datasets' } } } }, 'is the topic that the messages come from'],
    ['member', { publishers: ['ada@example.com'] }, 'publishers[0]: "ada@example.com": must be an IAM'],
    ['list of members', { subscriptions: { jobs: { subscribers: late([READER]) } } }, 'subscriptions.jobs.subscribers: is an output, but must be a list'],
    ['project', { project: undefined }, 'project: is not known.'],
  ])('a wrong %s is refused before anything is registered', async (_what, args, message) => {
    const recorder = await startRecording();
    expect(() => new PubSubTopic('datasets', { ...PUBSUB, ...args } as PubSubTopicArgs)).toThrow(message);
    await settled();
    expect(recorder.resources).toEqual([]);
  });

  test('in a preview the unknown is left out and the known is shown', async () => {
    const recorder = await startRecording({ preview: true });
    new PubSubTopic('datasets', { ...PUBSUB, topic: unknown(), subscriptions: { jobs: { ackDeadlineSeconds: unknown() } } });
    await settled();
    expect(recorder.one(TOPIC).inputs.project).toBe('ml-test');
    expect(recorder.one(SUBSCRIPTION).inputs).toMatchObject({ name: 'jobs', messageRetentionDuration: '604800s', expirationPolicy: { ttl: '' } });
  });
});

describe('BigQueryDataset', () => {
  test('a dataset has its tables, and access beside that of the project', async () => {
    const recorder = await startRecording();
    const dataset = new BigQueryDataset('ml-runs', {
      ...BIGQUERY, tables: { metrics: { columns: COLUMNS, partition: { by: 'DAY', column: 'at' }, clusterBy: ['run'] } }, access: [{ role: 'roles/bigquery.dataEditor', member: late(READER) }],
    });
    await settled();
    expect(recorder.one(DATASET).inputs).toMatchSnapshot();
    expect(recorder.one(TABLE).inputs).toMatchSnapshot();
    expect(recorder.one('gcp:bigquery/datasetIamMember:DatasetIamMember').inputs).toEqual({ project: 'ml-test', datasetId: 'ml_runs', role: 'roles/bigquery.dataEditor', member: READER });
    expect(await valueOf(dataset.tables.get('metrics')!)).toBe('ml-test.ml_runs.metrics');
  });

  test.each(['principal', 'principalSet'])('a %s of Workload Identity has the prefix that Google\'s provider asks for in datasets', async (type) => {
    const recorder = await startRecording();
    const member = `${type}://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ml-test.svc.id.goog/subject/ns/ml/sa/trainer`;
    new BigQueryDataset('ml-runs', { ...BIGQUERY, access: [{ role: 'roles/bigquery.dataEditor', member: late(member) }] });
    await settled();
    expect(recorder.one('gcp:bigquery/datasetIamMember:DatasetIamMember').inputs.member).toBe(`iamMember:${member}`);
  });

  test('all options arrive where they belong', async () => {
    const recorder = await startRecording();
    new BigQueryDataset('runs', {
      ...BIGQUERY, dataset: late('all_runs'), description: 'What runs measure', tableExpirationHours: 24, partitionExpirationDays: late(90), timeTravelHours: 48, storageBilling: 'PHYSICAL', kmsKey: KEY,
      forceDestroy: true, deletionProtection: false, labels: { team: 'vision' },
      tables: { events: { columns: [...COLUMNS, { name: 'tags', type: 'RECORD', mode: 'REPEATED', description: 'What people say', fields: [{ name: 'key', type: 'STRING' }] }], description: 'Events', partition: { by: 'MONTH', expirationDays: 400 }, requirePartitionFilter: true } },
    });
    await settled();
    expect(recorder.sorted().filter(({ type }) => type.startsWith('gcp:')).map(({ type, inputs }) => ({ type, ...inputs }))).toMatchSnapshot();
  });

  test.each<[string, Partial<Record<keyof BigQueryDatasetArgs, unknown>>, string]>([
    ['id', { dataset: 'ml-runs' }, 'dataset: "ml-runs": must have 1 to 1024 letters, digits and \'_\'. Use ml_runs.'],
    ['place', { location: 'europe-west4-a' }, 'A dataset is not in a zone.'],
    ['time to look back', { timeTravelHours: 24 }, 'timeTravelHours: 24: must be 48, 72'],
    ['column', { tables: { runs: { columns: [{ name: 'loss', type: 'FLOAT46' }] } } }, "tables.runs.columns[0].type: \"FLOAT46\": is not a column type. Did you mean 'FLOAT64'?"],
    ['field of a column', { tables: { runs: { columns: [{ name: 'loss', typ: 'FLOAT64' }] } } }, 'tables.runs.columns[0].type: is required.'],
    ['part', { tables: { runs: { columns: COLUMNS, partition: { by: 'WEEK' } } } }, 'tables.runs.partition.by: "WEEK": must be one of HOUR, DAY, MONTH, YEAR.'],
    ['role', { access: [{ role: 'roles/bigquery.jobUser', member: READER }] }, 'access[0].role: "roles/bigquery.jobUser": covers queries'],
    ['member', { access: [{ role: 'roles/bigquery.dataViewer', member: 'allUsers' }] }, 'access[0].member: "allUsers": includes everyone.'],
  ])('a wrong %s is refused before anything is registered', async (_what, args, message) => {
    const recorder = await startRecording();
    expect(() => new BigQueryDataset('runs', { ...BIGQUERY, ...args } as BigQueryDatasetArgs)).toThrow(message);
    expect(recorder.resources).toEqual([]);
  });

  test('in a preview the unknown is left out and the known is shown', async () => {
    const recorder = await startRecording({ preview: true });
    new BigQueryDataset('runs', { ...BIGQUERY, dataset: unknown(), tables: { metrics: { columns: COLUMNS } } });
    await settled();
    expect(recorder.one(DATASET).inputs).toMatchObject({ location: 'europe-west4', maxTimeTravelHours: '168' });
    expect(recorder.one(TABLE).inputs).toMatchObject({ tableId: 'metrics', deletionProtection: true });
    expect(pulumi.isUnknown(recorder.one(DATASET).inputs.datasetId) || recorder.one(DATASET).inputs.datasetId === undefined).toBe(true);
  });
});
