import { Names, type ApiObject, type Duration } from 'cdk8s';
import { Construct } from 'constructs';
import type { NotificationReceiver } from './receiver';
import { constructSecretGrant } from '../../manifests/notifications/installation';
import { OPERATOR_NAMESPACE } from '../../manifests/operator/settings';
import { defined } from '../../model/lists';
import { GROUP_VERSION, TRAINING_JOB_PLURAL } from '../../model/labels';
import {
  NOTIFICATION_RULE_KIND, NOTIFY_ANNOTATION, secretsOf, type NotificationEvent as EventWord, type NotificationRuleSpec,
} from '../../model/notifications/rule';
import { validateRule } from '../../model/notifications/validation';
import { reportAtSynth } from '../rendering/problems';
import { checkProps, checkTypes } from '../props/check-props';
import { addManifest } from '../rendering/objects';
import type { TrainingJob } from '../training-job/training-job';

/** Longest generated name: it leaves room for the suffix of its Role. */
const NAME_MAX_LENGTH = 54;

/** What happened to a job. */
export enum NotificationEvent {
  /** The job has failed. */
  FAILED = 'Failed',
  /** The job has succeeded. */
  SUCCEEDED = 'Succeeded',
  /** Replicas were restarted. */
  RESTARTED = 'Restarted',
  /** The job has reported no progress for `stallAfter`, or its own stall policy applies. */
  STALLED = 'Stalled',
  /** The job has waited longer than `queueWait` for its first replicas, in a queue or for nodes. */
  QUEUE_WAIT = 'QueueWait',
  /** The job has used `deadlinePercent` of its deadline. */
  DEADLINE = 'Deadline',
  /** The job has used `budgetReplicaHours`. */
  BUDGET = 'Budget',
}

/** Properties of a `NotificationRule`. */
export interface NotificationRuleProps {
  /** Events to report. */
  readonly events: NotificationEvent[];

  /** Receivers of messages, at most 8. */
  readonly receivers: NotificationReceiver[];

  /** Name of the rule. @default - derived from the construct's path */
  readonly name?: string;

  /** Labels that a job must have. @default - all jobs of the namespace except trials and copies of arrays */
  readonly jobLabels?: { readonly [label: string]: string };

  /**
   * Whether to report only jobs that name the rule (`addJob`, or the annotation `ml.collabnix.io/notify`).
   * @default false
   */
  readonly onlyNamed?: boolean;

  /**
   * Time without progress after which a job that has reported progress before is stalled, for the event `STALLED`.
   * @default Duration.minutes(30)
   */
  readonly stallAfter?: Duration;

  /** Waiting time after which a job is reported, for the event `QUEUE_WAIT`. @default Duration.hours(1) */
  readonly queueWait?: Duration;

  /** Percentage of a job's deadline after which it is reported, for the event `DEADLINE`. @default 80 */
  readonly deadlinePercent?: number;

  /**
   * Hours since the start of a job, times its replicas, after which it is reported. Required for the event `BUDGET`.
   * @default - none
   */
  readonly budgetReplicaHours?: number;

  /**
   * Minimum time between two messages about the same event and job name. Events in between are combined into one message.
   * @default Duration.minutes(5)
   */
  readonly interval?: Duration;

  /** Maximum number of messages to a receiver per minute; others wait. @default 30 */
  readonly maxPerMinute?: number;

  /** How long sending a message is retried, at most 7 days. @default Duration.hours(24) */
  readonly retryFor?: Duration;

  /**
   * Text of a message, with the placeholders `{job}`, `{namespace}`, `{event}`, `{reason}`, `{message}`, `{log}`, `{phase}`, `{progress}`, `{time}`,
   * `{count}`, `{rule}` and `{cluster}`.
   * @default - the event, the job, the reason and the message, and for failures the last lines of the log
   */
  readonly message?: string;

  /** Whether to create a Role that lets the notifier read only the Secrets of the receivers. @default true */
  readonly grantSecrets?: boolean;

  /** Namespace of the `TrainyardNotifier`. @default trainyard-system */
  readonly notifierNamespace?: string;
}

/**
 * Messages about the training jobs of a namespace. A `TrainyardNotifier` sends them.
 * @example
 * import { NotificationEvent, NotificationReceiver, NotificationRule } from 'trainyard/notifications';
 *
 * new NotificationRule(chart, 'Failures', {
 *   events: [NotificationEvent.FAILED, NotificationEvent.STALLED],
 *   receivers: [NotificationReceiver.slack('channel', { name: 'slack', key: 'url' })],
 * });
 */
export class NotificationRule extends Construct {
  /** Name of the rule. */
  public readonly ruleName: string;

  /** The rule, the default child. */
  public readonly resource: ApiObject;

  public constructor(scope: Construct, id: string, props: NotificationRuleProps) {
    super(scope, id);
    checkProps(this, 'NotificationRuleProps', props);
    this.ruleName = props.name ?? Names.toDnsLabel(this, { includeHash: false, maxLen: NAME_MAX_LENGTH });
    const spec = specOf(props);
    reportAtSynth(this, `NotificationRule '${this.ruleName}'`, () => validateRule(spec));
    const metadata = { name: this.ruleName };
    this.resource = addManifest(this, 'Resource', { apiVersion: GROUP_VERSION, kind: NOTIFICATION_RULE_KIND, metadata, spec } as Parameters<typeof addManifest>[2]);
    const secrets = secretsOf(spec);
    if ((props.grantSecrets ?? true) && secrets.length > 0) {
      const [role, binding] = constructSecretGrant(metadata, secrets, props.notifierNamespace ?? OPERATOR_NAMESPACE);
      addManifest(this, 'Role', role);
      addManifest(this, 'RoleBinding', binding);
    }
  }

  /**
   * Adds a job that the rule does not select by its labels.
   * @param job a job in the same namespace on Trainyard's operator
   * @throws Error for a job on another engine, whose status the notifier does not read
   */
  public addJob(job: TrainingJob): void {
    checkTypes('NotificationRule.addJob', 'TrainingJob', job);
    if (job.resourceType !== TRAINING_JOB_PLURAL) {
      throw new Error(`NotificationRule '${this.ruleName}': TrainingJob '${job.name}' is rendered to ${job.resourceType} by its engine, whose status the notifier does not read. `
        + 'Run the job on Engine.operator(), or remove it from the rule.');
    }
    const annotations = (job.metadata.toJson() as { readonly annotations?: { readonly [name: string]: string } } | undefined)?.annotations;
    const named = annotations?.[NOTIFY_ANNOTATION];
    job.metadata.addAnnotation(NOTIFY_ANNOTATION, named === undefined ? this.ruleName : `${named},${this.ruleName}`);
  }
}

function specOf({
  events, receivers, jobLabels, onlyNamed, stallAfter, queueWait, interval, retryFor, deadlinePercent, budgetReplicaHours, maxPerMinute, message,
}: NotificationRuleProps): NotificationRuleSpec {
  const given = {
    selector: jobLabels && { matchLabels: jobLabels }, onlyNamed, deadlinePercent, budgetReplicaHours, maxPerMinute, message,
    stallSeconds: stallAfter?.toSeconds(), queueWaitSeconds: queueWait?.toSeconds(),
    intervalSeconds: interval?.toSeconds(), retrySeconds: retryFor?.toSeconds(),
  };
  return {
    ...defined(given),
    events: events as string[] as EventWord[], receivers: receivers.map(({ _spec }) => _spec),
  };
}
