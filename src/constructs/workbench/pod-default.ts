import { ApiObject, Lazy } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { PlainApiObject } from '../rendering/plain-api-object';
import { POD_DEFAULT_API_VERSION, constructPodDefault } from '../../manifests/workbench/kubeflow-objects';
import { validatePodDefault, type PodDefaultSpec } from '../../model/workbench/pod-default';
import type { CredentialUse } from '../credentials/credential-use';
import { dependOn, withCredentials } from '../credentials/with-credentials';
import { podSettings } from '../training-job/pods/pod-settings';
import type { Toleration } from '../training-job/pods/toleration';
import type { IEnvFrom, IStorage, VolumeMount } from '../training-job/pods/kplus-types';
import { checkProps } from '../props/check-props';
import { reportAtSynth } from '../rendering/problems';

/** Properties of a `PodDefault`. */
export interface PodDefaultProps extends kplus.ResourceProps {
  /** Description for users who select it. @default - its name */
  readonly description?: string;
  /** Labels of the pods that it changes. @default - its name with the value 'true' */
  readonly selector?: { readonly [label: string]: string };
  /** Variables of all containers. @default - none */
  readonly env?: { readonly [name: string]: kplus.EnvValue };
  /** ConfigMaps and Secrets whose keys become variables of all containers. @default - none */
  readonly envFrom?: IEnvFrom[];
  /** Tokens and keys for all containers at run time. @default - none */
  readonly credentials?: CredentialUse[];
  /** Volumes that all containers mount. @default - none */
  readonly volumeMounts?: VolumeMount[];
  /** Taints that the pods tolerate. The webhook allows one per key. @default - none */
  readonly tolerations?: Toleration[];
  /** Registry credentials. @default - none */
  readonly imagePullSecrets?: kplus.ISecret[];
  /** Service account that replaces the pods' own. @default - their own */
  readonly serviceAccount?: kplus.IServiceAccount;
  /** Whether the service account's token is mounted. @default - as in the pods */
  readonly automountServiceAccountToken?: boolean;
  /** Labels for the pods. @default - none */
  readonly podLabels?: { readonly [name: string]: string };
  /** Annotations for the pods. @default - none */
  readonly podAnnotations?: { readonly [name: string]: string };
  /** Entry point of containers without one. @default - the images' */
  readonly command?: string[];
  /** Arguments of containers without any. @default - the images' */
  readonly args?: string[];
}

/**
 * Settings that Kubeflow's webhook adds to pods with certain labels in a namespace (`kubeflow.org/v1alpha1`), such as notebooks and jobs.
 * @example
 * import { EnvValue } from 'cdk8s-plus-28';
 * import { PodDefault } from 'trainyard/workbench';
 *
 * new PodDefault(chart, 'Mirror', {
 *   metadata: { name: 'pip-mirror', namespace: 'team-a' },
 *   env: { PIP_INDEX_URL: EnvValue.fromValue('https://mirror.example/simple') },
 * });
 */
export class PodDefault extends kplus.Resource {
  /** Plural name of the kind, for RBAC rules. */
  public readonly resourceType: string = 'poddefaults';

  /** Labels of the pods that it changes. */
  public readonly selector: { readonly [label: string]: string };

  protected readonly apiObject: ApiObject;

  private readonly props: PodDefaultProps;
  private readonly env: Map<string, kplus.EnvValue>;
  private readonly mounts: VolumeMount[];

  public constructor(scope: Construct, id: string, props: PodDefaultProps) {
    super(scope, id);
    checkProps(this, 'PodDefaultProps', props);
    this.props = props;
    const { env, volumeMounts } = withCredentials(`PodDefault at '${this.node.path}'`, props, props.credentials);
    this.env = new Map(Object.entries(env));
    this.mounts = [...volumeMounts];
    this.apiObject = new PlainApiObject(this, 'Resource', {
      apiVersion: POD_DEFAULT_API_VERSION,
      kind: 'PodDefault',
      metadata: props.metadata,
      spec: Lazy.any({ produce: () => constructPodDefault(this.name, this._toSpec()).spec }),
    });
    this.selector = { ...props.selector ?? { [this.name]: 'true' } };
    dependOn(this, props.credentials ?? []);
    reportAtSynth(this, `PodDefault '${this.name}'`, () => validatePodDefault(this.name, this._toSpec()));
  }

  /**
   * Sets a variable of all containers. A variable of the same name is replaced.
   * @param name name of the variable
   * @param value its value
   */
  public addEnv(name: string, value: kplus.EnvValue): void {
    this.env.set(name, value);
  }

  /**
   * Mounts a volume into all containers.
   * @param path absolute path in the containers
   * @param storage a volume, a claim or a store
   */
  public addVolumeMount(path: string, storage: IStorage, options: kplus.MountOptions = {}): void {
    this.mounts.push({ path, volume: storage.asVolume(), ...options });
  }

  /** @internal */
  public _toSpec(): PodDefaultSpec {
    const { props } = this;
    return {
      description: props.description,
      selector: this.selector,
      ...podSettings(`PodDefault at '${this.node.path}'`, { ...props, env: Object.fromEntries(this.env), volumeMounts: this.mounts, credentials: [] }),
      serviceAccountName: props.serviceAccount?.name,
      automountServiceAccountToken: props.automountServiceAccountToken,
    };
  }
}
