/** Jobs of Kubernetes itself, and what starts them. Policies look at them like at Deployments: `manifests/policy/cel.ts`. */
import { numberOf, orNull, podSpec, type CountedPods } from './pod-sets';
import { readyOf, standingWhileActive, sumOf } from './standing';
import type { WorkloadKind } from './workload-kind';
import { range } from '../cost/ranges';
import { numberIn, record, type JsonRecord } from '../json-parts';

/** Pods of a Job of that spec, and of others like it: at a time no more than are to complete. */
export function jobPods({ parallelism, completions, template }: JsonRecord, name = 'pod', jobs = 1): CountedPods {
  const count = numberOf(parallelism, 1);
  return {
    name, count: jobs * count, atATime: range(jobs * Math.min(count, numberOf(completions, count))), completions: jobs * numberOf(completions, count),
    pod: podSpec(template),
  };
}

export const JOB: WorkloadKind = {
  group: 'batch', kind: 'Job', plural: 'jobs', versions: ['v1'],
  isJob: true, hasEndingPods: true, suspend: ['spec', 'suspend'], ttl: ['spec', 'ttlSecondsAfterFinished'], controller: 'kubernetes.io/job-controller',
  podLabels: ['batch.kubernetes.io/job-name', 'job-name'], indexLabel: 'batch.kubernetes.io/job-completion-index', isQueued: true, migrated: 'Job',
  standing: (object) => {
    const { active, ready, succeeded } = record(object.status);
    const { parallelism, completions } = record(object.spec);
    return standingWhileActive(object, sumOf([active]) > 0, readyOf(sumOf([ready, succeeded]), numberOf(completions, numberOf(parallelism, 1))));
  },
  scales: ({ parallelism }) => [{ field: ['parallelism'], replicas: numberIn(parallelism) }],
  pods: (spec) => ({ sets: [jobPods(spec)], deadlineSeconds: orNull(spec.activeDeadlineSeconds) }),
};

export const CRON_JOB: WorkloadKind = {
  group: 'batch', kind: 'CronJob', plural: 'cronjobs', versions: ['v1'], hasEndingPods: true, scheduled: { of: JOB, spec: ['spec', 'jobTemplate', 'spec'] },
  notMigrated: 'creates Jobs on a schedule. Migrate its spec.jobTemplate as a Job, and submit it another way.',
};

/** KEDA's. */
export const SCALED_JOB: WorkloadKind = { group: 'keda.sh', kind: 'ScaledJob', plural: 'scaledjobs', versions: ['v1alpha1'], hasEndingPods: true };
