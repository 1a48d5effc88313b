/** A Pub/Sub topic with subscriptions that start jobs, and with dead-letter topics for messages that cannot be processed. */
import * as organizations from '@pulumi/gcp/organizations';
import * as pubsub from '@pulumi/gcp/pubsub';
import * as pulumi from '@pulumi/pulumi';
import {
  DAY_SECONDS, PUBSUB_CHECKS, SUBSCRIPTION_DEFAULTS, deadLetterTopicName, type DeadLetters, type PubSubSubscriptionSpec,
} from '../../model/messaging/pub-sub';
import { BOOLEAN, NON_EMPTY_TEXT, NUMBER, integer, listOf, mapOf, record } from '../../model/shapes';
import { MEMBER, allowKey, checkLength } from '../support/access';
import { commonLabels, configuredProject, missingProject } from '../support/context';
import { CLOUD_LABELS, KMS_KEY, PROJECT_ID, REGION, type InputsOf, type PartsOf } from '../support/inputs';
import { acrossOf, throwErrors, validated, type ArgRules } from '../support/validated';

/** A subscription of the model, in which each value can be an output, and its subscribers. */
export interface PubSubSubscriptionArgs extends Omit<PartsOf<PubSubSubscriptionSpec>, 'deadLetters'> {
  /** Where to move messages that cannot be processed. @default - they are redelivered until they expire */
  readonly deadLetters?: PartsOf<DeadLetters>;
  /** Members that read the subscription, such as `binding.member` of the launcher. @default - none */
  readonly subscribers?: InputsOf<readonly string[]>;
}

/** Arguments of {@link PubSubTopic}. */
export interface PubSubTopicArgs {
  /** @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** Number of the project, which is in the name of the Pub/Sub account. @default - looked up in Google Cloud */
  readonly projectNumber?: pulumi.Input<string>;
  /** Name of the topic. @default - the name in the program */
  readonly topic?: pulumi.Input<string>;
  /** Seconds for which all messages can be replayed, 600 to 2678400; this storage is billed. @default - as long as subscriptions keep them */
  readonly retentionSeconds?: pulumi.Input<number>;
  /** Regions in which messages are stored. @default - where they are published */
  readonly regions?: InputsOf<readonly string[]>;
  /** Subscriptions by name. @default - none: messages are lost until there is a subscription */
  readonly subscriptions?: { readonly [name: string]: PubSubSubscriptionArgs };
  /** Members that publish, such as `binding.member`. @default - none */
  readonly publishers?: InputsOf<readonly string[]>;
  /** @default - Google's own key */
  readonly kmsKey?: pulumi.Input<string>;
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}

const RULES: ArgRules<PubSubTopicArgs> = {
  fields: {
    project: PROJECT_ID,
    projectNumber: NON_EMPTY_TEXT,
    topic: NON_EMPTY_TEXT,
    retentionSeconds: integer(1),
    regions: listOf(REGION, 1),
    subscriptions: mapOf(record<keyof PubSubSubscriptionArgs>('a subscription', {
      ackDeadlineSeconds: integer(0), retentionSeconds: integer(1), retainAcknowledged: BOOLEAN, ordering: BOOLEAN, exactlyOnce: BOOLEAN,
      filter: NON_EMPTY_TEXT,
      expirationDays: NUMBER, minBackoffSeconds: NUMBER, maxBackoffSeconds: NUMBER, subscribers: listOf(MEMBER),
      deadLetters: record<keyof DeadLetters>('dead letters', { maxAttempts: integer(1), topic: NON_EMPTY_TEXT, retentionDays: integer(1) }),
    })),
    publishers: listOf(MEMBER),
    kmsKey: KMS_KEY,
    labels: CLOUD_LABELS,
  },
  across: [{ fields: ['project'], check: ({ project }) => missingProject(project) }, ...acrossOf(PUBSUB_CHECKS)],
};

/**
 * A topic with its subscriptions. A subscription with dead letters gets a topic for them, with a subscription that keeps them, and the account of
 * Pub/Sub gets permission to move messages there.
 * @see https://cloud.google.com/pubsub/docs/dead-letter-topics
 */
export class PubSubTopic extends pulumi.ComponentResource {
  public readonly topic: pubsub.Topic;
  /** `projects/PROJECT/topics/NAME`. */
  public readonly id: pulumi.Output<string>;
  /** `projects/PROJECT/subscriptions/NAME` of each subscription, for `EventSource.pubSub`, by name. */
  public readonly subscriptions: ReadonlyMap<string, pulumi.Output<string>>;
  /** The subscriptions that keep dead letters, in the same format, by the names of the original subscriptions. */
  public readonly deadLetters: ReadonlyMap<string, pulumi.Output<string>>;

