/** KServe's LocalModelNodeGroup, LocalModelCache and LocalModelNamespaceCache. */
import type { LocalModelCacheSpec, LocalModelNodeGroupSpec } from '../../model/serving/cache';
import type { Fields } from '../../model/serving/spec';
import { plainObject } from '../plain-object';

/** `spec` of a group of nodes: a volume on their local disks, and the claim that KServe binds to it. */
export function constructNodeGroupSpec({ limit, path, storageClassName, nodeSelector }: LocalModelNodeGroupSpec): Fields {
  const common = { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem', storageClassName };
  return plainObject({
    storageLimit: limit,
    persistentVolumeSpec: {
      ...common,
      capacity: { storage: limit },
      persistentVolumeReclaimPolicy: 'Delete',
      local: { path },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: Object.entries(nodeSelector).map(([key, value]) => ({ key, operator: 'In', values: [value] })) }],
        },
      },
    },
    persistentVolumeClaimSpec: { ...common, resources: { requests: { storage: limit } } },
  });
}

/** `spec` of a cache. */
export function constructLocalModelCacheSpec({ uri, size, nodeGroups, serviceAccountName }: LocalModelCacheSpec): Fields {
  return plainObject({ sourceModelUri: uri, modelSize: size, nodeGroups: nodeGroups.map(({ name }) => name), serviceAccountName });
}
