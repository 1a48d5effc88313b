/** Classes by which drivers create volumes. */
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { DRIVERS, ZONE_LABEL, storeMountOptions } from './drivers';
import { isZonal } from '../../model/storage/check-backends';
import { filestoreTier } from '../../model/storage/sizes';
import type {
  AzureFilesBackend, CephFsBackend, EfsBackend, FilestoreBackend, HyperdiskMlBackend, LustreBackend, NfsBackend, StoreSpec,
} from '../../model/storage/store';

type Parameters = { readonly [name: string]: string | undefined };

/** The class of a store whose volume is created for it. */
export function constructStorageClass(spec: StoreSpec, name: string): Manifest {
  const { zones, backend, deleteWithClaim } = spec;
  const mountOptions = storeMountOptions(spec);
  return plainObject({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: backend.kind === 'cephFs' ? backend.driver ?? DRIVERS.cephFs : DRIVERS[backend.kind as keyof typeof DRIVERS],
    parameters: parametersOf(spec, name),
    reclaimPolicy: deleteWithClaim ? 'Delete' : 'Retain',
    // A zonal volume without a named zone is created where its first pod is.
    volumeBindingMode: waitsForPods(spec) ? 'WaitForFirstConsumer' : 'Immediate',
    allowVolumeExpansion: backend.kind === 'hyperdiskMl' ? undefined : true,
    mountOptions: mountOptions.length > 0 ? mountOptions : undefined,
    allowedTopologies: zones && [{ matchLabelExpressions: [{ key: ZONE_LABEL, values: [...zones] }] }],
  });
}

function waitsForPods(spec: StoreSpec): boolean {
  const { backend, zones } = spec;
  const isPlaced = zones !== undefined || (backend.kind === 'filestore' && (backend.location !== undefined || filestoreTier(backend.tier)?.scope === 'region'));
  return isZonal(spec) && !isPlaced;
}

function parametersOf(spec: StoreSpec, name: string): Parameters {
  const { backend } = spec;
  switch (backend.kind) {
    case 'filestore':
      return filestoreParameters(backend, name);
    case 'lustre':
      return lustreParameters(backend);
    case 'hyperdiskMl':
      return hyperdiskParameters(spec, backend);
    case 'nfs':
      return nfsParameters(backend);
    case 'cephFs':
      return cephFsParameters(backend);
    case 'efs':
      return efsParameters(backend);
    case 'azureFiles':
      return azureParameters(backend);
    default:
      return {};
  }
}

function filestoreParameters(backend: FilestoreBackend, name: string): Parameters {
  const { maxShareGiB } = backend;
  return {
    'tier': backend.tier ?? 'standard',
    'network': backend.network,
    'connect-mode': backend.connectMode,
    'protocol': backend.protocol,
    'reserved-ipv4-cidr': backend.reservedIpv4Cidr,
    'reserved-ip-range': backend.reservedIpRange,
    'instance-encryption-kms-key': backend.kmsKey,
    'location': backend.location,
    'labels': joined(backend.labels),
    ...(maxShareGiB !== undefined && { 'multishare': 'true', 'max-volume-size': `${maxShareGiB}Gi`, 'instance-storageclass-label': name }),
  };
}

function lustreParameters({ network, filesystem, perUnitStorageThroughput, description, labels }: LustreBackend): Parameters {
  return { network, filesystem, perUnitStorageThroughput, description, labels: joined(labels) };
}

function hyperdiskParameters({ zones }: StoreSpec, { throughputMiB, kmsKey, snapshot }: HyperdiskMlBackend): Parameters {
  return {
    'type': 'hyperdisk-ml',
    'provisioned-throughput-on-create': throughputMiB === undefined ? undefined : `${throughputMiB}Mi`,
    'enable-multi-zone-provisioning': (zones?.length ?? 0) > 1 && snapshot !== undefined ? 'true' : undefined,
    'disk-encryption-kms-key': kmsKey,
  };
}

function nfsParameters({ server, share }: NfsBackend): Parameters {
  return { server, share };
}

function cephFsParameters({ clusterId, fsName, pool, provisionerSecret, nodeSecret }: CephFsBackend): Parameters {
  const secret = (use: string, named: { readonly name: string; readonly namespace: string } | undefined) => ({
    [`csi.storage.k8s.io/${use}-secret-name`]: named?.name, [`csi.storage.k8s.io/${use}-secret-namespace`]: named?.namespace,
  });
  return {
    clusterID: clusterId, fsName, pool, ...secret('provisioner', provisionerSecret), ...secret('controller-expand', provisionerSecret), ...secret('node-stage', nodeSecret),
  };
}

function efsParameters({ fileSystemId, basePath, directoryPermissions }: EfsBackend): Parameters {
  return { provisioningMode: 'efs-ap', fileSystemId, directoryPerms: directoryPermissions ?? '700', basePath };
}

function azureParameters({ sku = 'Premium_LRS', protocol = 'nfs' }: AzureFilesBackend): Parameters {
  return { skuName: sku, protocol };
}

/** Labels as drivers of Google Cloud read them. */
function joined(labels: { readonly [name: string]: string } | undefined): string | undefined {
  return labels && Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(',');
}
