/**
 * One component of an InferenceService: predictor, transformer or explainer.
 *
 * The scaling fields of a component: one metric as `scaleMetric` where KServe's webhook allows it, else as a list.
 */
import { RUNTIME_SECCOMP, withoutEscalation } from '../pod/pod-defaults';
import { constructResources, deviceTolerations } from '../pod/resources';
import { sharedMemoryParts } from '../pod/shared-memory';
import { nonEmpty, nonEmptyObject } from '../plain-object';
import { statedSharedMemory } from '../../model/accelerators/shared-memory';
import {
  DEFAULT_AUTOSCALER, type Autoscaler, type ComponentSpec, type Fields, type InferenceServiceSpec, type ModelStorageSpec, type ScaleMetricSpec,
  type ScalingSpec, type ServingMode,
} from '../../model/serving/spec';
import { SERVING_CONTAINER } from '../../model/serving/validation-component';

/** Name that KServe gives the container of a worker. */
const WORKER_CONTAINER = 'worker-container';

/** Port of servers that speak gRPC, as KServe's runtimes have it. */
const GRPC_PORT = 9000;

/**
 * `spec.predictor`, `spec.transformer` or `spec.explainer`, or the predictor of a canary: there the definition of 0.20 requires the name of
 * the model's container, which the webhook refuses in `spec.predictor`.
 */
export function constructComponent(component: ComponentSpec, spec: InferenceServiceSpec, isCanary: boolean = false): Fields {
  const { model, art, storage = [], scaling, podSpec = {} } = component;
  const { containers: sidecars = [], volumes = [], tolerations = [], ...furtherPodFields } = podSpec as { [field: string]: unknown[] };
  const serviceAccountName = component.serviceAccountName ?? podSpec.serviceAccountName;
  const main = constructContainer(component, spec);
  const allTolerations = [...(component.tolerations ?? []), ...tolerations, ...deviceTolerations(component.resources ?? {})];
  const allVolumes = [...(component.volumes ?? []), ...sharedMemoryParts(statedSharedMemory(component.resources ?? {})).volumes, ...volumes];
  const annotations = { ...component.annotations, ...scalingAnnotations(scaling ?? {}, spec.mode) };
  // A model server's runtime says more, and values written here would override it.
  const server = { name: SERVING_CONTAINER, ...main, securityContext: serverSecurity(component) };
  const containers = [...(model === undefined && art === undefined ? [server] : []), ...sidecars];
  return {
    ...furtherPodFields,
    name: component.name,
    ...constructScaling(scaling ?? {}, spec.mode, spec.autoscaler ?? DEFAULT_AUTOSCALER),
    containerConcurrency: component.containerConcurrency,
    timeout: component.timeoutSeconds,
    // The mode is required by the webhook, though not by the schema.
    logger: component.logger && { mode: 'all', ...component.logger },
    batcher: component.batcher && {
      maxBatchSize: component.batcher.maxBatchSize, maxLatency: component.batcher.maxLatencyMilliseconds, timeout: component.batcher.timeoutSeconds,
    },
    labels: component.labels,
    annotations: nonEmptyObject(annotations),
    deploymentStrategy: component.rollingUpdate && { type: 'RollingUpdate', rollingUpdate: component.rollingUpdate },
    model: model && {
      name: isCanary ? SERVING_CONTAINER : undefined,
      modelFormat: { name: model.format, version: model.formatVersion },
      runtime: model.runtime,
      runtimeVersion: model.runtimeVersion,
      protocolVersion: component.protocol,
      ...constructStorage(storage),
      ...main,
    },
    art: art && { ...art, ...main, storageUri: storage[0]?.uri },
    storageUris: constructStorageList(component),
    containers: nonEmpty(containers),
    workerSpec: component.worker && constructWorker(component),
    serviceAccountName,
    // Model servers do not use the Kubernetes API; those that do name an account.
    automountServiceAccountToken: podSpec.automountServiceAccountToken ?? (serviceAccountName === undefined ? false : undefined),
    imagePullSecrets: nonEmpty((component.imagePullSecrets ?? []).map((name) => ({ name }))),
    nodeSelector: component.nodeSelector,
    tolerations: nonEmpty(withoutDuplicates(allTolerations)),
    priorityClassName: component.priorityClassName,
    schedulerName: component.schedulerName,
    volumes: nonEmpty(allVolumes),
  };
}

/** Fields of the container that serves, which KServe merges into the runtime's. */
function constructContainer(component: ComponentSpec, spec: InferenceServiceSpec): Fields {
  const { probes = {}, resources = {} } = component;
  const mounts = [...(component.volumeMounts ?? []), ...sharedMemoryParts(statedSharedMemory(resources)).volumeMounts];
  return {
    image: component.container?.image ?? component.image,
    command: component.command,
    args: component.args,
    env: nonEmpty([...(component.env ?? []), ...protocolVariable(component, component === spec.transformer)]),
    envFrom: nonEmpty(component.envFrom ?? []),
    ports: constructPorts(component, spec.mode),
    resources: constructResources(resources),
    livenessProbe: probes.liveness,
    readinessProbe: probes.readiness,
    startupProbe: probes.startup,
    volumeMounts: nonEmpty(mounts),
  };
}

/** On the container and not on the pod, which may have none in Knative's mode. A pod's profile is its author's. */
function serverSecurity({ podSpec = {} }: ComponentSpec): Fields {
  const { seccompProfile } = (podSpec.securityContext ?? {}) as Fields;
  return { ...withoutEscalation(undefined), ...(seccompProfile === undefined && { seccompProfile: RUNTIME_SECCOMP }) };
}

