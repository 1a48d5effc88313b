/**
 * Objects by which Kueue knows and gets the nodes of pools:
 * - ProvisioningRequest: machines for all pods of a job at once, or none; and Kueue's objects by which it creates one for an admitted workload
 * - ResourceFlavor of a pool, or of a choice of a ComputeClass: which nodes a workload of the flavor gets
 * - Topology: the levels at which nodes are near to each other, the widest first
 * @see https://github.com/kubernetes/autoscaler/tree/master/cluster-autoscaler/apis/provisioningrequest/autoscaling.x-k8s.io/v1
 * @see https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/
 * @see https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/
 */
import { plainObject } from '../plain-object';
import { NODE_LABELS } from '../../model/accelerators/labels';
import { labelsOfChoice, labelsOfPool, taintsOfKind } from '../../model/node-pools/nodes';
import { QUEUED_PROVISIONING_CLASS, type ProvisioningRequestSpec, type ProvisioningRetriesSpec } from '../../model/node-pools/provisioning-request';
import { provisionedName } from '../../model/node-pools/replacement';
import type { NodePoolSpec } from '../../model/node-pools/spec';

/** `apiVersion` of a ProvisioningRequest. */
export const PROVISIONING_REQUEST_VERSION = 'autoscaling.x-k8s.io/v1';

/** Annotation of pods that name their request. */
const CONSUME_ANNOTATION = 'autoscaling.x-k8s.io/consume-provisioning-request';

/** Annotation of pods that name the class of their request. */
const CLASS_ANNOTATION = 'autoscaling.x-k8s.io/provisioning-class-name';

/** Controller of Kueue that creates the requests of workloads. */
const KUEUE_CONTROLLER = 'kueue.x-k8s.io/provisioning-request';

/** `spec` of a request. */
export function constructProvisioningRequestSpec(spec: ProvisioningRequestSpec): { [field: string]: unknown } {
  const { podSets, className = QUEUED_PROVISIONING_CLASS, maxRunSeconds } = spec;
  return plainObject({
    provisioningClassName: className,
    podSets: podSets.map(({ podTemplate, count }) => ({ count, podTemplateRef: { name: podTemplate } })),
    parameters: parameters(maxRunSeconds),
  });
}

/** Annotations of pods that run on the machines of a request. */
export function consumingAnnotations(request: string, className = QUEUED_PROVISIONING_CLASS): { [name: string]: string } {
  return { [CONSUME_ANNOTATION]: request, [CLASS_ANNOTATION]: className };
}

/** Which class answers requests, and how often they are retried. */
export interface ProvisioningConfigOptions {
  readonly className?: string;
  readonly retries?: ProvisioningRetriesSpec;
}

/** `spec` of Kueue's ProvisioningRequestConfig. */
export function constructProvisioningConfigSpec(
  managedResources: readonly string[], maxRunSeconds?: number,
  { className = QUEUED_PROVISIONING_CLASS, retries = {} }: ProvisioningConfigOptions = {},
): { [field: string]: unknown } {
  const { limit, firstSeconds, longestSeconds } = retries;
  const isAsked = [limit, firstSeconds, longestSeconds].some((value) => value !== undefined);
  return plainObject({
    provisioningClassName: className,
    managedResources: [...managedResources],
    parameters: parameters(maxRunSeconds),
    retryStrategy: isAsked ? { backoffLimitCount: limit, backoffBaseSeconds: firstSeconds, backoffMaxSeconds: longestSeconds } : undefined,
  });
}

/** `spec` of Kueue's AdmissionCheck for a config. */
export function constructAdmissionCheckSpec(config: string): { [field: string]: unknown } {
  return { controllerName: KUEUE_CONTROLLER, parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'ProvisioningRequestConfig', name: config } };
}

function parameters(maxRunSeconds: number | undefined): { [name: string]: string } | undefined {
  return maxRunSeconds === undefined ? undefined : { maxRunDurationSeconds: String(maxRunSeconds) };
}

/** `spec` of a flavor. */
interface ResourceFlavorSpec {
  readonly nodeLabels: { readonly [label: string]: string };
  readonly nodeTaints?: readonly object[];
  readonly tolerations?: readonly object[];
  readonly topologyName?: string;
}

/**
 * `spec` of the flavor. Workloads of the queue get tolerations of the taints that come with the kind of node (accelerator, queued, class). Taints
 * that the pool's owner added have to be tolerated by the workloads themselves.
 * @param pool the nodes
 * @param computeClass class whose choice the pool is; undefined for a named pool
 * @param topologyName topology that workloads are placed by
 */
export function constructResourceFlavorSpec(pool: NodePoolSpec, computeClass?: string, topologyName?: string): ResourceFlavorSpec {
  const kind = taintsOfKind({ ...pool, computeClass: computeClass ?? pool.computeClass });
  const own = pool.taints ?? [];
  return plainObject({
    nodeLabels: computeClass === undefined ? labelsOfPool({ ...pool, name: provisionedName(pool, 'configConnector') }) : labelsOfChoice(pool, computeClass),
    nodeTaints: own.length === 0 ? undefined : own.map(({ key, value, effect }) => ({ key, value, effect })),
    tolerations: kind.length === 0 ? undefined : kind.map(({ key, value, effect }) => ({ key, operator: 'Equal', value, effect })),
    topologyName,
  });
}

/** The level of a single node. */
export const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/** Levels of GKE's nodes with GPUs, as Google's toolkit has them: block, sub-block, host, node. */
export const GKE_LEVELS: readonly string[] = [NODE_LABELS.topologyBlock, NODE_LABELS.topologySubblock, NODE_LABELS.topologyHost, HOSTNAME_LABEL];

/** `spec` of a topology. */
export function constructTopologySpec(levels: readonly string[] = GKE_LEVELS): { readonly levels: readonly object[] } {
  return { levels: levels.map((nodeLabel) => ({ nodeLabel })) };
}
