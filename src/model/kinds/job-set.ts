/** JobSets. @see https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go */
import { SPEC, variablesOfSets } from './cel';
import { JOB, jobPods } from './job';
import { numberOf, orNull } from './pod-sets';
import { readyOf, standingWhileActive, sumOf, type Standing } from './standing';
import { identityOf, type WorkloadKind } from './workload-kind';
import { jsonText, numberIn, record, records, type JsonRecord } from '../json-parts';
import { programText } from '../../programs/program-text';

/** By the jobs that it consists of, as JobSet and Trainer count them. @param wanted jobs */
export function standingOfJobs(object: JsonRecord, jobs: unknown, wanted?: number): Standing {
  const counts = records(jobs);
  const done = sumOf(counts.flatMap(({ ready, succeeded }) => [ready, succeeded]));
  return standingWhileActive(object, sumOf(counts.map(({ active }) => active)) > 0, readyOf(done, wanted));
}

export const JOB_SET: WorkloadKind = {
  group: 'jobset.x-k8s.io', kind: 'JobSet', plural: 'jobsets', versions: ['v1alpha2'],
  isJob: true, hasEndingPods: true, suspend: ['spec', 'suspend'], ttl: ['spec', 'ttlSecondsAfterFinished'], controller: 'jobset.sigs.k8s.io/jobset-controller',
  podLabels: ['jobset.sigs.k8s.io/jobset-name'], logStream: 'job_set', between: [identityOf(JOB)], isQueued: true, migrated: 'JobSet',
  roleLabel: 'jobset.sigs.k8s.io/replicatedjob-name', indexLabel: 'jobset.sigs.k8s.io/job-index',
  standing: (object) => standingOfJobs(object, record(object.status).replicatedJobsStatus, sumOf(records(record(object.spec).replicatedJobs)
    .map(({ replicas }) => numberOf(replicas, 1)))),
  pods: ({ replicatedJobs }) => {
    const jobs = records(replicatedJobs).map(({ name, replicas, template }) => ({ name, replicas, job: record(record(template).spec) }));
    const deadlines = jobs.map(({ job }) => orNull(job.activeDeadlineSeconds));
    return {
      sets: jobs.map(({ name, replicas, job }) => (
        { ...jobPods(job, jsonText(name ?? ''), numberOf(replicas, 1)), deadlineSeconds: numberIn(job.activeDeadlineSeconds) })),
      // It has none itself: each of its jobs has to have one.
      deadlineSeconds: deadlines.length === 0 || deadlines.includes(null) ? null : Math.max(...deadlines as number[]),
      queued: 'Always',
    };
  },
  policy: {
    target: 'jobsets',
    cel: variablesOfSets({
      list: `${SPEC}.?replicatedJobs.orValue([])`,
      count: 'int(r.?replicas.orValue(1)) * int(r.?template.?spec.?parallelism.orValue(1))',
      pod: 'r.?template.?spec.?template.?spec.orValue({})',
      deadline: `[${SPEC}.?replicatedJobs.orValue([]).map(r, r.?template.?spec.?activeDeadlineSeconds)].map(l, size(l) > 0 && l.all(d, d.hasValue()) `
        + '? optional.of(l.map(d, int(d.value())).max()) : optional.none())[0]',
      mustQueue: 'true',
    }),
  },
  argoCd: {
    health: programText('argo-cd/health/job-set.lua'),
    finished: "status.terminalState ~= nil or is('Completed', 'True') or is('Failed', 'True')",
    failed: "status.terminalState == 'Failed' or is('Failed', 'True')",
  },
};
