/** KServe's LLMInferenceService. Fields left out come from the configurations that KServe is installed with. */
import { statedSharedMemory } from '../../model/accelerators/shared-memory';
import type {
  KvCacheOffloadingSpec, LlmInferenceServiceSpec, LlmModelSpec, LlmPodSpec, LlmRouterSpec, LlmScalingSpec, LlmWorkloadSpec,
} from '../../model/serving/llm';
import type { Fields } from '../../model/serving/spec';
import { plainObject, nonEmpty } from '../plain-object';
import { constructResources, deviceTolerations } from '../pod/resources';
import { sharedMemoryParts } from '../pod/shared-memory';

/** `apiVersion` of an LLMInferenceService; the version that KServe stores. */
export const LLM_API_VERSION = 'serving.kserve.io/v1alpha2';

/** Name of the container that serves, in KServe's configurations. */
const MAIN_CONTAINER = 'main';

/** `spec` of the object. */
export function constructLlmInferenceServiceSpec(spec: LlmInferenceServiceSpec): Fields {
  const { tracing } = spec;
  return plainObject({
    baseRefs: nonEmpty(spec.baseConfigs.map((name) => ({ name }))),
    model: constructModel(spec.model),
    ...constructWorkload(spec.decode),
    prefill: spec.prefill && constructWorkload(spec.prefill),
    router: spec.router && constructRouter(spec.router),
    storageInitializer: spec.storageInitializer === undefined ? undefined : { enabled: spec.storageInitializer },
    tracing: tracing && {
      exporterEndpoint: tracing.endpoint,
      ...(tracing.sampleRatio !== undefined && { sampler: 'parentbased_traceidratio', samplerArg: String(tracing.sampleRatio) }),
    },
  });
}

function constructModel({ uri, name, adapters, maxRank, maxAdapters, maxCpuAdapters }: LlmModelSpec): Fields {
  const hasLora = adapters.length > 0 || maxRank !== undefined || maxAdapters !== undefined || maxCpuAdapters !== undefined;
  return { uri, name, lora: hasLora ? { adapters: adapters.map((adapter) => ({ ...adapter })), maxRank, maxAdapters, maxCpuAdapters } : undefined };
}

function constructWorkload({ replicas, scaling, parallelism, leader, worker, kvCacheOffloading }: LlmWorkloadSpec): Fields {
  return {
    replicas,
    scaling: scaling && constructScaling(scaling),
    parallelism: parallelism && {
      tensor: parallelism.tensor,
      pipeline: parallelism.pipeline,
      data: parallelism.data,
      dataLocal: parallelism.dataLocal,
      dataRPCPort: parallelism.dataRpcPort,
      expert: parallelism.expert,
    },
    template: constructPod(leader),
    // Further nodes are created if it is present.
    worker: worker && (constructPod(worker) ?? { containers: [{ name: MAIN_CONTAINER }] }),
    kvCacheOffloading: kvCacheOffloading && constructOffloading(kvCacheOffloading),
  };
}

/** Undefined when nothing is said about the pods, so that KServe's template applies. */
function constructPod(pod: LlmPodSpec): Fields | undefined {
  const { containers: sidecars = [], volumes = [], tolerations = [], ...further } = (pod.podSpec ?? {}) as { [field: string]: unknown[] };
  const sharedMemory = sharedMemoryParts(statedSharedMemory(pod.resources ?? {}));
  const main = plainObject({
    image: pod.image,
    command: pod.command,
    args: pod.args,
    env: nonEmpty(pod.env ?? []),
    envFrom: nonEmpty(pod.envFrom ?? []),
    resources: constructResources(pod.resources ?? {}),
    volumeMounts: nonEmpty([...(pod.volumeMounts ?? []), ...sharedMemory.volumeMounts]),
  });
  const rendered = plainObject({
    ...further,
    serviceAccountName: pod.serviceAccountName,
    nodeSelector: pod.nodeSelector,
    tolerations: nonEmpty([...(pod.tolerations ?? []), ...tolerations, ...deviceTolerations(pod.resources ?? {})]),
    volumes: nonEmpty([...(pod.volumes ?? []), ...sharedMemory.volumes, ...volumes]),
  });
  if (Object.keys(main).length + Object.keys(rendered).length + sidecars.length === 0) {
    return undefined;
  }
  return { ...rendered, containers: [{ name: MAIN_CONTAINER, ...main }, ...sidecars] };
}

function constructScaling(scaling: LlmScalingSpec): Fields {
  const { minReplicas, maxReplicas, variantCost, actuator, scaleDownDelaySeconds } = scaling;
  const behavior = scaleDownDelaySeconds === undefined ? undefined : { scaleDown: { stabilizationWindowSeconds: scaleDownDelaySeconds } };
  return {
    minReplicas,
    maxReplicas,
    wva: {
      variantCost,
      ...(actuator === 'hpa' ? { hpa: { behavior } } : {
        keda: {
          pollingInterval: scaling.pollingIntervalSeconds,
          cooldownPeriod: scaling.cooldownSeconds,
          idleReplicaCount: scaling.idleReplicas,
        },
      }),
    },
  };
}

function constructOffloading({ cpu, evictionPolicy, disk }: KvCacheOffloadingSpec): Fields {
  const fileSystem = disk && ('size' in disk ? { emptyDir: { size: disk.size } } : { pvc: { ref: { name: disk.claimName, path: disk.path } } });
  return { cpu, evictionPolicy, secondary: fileSystem && [{ fileSystem }] };
}

/** Empty objects ask KServe for its own gateway, route and scheduler. */
function constructRouter({ gateways, routeNames, ingressNames, scheduler, trafficGroup, trafficWeight }: LlmRouterSpec): Fields {
  const byIngress = ingressNames.length > 0;
  return {
    gateway: byIngress ? undefined : { refs: nonEmpty(gateways.map(({ name, namespace, sectionName }) => ({ name, namespace, sectionName }))) },
    route: byIngress ? undefined : {
      group: trafficGroup,
      weight: trafficWeight,
      http: routeNames.length > 0 ? { refs: routeNames.map((name) => ({ name })) } : undefined,
    },
    ingress: byIngress ? { refs: ingressNames.map((name) => ({ name })) } : undefined,
    scheduler: scheduler && {
      replicas: scheduler.replicas,
      config: scheduler.config !== undefined ? { inline: scheduler.config } : scheduler.configMap && { ref: { ...scheduler.configMap } },
    },
  };
}
