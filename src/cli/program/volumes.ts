/** Writes volumes of a pod as volumes of cdk8s-plus, and the mounts of the training container. */
import { call, literal, object, quote, text, type Code } from './code';
import { hasOnly } from './environment';
import type { ProgramScope } from './scope';
import { Entries, given } from './values';
import type { JsonObject } from '../../manifests/migrate/fields';
import { isRecord, isFilled } from '../../model/json-parts';
import { entryOf } from '../../model/lists';

interface TypedVolumes {
  /** Value of the property `volumeMounts`. */
  readonly mounts: Code;
  /** Volumes that stay in the pod template. */
  readonly volumes: readonly unknown[];
}

/**
 * Writes volumes and mounts; undefined if cdk8s-plus would not render the same ones in the same order.
 * @param volumes `volumes` of the pod
 * @param mounts `volumeMounts` of the training container
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

/** A constant with the volume; one for equal volumes. */
function writeVolume(volume: JsonObject, scope: ProgramScope): string {
  const [source] = Object.keys(volume).filter((field) => field !== 'name');
  const name = String(volume.name);
  return scope.declare(`volume/${JSON.stringify(volume)}`, name, (id) => {
    const [method, ...args] = SOURCES[source].write(name, volume[source] as JsonObject, scope);
    return call(`${scope.use('cdk8s-plus-28', 'Volume')}.${method}`, text('chart'), id, ...args);
  });
}

/** A source of volumes that cdk8s-plus can render. */
interface Source {
  /** Whether cdk8s-plus renders the volume unchanged. */
  readonly isTyped: (source: JsonObject) => boolean;
  /** The method of `Volume`, and its arguments after the id. */
  readonly write: (name: string, source: JsonObject, scope: ProgramScope) => readonly [method: string, ...args: Code[]];
}

const SOURCES: { readonly [source: string]: Source } = {
  persistentVolumeClaim: {
    isTyped: (source) => hasOnly(source, 'claimName', 'readOnly') && isFilled(source.claimName),
    write(name, { claimName, readOnly }, scope) {
      const claim = scope.existing('PersistentVolumeClaim', 'fromClaimName', String(claimName), '-claim');
      return ['fromPersistentVolumeClaim', text(claim), literal({ name, ...(readOnly === true && { readOnly }) })];
    },
  },
  configMap: {
    isTyped: (source) => hasOnly(source, 'name', 'defaultMode', 'optional') && isFilled(source.name),
    write: (name, { name: map, ...options }, scope) => (
      ['fromConfigMap', text(scope.existing('ConfigMap', 'fromConfigMapName', String(map))), literal({ name, ...options })]),
  },
  secret: {
    isTyped: (source) => hasOnly(source, 'secretName', 'defaultMode', 'optional') && isFilled(source.secretName),
    write: (name, { secretName, ...options }, scope) => (
      ['fromSecret', text(scope.existing('Secret', 'fromSecretName', String(secretName))), literal({ name, ...options })]),
  },
  emptyDir: {
    isTyped: (source) => hasOnly(source, 'medium', 'sizeLimit') && [undefined, 'Memory'].includes(source.medium as string | undefined)
      && (source.sizeLimit === undefined || (typeof source.sizeLimit === 'string' && /^[1-9][0-9]*Mi$/.test(source.sizeLimit))),
    write(name, { medium, sizeLimit }, scope) {
      const { entries } = new Entries()
        .add('medium', medium === undefined ? undefined : text(`${scope.use('cdk8s-plus-28', 'EmptyDirMedium')}.MEMORY`))
        .add('sizeLimit', sizeLimit === undefined ? undefined : call(`${scope.use('cdk8s', 'Size')}.mebibytes`, text(String(sizeLimit).slice(0, -2))));
      return ['fromEmptyDir', text(quote(name)), ...(entries.length > 0 ? [object(entries)] : [])];
    },
  },
  nfs: {
    isTyped: (source) => hasOnly(source, 'server', 'path', 'readOnly') && isFilled(source.server) && isFilled(source.path),
    write: (name, source) => ['fromNfs', text(quote(name)), literal(source)],
  },
  csi: {
    isTyped: (source) => hasOnly(source, 'driver', 'fsType', 'readOnly', 'volumeAttributes') && isFilled(source.driver),
    write: (name, { driver, volumeAttributes, ...options }) => (
      ['fromCsi', literal(driver), literal({ name, ...options, ...(volumeAttributes !== undefined && { attributes: volumeAttributes }) })]),
  },
};

function isTyped(volume: JsonObject): boolean {
  const [source, ...more] = Object.keys(volume).filter((field) => field !== 'name');
  const value = volume[source];
  return more.length === 0 && isRecord(value) && typeof volume.name === 'string' && volume.name.length <= 63
    && (entryOf(SOURCES, source)?.isTyped(value) ?? false);
}

function isList(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isRecord);
}
