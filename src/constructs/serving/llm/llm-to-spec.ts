/** Converts the properties of a large language model to a spec. Pure. */
import { withServingAccelerator, type AcceleratedPlace } from '../accelerators';
import type { LlmRouter, LoraAdapter, LlmInferenceServiceProps } from './llm-props';
import { LlmActuator, type KvCacheOffloading, type LlmPodOptions, type LlmScaling, type LlmWorkload } from './llm-workload';
import {
  nodesOf,
  type KvCacheOffloadingSpec, type LlmInferenceServiceSpec, type LlmPodSpec, type LlmRouterSpec, type LlmScalingSpec, type LlmWorkloadSpec,
} from '../../../model/serving/llm';
import { podSettings } from '../../training-job/pods/pod-settings';

/** Key of a scheduler's configuration in a ConfigMap. */
const SCHEDULER_KEY = 'epp';

/** The service as a spec. */
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
    // Additional nodes have the options of the first one as defaults.
    worker: worker && podSpec(workerOptions(workload, worker), serviceAccountName),
    kvCacheOffloading: kvCacheOffloading && offloadingSpec(kvCacheOffloading),
  };
}

/** Pod options of a workload's additional nodes. */
function workerOptions(workload: LlmWorkload, worker: LlmPodOptions): LlmPodOptions {
  const { replicas: _replicas, scaling: _scaling, parallelism: _parallelism, kvCacheOffloading: _offloading, worker: _worker, ...pod } = workload;
  return { ...pod, ...worker };
}

/** A pod without its accelerators, its options, and its paths. */
export interface LlmPod {
  readonly pod: LlmPodSpec;
  readonly options: LlmPodOptions;
  readonly place: AcceleratedPlace;
}

/** All kinds of pods of a service. */
export function llmPods({ workload = {}, prefill }: LlmInferenceServiceProps): LlmPod[] {
  return [{ props: 'workload.', path: 'spec', replica: workload }, ...(prefill === undefined ? [] : [{ props: 'prefill.', path: 'spec.prefill', replica: prefill }])]
    .flatMap(({ props, path, replica }) => {
      const { worker } = replica;
      const nodes = worker === undefined ? 1 : nodesOf(replica.parallelism ?? {});
      const described = (options: LlmPodOptions, name: string, before: string): LlmPod => (
        { options, pod: plainPod(options, undefined), place: { props: before, path: `${path}.${name}`, container: `${path}.${name}.containers[0]`, nodes } });
      return [described(replica, 'template', props), ...(worker === undefined ? [] : [described(workerOptions(replica, worker), 'worker', `${props}worker.`)])];
    });
}

function podSpec(options: LlmPodOptions, serviceAccountName: string | undefined): LlmPodSpec {
  return withServingAccelerator(plainPod(options, serviceAccountName), options.accelerator);
}

function plainPod(options: LlmPodOptions, serviceAccountName: string | undefined): LlmPodSpec {
  return { ...podSettings('a workload of an LlmInferenceService', options), image: options.image, serviceAccountName };
}

function scalingSpec({ actuator = LlmActuator.HPA, pollingInterval, cooldown, scaleDownDelay, ...same }: LlmScaling): LlmScalingSpec {
  return {
    ...same,
    actuator,
    pollingIntervalSeconds: pollingInterval?.toSeconds(),
    cooldownSeconds: cooldown?.toSeconds(),
    scaleDownDelaySeconds: scaleDownDelay?.toSeconds(),
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