  /**
   * @param name name in the program
   * @param args the options of the topic
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: PubSubTopicArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = { type: 'PubSubTopic', name };
    const checked = validated<PubSubTopicArgs>(subject, { ...args, topic: args.topic ?? name }, RULES);
    throwErrors(subject, [
      ...checkLength('publishers', args.publishers),
      ...Object.entries(args.subscriptions ?? {}).flatMap(([each, { subscribers }]) => checkLength(`subscriptions.${each}.subscribers`, subscribers)),
    ]);
    super('trainyard:stacks:PubSubTopic', name, {}, opts);
    const child: pulumi.CustomResourceOptions = { parent: this };
    const project = checked.project ?? configuredProject();
    const number = checked.projectNumber ?? organizations.getProjectOutput({ projectId: project }, { parent: this }).number;
    const agent = pulumi.interpolate`serviceAccount:service-${number}@gcp-sa-pubsub.iam.gserviceaccount.com`;
    const labels = commonLabels(checked.labels);
    const key = checked.kmsKey;
    const common = {
      project,
      labels,
      kmsKeyName: key && pulumi.all([key, allowKey(name, key, agent, child).id]).apply(([text]) => text),
      messageStoragePolicy: checked.regions && { allowedPersistenceRegions: checked.regions as pulumi.Input<pulumi.Input<string>[]> },
    };
    this.topic = new pubsub.Topic(name, { ...common, name: checked.topic!, messageRetentionDuration: secondsText(checked.retentionSeconds) }, child);
    ((checked.publishers ?? []) as readonly pulumi.Input<string>[]).forEach((member, index) => new pubsub.TopicIAMMember(`${name}-publisher-${index}`, {
      project, topic: this.topic.name, role: 'roles/pubsub.publisher', member,
    }, child));

    const deadLetters = new Map<string, pulumi.Output<string>>();
    this.subscriptions = new Map(Object.entries(checked.subscriptions ?? {}).map(([each, subscription]) => {
      const dead = subscription.deadLetters && this.deadLetterTopic(`${name}-${each}`, each, subscription.deadLetters, common, agent);
      const created = this.subscription(`${name}-${each}`, each, subscription, { project, labels }, dead?.topic);
      if (dead !== undefined) {
        deadLetters.set(each, dead.subscription);
        new pubsub.SubscriptionIAMMember(`${name}-${each}-forward`, { project, subscription: created.name, role: 'roles/pubsub.subscriber', member: agent }, child);
      }
      return [each, pulumi.interpolate`projects/${created.project}/subscriptions/${created.name}`];
    }));
    this.deadLetters = deadLetters;
    this.id = pulumi.interpolate`projects/${this.topic.project}/topics/${this.topic.name}`;
    this.registerOutputs({ topic: this.id });
  }

  private subscription(
    name: string, each: string, args: PubSubSubscriptionArgs, common: Pick<pubsub.SubscriptionArgs, 'project' | 'labels'>, deadLetterTopic: pulumi.Input<string> | undefined,
  ): pubsub.Subscription {
    const { ackDeadlineSeconds, retentionSeconds, minBackoffSeconds, maxBackoffSeconds, maxAttempts } = SUBSCRIPTION_DEFAULTS;
    const created = new pubsub.Subscription(name, {
      ...common,
      name: each,
      topic: this.topic.id,
      ackDeadlineSeconds: args.ackDeadlineSeconds ?? ackDeadlineSeconds,
      messageRetentionDuration: secondsText(args.retentionSeconds ?? retentionSeconds),
      retainAckedMessages: args.retainAcknowledged ?? false,
      enableMessageOrdering: args.ordering ?? false,
      enableExactlyOnceDelivery: args.exactlyOnce ?? false,
      filter: args.filter,
      // An empty value means never: otherwise Google deletes subscriptions that are unused for a month.
      expirationPolicy: { ttl: pulumi.output(args.expirationDays).apply((days) => (days === undefined ? '' : `${days * DAY_SECONDS}s`)) },
      retryPolicy: {
        minimumBackoff: secondsText(args.minBackoffSeconds ?? minBackoffSeconds),
        maximumBackoff: secondsText(args.maxBackoffSeconds ?? maxBackoffSeconds),
      },
      deadLetterPolicy: deadLetterTopic === undefined ? undefined : {
        deadLetterTopic, maxDeliveryAttempts: args.deadLetters?.maxAttempts ?? maxAttempts,
      },
    }, { parent: this });
    ((args.subscribers ?? []) as readonly pulumi.Input<string>[]).forEach((member, index) => new pubsub.SubscriptionIAMMember(`${name}-subscriber-${index}`, {
      project: common.project, subscription: created.name, role: 'roles/pubsub.subscriber', member,
    }, { parent: this }));
    return created;
  }

  /** The topic for dead letters, and the subscription that keeps them: messages to a topic without a subscription are lost. */
  private deadLetterTopic(
    name: string, each: string, { topic, retentionDays }: PartsOf<DeadLetters>, common: Omit<pubsub.TopicArgs, 'name'>, agent: pulumi.Input<string>,
  ): { readonly topic: pulumi.Output<string>; readonly subscription: pulumi.Output<string> } {
    const child: pulumi.CustomResourceOptions = { parent: this };
    const { project, labels } = common;
    const title = pulumi.output(topic).apply((given) => deadLetterTopicName(each, { topic: given }));
    const deadLetters = new pubsub.Topic(`${name}-dead-letters`, { ...common, name: title }, child);
    const publisher = new pubsub.TopicIAMMember(`${name}-dead-letters-forward`, { project, topic: deadLetters.name, role: 'roles/pubsub.publisher', member: agent }, child);
    const reader = new pubsub.Subscription(`${name}-dead-letters`, {
      project,
      labels,
      name: title,
      topic: deadLetters.id,
      messageRetentionDuration: pulumi.output(retentionDays ?? SUBSCRIPTION_DEFAULTS.deadLetterDays).apply((days) => `${days * DAY_SECONDS}s`),
      expirationPolicy: { ttl: '' },
    }, child);
    return {
      topic: pulumi.all([deadLetters.id, publisher.id]).apply(([id]) => id),
      subscription: pulumi.interpolate`projects/${reader.project}/subscriptions/${reader.name}`,
    };
  }
}

/** A duration in Google's format. */
function secondsText<T extends number | undefined>(seconds: pulumi.Input<T>): T extends undefined ? undefined : pulumi.Output<string> {
  return (seconds === undefined ? undefined : pulumi.output(seconds).apply((value) => `${value as number}s`)) as T extends undefined ? undefined : pulumi.Output<string>;
}
