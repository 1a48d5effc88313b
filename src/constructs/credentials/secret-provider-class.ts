import { ApiObject } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import {
  SECRET_DRIVERS, SECRET_PROVIDER_CLASS_API_VERSION, constructSecretProviderClassSpec,
} from '../../manifests/credentials/secret-provider-class';
import { validateSecretProviderClass, type ManagedSecretSpec, type SecretProviderClassSpec } from '../../model/credentials/external-secrets';
import { checkProps, checkTypes } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

/** The driver that mounts secrets of Secret Manager. */
export enum SecretManagerDriver {
  /** The Secret Manager add-on of GKE (`--enable-secret-manager`): only files. */
  GKE = 'gke',
  /** The Secrets Store CSI driver and Google's provider, which you install from their repositories: files, and optionally a Secret. */
  OPEN_SOURCE = 'open-source',
}

/** Options of `ManagedSecret.named`. */
export interface ManagedSecretOptions {
  /** Number or alias of the version. With a number, pods get a new value only when you change the program. @default latest */
  readonly version?: string;
  /** Project of the secret, by id or number. @default - the project of the `SecretProviderClass` */
  readonly project?: string;
  /** Region of a regional secret, such as `europe-west4`. @default - a global secret */
  readonly location?: string;
}

/** A secret in Google's Secret Manager. */
export class ManagedSecret {
  /** A secret by its name. @param name name of the secret, without its project */
  public static named(name: string, options: ManagedSecretOptions = {}): ManagedSecret {
    checkTypes('ManagedSecret.named', 'ManagedSecretOptions', options);
    return new ManagedSecret(name, options);
  }

  private constructor(private readonly name: string, private readonly options: ManagedSecretOptions) {}

  /** @internal */
  public _toSpec(project: string): ManagedSecretSpec {
    return { project: this.options.project ?? project, location: this.options.location, name: this.name, version: this.options.version ?? 'latest' };
  }
}

/** Properties of a `SecretProviderClass`. */
export interface SecretProviderClassProps extends kplus.ResourceProps {
  /** Project of the secrets, by id or number. */
  readonly project: string;

  /** File names, and the secret in each. */
  readonly secrets: { readonly [file: string]: ManagedSecret };

  /** The driver that mounts the files. @default SecretManagerDriver.GKE */
  readonly driver?: SecretManagerDriver;

  /**
   * Secret that the driver creates from the files while a pod mounts them, so that they can be variables. Only with
   * `SecretManagerDriver.OPEN_SOURCE`, installed with `syncSecret.enabled`.
   * @default - none
   */
  readonly secretName?: string;
}

/**
 * Secrets of Secret Manager that pods mount as files and that the API server never stores. The pods' service account needs the role
 * `roles/secretmanager.secretAccessor` on each of them.
 * @see https://cloud.google.com/secret-manager/docs/secret-manager-managed-csi-component
 * @example
 * import { ManagedSecret, SecretProviderClass } from 'trainyard';
 *
 * new SecretProviderClass(chart, 'Files', {
 *   metadata: { name: 'files' },
 *   project: 'ml-prod',
 *   secrets: { 'hf-token': ManagedSecret.named('hugging-face-token') },
 * });
 */
export class SecretProviderClass extends kplus.Resource {
  /** Plural name of the rendered kind, for RBAC rules. */
  public readonly resourceType: string = 'secretproviderclasses';

  /** Names of the files. */
  public readonly files: string[];

  /** The Secret that the driver creates; undefined without `secretName`. */
  public readonly secret?: kplus.ISecret;

  protected readonly apiObject: ApiObject;

  private readonly driver: SecretManagerDriver;

  public constructor(scope: Construct, id: string, props: SecretProviderClassProps) {
    super(scope, id);
    checkProps(this, 'SecretProviderClassProps', props);
    this.driver = props.driver ?? SecretManagerDriver.GKE;
    const spec: SecretProviderClassSpec = {
      driver: this.driver,
      files: Object.fromEntries(Object.entries(props.secrets).map(([file, secret]) => [file, secret._toSpec(props.project)])),
      secretName: props.secretName,
    };
    this.files = Object.keys(props.secrets);
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: SECRET_PROVIDER_CLASS_API_VERSION, kind: 'SecretProviderClass', metadata: props.metadata, spec: constructSecretProviderClassSpec(spec),
    });
    this.secret = props.secretName === undefined ? undefined : kplus.Secret.fromSecretName(this, 'Secret', props.secretName);
    reportAtSynth(this, `SecretProviderClass '${this.name}'`, () => validateSecretProviderClass(spec));
  }

  /** A volume with the files. @internal */
  public _volume(id: string, name: string): kplus.Volume {
    const { csiDriver } = SECRET_DRIVERS[this.driver];
    return kplus.Volume.fromCsi(this, id, csiDriver, { name, readOnly: true, attributes: { secretProviderClass: this.name } });
  }
}
