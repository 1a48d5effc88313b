/** Volcano's jobs. @see https://github.com/volcano-sh/volcano/tree/v1.15.0/staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1 */
import { SPEC, TEMPLATE_OF_SET, variablesOfSets } from './cel';
import { numberOf, podSpec } from './pod-sets';
import { readyOf, standingByPhase, sumOf } from './standing';
import type { WorkloadKind } from './workload-kind';
import { range } from '../cost/ranges';
import { jsonText, numberIn, record, records, textIn } from '../json-parts';

const STATES = {
  Running: 'Running', Completing: 'Running', Completed: 'Succeeded', Restarting: 'Restarting',
  Aborting: 'Failed', Aborted: 'Failed', Terminating: 'Failed', Terminated: 'Failed', Failed: 'Failed',
} as const;

export const VOLCANO_JOB: WorkloadKind = {
  group: 'batch.volcano.sh', kind: 'Job', plural: 'jobs', versions: ['v1alpha1'], shortNames: ['vcjob', 'vj'],
  isJob: true, hasEndingPods: true, ttl: ['spec', 'ttlSecondsAfterFinished'], podLabels: ['volcano.sh/job-name'], logStream: 'volcano_job', migrated: 'VolcanoJob',
  roleLabel: 'volcano.sh/task-spec', indexLabel: 'volcano.sh/task-index',
  standing: (object) => {
    const { state, running, succeeded } = record(object.status);
    const wanted = sumOf(records(record(object.spec).tasks).map(({ replicas }) => numberOf(replicas, 1)));
    const { phase, reason, message } = record(state);
    const ready = readyOf(sumOf([running, succeeded]), wanted);
    return standingByPhase(object, phase, STATES, { ready, reason: textIn(reason), message: textIn(message) });
  },
  scales: ({ tasks }) => records(tasks).map(({ name, replicas }, index) => (
    { role: textIn(name), field: ['tasks', index, 'replicas'], replicas: numberIn(replicas) })),
  pods: ({ tasks, priorityClassName }) => ({
    sets: records(tasks).map(({ name, replicas, minAvailable, template }) => {
      const count = numberOf(replicas, 1);
      return { name: jsonText(name ?? 'task'), count, atATime: range(Math.min(count, numberOf(minAvailable, count)), count), pod: podSpec(template) };
    }),
    ...(typeof priorityClassName === 'string' && { priorityClass: priorityClassName }),
  }),
  policy: {
    target: 'volcano-jobs',
    cel: variablesOfSets({
      list: `${SPEC}.?tasks.orValue([])`, count: 'int(r.?replicas.orValue(1))', pod: TEMPLATE_OF_SET, priority: `${SPEC}.?priorityClassName`,
    }),
  },
};

export const VOLCANO_CRON_JOB: WorkloadKind = {
  group: 'batch.volcano.sh', kind: 'CronJob', plural: 'cronjobs', versions: ['v1alpha1'], hasEndingPods: true,
  scheduled: { of: VOLCANO_JOB, spec: ['spec', 'jobTemplate', 'spec'] },
  notMigrated: 'creates Jobs on a schedule. Migrate its spec.jobTemplate as a Job, and submit it another way.',
};
