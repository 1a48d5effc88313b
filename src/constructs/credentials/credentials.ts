import { Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { CredentialUse } from './credential-use';
import { ExternalSecret, type ExternalSecretProps } from './external-secret';
import { SecretProviderClass, type SecretProviderClassProps } from './secret-provider-class';
import { DNS_LABEL_MAX_LENGTH } from '../../model/names';
import { trimmedEnd } from '../../model/text/trim';
import { checkTypes } from '../props/check-props';

/** Options of `Credentials.asFiles`. */
export interface CredentialFilesOptions {
  /**
   * Variables with the path of a file, for libraries that read one: `HF_TOKEN_PATH`, `GOOGLE_APPLICATION_CREDENTIALS`,
   * `AWS_SHARED_CREDENTIALS_FILE`. The values are names of files.
   * @default - none
   */
  readonly variables?: { readonly [variable: string]: string };
}

/** Where credentials come from. */
interface CredentialSource {
  readonly title: string;
  /** Construct that creates the Secret or the files. @default - the Secret exists */
  readonly creator?: ExternalSecret | SecretProviderClass;
  /** @default - only files */
  readonly secret?: kplus.ISecret;
  /** @default - unknown at synth */
  readonly keys?: string[];
  /** @default - files come from the Secret */
  readonly files?: SecretProviderClass;
}

const VOLUME_PREFIX = 'credentials-';

/** Where files are mounted that no program reads: the driver creates a Secret only from mounted files. */
const UNREAD_FILES = '/var/run/trainyard-credentials';

/**
 * Tokens, keys and passwords that a pod gets at run time, so that they are neither in the program nor in a manifest.
 * @see docs/security/credentials.md
 */
export class Credentials {
  /**
   * An existing Secret in the pods' namespace.
   * @param secret the Secret, such as `Secret.fromSecretName(chart, 'Hub', 'hub')`
   */
  public static secret(secret: kplus.ISecret): Credentials {
    return new Credentials({ title: `Secret '${secret.name}'`, secret });
  }

  /** A Secret that External Secrets syncs from a store. */
  public static externalSecret(scope: Construct, id: string, props: ExternalSecretProps): Credentials {
    checkTypes('Credentials.externalSecret', 'ExternalSecretProps', props);
    const creator = new ExternalSecret(scope, id, props);
    const isComplete = (props.extract ?? []).length === 0;
    return new Credentials({ title: `ExternalSecret '${creator.name}'`, creator, secret: creator.secret, keys: isComplete ? creator.keys : undefined });
  }

  /** Files with secrets of Google's Secret Manager. */
  public static secretManager(scope: Construct, id: string, props: SecretProviderClassProps): Credentials {
    checkTypes('Credentials.secretManager', 'SecretProviderClassProps', props);
    const creator = new SecretProviderClass(scope, id, props);
    return new Credentials({ title: `SecretProviderClass '${creator.name}'`, creator, secret: creator.secret, keys: creator.files, files: creator });
  }

  private constructor(private readonly source: CredentialSource) {}

  /** The Secret; undefined if pods get files without a Secret. */
  public get existingSecret(): kplus.ISecret | undefined {
    return this.source.secret;
  }

  /**
   * Values as variables.
   * @param variables names of variables, and the key of each. By default, each key is a variable with the same name
   */
  public asEnvironment(variables?: { readonly [variable: string]: string }): CredentialUse {
    const { title, secret, keys, files } = this.source;
    if (secret === undefined) {
      throw new Error(`Credentials of ${title}: the GKE add-on shows secrets as files and does not create a Secret, which variables need. Use asFiles with variables of paths `
        + '(HF_TOKEN_PATH), Credentials.externalSecret, or SecretManagerDriver.OPEN_SOURCE with a secretName.');
    }
    const wanted = variables ?? this.keysAsVariables();
    const values = Object.entries(wanted).map(([variable, key]) => {
      this.checkKey(key, `variable ${variable}`, keys);
      return [variable, kplus.EnvValue.fromSecretValue({ secret, key })] as const;
    });
    return this.use(Object.fromEntries(values), files === undefined ? [] : [this.mount(`${UNREAD_FILES}/${files.name}`)]);
  }

  /**
   * Values as files, named after their keys. Files are updated when the secret changes, without a restart.
   * @param path folder in the container
   */
  public asFiles(path: string, options: CredentialFilesOptions = {}): CredentialUse {
    checkTypes('Credentials.asFiles', 'CredentialFilesOptions', options);
    const variables = Object.entries(options.variables ?? {}).map(([variable, file]) => {
      this.checkKey(file, `variable ${variable}`, this.source.keys);
      return [variable, kplus.EnvValue.fromValue(`${trimmedEnd(path, '/')}/${file}`)] as const;
    });
    return this.use(Object.fromEntries(variables), [this.mount(path)]);
  }

  /**
   * The Secret, for users that read it without mounting it.
   * @param what the user, for messages
   * @internal
   */
  public _standingSecret(what: string): kplus.ISecret {
    const { title, secret, files } = this.source;
    if (secret === undefined || files !== undefined) {
      throw new Error(`${what}: ${title} creates files in the pods that mount them, but a Secret is needed. Use Credentials.externalSecret or Credentials.secret.`);
    }
    return secret;
  }

  private use(variables: { readonly [name: string]: kplus.EnvValue }, mounts: kplus.VolumeMount[]): CredentialUse {
    const { title, creator } = this.source;
    const namespace = creator && (creator.metadata.namespace ?? Chart.of(creator).namespace);
    return CredentialUse._of({ title, construct: creator, namespace }, variables, mounts);
  }

  private keysAsVariables(): { [variable: string]: string } {
    const { title, keys } = this.source;
    if (keys === undefined) {
      throw new Error(`Credentials of ${title}: its keys are unknown at synth. List the variables: asEnvironment({ HF_TOKEN: 'token' }).`);
    }
    const wrong = keys.find((key) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(key));
    if (wrong !== undefined) {
      throw new Error(`Credentials of ${title}: key '${wrong}' is not a valid variable name. Map it to a variable: asEnvironment({ HF_TOKEN: '${wrong}' }).`);
    }
    return Object.fromEntries(keys.map((key) => [key, key]));
  }

  private checkKey(key: string, where: string, keys: readonly string[] | undefined): void {
    if (keys !== undefined && !keys.includes(key)) {
      throw new Error(`Credentials of ${this.source.title}: ${where}: key '${key}' does not exist. Keys: ${keys.join(', ')}.`);
    }
  }

  /** A volume of its own for each use, so that two containers of a pod can have the same files at two paths. */
  private mount(path: string): kplus.VolumeMount {
    const { secret, files } = this.source;
    const scope: Construct = files ?? (secret as unknown as Construct);
    const number = scope.node.children.filter(({ node }) => node.id.startsWith('Files')).length;
    const suffix = number === 0 ? '' : `-${number}`;
    const name = trimmedEnd((files ?? secret!).name.replaceAll('.', '-').slice(0, DNS_LABEL_MAX_LENGTH - VOLUME_PREFIX.length - suffix.length), '-');
    const volumeName = `${VOLUME_PREFIX}${name}${suffix}`;
    const volume = files === undefined ? kplus.Volume.fromSecret(scope, `Files${suffix}`, secret!, { name: volumeName }) : files._volume(`Files${suffix}`, volumeName);
    return { path, volume, readOnly: true };
  }
}