/** KServe reads the protocol of a user's own container from a variable, in which its webhook refuses gRPC for a predictor. */
function protocolVariable({ model, container, protocol, env = [] }: ComponentSpec, isTransformer: boolean): Fields[] {
  const isSet = env.some(({ name }) => name === 'PROTOCOL');
  const isWritten = container !== undefined && model === undefined && protocol !== undefined && !isSet && (isTransformer || !isGrpc(protocol));
  return isWritten ? [{ name: 'PROTOCOL', value: protocol }] : [];
}

function isGrpc(protocol: ComponentSpec['protocol']): boolean {
  return protocol === 'grpc-v1' || protocol === 'grpc-v2';
}

/** Knative takes one port, and reads from its name that it is HTTP/2. */
function constructPorts({ port, protocol }: ComponentSpec, mode: InferenceServiceSpec['mode']): Fields[] | undefined {
  if (port === undefined && !isGrpc(protocol)) {
    return undefined;
  }
  return [{ ...(isGrpc(protocol) && { name: mode === 'Knative' ? 'h2c' : 'grpc' }), containerPort: port ?? GRPC_PORT, protocol: 'TCP' }];
}

/** Storage locations of containers, and of models that have more than one or want it elsewhere. */
function constructStorageList({ model, art, storage = [] }: ComponentSpec): Fields[] | undefined {
  const isElsewhere = art !== undefined || (model !== undefined && !needsList(storage));
  return isElsewhere ? undefined : nonEmpty(storage.map(({ uri, mountPath }) => ({ uri, mountPath })));
}

function needsList(storage: readonly ModelStorageSpec[]): boolean {
  return storage.length > 1 || storage.some(({ mountPath }) => mountPath !== undefined);
}

/** A single location is written in the model; KServe refuses it next to a list. */
function constructStorage(storage: readonly ModelStorageSpec[]): Fields {
  if (storage.length !== 1 || needsList(storage)) {
    return {};
  }
  const [{ uri, secretEntry }] = storage;
  return secretEntry === undefined ? { storageUri: uri } : { storage: secretEntry };
}

/** Further nodes are placed like the first one, and have as much shared memory. */
function constructWorker({ worker = {}, resources: first, tolerations = [], nodeSelector }: ComponentSpec): Fields {
  const resources = worker.resources ?? first ?? {};
  const { volumes, volumeMounts } = sharedMemoryParts(statedSharedMemory(resources));
  const container = {
    env: nonEmpty(worker.env ?? []),
    resources: constructResources(resources),
    volumeMounts: nonEmpty(volumeMounts),
  };
  return {
    pipelineParallelSize: worker.pipelineParallel,
    tensorParallelSize: worker.tensorParallel,
    containers: Object.values(container).some((field) => field !== undefined) ? [{ name: WORKER_CONTAINER, ...container }] : undefined,
    nodeSelector,
    tolerations: nonEmpty(withoutDuplicates([...tolerations, ...deviceTolerations(resources)])),
    volumes: nonEmpty(volumes),
  };
}

/** Tolerations that the author wrote are not repeated. */
function withoutDuplicates(list: readonly unknown[]): unknown[] {
  const texts = list.map((item) => JSON.stringify(item));
  return list.filter((_item, index) => texts.indexOf(texts[index]) === index);
}

/** What KServe scales by when nothing is set: part of the CPU request, in percent. */
const DEFAULT_METRIC: ScaleMetricSpec = { kind: 'cpu', target: 80 };

/** Fields of `spec.predictor` and its siblings. */
function constructScaling(scaling: ScalingSpec, mode: ServingMode, autoscaler: Autoscaler): Fields {
  const { minReplicas, maxReplicas, metrics = [], scaleDownDelaySeconds } = scaling;
  const [only] = metrics;
  const asList = mode === 'Standard' && ((autoscaler === 'keda' && metrics.length > 0) || metrics.length > 1 || scaleDownDelaySeconds !== undefined);
  return {
    minReplicas,
    maxReplicas,
    ...(asList && {
      autoScaling: {
        // KServe reads only the list if there is one, so its default has to be in it.
        metrics: (metrics.length > 0 ? metrics : [DEFAULT_METRIC]).map(constructMetric),
        ...(scaleDownDelaySeconds !== undefined && { behavior: { scaleDown: { stabilizationWindowSeconds: scaleDownDelaySeconds } } }),
      },
    }),
    ...(!asList && only !== undefined && {
      scaleMetric: only.kind,
      scaleTarget: only.target,
      ...(mode === 'Standard' && { scaleMetricType: 'Utilization' }),
    }),
  };
}

/** Knative has the delay as an annotation of the revision. */
function scalingAnnotations({ scaleDownDelaySeconds }: ScalingSpec, mode: ServingMode): { [name: string]: string } {
  return mode === 'Knative' && scaleDownDelaySeconds !== undefined ? { 'autoscaling.knative.dev/scale-down-delay': `${scaleDownDelaySeconds}s` } : {};
}

function constructMetric({ kind, target, query, serverAddress, metricNames, authenticationRef }: ScaleMetricSpec): Fields {
  const value = { type: 'Value', value: String(target) };
  switch (kind) {
    case 'prometheus':
      return {
        type: 'External',
        external: {
          metric: { backend: 'prometheus', serverAddress, query },
          target: value,
          ...(authenticationRef !== undefined && { authenticationRef: { authModes: 'bearer', authenticationRef: { name: authenticationRef } } }),
        },
      };
    case 'openTelemetry':
      return { type: 'PodMetric', podmetric: { metric: { backend: 'opentelemetry', serverAddress, metricNames, query }, target: value } };
    case 'cpu':
    case 'memory':
    case 'concurrency':
    case 'rps':
      return { type: 'Resource', resource: { name: kind, target: { type: 'Utilization', averageUtilization: target } } };
  }
}
