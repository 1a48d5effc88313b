/** Sends a message to a receiver of a rule. */
import net from 'node:net';
import { createTransport } from 'nodemailer';
import type { AddressGuard } from './addresses';
import { post } from './http-post';
import { cloudEvent, kubernetesEvent, messageSubject, messageText, slackBody, webhookBody, type MessageContext } from '../../model/notifications/message';
import type { ReceiverSpec, SecretKeySpec } from '../../model/notifications/rule';
import type { WaitingMessage } from '../../model/notifications/status';
import { isApiError } from '../runtime/http/api-error';
import type { KubeClient } from '../runtime/kube-client';
import type { KubeObject } from '../runtime/kube-object';
import { EVENTS, SECRETS } from '../runtime/resource-kind';

/** What sending needs. */
export interface Sender {
  readonly client: Pick<KubeClient, 'get' | 'create'>;
  readonly guard: AddressGuard;
}

/** One message, and who it goes to. */
export interface Delivery {
  readonly receiver: ReceiverSpec;
  readonly message: WaitingMessage;
  readonly context: MessageContext;
}

/** Sends it. @throws Error that says why the receiver does not have it, without a secret */
export async function send({ client, guard }: Sender, { receiver, message, context }: Delivery, signal: AbortSignal): Promise<void> {
  const { namespace, id } = message;
  const secret = async (name: string): Promise<Secret> => readSecret(client, namespace, name, signal);
  const valueOf = async ({ name, key }: SecretKeySpec): Promise<string> => (await secret(name)).need(key);
  const { webhook, cloudEvents, slack, email } = receiver;
  const http = webhook ?? cloudEvents;
  if (http !== undefined) {
    const url = http.url ?? await valueOf(http.urlSecret!);
    const key = http.signingSecret && await valueOf(http.signingSecret);
    await (webhook !== undefined
      ? post({ url, key, id, contentType: 'application/json', body: webhookBody(message, context) }, guard, signal)
      : post({ url, key, id, contentType: 'application/cloudevents+json; charset=utf-8', body: cloudEvent(message, context) }, guard, signal));
  } else if (slack !== undefined) {
    await post({ url: await valueOf(slack.urlSecret!), id, contentType: 'application/json', body: slackBody(message, context) }, guard, signal);
  } else if (email !== undefined) {
    await mail(await secret(email.smtpSecretName), email, { message, context }, guard, signal);
  } else {
    await client.create(EVENTS, kubernetesEvent(message, context) as KubeObject, { signal }).catch((error: unknown) => {
      // An earlier attempt has created it.
      if (!isApiError(error, 'isConflict')) {
        throw error;
      }
    });
  }
}

/** Keys of a Secret. */
interface Secret {
  get(key: string): string | undefined;
  need(key: string): string;
}

async function readSecret(client: Sender['client'], namespace: string, name: string, signal: AbortSignal): Promise<Secret> {
  const reading = client.get<KubeObject & { data?: Record<string, string> }>(SECRETS, { namespace, name }, { signal });
  const { data = {} } = await reading.catch((error: unknown) => {
    throw isApiError(error, 'isForbidden') ? new Error(`the notifier may not read the Secret '${name}'. Let it do so with a Role and a RoleBinding, as the construct NotificationRule does`) : error;
  });
  const get = (key: string) => (Object.hasOwn(data, key) ? Buffer.from(data[key], 'base64').toString('utf8').trim() : undefined);
  return {
    get,
    need: (key) => {
      const value = get(key);
      if (value === undefined || value === '') {
        throw new Error(`the Secret '${name}' has no key '${key}'`);
      }
      return value;
    },
  };
}

async function mail(
  secret: Secret, { from, to }: NonNullable<ReceiverSpec['email']>, { message, context }: Omit<Delivery, 'receiver'>, guard: AddressGuard, signal: AbortSignal,
): Promise<void> {
  const [host, tls, user, pass] = [secret.need('host'), secret.get('tls') ?? 'starttls', secret.get('user'), secret.get('password')];
  const port = Number(secret.get('port') ?? (tls === 'implicit' ? 465 : 587));
  if (!['starttls', 'implicit', 'none'].includes(tls) || !Number.isInteger(port)) {
    throw new Error("the Secret of the mail server has a wrong 'tls' or 'port'. Write starttls, implicit or none, and a number");
  }
  if (tls === 'none' && pass !== undefined) {
    throw new Error("the Secret of the mail server has a password, which tls 'none' would send as it is. Use starttls or implicit");
  }
  guard.checkHost(host);
  const connection = await connect(host, port, guard, signal);
  const transport = createTransport({
    connection, host, port, secure: tls === 'implicit', requireTLS: tls === 'starttls', ignoreTLS: tls === 'none',
    tls: { servername: net.isIP(host) === 0 ? host : undefined, ca: secret.get('ca') },
    ...(user !== undefined && pass !== undefined && { auth: { user, pass } }),
    disableFileAccess: true, disableUrlAccess: true,
  });
  // Ends the exchange with an error when the time is over.
  const stop = (): void => { connection.destroy(new Error('the mail server did not answer in time')); };
  signal.addEventListener('abort', stop, { once: true });
  try {
    await transport.sendMail({
      from, to: [...to], subject: messageSubject(message), text: messageText(message, context), messageId: `<${message.id}@trainyard-notifier>`,
    });
  } finally {
    signal.removeEventListener('abort', stop);
    transport.close();
    connection.destroy();
  }
}

async function connect(host: string, port: number, guard: AddressGuard, signal: AbortSignal): Promise<net.Socket> {
  const socket = net.connect({ host, port, lookup: guard.lookup, signal });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve();
    });
  });
  return socket;
}
