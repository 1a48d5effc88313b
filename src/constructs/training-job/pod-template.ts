/** The pod template of a job: what its author wrote as JSON, and what they said with typed props, in one. */
import type { EnvFrom, ISecret, IServiceAccount, VolumeMount } from 'cdk8s-plus-28';
import { containerMount, envFromSource, podVolume } from './kplus-values';
import type { PodTemplateSpec } from '../../model/training-job/spec';

/** Name of the container that trains; a template's container of this name is merged with it. */
const TRAINING_CONTAINER = 'training';

/** What props say of the pod. */
export interface PodTemplateInput {
  readonly podTemplate?: { readonly [field: string]: any };
  readonly volumeMounts: readonly VolumeMount[];
  readonly envFrom: readonly EnvFrom[];
  readonly serviceAccount?: IServiceAccount;
  readonly imagePullSecrets?: readonly ISecret[];
}

/** Builds `spec.template`; `undefined` when nothing is asked of it. */
export function podTemplate(input: PodTemplateInput): PodTemplateSpec | undefined {
  const written = input.podTemplate ?? {};
  const spec = {
    ...written.spec,
    ...list('volumes', written.spec?.volumes, volumesOf(input.volumeMounts)),
    ...list('imagePullSecrets', written.spec?.imagePullSecrets, (input.imagePullSecrets ?? []).map(({ name }) => ({ name }))),
    ...containers(written.spec?.containers, input),
    ...(input.serviceAccount && { serviceAccountName: input.serviceAccount.name }),
  };
  const template = { ...written, ...(Object.keys(spec).length > 0 && { spec }) };
  return Object.keys(template).length > 0 ? template : undefined;
}

/** The written containers, with mounts and sources added to the one that trains. */
function containers(written: any[] | undefined, { volumeMounts, envFrom }: PodTemplateInput): object {
  const training = written?.find((container) => container.name === TRAINING_CONTAINER);
  const added = {
    ...list('volumeMounts', training?.volumeMounts, volumeMounts.map(containerMount)),
    ...list('envFrom', training?.envFrom, envFrom.map(envFromSource)),
  };
  if (Object.keys(added).length === 0) {
    return {};
  }
  const others = (written ?? []).filter((container) => container !== training);
  return { containers: [{ name: TRAINING_CONTAINER, ...training, ...added }, ...others] };
}

/** A field with a list that is longer than what was written; nothing when there is nothing to add. */
function list(field: string, written: readonly object[] | undefined, added: readonly object[]): object {
  return added.length === 0 ? {} : { [field]: [...(written ?? []), ...added] };
}

/** Each volume once, however often it is mounted. */
function volumesOf(mounts: readonly VolumeMount[]): object[] {
  return [...new Set(mounts.map((mount) => mount.volume))].map(podVolume);
}
