/** Jobs of Kubernetes itself, and what starts them. Policies look at them like at Deployments: `manifests/policy/cel.ts`. */
import type { WorkloadKind } from './workload-kind';

export const JOB: WorkloadKind = {
  group: 'batch', kind: 'Job', plural: 'jobs', versions: ['v1'],
  isJob: true, hasEndingPods: true, suspend: ['spec', 'suspend'], ttl: ['spec', 'ttlSecondsAfterFinished'], controller: 'kubernetes.io/job-controller',
  podLabels: ['batch.kubernetes.io/job-name', 'job-name'],
};

export const CRON_JOB: WorkloadKind = {
  group: 'batch', kind: 'CronJob', plural: 'cronjobs', versions: ['v1'], hasEndingPods: true,
  notMigrated: 'creates Jobs on a schedule. Migrate its spec.jobTemplate as a Job, and submit it another way.',
};

/** KEDA's. */
export const SCALED_JOB: WorkloadKind = { group: 'keda.sh', kind: 'ScaledJob', plural: 'scaledjobs', versions: ['v1alpha1'], hasEndingPods: true };
