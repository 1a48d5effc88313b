/**
 * Requests for machines as they are written in manifests, those of the cluster autoscaler and Kueue's configuration of them, in the model's terms.
 * The rules are those of GKE's class; of parameters of other classes nothing is said. Values of the wrong type are left to the structure's check.
 * @see https://kueue.sigs.k8s.io/docs/concepts/admission_check/provisioning_request/
 */
import { QUEUED_PROVISIONING_CLASS, checkProvisioningRequest, checkRetries, checkRunSeconds } from './provisioning-request';
import { FindingCollector } from '../findings';
import { amountIn, jsonNumber, jsonText, numberIn, record, records, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';
import type { Violation } from '../violations';

/** Where the seconds stand that machines live. */
const RUN_SECONDS_PATH = 'spec.parameters.maxRunDurationSeconds';

/** What is wrong with a ProvisioningRequest. */
export function validateRequestObject({ spec: written }: ManifestObject): Violation[] {
  const spec = record(written);
  const podSets = records(spec.podSets).map(({ count, podTemplateRef }) => ({
    podTemplate: jsonText(record(podTemplateRef).name), count: numberIn(count) ?? 1,
  }));
  return checkProvisioningRequest({ podSets, maxRunSeconds: runSecondsIn(spec) })
    .map((finding) => ({ ...finding, path: finding.path.replace(/^spec\.maxRunSeconds$/, RUN_SECONDS_PATH) }));
}

/** What is wrong with Kueue's ProvisioningRequestConfig. Longest pauses below the first one are right there: all pauses are as long then. */
export function validateRequestConfigObject({ spec: written }: ManifestObject): Violation[] {
  const findings = new FindingCollector();
  const spec = record(written);
  checkRunSeconds(runSecondsIn(spec), RUN_SECONDS_PATH, findings);
  checkRetries({ limit: numberIn(record(spec.retryStrategy).backoffLimitCount) }, findings);
  return findings.findings.map((finding) => ({ ...finding, path: finding.path.replace(/^retries\.limit$/, 'spec.retryStrategy.backoffLimitCount') }));
}

function runSecondsIn({ provisioningClassName, parameters }: JsonRecord): number | undefined {
  const seconds = amountIn(record(parameters).maxRunDurationSeconds);
  return provisioningClassName !== QUEUED_PROVISIONING_CLASS || seconds === undefined ? undefined : jsonNumber(seconds);
}
