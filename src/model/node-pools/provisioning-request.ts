/** A request for machines for all pods of a job at once, and its rules. */
import { POOL_RULES } from './rules/rule-list';
import { FindingCollector, type Finding } from '../accelerators/findings';

/** Pods that are alike. */
export interface ProvisioningPodSet {
  /** Name of a PodTemplate of the request's namespace. */
  readonly podTemplate: string;
  readonly count: number;
}

/** See the top of this file. */
export interface ProvisioningRequestSpec {
  readonly podSets: readonly ProvisioningPodSet[];
  /** @default - GKE's queued provisioning */
  readonly className?: string;
  /** Seconds that the machines live. @default - 7 days */
  readonly maxRunSeconds?: number;
}

const MOST_POD_SETS = 32;

const RUN_SECONDS = { min: 600, max: 604_800 } as const;

/** Checks a request. */
export function checkProvisioningRequest({ podSets, maxRunSeconds }: ProvisioningRequestSpec, path = 'spec'): Finding[] {
  const findings = new FindingCollector();
  const rule = POOL_RULES.provisioningRequest;
  if (podSets.length === 0 || podSets.length > MOST_POD_SETS) {
    findings.error(rule, `${path}.podSets`, podSets.length, `must be 1 to ${MOST_POD_SETS}.${podSets.length > MOST_POD_SETS ? ' Put pods that are alike into one set, or make several requests.' : ' Add one.'}`);
  }
  podSets.forEach(({ count }, index) => {
    if (!Number.isInteger(count) || count < 1) {
      findings.error(rule, `${path}.podSets[${index}].count`, count, 'must be a whole number of at least 1.');
    }
  });
  checkRunSeconds(maxRunSeconds, `${path}.maxRunSeconds`, findings);
  return findings.findings;
}

/** Checks how long queued machines live. */
export function checkRunSeconds(seconds: number | undefined, path: string, findings: FindingCollector): void {
  if (seconds !== undefined && (!Number.isInteger(seconds) || seconds < RUN_SECONDS.min || seconds > RUN_SECONDS.max)) {
    findings.error(POOL_RULES.provisioningRequest, path, seconds, `must be a whole number of seconds from ${RUN_SECONDS.min} to ${RUN_SECONDS.max}: queued machines live 10 minutes to 7 days.`);
  }
}
