/** PersistentVolumes of existing storage. */
import { DRIVERS, gcsFuseAttributes, storeMountOptions } from './drivers';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { canonicalQuantity } from '../../model/quantities';
import { claimGiB } from '../../model/storage/sizes';
import { accessModeOf, isReadOnly, type SecretNameSpec, type StoreSpec } from '../../model/storage/store';

type Attributes = { readonly [name: string]: string | undefined };

type Source = { readonly [field: string]: unknown };

/** The volume of a store on existing storage. It is kept when its claim is deleted. */
export function constructPersistentVolume(spec: StoreSpec, name: string): Manifest {
  const { namespace } = spec;
  const mountOptions = storeMountOptions(spec);
  return plainObject({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      accessModes: [accessModeOf(spec)],
      capacity: { storage: storageQuantity(claimGiB(spec)) },
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: classOfVolume(spec),
      volumeMode: 'Filesystem',
      // Reserved for this claim.
      claimRef: namespace === undefined ? undefined : { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: spec.name },
      mountOptions: mountOptions.length > 0 ? mountOptions : undefined,
      ...sourceOf(spec, name),
    },
  });
}

function sourceOf(spec: StoreSpec, name: string): Source {
  const { backend } = spec;
  switch (backend.kind) {
    case 'filestore': {
      const { location, name: instance, share, ip } = backend.instance!;
      return csi(spec, DRIVERS.filestore, `modeInstance/${location}/${instance}/${share}`, { ip, volume: share });
    }
    case 'lustre': {
      const { project, location, name: instance, ip } = backend.instance!;
      return csi(spec, DRIVERS.lustre, `${project}/${location}/${instance}/default-pool/default-container`, { ip, filesystem: backend.filesystem });
    }
    case 'gcsFuse':
      return csi(spec, DRIVERS.gcsFuse, backend.bucket, gcsFuseAttributes(backend));
    case 'hyperdiskMl':
      return csi(spec, DRIVERS.hyperdiskMl, backend.disk!, undefined);
    case 'nfs':
      return { nfs: { server: backend.server, path: backend.share, ...(isReadOnly(spec) && { readOnly: true }) } };
    case 'cephFs':
      return csi(spec, backend.driver ?? DRIVERS.cephFs, name, {
        clusterID: backend.clusterId, fsName: backend.fsName, staticVolume: 'true', rootPath: backend.rootPath,
      }, backend.nodeSecret);
    case 'efs':
      return csi(spec, DRIVERS.efs, backend.accessPoint === undefined ? backend.fileSystemId : `${backend.fileSystemId}::${backend.accessPoint}`, undefined);
    case 'azureFiles': {
      const { resourceGroup, storageAccount, shareName, secret } = backend.share!;
      return csi(spec, DRIVERS.azureFiles, `${resourceGroup}#${storageAccount}#${shareName}`, {
        resourceGroup, storageAccount, shareName, protocol: backend.protocol ?? 'nfs',
      }, secret);
    }
    default:
      return {};
  }
}

function csi(
  spec: StoreSpec, driver: string, volumeHandle: string, volumeAttributes: Attributes | undefined, secret?: SecretNameSpec,
): Source {
  const attributes = volumeAttributes !== undefined && Object.keys(volumeAttributes).length > 0 ? volumeAttributes : undefined;
  return {
    csi: {
      driver,
      volumeHandle,
      readOnly: isReadOnly(spec) ? true : undefined,
      volumeAttributes: attributes,
      nodeStageSecretRef: secret && { name: secret.name, namespace: secret.namespace },
    },
  };
}

/** Name of a store's cluster-scoped objects. */
export function clusterName({ name, namespace }: Pick<StoreSpec, 'name' | 'namespace'>): string {
  return namespace === undefined ? name : `${namespace}-${name}`;
}

/** Class that both a volume and its claim name. */
export function classOfVolume({ backend }: StoreSpec): string {
  return backend.kind === 'gcsFuse' ? backend.profile ?? '' : '';
}

/** A size as Kubernetes writes it. The rules report a missing one. */
export function storageQuantity(gib: number | undefined): string {
  const size = gib ?? 1;
  return canonicalQuantity(Number.isInteger(size) ? `${size}Gi` : `${Math.ceil(size * 1024)}Mi`);
}
