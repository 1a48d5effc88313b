/** States of MLTrainingJob, with the statuses that our operator's planner writes. */
import type { State } from './states';
import { POD_SETS_HASH_ANNOTATION, podSetsHash } from '../../../../src/manifests/kueue/workload';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../../src/model/labels';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import { timeText } from '../../../../src/operator/training/plan/timestamps';
import { condition } from '../../../operator/kueue/support';
import { makeJob, type JobBuilder } from '../../../operator/training/support/builders';
import { PlannedJob } from '../../../operator/training/support/planned-job';

const gang = () => makeJob().pytorch(2);

/** The object as the API server has it. */
export function objectOf({ job: { name, generation, spec, status } }: PlannedJob, labels?: { readonly [name: string]: string }): State['object'] {
  return JSON.parse(JSON.stringify({
    apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name, namespace: 'team-a', uid: '1-2-3', generation, labels }, spec, status,
  })) as State['object'];
}

/** A job that reports how much it uses its accelerators. */
function idle(action: 'Warn' | 'Suspend'): PlannedJob {
  const job = new PlannedJob(gang().spec({ idle: { belowPercent: 10, forSeconds: 600, action } })).run();
  for (const seconds of [0, 601]) {
    const time = timeText(job.after(seconds).now);
    const metrics = [{ name: 'accelerator_utilization', value: '3' }];
    const trainerStatus = { progressPercentage: 12, metrics, lastUpdatedTime: time };
    job.job = { ...job.job, status: { ...job.status, trainerStatus, lastProgressTime: time } };
    job.pass();
  }
  return job.settle();
}

/** A job in a queue of Kueue, whose Workload has these conditions. */
function queued(conditions: readonly string[] | undefined, state: 'Ready' | 'NotInstalled' = 'Ready', builder: JobBuilder = gang()): PlannedJob {
  const job = new PlannedJob(builder.spec({ scheduling: { queueName: 'team-a' } }));
  const { name, spec } = job.job;
  const workload = conditions && {
    metadata: { name: 'w', uid: 'w-1', resourceVersion: '1', annotations: { [POD_SETS_HASH_ANNOTATION]: podSetsHash(resolveTrainingJob(name, spec)) } },
    spec: { queueName: 'team-a', podSets: [] },
    status: { conditions: conditions.map(condition) },
  };
  job.observed = { queue: { state, workloadName: 'w', workload } };
  return job.pass();
}

/** All of them. */
export function trainingJobStates(): State[] {
  const state = (name: string, job: PlannedJob, health: State['health'], says: RegExp): State => ({ name, object: objectOf(job), health, says });
  const failed = new PlannedJob(gang()).run().set((pod) => pod.failed(1), 'train-worker-0').settle();
  return [
    state('new', new PlannedJob(gang()), 'Progressing', /operator has not seen/),
    state('pending', new PlannedJob(gang()).settle(), 'Progressing', /Pending: ReplicasMissing: 0 of 2 replicas are running/),
    state('running', new PlannedJob(gang()).run(), 'Progressing', /Running, 2\/2 replicas/),
    state('reporting its progress', idle('Warn'), 'Progressing', /12 %: AcceleratorsIdle/),
    state('completed', new PlannedJob(gang()).run().setAll((pod) => pod.succeeded()).settle(), 'Healthy', /Completed: JobSucceeded/),
    state('failed', failed, 'Degraded', /Failed: ReplicaFailed: .*train-worker-0/),
    state('failed, and written to afterwards', new PlannedJob(gang()).run().set((pod) => pod.failed(1), 'train-worker-0').settle().edit({ suspend: true }), 'Degraded', /ReplicaFailed/),
    state('restarting', new PlannedJob(gang().restartPolicy('OnFailure')).run().set((pod) => pod.failed(1), 'train-master').settle(), 'Progressing', /Restarting: JobRestarting/),
    state('suspended', new PlannedJob(gang()).run().edit({ suspend: true }).settle(), 'Suspended', /Suspended: JobSuspended/),
    state('about to be suspended', new PlannedJob(gang()).run().edit({ suspend: true }), 'Progressing', /last change/),
    state('about to be resumed', new PlannedJob(gang().suspended()).settle().edit({ suspend: false }), 'Progressing', /last change/),
    state('suspended for idleness', idle('Suspend'), 'Suspended', /Suspended: JobIdle/),
    state('in a queue', queued(['QuotaReserved=False/WaitingForQuota']), 'Suspended', /Waits in queue team-a for admission: WaitingForQuota/),
    state('in a queue without Kueue', queued(undefined, 'NotInstalled'), 'Progressing', /not in queue team-a yet: KueueMissing/),
    state('admitted', queued(['QuotaReserved=True/QuotaReserved', 'Admitted=True/Admitted']), 'Progressing', /Pending/),
    state('not valid', new PlannedJob(makeJob().mpi(0)).pass(), 'Degraded', /InvalidSpec/),
    state('refused by a quota', new PlannedJob(gang()).settle().pass([{ reason: 'Forbidden', message: 'exceeded quota: gpus', permanent: false }]), 'Progressing', /Forbidden: exceeded quota/),
  ];
}
