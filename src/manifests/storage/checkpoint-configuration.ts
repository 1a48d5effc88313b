/** GKE's CheckpointConfiguration: which nodes have a RAM disk, how large it is, and the bucket behind them. */
import { clusterName, storageQuantity } from './store-names';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { tierSelector } from '../../model/storage/multi-tier';
import type { MultiTierBackend, StoreSpec } from '../../model/storage/store';

/** `apiVersion` of a CheckpointConfiguration. */
const CHECKPOINT_CONFIGURATION_VERSION = 'checkpointing.gke.io/v1';

/** Taints of nodes with accelerators, which the driver's pods have to tolerate. */
const ACCELERATOR_TOLERATIONS = ['nvidia.com/gpu', 'google.com/tpu'].map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }));

/** The object, which is of the whole cluster. */
export function constructCheckpointConfiguration(
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
