/** Rules on what starts training jobs: those of KEDA, Knative and CronJobs, and those of queues that only show when the first message comes. */
import {
  LAUNCHER_NAME_MAX_LENGTH, type CronSpec, type EventDrivenSpec, type KafkaSource, type KnativeSource, type PubSubSource, type SqsSource,
} from './spec';
import { checkBaseName } from '../names';
import { validateSchedule } from '../schedules';
import { ViolationCollector, type Violation } from '../violations';

const SUBSCRIPTION = /^projects\/[a-z][a-z0-9-]{4,28}[a-z0-9]\/subscriptions\/[A-Za-z][A-Za-z0-9._~%+-]{2,254}$/;
const QUEUE_URL = /^https?:\/\/[^/]+\/\d{12}\/[A-Za-z0-9_-]{1,80}(\.fifo)?$/;
const ATTRIBUTE = /^[a-z0-9]{1,20}$/;

/** Longest name of a CronJob: Kubernetes puts a dash and ten characters behind it. */
const CRON_NAME_MAX_LENGTH = 52;

/** Least time between two looks at a queue. */
const SHORTEST_POLLING_SECONDS = 1;

/** Largest number of retries that a broker takes seriously: with exponential pauses the last one is days away. */
const MOST_RETRIES = 50;

export function validateEventDriven(name: string, { source, maxRunning, pollingSeconds, image }: EventDrivenSpec): Violation[] {
  const violations = new ViolationCollector();
  checkName(name, LAUNCHER_NAME_MAX_LENGTH, violations);
  violations.whole('maxRunningJobs', maxRunning, 1, Infinity, '. Leave it out for any number.');
  if (pollingSeconds !== undefined) {
    if (source.kind === 'knative') {
      violations.add('pollingInterval', `${pollingSeconds}s`, 'applies to KEDA only; Knative brokers push events. Remove it.');
    } else if (pollingSeconds < SHORTEST_POLLING_SECONDS) {
      violations.add('pollingInterval', `${pollingSeconds}s`, 'must be at least one second.');
    }
  }
  switch (source.kind) {
    case 'pubsub': checkPubSub(source, violations); break;
    case 'sqs': checkSqs(source, violations); break;
    case 'kafka': checkKafka(source, image, violations); break;
    case 'knative': checkKnative(source, violations); break;
  }
  return violations.violations;
}

export function validateCron(name: string, spec: CronSpec): Violation[] {
  const violations = new ViolationCollector();
  checkName(name, Math.min(CRON_NAME_MAX_LENGTH, LAUNCHER_NAME_MAX_LENGTH), violations);
  violations.addAll(validateSchedule(spec, 'schedule'));
  for (const [field, value] of [['successfulJobs', spec.successfulJobs], ['failedJobs', spec.failedJobs]] as const) {
    violations.whole(field, value, 0, Infinity, '. Leave it out to keep all.');
  }
  // The controller counts missed times from there, and looks every ten seconds.
  if (spec.startingDeadlineSeconds !== undefined && spec.startingDeadlineSeconds < 10) {
    violations.add('startingDeadline', `${spec.startingDeadlineSeconds}s`, 'must be 10 seconds or more: the controller checks every 10 seconds, and would start no job at all.');
  }
  return violations.violations;
}

function checkName(name: string, length: number, violations: ViolationCollector): void {
  checkBaseName(name, 'jobs are named after it', violations, { length, because: 'each job name adds a dash and twelve characters' });
}

function checkPubSub({ subscription }: PubSubSource, violations: ViolationCollector): void {
  if (!SUBSCRIPTION.test(subscription)) {
    const topic = subscription.includes('/topics/') ? ' A topic has no messages to read: use one of its subscriptions.' : '';
    violations.add('source.subscription', subscription, `must be projects/PROJECT/subscriptions/NAME.${topic}`);
  }
}

function checkSqs({ queueUrl, region }: SqsSource, violations: ViolationCollector): void {
  if (!QUEUE_URL.test(queueUrl)) {
    const arn = queueUrl.startsWith('arn:') ? ' This is the ARN of a queue.' : '';
    violations.add('source.queueUrl', queueUrl, `must be the URL of a queue, such as https://sqs.eu-central-1.amazonaws.com/123456789012/name.${arn}`);
    return;
  }
  const ofUrl = /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(queueUrl)?.[1];
  if (ofUrl !== undefined && ofUrl !== region) {
    violations.add('source.region', region, `is not the region of the queue (${ofUrl}), and SQS would reject every signature. Use ${ofUrl}.`);
  }
}

function checkKafka(source: KafkaSource, image: string | undefined, violations: ViolationCollector): void {
  const { bootstrapServers, topic, consumerGroup, sasl, secretName, tls, hasCa } = source;
  for (const server of bootstrapServers.split(',')) {
    if (!/^[^:/\s]+:\d{1,5}$/.test(server.trim())) {
      violations.add('source.bootstrapServers', server, 'must be HOST:PORT, or several of them separated by commas.');
    }
  }
  if (!/^[A-Za-z0-9._-]{1,249}$/.test(topic) || topic === '.' || topic === '..') {
    violations.add('source.topic', topic, 'must be 1 to 249 letters, digits, \'.\', \'_\' and \'-\'.');
  }
  if (consumerGroup === '') {
    violations.add('source.consumerGroup', consumerGroup, 'must not be empty: the group keeps track of which messages have a job.');
  }
  if (sasl !== undefined && secretName === undefined) {
    violations.add('source.secret', undefined, `is required with SASL (${sasl}): a Secret with the keys username and password.`);
  }
  if (sasl === undefined && secretName !== undefined && !hasCa) {
    violations.add('source.secret', secretName, 'is used with SASL, or for your own CA. Set the mechanism, or remove it.');
  }
  if (hasCa && tls !== true) {
    violations.add('source.tls', tls, 'is off, and the key ca of the Secret is used with TLS only. Turn it on.');
  }
  if (image === undefined) {
    violations.add('launcherImage', undefined, 'is required for Kafka: an image with Python and the package kafka-python, because Python\'s standard library does not support the Kafka protocol.');
  }
}

function checkKnative({ broker, attributes = {}, cesql, retries, backoffSeconds, deadLetter }: KnativeSource, violations: ViolationCollector): void {
  violations.form('source.broker', broker, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be the name of a Broker: lower-case letters, digits and \'-\'.');
  for (const [name, value] of Object.entries(attributes)) {
    if (!ATTRIBUTE.test(name)) {
      violations.add(`source.attributes.${name}`, value, 'must be the name of a CloudEvents attribute: 1 to 20 lower-case letters and digits.');
    }
  }
  if (cesql !== undefined && cesql.trim() === '') {
    violations.add('source.cesql', cesql, 'must not be empty. Leave it out to take all events.');
  }
  violations.whole('source.retries', retries, 0, MOST_RETRIES);
  if (backoffSeconds !== undefined && backoffSeconds <= 0) {
    violations.add('source.backoff', `${backoffSeconds}s`, 'must be greater than zero.');
  }
  if (deadLetter?.uri !== undefined && !/^https?:\/\/\S+$/.test(deadLetter.uri)) {
    violations.add('source.deadLetter', deadLetter.uri, 'must be a URL, such as http://failed-events.monitoring.svc.');
  }
}
