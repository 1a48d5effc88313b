/** Writes the job's pod template: some fields as typed properties, the rest as JSON. */
import { call, literal, text, type Code } from './code';
import { environmentSources, isName } from './environment';
import type { ProgramScope } from './scope';
import { typedVolumes } from './volumes';
import type { JsonObject } from '../../manifests/migrate/fields';
import { TRAINING_CONTAINER } from '../../model/names';
import { isRecord } from '../../model/json-parts';

/** Properties of a job for its pods. */
export interface PodProperties {
  readonly envFrom?: Code;
  readonly serviceAccount?: Code;
  readonly imagePullSecrets?: Code;
  readonly volumeMounts?: Code;
  readonly podTemplate?: Code;
}

/** Writes `template`. */
export function podProperties(template: unknown, scope: ProgramScope): PodProperties {
  if (!isRecord(template)) {
    return {};
  }
  const { spec: written, ...rest } = template;
  if (!isRecord(written)) {
    return { podTemplate: literal(template) };
  }
  const spec: { [field: string]: unknown } = { ...written };
  const properties = { ...takeContainerProperties(spec, scope), ...takePodProperties(spec, scope) };
  // If typed properties represent the whole template, there is no JSON. A template that was empty stays.
  const left = { ...rest, ...(Object.keys(spec).length > 0 && { spec }) };
  const isEmpty = Object.keys(left).length === 0 && Object.keys(properties).length > 0;
  return { ...properties, podTemplate: isEmpty ? undefined : literal(Object.keys(properties).length > 0 ? left : template) };
}

/** Removes from the pod what typed properties represent of the training container. */
function takeContainerProperties(spec: { [field: string]: unknown }, scope: ProgramScope): PodProperties {
  const containers = Array.isArray(spec.containers) ? spec.containers as readonly unknown[] : [];
  const index = containers.findIndex((container) => isRecord(container) && container.name === TRAINING_CONTAINER);
  if (index < 0) {
    return {};
  }
  const { envFrom, volumeMounts, ...rest } = containers[index] as JsonObject;
  const sources = scope.attempt(() => environmentSources(envFrom, scope));
  const storage = typedVolumes(spec.volumes, volumeMounts, scope);
  const left = {
    ...rest,
    ...(envFrom !== undefined && sources === undefined && { envFrom }),
    ...(volumeMounts !== undefined && storage === undefined && { volumeMounts }),
  };
  const others = containers.filter((_container, place) => place !== index);
  const isBare = Object.keys(left).length === 1;
  if (sources === undefined && storage === undefined) {
    return {};
  }
  if (storage) {
    set(spec, 'volumes', storage.volumes);
  }
  // If there are other containers, it keeps its position in the list.
  set(spec, 'containers', isBare && others.length === 0 ? [] : containers.map((container, place) => (place === index ? left : container)));
  return { ...(sources && { envFrom: sources }), ...(storage && { volumeMounts: storage.mounts }) };
}

function takePodProperties(spec: { [field: string]: unknown }, scope: ProgramScope): PodProperties {
  const { serviceAccountName, imagePullSecrets } = spec;
  const properties: { -readonly [K in keyof PodProperties]: PodProperties[K] } = {};
  if (typeof serviceAccountName === 'string' && serviceAccountName !== '') {
    properties.serviceAccount = text(scope.existing('ServiceAccount', 'fromServiceAccountName', serviceAccountName));
    delete spec.serviceAccountName;
  }
  if (Array.isArray(imagePullSecrets) && imagePullSecrets.length > 0 && imagePullSecrets.every(isName)) {
    properties.imagePullSecrets = { items: imagePullSecrets.map(({ name }) => text(scope.existing('Secret', 'fromSecretName', name))) };
    delete spec.imagePullSecrets;
  }
  return properties;
}

function set(spec: { [field: string]: unknown }, field: string, list: readonly unknown[]): void {
  if (list.length > 0) {
    spec[field] = list;
  } else {
    delete spec[field];
  }
}

/** `new ApiObject` for an object of any kind. */
export function apiObject(id: Code, object: JsonObject, scope: ProgramScope): Code {
  return call(`new ${scope.use('cdk8s', 'ApiObject')}`, text('chart'), id, literal(object));
}
