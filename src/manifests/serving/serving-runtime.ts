/** KServe's ServingRuntime, ClusterServingRuntime and ClusterStorageContainer. */
import type { ServingRuntimeSpec, StorageContainerSpec } from '../../model/serving/runtime';
import type { Fields } from '../../model/serving/spec';
import { SERVING_CONTAINER } from '../../model/serving/validation-component';
import { plainObject } from '../plain-object';
import { constructResources, deviceTolerations } from '../resources';

/** Name by which KServe finds the init container of a ClusterStorageContainer. */
const STORAGE_CONTAINER = 'storage-initializer';

/** `spec` of a runtime. */
export function constructServingRuntimeSpec(spec: ServingRuntimeSpec): Fields {
  const { probes = {}, worker } = spec;
  const shm = spec.resources?.sharedMemory;
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
      resources: constructResources(spec.resources ?? {}),
      livenessProbe: probes.liveness,
      readinessProbe: probes.readiness,
      startupProbe: probes.startup,
      volumeMounts: nonEmpty([...(spec.volumeMounts ?? []), ...(shm === undefined ? [] : [{ name: 'shared-memory', mountPath: '/dev/shm' }])]),
    }],
    workerSpec: worker && {
      pipelineParallelSize: worker.pipelineParallel,
      tensorParallelSize: worker.tensorParallel,
      containers: [{ name: 'worker-container', image: spec.image, resources: constructResources(worker.resources ?? spec.resources ?? {}) }],
    },
    volumes: nonEmpty([...(spec.volumes ?? []), ...(shm === undefined ? [] : [{ name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: shm } }])]),
    nodeSelector: spec.nodeSelector,
    tolerations: nonEmpty([...(spec.tolerations ?? []), ...deviceTolerations(spec.resources ?? {})]),
    imagePullSecrets: nonEmpty((spec.imagePullSecrets ?? []).map((name) => ({ name }))),
  });
}

/** `spec` of a storage container. */
export function constructStorageContainerSpec(spec: StorageContainerSpec): Fields {
  return plainObject({
    container: { name: STORAGE_CONTAINER, image: spec.image, env: nonEmpty(spec.env), resources: constructResources(spec.resources ?? {}) },
    supportedUriFormats: [...spec.prefixes.map((prefix) => ({ prefix })), ...spec.patterns.map((regex) => ({ regex }))],
    supportsMultiModelDownload: spec.downloadsSeveral,
  });
}

function nonEmpty<T>(list: readonly T[] | undefined): T[] | undefined {
  return list !== undefined && list.length > 0 ? [...list] : undefined;
}
