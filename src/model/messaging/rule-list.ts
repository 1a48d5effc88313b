/** The rules on topics and subscriptions of Pub/Sub, each with its source. `pub-sub.ts` applies them. */
import { rule, type Rule } from '../findings';

/** Rules on Pub/Sub. */
export const PUBSUB_RULES = {
  name: rule('pubsub-name', 'pubSubNames', 'Names have 3 to 255 letters, digits and - _ . ~ + %, begin with a letter, and not with goog.'),
  retention: rule('pubsub-retention', 'pulumiPubSub', 'Messages are kept for 10 minutes to 31 days.'),
  ackDeadline: rule('pubsub-ack-deadline', 'pulumiPubSub', 'A message is acknowledged within 10 to 600 seconds.'),
  attempts: rule('pubsub-attempts', 'pulumiPubSub', 'A message is a dead letter after 5 to 100 attempts.'),
  backoff: rule('pubsub-backoff', 'pulumiPubSub', 'The time between two attempts is 0 to 600 seconds, and does not get shorter.'),
  filter: rule('pubsub-filter', 'pulumiPubSub', 'A filter has at most 256 bytes.'),
  expiration: rule('pubsub-expiration', 'pulumiPubSub', 'An unused subscription is deleted after a day at the earliest.'),
  expirationRetention: rule('pubsub-expiration-retention', 'pulumiPubSub', 'A subscription is not deleted while its messages would still be kept.'),
  deadLetterName: rule('pubsub-dead-letter-loop', 'pubSubDeadLetters', 'Dead letters go to another topic.'),
  deadLetterReader: rule('pubsub-dead-letter-reader', 'pubSubDeadLetters', 'Messages published to a topic without a subscription are lost.'),
  ordering: rule('pubsub-ordering-dead-letters', 'pubSubOrdering', 'A dead letter leaves a gap in the order of its key.'),
} as const satisfies { readonly [name: string]: Rule };
