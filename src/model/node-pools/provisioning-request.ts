/** A request for machines for all pods of a job at once, and its rules. */
import { POOL_RULES } from './rules/rule-list';
import { FindingCollector, type Finding } from '../findings';
import { isSubdomain } from '../names';

export interface ProvisioningPodSet {
  /** Name of a PodTemplate of the request's namespace. */
  readonly podTemplate: string;
  readonly count: number;
}

export interface ProvisioningRequestSpec {
  readonly podSets: readonly ProvisioningPodSet[];
  /** @default - GKE's queued provisioning */
  readonly className?: string;
  /** Seconds that the machines live. @default - 7 days */
  readonly maxRunSeconds?: number;
}

export const QUEUED_PROVISIONING_CLASS = 'queued-provisioning.gke.io';

/** When Kueue makes a request again that failed. */
export interface ProvisioningRetriesSpec {
  readonly limit?: number;
  readonly firstSeconds?: number;
  readonly longestSeconds?: number;
}

const MOST_POD_SETS = 32;

const RUN_SECONDS = { min: 600, max: 604_800 } as const;

export function checkProvisioningRequest({ podSets, maxRunSeconds }: ProvisioningRequestSpec, path = 'spec'): Finding[] {
  const findings = new FindingCollector();
  const rule = POOL_RULES.provisioningRequest;
  if (podSets.length === 0 || podSets.length > MOST_POD_SETS) {
    findings.error(rule, `${path}.podSets`, podSets.length, `must be 1 to ${MOST_POD_SETS}.${podSets.length > MOST_POD_SETS ? ' Put identical pods into one set, or create several requests.' : ' Add one.'}`);
  }
  podSets.forEach(({ count }, index) => findings.whole(rule, `${path}.podSets[${index}].count`, count, 1));
  checkRunSeconds(maxRunSeconds, `${path}.maxRunSeconds`, findings);
  return findings.findings;
}

/** Checks how long queued machines live. */
export function checkRunSeconds(seconds: number | undefined, path: string, findings: FindingCollector): void {
  findings.whole(POOL_RULES.provisioningRequest, path, seconds, RUN_SECONDS.min, RUN_SECONDS.max, ', in seconds: queued machines live 10 minutes to 7 days.');
}

/** Checks the class of requests and its parameters. @see https://kueue.sigs.k8s.io/docs/concepts/admission_check/provisioning_request/ */
export function checkProvisioningClass(className: string | undefined, maxRunSeconds: number | undefined, findings: FindingCollector): void {
  const rule = POOL_RULES.provisioningRequest;
  if (className !== undefined && !isSubdomain(className)) {
    findings.error(rule, 'className', className, 'must be lower-case letters, digits, - and ., such as check-capacity.autoscaling.x-k8s.io.');
  }
  if (className !== undefined && className !== QUEUED_PROVISIONING_CLASS && maxRunSeconds !== undefined) {
    findings.error(rule, 'maxRunDuration', maxRunSeconds, `is a parameter of GKE's class ${QUEUED_PROVISIONING_CLASS}, which these requests do not use. Leave it out.`);
  }
}

/** Checks pauses between requests; Kueue's own are 3 times, from a minute to half an hour. */
export function checkRetries({ limit, firstSeconds = 60, longestSeconds = 1800 }: ProvisioningRetriesSpec, findings: FindingCollector): void {
  const rule = POOL_RULES.provisioningRequest;
  findings.whole(rule, 'retries.limit', limit, 0);
  if (longestSeconds < firstSeconds) {
    findings.error(rule, 'retries.longestPause', longestSeconds, `is shorter than the first (${firstSeconds}). Make it longer.`);
  }
}
