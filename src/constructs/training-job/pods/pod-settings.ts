/** Converts the pod options of other systems' constructs to the model's settings. Pure; fields that are not given stay undefined. */
import type { EnvValue, ISecret } from 'cdk8s-plus-28';
import { envFromSource, envVars, mountSettings } from './kplus-values';
import type { IEnvFrom, VolumeMount } from './kplus-types';
import { toleration } from './kubernetes-toleration';
import type { TrainingResources } from './resources';
import type { Toleration } from './toleration';
import type { CredentialUse } from '../../credentials/credential-use';
import { withCredentials } from '../../credentials/with-credentials';
import { resources } from '../to-spec';
import type { PodSettings } from '../../../model/pod-settings';

/** Options with the same name in all of these constructs. Without the image, which some set on the pod and others on its owner. */
interface PodOptions {
  readonly command?: string[];
  readonly args?: string[];
  readonly env?: { readonly [name: string]: EnvValue };
  readonly envFrom?: IEnvFrom[];
  readonly credentials?: CredentialUse[];
  readonly resources?: TrainingResources;
  readonly volumeMounts?: VolumeMount[];
  readonly imagePullSecrets?: ISecret[];
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: Toleration[];
  readonly priorityClassName?: string;
  readonly schedulerName?: string;
  readonly podLabels?: { readonly [name: string]: string };
  readonly podAnnotations?: { readonly [name: string]: string };
  readonly podSpec?: { readonly [field: string]: unknown };
}

type Given = 'env' | 'envFrom' | 'volumes' | 'volumeMounts' | 'imagePullSecrets' | 'tolerations';

/** See the top of this file. @param what owner of the pod, for messages about its credentials */
export function podSettings(what: string, options: PodOptions): Omit<PodSettings, Given> & Required<Pick<PodSettings, Given>> {
  const { env, volumeMounts } = withCredentials(what, options, options.credentials);
  return {
    command: options.command,
    args: options.args,
    env: envVars(env),
    envFrom: (options.envFrom ?? []).map(envFromSource),
    resources: options.resources && resources(options.resources),
    ...mountSettings(volumeMounts),
    imagePullSecrets: (options.imagePullSecrets ?? []).map(({ name }) => name),
    nodeSelector: options.nodeSelector,
    tolerations: (options.tolerations ?? []).map((one) => ({ ...toleration(one) })),
    priorityClassName: options.priorityClassName,
    schedulerName: options.schedulerName,
    labels: options.podLabels,
    annotations: options.podAnnotations,
    podSpec: options.podSpec,
  };
}

