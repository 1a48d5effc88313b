import { ApiObject, Lazy, type Duration } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { EXTERNAL_SECRET_API_VERSION, constructExternalSecretSpec } from '../../manifests/credentials/external-secret';
import {
  validateExternalSecret, type ExternalSecretSpec, type RemoteSecretSpec, type SecretStoreSpec,
} from '../../model/credentials/external-secrets';
import { checkProps, checkTypes } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

/** A secret store that is configured in External Secrets. */
export class SecretStoreRef {
  /** A `SecretStore` in the same namespace. */
  public static namespaced(name: string): SecretStoreRef {
    return new SecretStoreRef({ kind: 'SecretStore', name });
  }

  /** A `ClusterSecretStore`. */
  public static cluster(name: string): SecretStoreRef {
    return new SecretStoreRef({ kind: 'ClusterSecretStore', name });
  }

  private constructor(private readonly spec: SecretStoreSpec) {}

  /** @internal */
  public _toSpec(): SecretStoreSpec {
    return this.spec;
  }
}

/** Options of `RemoteSecret.named`. */
export interface RemoteSecretOptions {
  /** Property to read, if the secret is a JSON object. @default - the whole secret */
  readonly property?: string;
  /** Version in the store. @default - the latest */
  readonly version?: string;
}

/** A secret in a store. */
export class RemoteSecret {
  /**
   * A secret by its name.
   * @param name name in the store, such as `hugging-face-token`; a path for stores that have paths
   */
  public static named(name: string, options: RemoteSecretOptions = {}): RemoteSecret {
    checkTypes('RemoteSecret.named', 'RemoteSecretOptions', options);
    return new RemoteSecret({ name, ...options });
  }

  private constructor(private readonly spec: RemoteSecretSpec) {}

  /** @internal */
  public _toSpec(): RemoteSecretSpec {
    return this.spec;
  }
}

/** Properties of an `ExternalSecret`. */
export interface ExternalSecretProps extends kplus.ResourceProps {
  /** Store of the secrets. */
  readonly store: SecretStoreRef;

  /**
   * Keys of the Secret, and the store's secret for each. If keys are names of variables, `asEnvironment()` needs no map.
   * @default - those of `extract`
   */
  readonly keys?: { readonly [key: string]: RemoteSecret };

  /** JSON secrets of which all properties become keys. @default - none */
  readonly extract?: RemoteSecret[];

  /** Name of the Secret. @default - the name of the ExternalSecret */
  readonly secretName?: string;

  /**
   * How often the store is read; zero reads it only once. Changes appear in files of running pods, but not in their variables.
   * @default Duration.hours(1)
   */
  readonly refresh?: Duration;
}

/**
 * A Secret that External Secrets syncs from a store, such as Secret Manager, Vault or AWS Secrets Manager.
 * @see https://external-secrets.io/latest/api/externalsecret/
 * @example
 * import { ExternalSecret, RemoteSecret, SecretStoreRef } from 'trainyard';
 *
 * new ExternalSecret(chart, 'Tokens', {
 *   metadata: { name: 'tokens' },
 *   store: SecretStoreRef.cluster('gcp-secret-manager'),
 *   keys: { HF_TOKEN: RemoteSecret.named('hugging-face-token') },
 * });
 */
export class ExternalSecret extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'externalsecrets';

  /** The Secret. */
  public readonly secret: kplus.ISecret;

  /** Keys of the Secret that are known at synth. */
  public readonly keys: string[];

  protected readonly apiObject: ApiObject;

  public constructor(scope: Construct, id: string, props: ExternalSecretProps) {
    super(scope, id);
    checkProps(this, 'ExternalSecretProps', props);
    this.keys = Object.keys(props.keys ?? {});
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: EXTERNAL_SECRET_API_VERSION, kind: 'ExternalSecret', metadata: props.metadata, spec: Lazy.any({ produce: () => constructExternalSecretSpec(spec) }),
    });
    const spec: ExternalSecretSpec = {
      store: props.store._toSpec(),
      keys: Object.fromEntries(Object.entries(props.keys ?? {}).map(([key, remote]) => [key, remote._toSpec()])),
      extract: (props.extract ?? []).map((remote) => remote._toSpec()),
      secretName: props.secretName ?? this.name,
      refreshSeconds: props.refresh?.toSeconds(),
    };
    this.secret = kplus.Secret.fromSecretName(this, 'Secret', spec.secretName);
    reportAtSynth(this, `ExternalSecret '${this.name}'`, () => validateExternalSecret(spec));
  }
}
