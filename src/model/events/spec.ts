/**
 * What starts training jobs, in our terms. Constructs produce it, the rules next to this file judge it, and `manifests/events` makes objects of KEDA,
 * Knative and Kubernetes of it.
 *
 * Training jobs that are started by events or by the time. What is started is a template: an engine's rendering of a job with stand-ins for the part
 * of its name that differs and for its event. A stand-in for names is as long as what it stands for, so that a name that keeps its rules does so
 * with every id.
 */
import { API_GROUP } from '../labels';
import type { ScheduleSpec } from '../schedules';

export interface PubSubSource {
  readonly kind: 'pubsub';
  /** `projects/PROJECT/subscriptions/NAME`. */
  readonly subscription: string;
}

export interface SqsSource {
  readonly kind: 'sqs';
  readonly queueUrl: string;
  readonly region: string;
}

/** A topic of Kafka, for the members of a consumer group. */
export interface KafkaSource {
  readonly kind: 'kafka';
  readonly bootstrapServers: string;
  readonly topic: string;
  readonly consumerGroup: string;
  readonly sasl?: 'plaintext' | 'scram_sha256' | 'scram_sha512';
  readonly tls?: boolean;
  /** Secret with the keys `username`, `password` and, for an own authority, `ca`. */
  readonly secretName?: string;
  readonly hasCa?: boolean;
}

export interface KnativeSource {
  readonly kind: 'knative';
  readonly broker: string;
  /** Attributes that an event has to have, exactly. */
  readonly attributes?: { readonly [name: string]: string };
  /** A condition on the event, in CESQL. */
  readonly cesql?: string;
  readonly retries?: number;
  readonly backoffSeconds?: number;
  /** Where events go of which no job could be made. */
  readonly deadLetter?: { readonly uri?: string; readonly ref?: { readonly apiVersion: string; readonly kind: string; readonly name: string } };
}

/** A queue, whose messages KEDA counts and the launcher takes. */
export type QueueSource = PubSubSource | SqsSource | KafkaSource;

export type EventSourceSpec = QueueSource | KnativeSource;

/** `EventDrivenTraining` in our terms. */
export interface EventDrivenSpec {
  readonly source: EventSourceSpec;
  /** Most jobs that run at the same time. @default - any number */
  readonly maxRunning?: number;
  readonly pollingSeconds?: number;
  readonly image?: string;
}

/** `CronTraining` in our terms. */
export interface CronSpec extends ScheduleSpec {
  readonly concurrency: 'Allow' | 'Forbid' | 'Replace';
  readonly startingDeadlineSeconds?: number;
  readonly suspend?: boolean;
  /** Jobs that ended well and are kept. @default - all */
  readonly successfulJobs?: number;
  readonly failedJobs?: number;
}

/** Name of what has started a job. Set by the launcher's template on every job. */
export const LAUNCHER_LABEL = `${API_GROUP}/launcher`;

/** Stands for the last part of a job's name. */
export const ID_PLACEHOLDER = 'trainyard0id';

/** Stands for the event, in base64. */
export const EVENT_PLACEHOLDER = 'TRAINYARD-EVENT';

/** Variable with the event: a CloudEvent as JSON, in base64. */
export const EVENT_VARIABLE = 'TRAINYARD_EVENT';

export function templateName(launcher: string): string {
  return `${launcher}-${ID_PLACEHOLDER}`;
}

/** Longest name of a launcher with which names of jobs, engines permitting, are DNS labels. */
export const LAUNCHER_NAME_MAX_LENGTH = 63 - '-'.length - ID_PLACEHOLDER.length;
