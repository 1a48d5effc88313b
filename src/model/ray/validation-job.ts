/** Rules on a RayJob in addition to those of its cluster: KubeRay's `ValidateRayJobSpec`. */
import type { NamedRayJob, RayDeletionPolicy, RayDeletionRuleSpec, RayJobEnd, RayJobSpec } from './job';
import { checkAmounts, validateRuntimeEnv } from './runtime-env';
import { validateRayQueue } from './validation-queue';
import { ViolationCollector, type Violation } from '../violations';

/** Checks a job apart from its name and its cluster. */
export function validateRayJobSpec({ spec, queue = {} }: Pick<NamedRayJob, 'spec' | 'queue'>, path: string): Violation[] {
  const violations = new ViolationCollector();
  validatePlace(spec, path, violations);
  validateSubmission(spec, path, violations);
  validateLimits(spec, path, violations);
  validateDeletion(spec, path, violations);
  if (spec.runtimeEnv !== undefined) {
    violations.addAll(validateRuntimeEnv(spec.runtimeEnv, `${path}.runtimeEnvYAML`, 'anywhere'));
  }
  validateSuspension(spec, path, violations);
  violations.addAll(validateRayQueue({ kind: 'RayJob', queue, cluster: spec.cluster, path: `${path}.rayClusterSpec`, suspend: spec.suspend }));
  validateQueued(spec, queue.queueName, path, violations);
  return violations.violations;
}

function validatePlace(
  { cluster, clusterName, backoffLimit = 0, submissionMode, shutdownAfterJobFinishes }: RayJobSpec, path: string, violations: ViolationCollector,
): void {
  if (cluster === undefined && clusterName === undefined) {
    violations.add(`${path}.rayClusterSpec`, undefined, 'is required: a job runs on a new cluster (cluster) or on an existing one (onCluster).');
  }
  if (cluster !== undefined && clusterName !== undefined) {
    violations.add(`${path}.clusterSelector`, clusterName, 'refers to an existing cluster, but the job also defines a new one. Remove cluster or onCluster.');
  }
  if (clusterName === undefined) {
    return;
  }
  if (submissionMode === 'SidecarMode') {
    violations.add(`${path}.submissionMode`, submissionMode, 'adds a container to the head, and the head of an existing cluster has already started. Use K8S_JOB or HTTP.');
  }
  if (backoffLimit > 0) {
    violations.add(`${path}.backoffLimit`, backoffLimit, 'starts the job again on a new cluster, but this one runs on an existing cluster. Remove it, or describe a cluster.');
  }
  if (shutdownAfterJobFinishes) {
    violations.add(`${path}.shutdownAfterJobFinishes`, true, 'does not shut down a cluster that the job does not own. Remove it.');
  }
}

function validateSubmission(
  { entrypoint, submissionMode, submitter, backoffLimit = 0, cluster, jobId }: RayJobSpec, path: string, violations: ViolationCollector,
): void {
  const isInteractive = submissionMode === 'InteractiveMode';
  const [submitting] = (submitter?.podSpec?.containers ?? []) as readonly { readonly command?: unknown }[];
  if (!isInteractive && submitting?.command === undefined && (entrypoint === undefined || entrypoint.trim() === '')) {
    violations.add(`${path}.entrypoint`, entrypoint, 'is required: the command that runs on the cluster, such as "python train.py".');
  }
  if (isInteractive && entrypoint !== undefined) {
    violations.add(`${path}.entrypoint`, entrypoint, 'is never run in InteractiveMode, where you submit the job yourself. Remove it, or choose another mode.');
  }
  if (isInteractive && backoffLimit > 0) {
    violations.add(`${path}.backoffLimit`, backoffLimit, 'cannot be combined with InteractiveMode: KubeRay cannot resubmit what you have submitted. Remove it.');
  }
  if (submitter !== undefined && submissionMode !== 'K8sJobMode') {
    violations.add(`${path}.submitterPodTemplate`, submissionMode, 'has no submitter pod to configure. Remove submitter, or use K8S_JOB.');
  }
  const restartPolicy = cluster?.head.podSpec?.restartPolicy;
  if (submissionMode === 'SidecarMode' && restartPolicy !== undefined && restartPolicy !== 'Never') {
    violations.add(`${path}.rayClusterSpec.headGroupSpec.template.spec.restartPolicy`, restartPolicy, 'must be Never or left out in SidecarMode: the head ends with the job. Remove it.');
  }
  if (jobId !== undefined && backoffLimit > 0) {
    violations.add(`${path}.jobId`, jobId, 'is one id for all attempts, and Ray accepts each id only once. Remove it, or backoffLimit.');
  }
}

function validateLimits(spec: RayJobSpec, path: string, violations: ViolationCollector): void {
  for (const field of ['activeDeadlineSeconds', 'preRunningDeadlineSeconds'] as const) {
    violations.seconds(`${path}.${field}`, spec[field], 1);
  }
  const { activeDeadlineSeconds, preRunningDeadlineSeconds } = spec;
  if (activeDeadlineSeconds !== undefined && preRunningDeadlineSeconds !== undefined && preRunningDeadlineSeconds > activeDeadlineSeconds) {
    violations.add(`${path}.preRunningDeadlineSeconds`, preRunningDeadlineSeconds, `is longer than the whole job may take (activeDeadline, ${activeDeadlineSeconds} s). Make it shorter.`);
  }
  violations.whole(`${path}.backoffLimit`, spec.backoffLimit, 0);
  violations.whole(`${path}.submitterConfig.backoffLimit`, spec.submitter?.backoffLimit, 0);
  const { cpus, gpus, custom = {} } = spec.entrypointResources ?? {};
  checkAmounts({ entrypointNumCpus: cpus, entrypointNumGpus: gpus }, path, violations);
  checkAmounts(custom, `${path}.entrypointResources`, violations);
}

