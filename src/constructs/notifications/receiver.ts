import type { ReceiverSpec } from '../../model/notifications/rule';
import { checkTypes } from '../props/check-props';

/** A key of a Secret in the namespace of the rule. */
export interface NotificationSecret {
  /** Name of the Secret. */
  readonly name: string;
  /** Key in it. */
  readonly key: string;
}

/** Options of `NotificationReceiver.webhook` and `NotificationReceiver.cloudEvents`. */
export interface WebhookReceiverOptions {
  /** URL. Not together with `urlSecret`. @default - from `urlSecret` */
  readonly url?: string;

  /** Secret with the URL, if everyone who knows it can send messages. @default - `url` */
  readonly urlSecret?: NotificationSecret;

  /**
   * Key for signing requests (HMAC-SHA256) as in Standard Webhooks: `whsec_` and base64, or any other text.
   * @default - requests are not signed
   * @see https://www.standardwebhooks.com
   */
  readonly signingSecret?: NotificationSecret;
}

/** Options of `NotificationReceiver.email`. */
export interface EmailReceiverOptions {
  /**
   * Secret with `host` and, if needed, `port`, `user`, `password`, `tls` (`starttls`, the default, `implicit` or `none`) and `ca`, the server's
   * certificate authority.
   */
  readonly smtpSecretName: string;

  /** Address of the sender. */
  readonly from: string;

  /** Addresses of the recipients, at most 20. */
  readonly to: string[];
}

/** A receiver of messages. */
export class NotificationReceiver {
  /** A POST request with JSON. @param receiver its name in the rule */
  public static webhook(receiver: string, options: WebhookReceiverOptions): NotificationReceiver {
    return new NotificationReceiver({ name: receiver, webhook: httpOf('webhook', receiver, options) });
  }

  /** A POST request with a CloudEvent 1.0 in structured mode. @param receiver its name in the rule */
  public static cloudEvents(receiver: string, options: WebhookReceiverOptions): NotificationReceiver {
    return new NotificationReceiver({ name: receiver, cloudEvents: httpOf('cloudEvents', receiver, options) });
  }

  /**
   * A Slack channel.
   * @param receiver its name in the rule
   * @param urlSecret URL of an incoming webhook
   */
  public static slack(receiver: string, urlSecret: NotificationSecret): NotificationReceiver {
    checkTypes('NotificationReceiver.slack', 'NotificationSecret', urlSecret);
    return new NotificationReceiver({ name: receiver, slack: { urlSecret: { ...urlSecret } } });
  }

  /** An e-mail over SMTP. @param receiver its name in the rule */
  public static email(receiver: string, options: EmailReceiverOptions): NotificationReceiver {
    checkTypes('NotificationReceiver.email', 'EmailReceiverOptions', options);
    return new NotificationReceiver({ name: receiver, email: { ...options, to: [...options.to] } });
  }

  /** An Event on the job, which `kubectl describe` shows and event exporters forward. @param receiver its name in the rule */
  public static kubernetesEvent(receiver: string): NotificationReceiver {
    return new NotificationReceiver({ name: receiver, kubernetesEvent: {} });
  }

  private constructor(
    /** @internal */
    public readonly _spec: ReceiverSpec,
  ) {}
}

function httpOf(factory: string, name: string, options: WebhookReceiverOptions): NonNullable<ReceiverSpec['webhook']> {
  checkTypes(`NotificationReceiver.${factory}`, 'WebhookReceiverOptions', options);
  const { url, urlSecret, signingSecret } = options;
  if ((url === undefined) === (urlSecret === undefined)) {
    throw new Error(`NotificationReceiver.${factory} '${name}': needs either 'url' or 'urlSecret', and has ${url === undefined ? 'none' : 'both'}. Set one of the two.`);
  }
  return {
    ...(url !== undefined && { url }), ...(urlSecret && { urlSecret: { ...urlSecret } }),
    ...(signingSecret && { signingSecret: { ...signingSecret } }),
  };
}
