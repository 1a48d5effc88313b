/** The pod template of a job: what its author wrote as JSON, and over it what they said with typed props. */
import type { ISecret, IServiceAccount } from 'cdk8s-plus-28';
import type { IEnvFrom, VolumeMount } from './kplus-types';
import { containerMount, envFromSource, podVolume } from './kplus-values';
import type { PodSpec } from '../../../manifests/kubernetes';
import { mergePodSpec } from '../../../manifests/pod/pod-template';
import type { PodTemplateSpec } from '../../../model/training-job/spec';

/** Name of the container that trains. */
const TRAINING_CONTAINER = 'training';

/** What props say of the pod. */
interface PodTemplateInput {
  readonly podTemplate?: { readonly [field: string]: unknown };
  readonly envFrom?: readonly IEnvFrom[];
  readonly serviceAccount?: IServiceAccount;
  readonly imagePullSecrets?: readonly ISecret[];
}

/** Builds `spec.template`; `undefined` when nothing is asked of it. */
export function podTemplate(input: PodTemplateInput, volumeMounts: readonly VolumeMount[]): PodTemplateSpec | undefined {
  const typed = typedPodSpec(input, volumeMounts);
  if (typed === undefined) {
    return input.podTemplate;
  }
  const written: PodTemplateSpec = input.podTemplate ?? {};
  return { ...written, spec: mergePodSpec((written.spec ?? {}) as PodSpec, typed) };
}

/** Undefined where no props speak of the pod, as in most jobs. */
function typedPodSpec(
  { envFrom = [], serviceAccount, imagePullSecrets = [] }: PodTemplateInput, volumeMounts: readonly VolumeMount[],
): Partial<PodSpec> | undefined {
  if (volumeMounts.length === 0 && envFrom.length === 0 && imagePullSecrets.length === 0 && serviceAccount === undefined) {
    return undefined;
  }
  // Each volume once, however often it is mounted.
  const volumes = [...new Set(volumeMounts.map((mount) => mount.volume))];
  const training = {
    ...(volumeMounts.length > 0 && { volumeMounts: volumeMounts.map(containerMount) }),
    ...(envFrom.length > 0 && { envFrom: envFrom.map(envFromSource) }),
  };
  return {
    ...(volumes.length > 0 && { volumes: volumes.map(podVolume) }),
    ...(Object.keys(training).length > 0 && { containers: [{ name: TRAINING_CONTAINER, ...training }] }),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map(({ name }) => ({ name })) }),
    ...(serviceAccount && { serviceAccountName: serviceAccount.name }),
  };
}
