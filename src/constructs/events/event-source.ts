import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { EventSourceSpec } from '../../model/events/spec';
import { checkTypes } from '../props/check-props';

/** How a Kafka client authenticates. */
export enum KafkaSasl {
  /** User and password in plain text. Use it only with TLS. */
  PLAIN = 'plaintext',
  /** SCRAM with SHA-256. */
  SCRAM_SHA_256 = 'scram_sha256',
  /** SCRAM with SHA-512. */
  SCRAM_SHA_512 = 'scram_sha512',
}

/** Options of `EventSource.kafka`. */
export interface KafkaSourceOptions {
  /** Servers, as `HOST:PORT`, separated by commas. */
  readonly bootstrapServers: string;
  /** The topic. */
  readonly topic: string;
  /** Consumer group, which records the messages that have a job. Do not use it for anything else. */
  readonly consumerGroup: string;
  /** How the client authenticates. @default - it does not */
  readonly sasl?: KafkaSasl;
  /** Secret with the keys `username` and `password`, and `ca` for a private certificate authority. @default - none */
  readonly secret?: kplus.ISecret;
  /** Whether to connect with TLS. @default false */
  readonly tls?: boolean;
  /** Whether the key `ca` of the Secret is the servers' certificate authority. @default false - a public authority */
  readonly ownAuthority?: boolean;
}

/** Destination of events for which no job could be created. */
export class DeadLetters {
  /**
   * An object in the same namespace that receives events.
   * @param apiVersion such as `v1`
   * @param kind such as `Service`
   * @param name its name
   */
  public static object(apiVersion: string, kind: string, name: string): DeadLetters {
    return new DeadLetters({ ref: { apiVersion, kind, name } });
  }

  /** A URL. */
  public static uri(uri: string): DeadLetters {
    return new DeadLetters({ uri });
  }

  /** As Knative writes it. @internal */
  public readonly _sink: { readonly uri?: string; readonly ref?: { readonly apiVersion: string; readonly kind: string; readonly name: string } };

  private constructor(sink: { readonly uri?: string; readonly ref?: { readonly apiVersion: string; readonly kind: string; readonly name: string } }) {
    this._sink = sink;
  }
}

/** Options of `EventSource.knativeBroker`. */
export interface KnativeBrokerOptions {
  /** Attributes that an event must have, such as `{ type: 'com.example.dataset.ready' }`. @default - all events */
  readonly attributes?: { readonly [name: string]: string };
  /** A condition in CESQL, such as `subject LIKE 'images/%'`. @default - none */
  readonly cesql?: string;
  /** How often an event is sent again if no job can be created, or while the maximum number of jobs runs. @default 20 */
  readonly retries?: number;
  /** Time before an event is sent again for the first time; it doubles each time. @default Duration.seconds(10) */
  readonly backoff?: Duration;
  /** Destination of events for which no job could be created. @default - none: they are lost */
  readonly deadLetters?: DeadLetters;
}

/** Source of the messages or events that start training jobs. */
export class EventSource {
  /**
   * Messages of a Google Cloud Pub/Sub subscription. KEDA and the launcher use workload identity: KEDA needs `monitoring.viewer`, the launcher
   * `pubsub.subscriber`.
   * @param subscription `projects/PROJECT/subscriptions/NAME`
   */
  public static pubSub(subscription: string): EventSource {
    return new EventSource({ kind: 'pubsub', subscription });
  }

  /**
   * Messages of an AWS SQS queue. KEDA and the launcher need IAM roles: KEDA with `sqs:GetQueueAttributes`, the launcher with `sqs:ReceiveMessage`,
   * `sqs:DeleteMessage` and `sqs:ChangeMessageVisibility`.
   * @param queueUrl URL of the queue
   * @param region its region
   */
  public static sqs(queueUrl: string, region: string): EventSource {
    return new EventSource({ kind: 'sqs', queueUrl, region });
  }

  /** Messages of a Kafka topic. Needs a `launcherImage` with Python and the package `kafka-python`. */
  public static kafka(options: KafkaSourceOptions): EventSource {
    checkTypes('EventSource.kafka', 'KafkaSourceOptions', options);
    const { bootstrapServers, topic, consumerGroup, sasl, secret, tls, ownAuthority } = options;
    return new EventSource({ kind: 'kafka', bootstrapServers, topic, consumerGroup, sasl, tls, secretName: secret?.name, hasCa: ownAuthority }, secret);
  }

  /**
   * Events of a Knative broker.
   * @param broker name of the Broker, in the namespace of the jobs
   */
  public static knativeBroker(broker: string, options: KnativeBrokerOptions = {}): EventSource {
    checkTypes('EventSource.knativeBroker', 'KnativeBrokerOptions', options);
    const { attributes, cesql, retries, backoff, deadLetters } = options;
    return new EventSource({ kind: 'knative', broker, attributes, cesql, retries, backoffSeconds: backoff?.toSeconds(), deadLetter: deadLetters?._sink });
  }

  /** @internal */
  public readonly _spec: EventSourceSpec;

  /** Secret of the source. @internal */
  public readonly _secret?: kplus.ISecret;

  private constructor(spec: EventSourceSpec, secret?: kplus.ISecret) {
    this._spec = spec;
    this._secret = secret;
  }
}
