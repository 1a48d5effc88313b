/** A topic of Pub/Sub with subscriptions that start jobs, and with what becomes of messages that nobody can work on. */
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
import { acrossOf, refuse, validated, type ArgRules } from '../support/validated';

/** A subscription: the model's, of which each part can be an output, and who reads it. */
export interface PubSubSubscriptionArgs extends Omit<PartsOf<PubSubSubscriptionSpec>, 'deadLetters'> {
  /** Where messages go that nobody could work on. @default - they come again until they are too old */
  readonly deadLetters?: PartsOf<DeadLetters>;
  /** Members that read it, such as `binding.member` of the launcher. @default - none */
  readonly subscribers?: InputsOf<readonly string[]>;
}

/** Arguments of {@link PubSubTopic}. */
export interface PubSubTopicArgs {
  /** @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** Number of the project, which the account of Pub/Sub has in its name. @default - Google is asked for it */
  readonly projectNumber?: pulumi.Input<string>;
  /** Name of the topic. @default - the name in the program */
  readonly topic?: pulumi.Input<string>;
  /** Seconds that all messages can be had again, 600 to 2678400. They are paid for. @default - as long as subscriptions keep them */
  readonly retentionSeconds?: pulumi.Input<number>;
  /** Regions that messages are kept in. @default - where they are published */
  readonly regions?: InputsOf<readonly string[]>;
  /** Subscriptions by their names. @default - none: messages are lost until there is one */
  readonly subscriptions?: { readonly [name: string]: PubSubSubscriptionArgs };
  /** Members that publish, such as `binding.member`. @default - none */
  readonly publishers?: InputsOf<readonly string[]>;
  /** @default - a key of Google */
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
 * A topic with its subscriptions. A subscription with dead letters gets a topic for them with a subscription that keeps them, and Pub/Sub's own
 * account the right to move messages there.
 * @see https://cloud.google.com/pubsub/docs/dead-letter-topics
 */
export class PubSubTopic extends pulumi.ComponentResource {
  public readonly topic: pubsub.Topic;
  /** `projects/PROJECT/topics/NAME`. */
  public readonly id: pulumi.Output<string>;
  /** `projects/PROJECT/subscriptions/NAME` of each, as `EventSource.pubSub` takes it, by their names. */
  public readonly subscriptions: ReadonlyMap<string, pulumi.Output<string>>;
  /** The same of the subscriptions that keep dead letters, by the names of those that they come from. */
  public readonly deadLetters: ReadonlyMap<string, pulumi.Output<string>>;

  /**
   * @param name name in the program
   * @param args what the topic is like
   * @param opts options of Pulumi
   * @throws InvalidArgsError with everything that is wrong
   */
  public constructor(name: string, args: PubSubTopicArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = { type: 'PubSubTopic', name };
    const checked = validated<PubSubTopicArgs>(subject, { ...args, topic: args.topic ?? name }, RULES);
    refuse(subject, [
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
      const made = this.subscription(`${name}-${each}`, each, subscription, { project, labels }, dead?.topic);
      if (dead !== undefined) {
        deadLetters.set(each, dead.subscription);
        new pubsub.SubscriptionIAMMember(`${name}-${each}-forward`, { project, subscription: made.name, role: 'roles/pubsub.subscriber', member: agent }, child);
      }
      return [each, pulumi.interpolate`projects/${made.project}/subscriptions/${made.name}`];
    }));
    this.deadLetters = deadLetters;
    this.id = pulumi.interpolate`projects/${this.topic.project}/topics/${this.topic.name}`;
    this.registerOutputs({ topic: this.id });
  }

  private subscription(
    name: string, each: string, args: PubSubSubscriptionArgs, common: Pick<pubsub.SubscriptionArgs, 'project' | 'labels'>, deadLetterTopic: pulumi.Input<string> | undefined,
  ): pubsub.Subscription {
    const { ackDeadlineSeconds, retentionSeconds, minBackoffSeconds, maxBackoffSeconds, maxAttempts } = SUBSCRIPTION_DEFAULTS;
    const made = new pubsub.Subscription(name, {
      ...common,
      name: each,
      topic: this.topic.id,
      ackDeadlineSeconds: args.ackDeadlineSeconds ?? ackDeadlineSeconds,
      messageRetentionDuration: secondsText(args.retentionSeconds ?? retentionSeconds),
      retainAckedMessages: args.retainAcknowledged ?? false,
      enableMessageOrdering: args.ordering ?? false,
      enableExactlyOnceDelivery: args.exactlyOnce ?? false,
      filter: args.filter,
      // An empty time is for ever: without it Google deletes what nobody has read for a month.
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
      project: common.project, subscription: made.name, role: 'roles/pubsub.subscriber', member,
    }, { parent: this }));
    return made;
  }

  /** The topic for dead letters, and the subscription that keeps them: what is published to a topic without one is lost. */
  private deadLetterTopic(
    name: string, each: string, { topic, retentionDays }: PartsOf<DeadLetters>, common: Omit<pubsub.TopicArgs, 'name'>, agent: pulumi.Input<string>,
  ): { readonly topic: pulumi.Output<string>; readonly subscription: pulumi.Output<string> } {
    const child: pulumi.CustomResourceOptions = { parent: this };
    const { project, labels } = common;
    const title = pulumi.output(topic).apply((given) => deadLetterTopicName(each, { topic: given }));
    const made = new pubsub.Topic(`${name}-dead-letters`, { ...common, name: title }, child);
    const publisher = new pubsub.TopicIAMMember(`${name}-dead-letters-forward`, { project, topic: made.name, role: 'roles/pubsub.publisher', member: agent }, child);
    const reader = new pubsub.Subscription(`${name}-dead-letters`, {
      project,
      labels,
      name: title,
      topic: made.id,
      messageRetentionDuration: pulumi.output(retentionDays ?? SUBSCRIPTION_DEFAULTS.deadLetterDays).apply((days) => `${days * DAY_SECONDS}s`),
      expirationPolicy: { ttl: '' },
    }, child);
    return {
      topic: pulumi.all([made.id, publisher.id]).apply(([id]) => id),
      subscription: pulumi.interpolate`projects/${reader.project}/subscriptions/${reader.name}`,
    };
  }
}

/** A time as Google writes it. */
function secondsText<T extends number | undefined>(seconds: pulumi.Input<T>): T extends undefined ? undefined : pulumi.Output<string> {
  return (seconds === undefined ? undefined : pulumi.output(seconds).apply((value) => `${value as number}s`)) as T extends undefined ? undefined : pulumi.Output<string>;
}
