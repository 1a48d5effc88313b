/** The objects of a store: class, volume and claim, as its backend needs them, and GKE's configuration of tiers. */
import { classOfVolume, clusterName, constructPersistentVolume, storageQuantity } from './persistent-volume';
import { constructStorageClass } from './storage-class';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { API_GROUP } from '../../model/labels';
import { storeSummary } from '../../model/storage/hints';
import { tierSelector } from '../../model/storage/multi-tier';
import { claimGiB } from '../../model/storage/sizes';
import { accessModeOf, hasClaim, isProvisioned, type MultiTierBackend, type StoreSpec } from '../../model/storage/store';

/** What a store costs and how fast it is. Set at synth on the claim, or on the configuration of tiers. */
const STORE_ANNOTATION = `${API_GROUP}/store`;

/** Objects of a store by their purpose, without the user's labels and annotations. */
export interface StoreObjects {
  readonly storageClass?: Manifest;
  readonly persistentVolume?: Manifest;
  readonly claim?: Manifest;
  readonly checkpointConfiguration?: Manifest;
}

export function constructStoreObjects(spec: StoreSpec): StoreObjects {
  const { backend } = spec;
  if (backend.kind === 'claim' || !hasClaim(spec)) {
    return backend.kind === 'multiTier' ? { checkpointConfiguration: constructCheckpointConfiguration(spec, backend, { [STORE_ANNOTATION]: storeSummary(spec) }) } : {};
  }
  const provisioned = isProvisioned(spec);
  const storageClass = provisioned && spec.storageClassName === undefined ? constructStorageClass(spec, clusterName(spec)) : undefined;
  const persistentVolume = provisioned ? undefined : constructPersistentVolume(spec, clusterName(spec));
  return { storageClass, persistentVolume, claim: constructClaim(spec, storageClass?.metadata.name, persistentVolume) };
}

function constructClaim(spec: StoreSpec, className: string | undefined, volume: Manifest | undefined): Manifest {
  const { name, namespace, backend } = spec;
  const snapshot = backend.kind === 'hyperdiskMl' ? backend.snapshot : undefined;
  return plainObject({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace, annotations: { [STORE_ANNOTATION]: storeSummary(spec) } },
    spec: {
      accessModes: [accessModeOf(spec)],
      // Empty for an existing volume: a class would create another one.
      storageClassName: volume === undefined ? className ?? spec.storageClassName : classOfVolume(spec),
      volumeName: volume?.metadata.name,
      resources: { requests: { storage: storageQuantity(claimGiB(spec)) } },
      dataSource: snapshot === undefined ? undefined : { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: snapshot },
    },
  });
}

/** `apiVersion` of a CheckpointConfiguration. */
const CHECKPOINT_CONFIGURATION_VERSION = 'checkpointing.gke.io/v1';

/** Taints of nodes with accelerators, which the driver's pods have to tolerate. */
const ACCELERATOR_TOLERATIONS = ['nvidia.com/gpu', 'google.com/tpu'].map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }));

/**
 * GKE's CheckpointConfiguration, which is cluster-scoped: which nodes have a RAM disk, how large it is, and the bucket behind them.
 */
function constructCheckpointConfiguration(
  spec: StoreSpec, backend: MultiTierBackend, annotations: { readonly [name: string]: string },
): Manifest {
  const { bucket, ramDiskGiB, tolerations, mountOptions, sidecarDiskGiB } = backend;
  return plainObject({
    apiVersion: CHECKPOINT_CONFIGURATION_VERSION,
    kind: 'CheckpointConfiguration',
    metadata: { name: clusterName(spec), annotations },
    spec: {
      cloudStorageBucketName: bucket,
      nodeSelector: tierSelector(backend),
      tolerations: tolerations ?? ACCELERATOR_TOLERATIONS,
      inMemoryVolumeSize: storageQuantity(ramDiskGiB),
      gcsFuseMountOptions: mountOptions,
      csiEphemeralLimit: sidecarDiskGiB === undefined ? undefined : storageQuantity(sidecarDiskGiB),
    },
  });
}
