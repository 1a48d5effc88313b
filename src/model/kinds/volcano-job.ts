/** Volcano's jobs. @see https://github.com/volcano-sh/volcano/tree/v1.15.0/staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1 */
import { SPEC, TEMPLATE_OF_SET, variablesOfSets } from './cel';
import { numberOf, podSpec } from './pod-sets';
import type { WorkloadKind } from './workload-kind';
import { records } from '../json-parts';

export const VOLCANO_JOB: WorkloadKind = {
  group: 'batch.volcano.sh', kind: 'Job', plural: 'jobs', versions: ['v1alpha1'], shortNames: ['vcjob', 'vj'],
  isJob: true, hasEndingPods: true, ttl: ['spec', 'ttlSecondsAfterFinished'], podLabels: ['volcano.sh/job-name'],
  policy: {
    target: 'volcano-jobs',
    pods: ({ tasks, priorityClassName }) => ({
      sets: records(tasks).map(({ replicas, template }) => ({ count: numberOf(replicas, 1), pod: podSpec(template) })),
      ...(typeof priorityClassName === 'string' && { priorityClass: priorityClassName }),
    }),
    cel: variablesOfSets({
      list: `${SPEC}.?tasks.orValue([])`, count: 'int(r.?replicas.orValue(1))', pod: TEMPLATE_OF_SET, priority: `${SPEC}.?priorityClassName`,
    }),
  },
};

export const VOLCANO_CRON_JOB: WorkloadKind = {
  group: 'batch.volcano.sh', kind: 'CronJob', plural: 'cronjobs', versions: ['v1alpha1'], hasEndingPods: true,
  notMigrated: 'creates Jobs on a schedule. Migrate its spec.jobTemplate as a Job, and submit it another way.',
};
