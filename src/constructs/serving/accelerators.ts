/** Writes the accelerators of model servers into their pods, and checks them. */
import { errorsOf } from '../../model/findings';
import { sharedMemoryFor } from '../../model/accelerators/shared-memory';
import type { PodSettings } from '../../model/pod-settings';
import type { EnvVarSpec, ResourcesSpec } from '../../model/training-job/spec';
import { ViolationCollector, type Violation } from '../../model/violations';
import type { AcceleratorRequest } from '../accelerators/accelerator';
import { checkConflicts, checkSelector, envWith, labelledNodeProblems, resourcesWith, withAccelerator } from '../training-job/job-accelerators';

/** The settings of a pod that accelerators affect. */
export interface AcceleratedPod extends Pick<PodSettings, 'resources' | 'env' | 'volumeMounts' | 'nodeSelector' | 'tolerations'> {
  /** Additional nodes of a replica, with the same accelerators as the first one. */
  readonly worker?: { readonly resources?: ResourcesSpec; readonly env?: readonly EnvVarSpec[] };
}

/** Paths of a pod, for messages. */
export interface AcceleratedPlace {
  /** Prefix of its properties, such as `predictor.`. */
  readonly props: string;
  /** Path of its spec, and of the container that computes. */
  readonly path: string;
  readonly container: string;
  /** Number of pods of each replica. */
  readonly nodes: number;
}

/** A pod with its accelerators. The pod's own values win. */
export function withServingAccelerator<P extends AcceleratedPod>(pod: P, request: AcceleratorRequest | undefined): P {
  if (request === undefined) {
    return pod;
  }
  const { worker } = pod;
  const compute = worker?.resources && resourcesOf({}, worker.resources, request);
  return {
    ...withAccelerator(pod, request),
    resources: resourcesOf(pod, pod.resources, request),
    ...(worker && { worker: { ...worker, ...(compute && { resources: compute }), ...envWith(worker.env, request) } }),
  };
}

/** Sizes `/dev/shm` for whole GPUs, unless the pod mounts its own volume there. */
function resourcesOf({ volumeMounts = [] }: AcceleratedPod, written: ResourcesSpec | undefined, request: AcceleratorRequest): ResourcesSpec {
  const resources = resourcesWith(written, request);
  const sharedMemory = sharedMemoryFor({ resources, nodeSelector: request.nodeSelector, volumeMounts });
  return sharedMemory === undefined ? resources : { ...resources, sharedMemory };
}

/** Violations of a pod's accelerators. @param pod the pod without them */
export function servingAcceleratorProblems(request: AcceleratorRequest | undefined, pod: AcceleratedPod, place: AcceleratedPlace): Violation[] {
  if (request === undefined) {
    const { path, container, nodes } = place;
    return labelledNodeProblems(pod, { path, container, replicas: { count: nodes, path } });
  }
  const violations = new ViolationCollector();
  const where = `${place.props}accelerator`;
  violations.addAll(errorsOf(request._findings(where)));
  checkConflicts(request, pod.resources, `${place.props}resources`, where, violations);
  checkConflicts(request, pod.worker?.resources, `${place.props}worker.resources`, where, violations);
  checkSelector(request, { path: `${place.path}.nodeSelector`, labels: pod.nodeSelector }, where, violations);
  const { hosts, accelerator } = request;
  if (hosts !== undefined && hosts !== place.nodes) {
    violations.add(where, `${accelerator.type} ${accelerator.topology}`, `is a slice of ${hosts} ${hosts === 1 ? 'host' : 'hosts'}, and a replica is `
      + `${place.nodes} ${place.nodes === 1 ? 'pod' : 'pods'}: each host of a slice is one pod. Use a slice with that many hosts.`);
  }
  return violations.violations;
}