function validateSuspension({ suspend, cluster, shutdownAfterJobFinishes }: RayJobSpec, path: string, violations: ViolationCollector): void {
  if (!suspend) {
    return;
  }
  if (cluster === undefined) {
    violations.add(`${path}.suspend`, true, 'deletes the cluster of a job, but this one runs on an existing cluster. Remove it.');
  } else if (!shutdownAfterJobFinishes) {
    violations.add(`${path}.suspend`, true, 'needs a cluster that is shut down at the end of the job. Remove deletionRules and shutdownAfterJobFinishes: false, or suspend.');
  }
}

function validateQueued(
  { cluster, clusterName, shutdownAfterJobFinishes }: RayJobSpec, queueName: string | undefined, path: string, violations: ViolationCollector,
): void {
  if (queueName === undefined) {
    return;
  }
  if (clusterName !== undefined) {
    violations.add('metadata.labels[\'kueue.x-k8s.io/queue-name\']', queueName, 'queues the cluster of a job, but this one runs on an existing cluster. Queue that cluster.');
  } else if (cluster !== undefined && !shutdownAfterJobFinishes) {
    violations.add(`${path}.shutdownAfterJobFinishes`, shutdownAfterJobFinishes ?? false, 'must be true for queued jobs, so that Kueue can release their quota. Remove deletionRules and shutdownAfterJobFinishes: false.');
  }
}

/** What goes first: each of them takes those before it along. */
const ORDER: readonly RayDeletionPolicy[] = ['DeleteWorkers', 'DeleteCluster', 'DeleteSelf'];

const ENDS: { readonly [end in RayJobEnd]: string } = { SUCCEEDED: 'jobs that succeed', FAILED: 'jobs that fail', DeploymentFailed: 'jobs that KubeRay gives up on' };

/** Rules on what goes when a RayJob has ended, those of KubeRay's `validateDeletionConfiguration`. */
function validateDeletion(spec: RayJobSpec, path: string, violations: ViolationCollector): void {
  const { deletionRules, shutdownAfterJobFinishes, ttlSecondsAfterFinished } = spec;
  if (ttlSecondsAfterFinished !== undefined) {
    violations.seconds(`${path}.ttlSecondsAfterFinished`, ttlSecondsAfterFinished, 0);
    if (!shutdownAfterJobFinishes) {
      violations.add(`${path}.ttlSecondsAfterFinished`, ttlSecondsAfterFinished, deletionRules === undefined
        ? 'is the time until a cluster is shut down, but this one is not shut down (shutdownAfterJobFinishes: false). Remove one of the two.'
        : 'cannot be combined with deletionRules, which set how long each resource is kept. Remove it.');
    }
  }
  if (deletionRules === undefined) {
    return;
  }
  const rules = `${path}.deletionStrategy.deletionRules`;
  if (shutdownAfterJobFinishes) {
    violations.add(`${path}.shutdownAfterJobFinishes`, true, 'cannot be combined with deletionRules, which set what is deleted. Remove it.');
  }
  if (deletionRules.length === 0) {
    violations.add(rules, [], 'must have at least one rule. Add one, or leave the list out.');
  }
  deletionRules.forEach((rule, index) => validateRule(spec, rule, index, `${rules}[${index}]`, violations));
  validateOrder(deletionRules, rules, violations);
}

function validateRule(
  { cluster, deletionRules = [] }: RayJobSpec, rule: RayDeletionRuleSpec, index: number, path: string, violations: ViolationCollector,
): void {
  const { policy, end, ttlSeconds } = rule;
  violations.seconds(`${path}.condition.ttlSeconds`, ttlSeconds, 0);
  if (cluster === undefined && (policy === 'DeleteCluster' || policy === 'DeleteWorkers')) {
    violations.add(`${path}.policy`, policy, 'deletes a cluster that is not the job\'s. Use DeleteSelf, or leave the rule out.');
  }
  if (cluster?.autoscaler !== undefined && policy === 'DeleteWorkers') {
    violations.add(`${path}.policy`, policy, 'cannot be combined with an autoscaler, which would start workers again. Use DeleteCluster.');
  }
  if (deletionRules.findIndex((other) => other.policy === policy && other.end === end) < index) {
    violations.add(path, policy, `already exists for ${ENDS[end]}. Remove one of the two.`);
  }
}

function validateOrder(rules: readonly RayDeletionRuleSpec[], path: string, violations: ViolationCollector): void {
  for (const end of Object.keys(ENDS) as RayJobEnd[]) {
    const inOrder = ORDER.flatMap((policy) => rules.find((rule) => rule.end === end && rule.policy === policy) ?? []);
    inOrder.slice(1).forEach(({ policy, ttlSeconds }, index) => {
      const before = inOrder[index];
      if (ttlSeconds < before.ttlSeconds) {
        violations.add(path, `${policy} after ${ttlSeconds} s`, `comes before ${before.policy} (${before.ttlSeconds} s) for ${ENDS[end]}, and makes it void. `
          + `Use ${before.ttlSeconds} s or more.`);
      }
    });
  }
}
