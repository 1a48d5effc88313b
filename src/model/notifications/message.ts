/** Messages as receivers take them. All that comes from a job is text: nothing in it is markup, ends a header or is replaced again. */
import { NOTIFICATION_RULE_KIND, PLACEHOLDERS, type NotificationEvent } from './rule';
import type { WaitingMessage } from './status';
import { API_GROUP, GROUP_VERSION, TRAINING_JOB_KIND } from '../labels';
import { printable, printableLines, shortened } from '../text/printable';

export interface MessageContext {
  readonly rule: string;
  /** Its `spec.message`. */
  readonly template?: string;
  /** Name of the cluster; empty where the notifier has none. */
  readonly cluster: string;
}

/** Longest text of a message: Slack takes no longer block. */
const TEXT_LENGTH = 3000;

const SUBJECT_LENGTH = 200;

const VERBS: { readonly [event in NotificationEvent]: string } = {
  Failed: 'has failed', Succeeded: 'has succeeded', Restarted: 'was restarted', Stalled: 'is stalled', QueueWait: 'waits for its replicas',
  Deadline: 'is close to its deadline', Budget: 'has used its budget',
};

const PLACEHOLDER = /\{([a-z]+)\}/g;

export function messageText(message: WaitingMessage, { rule, template, cluster }: MessageContext): string {
  const { job, namespace, event, reason = '', time, count, phase = '', progress } = message;
  const values: { readonly [name in (typeof PLACEHOLDERS)[number]]: string } = {
    job, namespace, event, reason, time, phase, rule, cluster, message: message.message ?? '', log: message.log ?? '', count: String(count),
    progress: progress === undefined ? '' : `${progress} %`,
  };
  const text = template?.replace(PLACEHOLDER, (whole, name: string) => (Object.hasOwn(values, name) ? values[name as keyof typeof values] : whole))
    ?? [
      `${subject(message)}${count > 1 ? ` (${count} times)` : ''}.`,
      [reason, values.message].filter((part) => part !== '').join(': '),
      values.log,
      `Time: ${time}${cluster === '' ? '' : `, cluster: ${cluster}`}`,
    ].filter((line) => line !== '').join('\n');
  return shortened(printableLines(text), TEXT_LENGTH);
}

function subject({ namespace, job, event }: WaitingMessage): string {
  return `Job ${namespace}/${job} ${VERBS[event]}`;
}

export function messageSubject(message: WaitingMessage): string {
  return shortened(printable(subject(message)), SUBJECT_LENGTH);
}

/** What programs read of a message. */
function dataOf(message: WaitingMessage, context: MessageContext) {
  const { receivers: _receivers, notBefore: _notBefore, ...facts } = message;
  return { ...facts, rule: context.rule, cluster: context.cluster, text: messageText(message, context) };
}

export function webhookBody(message: WaitingMessage, context: MessageContext): string {
  const { time, event, ...data } = dataOf(message, context);
  return JSON.stringify({ type: `trainingjob.${event.toLowerCase()}`, timestamp: time, data: { event, ...data } });
}

/** A CloudEvent in structured mode. @see https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
export function cloudEvent(message: WaitingMessage, context: MessageContext): string {
  const { id, namespace, job, time, event } = message;
  return JSON.stringify({
    specversion: '1.0', id, time, source: `/apis/${GROUP_VERSION}/namespaces/${namespace}/${NOTIFICATION_RULE_KIND.toLowerCase()}s/${context.rule}`,
    type: `${API_GROUP}.trainingjob.${event.toLowerCase()}.v1`, subject: `${namespace}/${job}`, datacontenttype: 'application/json', data: dataOf(message, context),
  });
}

/** Body for an incoming webhook of Slack. In plain text Slack reads no markup and no mentions; `text` is what notifications of its clients show. */
export function slackBody(message: WaitingMessage, context: MessageContext): string {
  const text = messageText(message, context);
  const escaped = messageSubject(message).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return JSON.stringify({ text: escaped, mrkdwn: false, unfurl_links: false, blocks: [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }] });
}

/** An Event on the job. Its name is the same for all attempts, so that the API server takes it once. */
export function kubernetesEvent(message: WaitingMessage, context: MessageContext) {
  const { id, namespace, job, uid, event, time } = message;
  const isBad = !['Succeeded'].includes(event);
  return {
    apiVersion: 'v1', kind: 'Event', metadata: { name: `${job}.${id.slice(0, 16)}`, namespace },
    involvedObject: { apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, name: job, namespace, uid },
    type: isBad ? 'Warning' : 'Normal', reason: `Notified${event}`, message: shortened(messageText(message, context), 1000),
    source: { component: 'trainyard-notifier' }, firstTimestamp: time, lastTimestamp: time, count: message.count,
  };
}
