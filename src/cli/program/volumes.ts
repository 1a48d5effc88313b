/** Volumes of a pod as those of cdk8s-plus, and the mounts of the container that trains. */
import { call, literal, object, quote, text, type Code } from './code';
import { hasOnly, isName } from './environment';
import type { ProgramScope } from './scope';
import { Entries } from './values';
import type { JsonObject } from '../../manifests/migrate/fields';
import { isRecord, isFilled } from '../../model/json-parts';

/** What typed volumes say of a pod. */
export interface TypedVolumes {
  /** Value of the property `volumeMounts`. */
  readonly mounts: Code;
  /** Volumes that stay in the pod template. */
  readonly volumes: readonly unknown[];
}

/**
 * Writes volumes and mounts; undefined where cdk8s-plus would not give the same ones in the same order.
 * @param volumes `volumes` of the pod
 * @param mounts `volumeMounts` of the container that trains
 */
export function typedVolumes(volumes: unknown, mounts: unknown, scope: ProgramScope): TypedVolumes | undefined {
  if (!isList(volumes) || !isList(mounts) || mounts.length === 0) {
    return undefined;
  }
  const names = [...new Set(mounts.map(({ name }) => name))];
  const mounted = names.map((name) => volumes.find((volume) => volume.name === name));
  const others = volumes.filter((volume) => !mounted.includes(volume));
  const paths = new Set(mounts.map(({ mountPath }) => mountPath));
  const isInOrder = [...others, ...mounted].every((volume, index) => volume === volumes[index]);
  const areTyped = mounted.every((volume) => volume !== undefined && isTyped(volume)) && mounts.every(isTypedMount);
  if (!isInOrder || !areTyped || paths.size < mounts.length) {
    return undefined;
  }
  const items = mounts.map((mount) => writeMount(mount, mounted.find((volume) => volume!.name === mount.name)!, scope));
  return { mounts: { items }, volumes: others };
}

const PROPAGATIONS: { readonly [value: string]: string } = { None: 'NONE', HostToContainer: 'HOST_TO_CONTAINER', Bidirectional: 'BIDIRECTIONAL' };

function isTypedMount(mount: JsonObject): boolean {
  return hasOnly(mount, 'name', 'mountPath', 'readOnly', 'subPath', 'subPathExpr', 'mountPropagation') && typeof mount.mountPath === 'string'
    && (mount.mountPropagation === undefined || Object.hasOwn(PROPAGATIONS, String(mount.mountPropagation)));
}

function writeMount(mount: JsonObject, volume: JsonObject, scope: ProgramScope): Code {
  const { readOnly, subPath, subPathExpr, mountPropagation } = mount;
  const given = (value: unknown) => (value === undefined ? undefined : literal(value));
  return object(new Entries()
    .add('path', literal(mount.mountPath))
    .add('volume', text(writeVolume(volume, scope)))
    .add('readOnly', given(readOnly))
    .add('subPath', given(subPath))
    .add('subPathExpr', given(subPathExpr))
    .add('propagation', mountPropagation === undefined ? undefined
      : text(`${scope.use('cdk8s-plus-28', 'MountPropagation')}.${PROPAGATIONS[String(mountPropagation)]}`))
    .entries);
}

/** A constant with the volume; the same one for the same volume. */
function writeVolume(volume: JsonObject, scope: ProgramScope): string {
  const [source] = Object.keys(volume).filter((field) => field !== 'name');
  const name = String(volume.name);
  return scope.declare(`volume/${JSON.stringify(volume)}`, name, (id) => WRITERS[source]!(id, name, volume[source] as JsonObject, scope));
}

type Writer = (id: Code, name: string, source: JsonObject, scope: ProgramScope) => Code;

const WRITERS: { readonly [source: string]: Writer | undefined } = {
  persistentVolumeClaim(id, name, { claimName, readOnly }, scope) {
    const claim = scope.existing('PersistentVolumeClaim', 'fromClaimName', String(claimName), '-claim');
    return call(`${scope.use('cdk8s-plus-28', 'Volume')}.fromPersistentVolumeClaim`, text('chart'), id, text(claim),
      literal({ name, ...(readOnly === true && { readOnly }) }));
  },

  configMap(id, name, { name: map, ...options }, scope) {
    const reference = scope.existing('ConfigMap', 'fromConfigMapName', String(map));
    return call(`${scope.use('cdk8s-plus-28', 'Volume')}.fromConfigMap`, text('chart'), id, text(reference), literal({ name, ...options }));
  },

  secret(id, name, { secretName, ...options }, scope) {
    const reference = scope.existing('Secret', 'fromSecretName', String(secretName));
    return call(`${scope.use('cdk8s-plus-28', 'Volume')}.fromSecret`, text('chart'), id, text(reference), literal({ name, ...options }));
  },

  emptyDir(id, name, { medium, sizeLimit }, scope) {
    const options = new Entries()
      .add('medium', medium === undefined ? undefined : text(`${scope.use('cdk8s-plus-28', 'EmptyDirMedium')}.MEMORY`))
      .add('sizeLimit', sizeLimit === undefined ? undefined : call(`${scope.use('cdk8s', 'Size')}.mebibytes`, text(String(sizeLimit).slice(0, -2))))
      .entries;
    return call(`${scope.use('cdk8s-plus-28', 'Volume')}.fromEmptyDir`, text('chart'), id, text(quote(name)), ...(options.length > 0 ? [object(options)] : []));
  },

  nfs(id, name, source, scope) {
    return call(`${scope.use('cdk8s-plus-28', 'Volume')}.fromNfs`, text('chart'), id, text(quote(name)), literal(source));
  },

  csi(id, name, { driver, volumeAttributes, ...options }, scope) {
    return call(`${scope.use('cdk8s-plus-28', 'Volume')}.fromCsi`, text('chart'), id, literal(driver),
      literal({ name, ...options, ...(volumeAttributes !== undefined && { attributes: volumeAttributes }) }));
  },
};

/** Whether cdk8s-plus renders the volume as it is. */
function isTyped(volume: JsonObject): boolean {
  const [source, ...more] = Object.keys(volume).filter((field) => field !== 'name');
  const value = volume[source];
  if (more.length > 0 || !isRecord(value) || typeof volume.name !== 'string' || volume.name.length > 63) {
    return false;
  }
  switch (source) {
    case 'persistentVolumeClaim':
      return hasOnly(value, 'claimName', 'readOnly') && isFilled(value.claimName);
    case 'configMap':
      return hasOnly(value, 'name', 'defaultMode', 'optional') && isName({ name: value.name });
    case 'secret':
      return hasOnly(value, 'secretName', 'defaultMode', 'optional') && isFilled(value.secretName);
    case 'emptyDir':
      return hasOnly(value, 'medium', 'sizeLimit') && [undefined, 'Memory'].includes(value.medium as string | undefined)
        && (value.sizeLimit === undefined || (typeof value.sizeLimit === 'string' && /^[1-9][0-9]*Mi$/.test(value.sizeLimit)));
    case 'nfs':
      return hasOnly(value, 'server', 'path', 'readOnly') && isFilled(value.server) && isFilled(value.path);
    case 'csi':
      return hasOnly(value, 'driver', 'fsType', 'readOnly', 'volumeAttributes') && isFilled(value.driver);
    default:
      return false;
  }
}

function isList(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isRecord);
}
