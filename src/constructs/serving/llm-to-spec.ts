/** From props of a large language model to the model's terms. Pure. */
import type { LlmRouter, LoraAdapter, LlmInferenceServiceProps } from './llm-props';
import type { KvCacheOffloading, LlmPodOptions, LlmScaling, LlmWorkload } from './llm-workload';
import { volumesOf } from './to-spec';
import type { KvCacheOffloadingSpec, LlmInferenceServiceSpec, LlmPodSpec, LlmRouterSpec, LlmScalingSpec, LlmWorkloadSpec } from '../../model/serving/llm';
import { withCredentials } from '../credentials/with-credentials';
import { containerMount, envFromSource, envVars } from '../training-job/kplus-values';
import { toleration } from '../training-job/kubernetes-toleration';
import { resources } from '../training-job/to-spec';

/** Key of a scheduler's configuration in a ConfigMap. */
const SCHEDULER_KEY = 'epp';

/** The whole. */
export function llmSpec(
  props: LlmInferenceServiceProps, adapters: readonly LoraAdapter[], serviceAccountName: string | undefined,
): LlmInferenceServiceSpec {
  const { model, modelName, lora = {}, workload = {}, prefill, router, baseConfigs = [], storageInitializer, tracing } = props;
  return {
    model: {
      uri: model.location,
      name: modelName,
      adapters: adapters.map(({ name, storage }) => ({ name, uri: storage.location })),
      maxRank: lora.maxRank,
      maxAdapters: lora.maxAdapters,
      maxCpuAdapters: lora.maxCpuAdapters,
    },
    decode: workloadSpec(workload, serviceAccountName),
    prefill: prefill && workloadSpec(prefill, serviceAccountName),
    router: router && routerSpec(router),
    baseConfigs,
    storageInitializer,
    tracing: tracing && { ...tracing },
  };
}

function workloadSpec(workload: LlmWorkload, serviceAccountName: string | undefined): LlmWorkloadSpec {
  const { replicas, scaling, parallelism, worker, kvCacheOffloading } = workload;
  return {
    replicas,
    scaling: scaling && scalingSpec(scaling),
    parallelism: parallelism && { ...parallelism },
    leader: podSpec(workload, serviceAccountName),
    // Further nodes are like the first in all that they do not say.
    worker: worker && podSpec({ ...podOptions(workload), ...worker }, serviceAccountName),
    kvCacheOffloading: kvCacheOffloading && offloadingSpec(kvCacheOffloading),
  };
}

/** The part of a workload that is about pods. */
function podOptions(workload: LlmWorkload): LlmPodOptions {
  const { image, command, args, env, envFrom, credentials, resources: compute, volumeMounts, nodeSelector, tolerations, podSpec: further } = workload;
  return { image, command, args, env, envFrom, credentials, resources: compute, volumeMounts, nodeSelector, tolerations, podSpec: further };
}

function podSpec(options: LlmPodOptions, serviceAccountName: string | undefined): LlmPodSpec {
  const { env, volumeMounts } = withCredentials('a workload of an LlmInferenceService', options, options.credentials);
  return {
    image: options.image,
    command: options.command,
    args: options.args,
    env: envVars(env),
    envFrom: (options.envFrom ?? []).map(envFromSource),
    resources: options.resources && resources(options.resources),
    volumes: volumesOf(volumeMounts),
    volumeMounts: volumeMounts.map((mount) => ({ ...containerMount(mount) })),
    nodeSelector: options.nodeSelector,
    tolerations: (options.tolerations ?? []).map((one) => ({ ...toleration(one) })),
    podSpec: options.podSpec,
    serviceAccountName,
  };
}

function scalingSpec(scaling: LlmScaling): LlmScalingSpec {
  return {
    minReplicas: scaling.minReplicas,
    maxReplicas: scaling.maxReplicas,
    actuator: scaling.actuator ?? 'hpa',
    variantCost: scaling.variantCost,
    idleReplicas: scaling.idleReplicas,
    pollingIntervalSeconds: scaling.pollingInterval?.toSeconds(),
    cooldownSeconds: scaling.cooldown?.toSeconds(),
    scaleDownDelaySeconds: scaling.scaleDownDelay?.toSeconds(),
  };
}

function offloadingSpec({ cpu, eviction, disk, claim, claimPath }: KvCacheOffloading): KvCacheOffloadingSpec {
  return {
    cpu: cpu.asString(),
    evictionPolicy: eviction,
    disk: disk ? { size: disk.asString() } : claim && { claimName: claim.name, path: claimPath },
  };
}

function routerSpec({ gateways = [], routeNames = [], ingressNames = [], scheduler, trafficGroup, trafficWeight }: LlmRouter): LlmRouterSpec {
  return {
    gateways,
    routeNames,
    ingressNames,
    scheduler: scheduler && {
      replicas: scheduler.replicas,
      config: scheduler.config,
      configMap: scheduler.configMap && { name: scheduler.configMap.name, key: scheduler.configMapKey ?? SCHEDULER_KEY },
    },
    trafficGroup,
    trafficWeight,
  };
}
