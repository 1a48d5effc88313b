/**
 * What starts the launcher in a cluster.
 *
 * KEDA 2.20: a ScaledJob that starts the launcher when messages wait, and a TriggerAuthentication for KEDA's own access to the queue. One launcher
 * at a time takes messages until there are none: two would count running jobs at the same time, and both would find room.
 *
 * Knative eventing: a Trigger that sends a broker's events to the launcher, which is a server here, with a Deployment and a Service.
 * @see https://keda.sh/docs/latest/reference/scaledjob-spec
 * @see https://knative.dev/docs/eventing/triggers/
 */
import type { PodSpec } from '../kubernetes';
import { plainObject } from '../plain-object';
import { canonicalPodSpec } from '../pod/typed-pod';
import type { EventDrivenSpec, KafkaSource, KnativeSource, QueueSource, CronSpec } from '../../model/events/spec';
import { labelsWithoutSidecar } from '../../model/mesh';

/** `apiVersion` of KEDA's kinds. */
export const KEDA_API_VERSION = 'keda.sh/v1alpha1';

/** Longest time of a launcher: it creates one job after another, and waits for messages a few seconds at a time. */
const LAUNCHER_DEADLINE_SECONDS = 900;

type Fields = { readonly [field: string]: unknown };

/** `spec` of the ScaledJob. */
export function constructScaledJobSpec(
  { pollingSeconds }: EventDrivenSpec, source: QueueSource, authentication: string | undefined, pod: PodSpec,
): Fields {
  return plainObject({
    jobTargetRef: {
      parallelism: 1,
      completions: 1,
      // Messages are redelivered, and the launcher is started again for them.
      backoffLimit: 0,
      activeDeadlineSeconds: LAUNCHER_DEADLINE_SECONDS,
      template: { metadata: { labels: labelsWithoutSidecar() }, spec: canonicalPodSpec(pod) },
    },
    pollingInterval: pollingSeconds,
    minReplicaCount: 0,
    maxReplicaCount: 1,
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 3,
    // A launcher that is running when the manifest changes is allowed to finish.
    rollout: { strategy: 'gradual' },
    triggers: [{ ...trigger(source), ...(authentication !== undefined && { authenticationRef: { name: authentication } }) }],
  });
}

function trigger(source: QueueSource): Fields {
  switch (source.kind) {
    case 'pubsub': return { type: 'gcp-pubsub', metadata: { subscriptionName: source.subscription, mode: 'SubscriptionSize', value: '1' } };
    // Messages in flight belong to a running launcher.
    case 'sqs': return { type: 'aws-sqs-queue', metadata: { queueURL: source.queueUrl, awsRegion: source.region, queueLength: '1', scaleOnInFlight: 'false' } };
    case 'kafka': return {
      type: 'kafka',
      metadata: {
        bootstrapServers: source.bootstrapServers,
        consumerGroup: source.consumerGroup,
        topic: source.topic,
        lagThreshold: '1',
        offsetResetPolicy: 'earliest',
        sasl: source.sasl,
        tls: source.tls ? 'enable' : undefined,
      },
    };
  }
}

/** `spec` of the TriggerAuthentication; undefined where KEDA needs none. */
export function constructTriggerAuthenticationSpec(source: QueueSource): Fields | undefined {
  switch (source.kind) {
    case 'pubsub': return { podIdentity: { provider: 'gcp' } };
    case 'sqs': return { podIdentity: { provider: 'aws' } };
    case 'kafka': return ofKafka(source);
  }
}

function ofKafka({ sasl, tls, secretName, hasCa }: KafkaSource): Fields | undefined {
  if (sasl === undefined && !tls) {
    return undefined;
  }
  const keys = [...(sasl === undefined ? [] : ['username', 'password']), ...(hasCa ? ['ca'] : [])];
  return keys.length === 0 ? undefined : plainObject({ secretTargetRef: keys.map((key) => ({ parameter: key, name: secretName, key })) });
}

/** `apiVersion` of a Trigger. */
export const TRIGGER_API_VERSION = 'eventing.knative.dev/v1';

/** Annotation of the pod template: hash of the files that a server reads at its start. */
const FILES_ANNOTATION = 'ml.collabnix.io/launcher-files';

/** How often an event is sent again, and the first pause; pauses grow exponentially. */
const DEFAULT_RETRIES = 20;
const DEFAULT_BACKOFF_SECONDS = 10;

/** `spec` of the Deployment: one server, because two would count jobs at the same time. */
export function constructLauncherDeployment(pod: PodSpec, selector: { readonly [label: string]: string }, digest: string): Fields {
  return plainObject({
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: selector },
    template: { metadata: { labels: selector, annotations: { [FILES_ANNOTATION]: digest } }, spec: pod },
  });
}

/** `spec` of the Service. */
export function constructLauncherService(selector: { readonly [label: string]: string }): Fields {
  return { selector, ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }] };
}

/** `spec` of the Trigger. */
export function constructTriggerSpec(source: KnativeSource, serviceName: string): Fields {
  const { attributes = {}, cesql, deadLetter } = source;
  const filters = [...(Object.keys(attributes).length > 0 ? [{ exact: attributes }] : []), ...(cesql === undefined ? [] : [{ cesql }])];
  return plainObject({
    broker: source.broker,
    filters: filters.length > 0 ? filters : undefined,
    subscriber: { ref: { apiVersion: 'v1', kind: 'Service', name: serviceName } },
    delivery: {
      retry: source.retries ?? DEFAULT_RETRIES,
      backoffPolicy: 'exponential',
      backoffDelay: `PT${source.backoffSeconds ?? DEFAULT_BACKOFF_SECONDS}S`,
      deadLetterSink: deadLetter,
    },
  });
}

/** Variable with the name of the launcher's Job, to which the CronJob appends the time. */
const JOB_NAME = { name: 'JOB_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.labels[\'batch.kubernetes.io/job-name\']' } } };

/** Longest time of a launcher that a CronJob starts, which creates one job. */
const CRON_DEADLINE_SECONDS = 300;

/** Variables of a launcher that a CronJob starts. */
export const CRON_ENV = [JOB_NAME];

/**
 * `spec` of a CronJob that starts the launcher at the times of a schedule. Its concurrency policy is about launchers, which are quick; the launcher
 * applies the policy for training jobs.
 */
export function constructCronJobSpec(spec: CronSpec, pod: PodSpec): { readonly [field: string]: unknown } {
  return plainObject({
    schedule: spec.schedule,
    timeZone: spec.timeZone,
    concurrencyPolicy: 'Forbid',
    startingDeadlineSeconds: spec.startingDeadlineSeconds,
    suspend: spec.suspend,
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 3,
    jobTemplate: {
      spec: {
        backoffLimit: 3, activeDeadlineSeconds: CRON_DEADLINE_SECONDS, template: { metadata: { labels: labelsWithoutSidecar() }, spec: pod },
      },
    },
  });
}
