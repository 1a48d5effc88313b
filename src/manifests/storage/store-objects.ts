/** The objects of a store: class, volume and claim, as its backend needs them, and GKE's configuration of tiers. */
import { constructCheckpointConfiguration } from './checkpoint-configuration';
import { constructPersistentVolume } from './persistent-volume';
import { constructStorageClass } from './storage-class';
import { classOfVolume, clusterName, storageQuantity } from './store-names';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { API_GROUP } from '../../model/labels';
import { storeSummary } from '../../model/storage/hints';
import { claimGiB } from '../../model/storage/sizes';
import { accessModeOf, hasClaim, isProvisioned, type StoreSpec } from '../../model/storage/store';

/** What a store costs and how fast it is. Set at synth on the claim, or on the configuration of tiers. */
const STORE_ANNOTATION = `${API_GROUP}/store`;

/** Objects of a store by what they are. The user's labels and annotations are not among them. */
export interface StoreObjects {
  readonly storageClass?: Manifest;
  readonly persistentVolume?: Manifest;
  readonly claim?: Manifest;
  readonly checkpointConfiguration?: Manifest;
}

/** Constructs them. */
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
      // Empty for a volume that is there: a class would make another one.
      storageClassName: volume === undefined ? className ?? spec.storageClassName : classOfVolume(spec),
      volumeName: volume?.metadata.name,
      resources: { requests: { storage: storageQuantity(claimGiB(spec)) } },
      dataSource: snapshot === undefined ? undefined : { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: snapshot },
    },
  });
}
