/** Variables of a container as the values of cdk8s-plus. */
import { call, literal, object, quote, text, type Code } from './code';
import type { ProgramScope } from './scope';
import type { JsonObject } from '../../manifests/migrate/fields';
import { entryOf } from '../../model/lists';
import { isRecord, isFilled } from '../../model/json-parts';

/** Fields of a pod, and their names in cdk8s-plus. */
const FIELD_PATHS: { readonly [path: string]: string } = {
  'metadata.name': 'POD_NAME',
  'metadata.namespace': 'POD_NAMESPACE',
  'metadata.uid': 'POD_UID',
  'status.podIP': 'POD_IP',
  'status.podIPs': 'POD_IPS',
  'spec.serviceAccountName': 'SERVICE_ACCOUNT_NAME',
  'spec.nodeName': 'NODE_NAME',
  'status.hostIP': 'NODE_IP',
};

const RESOURCE_PATHS: { readonly [path: string]: string } = {
  'limits.cpu': 'CPU_LIMIT',
  'limits.memory': 'MEMORY_LIMIT',
  'requests.cpu': 'CPU_REQUEST',
  'requests.memory': 'MEMORY_REQUEST',
  'limits.ephemeral-storage': 'STORAGE_LIMIT',
  'requests.ephemeral-storage': 'STORAGE_REQUEST',
};

/** Variables as a map; undefined if a map cannot represent them. */
export function environment(list: unknown, scope: ProgramScope): Code | undefined {
  if (!Array.isArray(list) || list.length === 0 || !list.every(isRecord)) {
    return undefined;
  }
  const names = list.map(({ name }) => name);
  // An object lists keys that look like numbers first.
  const isMap = names.every((name) => typeof name === 'string' && !/^[0-9]+$/.test(name)) && new Set(names).size === names.length;
  const values = isMap ? list.map((entry) => value(entry, scope)) : [];
  return isMap && values.every((code) => code !== undefined) ? object(values.map((code, index) => [names[index] as string, code])) : undefined;
}

function value(entry: JsonObject, scope: ProgramScope): Code | undefined {
  if (hasOnly(entry, 'name', 'value') && typeof entry.value === 'string') {
    return call(`${scope.use('cdk8s-plus-28', 'EnvValue')}.fromValue`, text(quote(entry.value)));
  }
  const source = entry.valueFrom;
  if (!hasOnly(entry, 'name', 'valueFrom') || !isRecord(source)) {
    return undefined;
  }
  const [kind, ...more] = Object.keys(source);
  const reference = source[kind];
  return more.length > 0 || !isRecord(reference) ? undefined : entryOf(SOURCES, kind)?.(reference, scope);
}

type Source = (reference: JsonObject, scope: ProgramScope) => Code | undefined;

const SOURCES: { readonly [kind: string]: Source | undefined } = {
  secretKeyRef: (reference, scope) => (isKey(reference)
    ? call(`${scope.existing('Secret', 'fromSecretName', reference.name)}.envValue`, text(quote(reference.key)), ...optional(reference))
    : undefined),

  configMapKeyRef: (reference, scope) => {
    if (!isKey(reference)) {
      return undefined;
    }
    const map = scope.existing('ConfigMap', 'fromConfigMapName', reference.name);
    return call(`${scope.use('cdk8s-plus-28', 'EnvValue')}.fromConfigMap`, text(map), text(quote(reference.key)), ...optional(reference));
  },

  fieldRef: (reference, scope) => {
    const { fieldPath, apiVersion } = reference;
    if (!hasOnly(reference, 'fieldPath', 'apiVersion') || typeof fieldPath !== 'string' || apiVersion === '') {
      return undefined;
    }
    const [, map, key] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(fieldPath) ?? [];
    const path = map === undefined ? entryOf(FIELD_PATHS, fieldPath) : map === 'labels' ? 'POD_LABEL' : 'POD_ANNOTATION';
    const options = { ...(key !== undefined && { key }), ...(apiVersion !== undefined && { apiVersion }) };
    return path === undefined ? undefined : call(`${scope.use('cdk8s-plus-28', 'EnvValue')}.fromFieldRef`,
      text(`${scope.use('cdk8s-plus-28', 'EnvFieldPaths')}.${path}`), ...(Object.keys(options).length > 0 ? [literal(options)] : []));
  },

  resourceFieldRef: (reference, scope) => {
    const path = typeof reference.resource === 'string' ? entryOf(RESOURCE_PATHS, reference.resource) : undefined;
    return path === undefined || !hasOnly(reference, 'resource') ? undefined
      : call(`${scope.use('cdk8s-plus-28', 'EnvValue')}.fromResource`, text(`${scope.use('cdk8s-plus-28', 'ResourceFieldPaths')}.${path}`));
  },
};

/** `envFrom` of a container. */
export function environmentSources(list: unknown, scope: ProgramScope): Code | undefined {
  if (!Array.isArray(list) || list.length === 0) {
    return undefined;
  }
  const sources = list.map((entry) => (isRecord(entry) ? environmentSource(entry, scope) : undefined));
  return sources.every((source) => source !== undefined) ? { items: sources } : undefined;
}

function environmentSource(entry: JsonObject, scope: ProgramScope): Code | undefined {
  const { configMapRef, secretRef, prefix } = entry;
  if (hasOnly(entry, 'secretRef') && isName(secretRef)) {
    return call(`${scope.use('cdk8s-plus-28', 'Env')}.fromSecret`, text(scope.existing('Secret', 'fromSecretName', secretRef.name)));
  }
  if (hasOnly(entry, 'configMapRef', 'prefix') && isName(configMapRef) && (prefix === undefined || (typeof prefix === 'string' && prefix !== ''))) {
    const map = text(scope.existing('ConfigMap', 'fromConfigMapName', configMapRef.name));
    return call(`${scope.use('cdk8s-plus-28', 'Env')}.fromConfigMap`, map, ...(prefix === undefined ? [] : [text(quote(prefix))]));
  }
  return undefined;
}

function isKey(reference: JsonObject): reference is { readonly name: string; readonly key: string; readonly optional?: boolean } {
  return hasOnly(reference, 'name', 'key', 'optional') && isFilled(reference.name) && isFilled(reference.key);
}

/** Whether a reference has a name and no other field. */
export function isName(reference: unknown): reference is { readonly name: string } {
  return isRecord(reference) && hasOnly(reference, 'name') && isFilled(reference.name);
}

function optional({ optional: isOptional }: { readonly optional?: boolean }): Code[] {
  return isOptional === undefined ? [] : [literal({ optional: isOptional })];
}

/** Whether an object has no other fields. */
export function hasOnly(entry: JsonObject, ...fields: readonly string[]): boolean {
  return Object.keys(entry).every((field) => fields.includes(field));
}
