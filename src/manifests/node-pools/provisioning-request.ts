/**
 * ProvisioningRequest: machines for all pods of a job at once, or none. And Kueue's part, by which the request of an admitted workload is made for
 * it.
 * @see https://github.com/kubernetes/autoscaler/tree/master/cluster-autoscaler/apis/provisioningrequest/autoscaling.x-k8s.io/v1
 */
import { QUEUED_PROVISIONING_CLASS, type ProvisioningRequestSpec, type ProvisioningRetriesSpec } from '../../model/node-pools/provisioning-request';
import { plainObject } from '../plain-object';

/** `apiVersion` of a ProvisioningRequest. */
export const PROVISIONING_REQUEST_VERSION = 'autoscaling.x-k8s.io/v1';

/** Annotation of pods that name their request. */
const CONSUME_ANNOTATION = 'autoscaling.x-k8s.io/consume-provisioning-request';

/** Annotation of pods that name the class of their request. */
const CLASS_ANNOTATION = 'autoscaling.x-k8s.io/provisioning-class-name';

/** Controller of Kueue that makes the requests of workloads. */
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

/** Who answers requests, and how often they are made. */
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
