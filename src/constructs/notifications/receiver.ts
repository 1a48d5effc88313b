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
  /** Address. Not together with `urlSecret`. @default - it is in `urlSecret` */
  readonly url?: string;

  /** Address that is a secret, because whoever knows it can write there. @default - it is `url` */
  readonly urlSecret?: NotificationSecret;

  /**
   * Key that requests are signed with (HMAC-SHA256), as Standard Webhooks describes it: `whsec_` and base64, or any other text.
   * @default - requests are not signed
   * @see https://www.standardwebhooks.com
   */
  readonly signingSecret?: NotificationSecret;
}

/** Options of `NotificationReceiver.email`. */
export interface EmailReceiverOptions {
  /**
   * Secret with `host`, and where needed `port`, `user`, `password`, `tls` (`starttls`, which is the default, `implicit` or `none`) and `ca`, the
   * certificate authority of the server.
   */
  readonly smtpSecretName: string;

  /** Address of the sender. */
  readonly from: string;

  /** Addresses of the recipients, at most 20. */
  readonly to: string[];
}

/** Who is notified. */
export class NotificationReceiver {
  /** A POST with JSON. @param receiver its name in the rule */
  public static webhook(receiver: string, options: WebhookReceiverOptions): NotificationReceiver {
    return new NotificationReceiver({ name: receiver, webhook: httpOf('webhook', receiver, options) });
  }

  /** A POST with a CloudEvent 1.0 in structured mode. @param receiver its name in the rule */
  public static cloudEvents(receiver: string, options: WebhookReceiverOptions): NotificationReceiver {
    return new NotificationReceiver({ name: receiver, cloudEvents: httpOf('cloudEvents', receiver, options) });
  }

  /**
   * A channel of Slack.
   * @param receiver its name in the rule
   * @param urlSecret the address of an incoming webhook
   */
  public static slack(receiver: string, urlSecret: NotificationSecret): NotificationReceiver {
    checkTypes('NotificationReceiver.slack', 'NotificationSecret', urlSecret);
    return new NotificationReceiver({ name: receiver, slack: { urlSecret: { ...urlSecret } } });
  }

  /** A mail by SMTP. @param receiver its name in the rule */
  public static email(receiver: string, options: EmailReceiverOptions): NotificationReceiver {
    checkTypes('NotificationReceiver.email', 'EmailReceiverOptions', options);
    return new NotificationReceiver({ name: receiver, email: { ...options, to: [...options.to] } });
  }

  /** An Event on the job, which `kubectl describe` shows and event exporters forward. @param receiver its name in the rule */
  public static kubernetesEvent(receiver: string): NotificationReceiver {
    return new NotificationReceiver({ name: receiver, kubernetesEvent: {} });
  }

  private constructor(
    /** As the definition has it. @internal */
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
