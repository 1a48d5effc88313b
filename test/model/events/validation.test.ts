import type { CronSpec, EventDrivenSpec, EventSourceSpec } from '../../../src/model/events/spec';
import { validateCron, validateEventDriven } from '../../../src/model/events/validation';
import { formatViolation } from '../../../src/model/violations';

const PUBSUB = { kind: 'pubsub', subscription: 'projects/my-project/subscriptions/datasets' } as const;
const SQS = { kind: 'sqs', queueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/datasets.fifo', region: 'eu-central-1' } as const;
const KAFKA = { kind: 'kafka', bootstrapServers: 'kafka-0:9092,kafka-1:9092', topic: 'datasets', consumerGroup: 'training' } as const;
const KNATIVE = { kind: 'knative', broker: 'default' } as const;

const from = (source: EventSourceSpec, more: Partial<EventDrivenSpec> = {}, name = 'on-dataset') => (
  validateEventDriven(name, { source, image: source.kind === 'kafka' ? 'launcher:1' : undefined, ...more }).map(formatViolation));

test.each<readonly [string, EventSourceSpec]>([
  ['Pub/Sub', PUBSUB],
  ['SQS', SQS],
  ['SQS somewhere else', { ...SQS, queueUrl: 'http://localstack:4566/000000000000/datasets' }],
  ['Kafka', KAFKA],
  ['Kafka with SASL and TLS', { ...KAFKA, sasl: 'scram_sha512', tls: true, hasCa: true, secretName: 'kafka' }],
  ['Knative', { ...KNATIVE, attributes: { type: 'dataset.ready' }, cesql: 'subject LIKE \'a%\'', retries: 0, backoffSeconds: 1, deadLetter: { uri: 'http://failed' } }],
])('%s is right', (_what, source) => {
  expect(from(source, { maxRunning: 4 })).toEqual([]);
});

describe('jobs by events are refused with', () => {
  test.each<readonly [string, string[], RegExp]>([
    ['a name that no Service has', from(PUBSUB, {}, '1st'), /^metadata\.name: "1st": must be a DNS-1035 label, because jobs are named after it/],
    ['a name that leaves no room', from(PUBSUB, {}, 'n'.repeat(51)), /each job name adds a dash and twelve characters\. Use at most 50 characters/],
    ['no job at the same time', from(PUBSUB, { maxRunning: 0 }), /^maxRunningJobs: 0: must be a whole number, 1 or more/],
    ['no time between two looks', from(SQS, { pollingSeconds: 0 }), /^pollingInterval: "0s": must be at least one second/],
    ['looks at a broker', from(KNATIVE, { pollingSeconds: 30 }), /Knative brokers push events/],
    ['a short name of a subscription', from({ ...PUBSUB, subscription: 'datasets' }), /^source\.subscription: "datasets": must be projects\/PROJECT\/subscriptions\/NAME\.$/],
    ['a topic of Pub/Sub', from({ ...PUBSUB, subscription: 'projects/my-project/topics/datasets' }), /use one of its subscriptions/],
    ['the ARN of a queue', from({ ...SQS, queueUrl: 'arn:aws:sqs:eu-central-1:123456789012:datasets' }), /This is the ARN of a queue/],
    ['another region', from({ ...SQS, region: 'us-east-1' }), /^source\.region: "us-east-1": is not the region of the queue \(eu-central-1\)/],
    ['servers without ports', from({ ...KAFKA, bootstrapServers: 'kafka' }), /^source\.bootstrapServers: "kafka": must be HOST:PORT/],
    ['a topic that Kafka refuses', from({ ...KAFKA, topic: 'data sets' }), /^source\.topic: "data sets": must be 1 to 249 letters/],
    ['no group', from({ ...KAFKA, consumerGroup: '' }), /^source\.consumerGroup/],
    ['SASL without a Secret', from({ ...KAFKA, sasl: 'plaintext' }), /^source\.secret: is required with SASL/],
    ['a Secret that nobody reads', from({ ...KAFKA, secretName: 'kafka' }), /^source\.secret: "kafka": is used with SASL/],
    ['an authority without TLS', from({ ...KAFKA, secretName: 'kafka', hasCa: true }), /^source\.tls: is off/],
    ['Kafka without its package', from(KAFKA, { image: undefined }), /^launcherImage: is required for Kafka/],
    ['a broker that is not a name', from({ ...KNATIVE, broker: 'events/default' }), /^source\.broker/],
    ['an attribute that CloudEvents do not have', from({ ...KNATIVE, attributes: { 'ce-type': 'x' } }), /^source\.attributes\.ce-type: .*1 to 20 lower-case letters and digits/],
    ['an empty condition', from({ ...KNATIVE, cesql: ' ' }), /^source\.cesql/],
    ['retries for ever', from({ ...KNATIVE, retries: 1000 }), /^source\.retries: 1000: must be a whole number from 0 to 50/],
    ['no time between retries', from({ ...KNATIVE, backoffSeconds: 0 }), /^source\.backoff/],
    ['dead letters to no URL', from({ ...KNATIVE, deadLetter: { uri: 'failed' } }), /^source\.deadLetter: "failed": must be a URL, such as http/],
  ])('%s', (_what, found, problem) => {
    expect(found).toEqual([expect.stringMatching(problem)]);
  });
});

describe('jobs by the time are refused with', () => {
  const cron = (change: Partial<CronSpec> = {}, name = 'nightly') => validateCron(name, { schedule: '0 3 * * *', concurrency: 'Forbid', ...change }).map(formatViolation);

  test('nothing, when they are right', () => {
    expect(cron({ timeZone: 'Europe/Berlin', successfulJobs: 0, failedJobs: 3, startingDeadlineSeconds: 600 })).toEqual([]);
  });

  test.each<readonly [string, string[], RegExp]>([
    ['a schedule that is none', cron({ schedule: '0 3 * *' }), /^schedule: "0 3 \* \*": must have five fields/],
    ['a time zone that is none', cron({ timeZone: 'Berlin' }), /^timeZone: "Berlin"/],
    ['less than nothing to keep', cron({ successfulJobs: -1 }), /^successfulJobs: -1/],
    ['half a job to keep', cron({ failedJobs: 0.5 }), /^failedJobs: 0\.5/],
    ['a deadline that the controller misses', cron({ startingDeadlineSeconds: 5 }), /^startingDeadline: "5s": must be 10 seconds or more/],
    ['a name that leaves no room', cron({}, 'n'.repeat(51)), /Use at most 50 characters/],
    ['a name with capitals', cron({}, 'Nightly'), /lower-case letters/],
  ])('%s', (_what, found, problem) => {
    expect(found).toEqual([expect.stringMatching(problem)]);
  });
});
