/** Converts the properties of a component to a spec. Pure; fields that are not given stay undefined. */
import type { RequestBatcher, RequestLogger, ServingComponentOptions, ContainerServerOptions } from './component';
import type { ServingScaling } from './scaling';
import type { BatcherSpec, ComponentSpec, Fields, LoggerSpec, ScalingSpec } from '../../model/serving/spec';
import type { IProbe } from '../training-job/pods/kplus-types';
import { containerProbe } from '../training-job/pods/kplus-values';
import { podSettings } from '../training-job/pods/pod-settings';

/** Default port of probes: that of KServe's servers. */
const DEFAULT_PORT = 8080;

/** Fields of all components. */
export function componentSpec(options: ServingComponentOptions & Pick<Partial<ContainerServerOptions>, 'port'>): ComponentSpec {
  const { scaling, logger, batcher, port } = options;
  return {
    ...podSettings('a component of an InferenceService', options),
    probes: { liveness: probe(options.liveness, port), readiness: probe(options.readiness, port), startup: probe(options.startup, port) },
    scaling: scaling && scalingSpec(scaling),
    containerConcurrency: options.containerConcurrency,
    timeoutSeconds: options.timeout?.toSeconds(),
    logger: logger && loggerSpec(logger),
    batcher: batcher && batcherSpec(batcher),
    rollingUpdate: options.rollingUpdate && { ...options.rollingUpdate },
  };
}

/** Fields of the user's own containers. */
export function containerSpec({ image, port, protocol }: ContainerServerOptions): Partial<ComponentSpec> {
  return { container: { image }, port, protocol };
}

function scalingSpec({ minReplicas, maxReplicas, metrics, scaleDownDelay }: ServingScaling): ScalingSpec {
  return { minReplicas, maxReplicas, metrics: metrics?.map((metric) => metric._toSpec()), scaleDownDelaySeconds: scaleDownDelay?.toSeconds() };
}

function loggerSpec({ url, traffic, headers, annotations }: RequestLogger): LoggerSpec {
  return { url, mode: traffic ?? 'all', metadataHeaders: headers, metadataAnnotations: annotations };
}

function batcherSpec({ maxBatchSize, maxLatency, timeout }: RequestBatcher): BatcherSpec {
  return { maxBatchSize, maxLatencyMilliseconds: maxLatency?.toMilliseconds(), timeoutSeconds: timeout?.toSeconds() };
}

/** A probe, if there is one. @param port port of the server */
export function probe(written: IProbe | undefined, port: number = DEFAULT_PORT): Fields | undefined {
  return written && containerProbe(written, port);
}
