/** What a platform team sets up for KServe, and for models on the disks of nodes. */
import { plainObject, nonEmpty } from '../plain-object';
import { RUNTIME_SECCOMP, withoutEscalation } from '../pod/pod-defaults';
import { constructResources, deviceTolerations } from '../pod/resources';
import { sharedMemoryParts } from '../pod/shared-memory';
import { statedSharedMemory } from '../../model/accelerators/shared-memory';
import type { LocalModelCacheSpec, LocalModelNodeGroupSpec } from '../../model/serving/cache';
import type { ServingRuntimeSpec, StorageContainerSpec } from '../../model/serving/runtime';
import type { Fields, ServingWorkerSpec } from '../../model/serving/spec';
import { SERVING_CONTAINER } from '../../model/serving/validation-component';

/** Name by which KServe finds the init container of a ClusterStorageContainer. */
const STORAGE_CONTAINER = 'storage-initializer';

/** For containers, because a runtime has no security context of pods. The server's image decides on its user and where it writes. */
const SERVER_SECURITY = { ...withoutEscalation(undefined), seccompProfile: RUNTIME_SECCOMP };

/** `spec` of a runtime. */
export function constructServingRuntimeSpec(spec: ServingRuntimeSpec): Fields {
  const { probes = {}, worker, resources = {} } = spec;
  const sharedMemory = sharedMemoryParts(statedSharedMemory(resources));
  return plainObject({
    supportedModelFormats: spec.formats.map(({ name, version, autoSelect, priority }) => ({ name, version, autoSelect, priority })),
    protocolVersions: [...spec.protocols],
    disabled: spec.disabled,
    annotations: spec.annotations,
    labels: spec.labels,
    containers: [{
      name: SERVING_CONTAINER,
      image: spec.image,
      command: spec.command,
      args: spec.args,
      env: nonEmpty(spec.env),
      ports: spec.port === undefined ? undefined : [{ containerPort: spec.port, protocol: 'TCP' }],
      resources: constructResources(resources),
      livenessProbe: probes.liveness,
      readinessProbe: probes.readiness,
      startupProbe: probes.startup,
      securityContext: SERVER_SECURITY,
      volumeMounts: nonEmpty([...(spec.volumeMounts ?? []), ...sharedMemory.volumeMounts]),
    }],
    workerSpec: worker && constructWorker(spec, worker),
    volumes: nonEmpty([...(spec.volumes ?? []), ...sharedMemory.volumes]),
    nodeSelector: spec.nodeSelector,
    tolerations: nonEmpty([...(spec.tolerations ?? []), ...deviceTolerations(resources)]),
    imagePullSecrets: nonEmpty((spec.imagePullSecrets ?? []).map((name) => ({ name }))),
  });
}

/** Further nodes are placed like the first one, and have as much shared memory. */
function constructWorker({ image, nodeSelector, tolerations = [], resources: first = {} }: ServingRuntimeSpec, worker: ServingWorkerSpec): Fields {
  const resources = worker.resources ?? first;
  const { volumes, volumeMounts } = sharedMemoryParts(statedSharedMemory(resources));
  return {
    pipelineParallelSize: worker.pipelineParallel,
    tensorParallelSize: worker.tensorParallel,
    containers: [{
      name: 'worker-container', image, env: nonEmpty(worker.env), resources: constructResources(resources), securityContext: SERVER_SECURITY,
      volumeMounts: nonEmpty(volumeMounts),
    }],
    nodeSelector,
    tolerations: nonEmpty([...tolerations, ...deviceTolerations(resources)]),
    volumes: nonEmpty(volumes),
  };
}

/** `spec` of a storage container. */
export function constructStorageContainerSpec(spec: StorageContainerSpec): Fields {
  return plainObject({
    container: { name: STORAGE_CONTAINER, image: spec.image, env: nonEmpty(spec.env), resources: constructResources(spec.resources ?? {}) },
    supportedUriFormats: spec.formats.map((format) => ({ ...format })),
    supportsMultiModelDownload: spec.downloadsSeveral,
  });
}

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
