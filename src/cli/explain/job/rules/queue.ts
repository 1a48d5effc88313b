/** Why Kueue has not admitted the job: the queue, its quota in numbers, checks, evictions. */
import type { Cause, DiagnosisRule } from '../diagnosis';
import { conditionOf, isTrainingJob, trainingSpec, trainingStatus, trueCondition } from '../facts';
import { quotaLines, type QuotaVerdict } from '../quota';
import type { JobSnapshot, QueueView } from '../snapshot';
import { listed } from '../../../text';
import { QUEUE_NAME_LABEL } from '../../../../model/kueue-names';
import { didYouMean } from '../../../../model/violations';
import { isWorkloadConditionTrue, workloadCondition } from '../../../../operator/kueue/workload';

export function queueNameOf(snapshot: JobSnapshot): string | undefined {
  return trainingSpec(snapshot).scheduling?.queueName ?? snapshot.job.metadata?.labels?.[QUEUE_NAME_LABEL];
}

export const queueing: DiagnosisRule = (snapshot) => {
  const name = queueNameOf(snapshot);
  const { queue } = snapshot;
  if (name === undefined || queue === undefined) {
    return [];
  }
  if (!queue.installed) {
    return [{
      id: 'KueueMissing',
      what: `The job uses the queue ${name}, but Kueue is not installed.`,
      evidence: ['The API group kueue.x-k8s.io is not served.'],
      fix: 'Install Kueue, or create the job without a queue.',
    }];
  }
  const { workload } = queue;
  if (workload !== undefined && (isWorkloadConditionTrue(workload, 'Finished') || isAdmitted(snapshot, queue))) {
    return [];
  }
  return brokenQueue(name, queue, snapshot) ?? (workload === undefined ? missingWorkload(snapshot, name) : waiting(snapshot, name, queue));
};

/** The queue does not exist, or admits no jobs. */
export function brokenQueue(name: string, { localQueue, localQueues, clusterQueue }: QueueView, { job, unread }: Pick<JobSnapshot, 'job' | 'unread'>): Cause[] | undefined {
  const namespace = job.metadata?.namespace ?? '';
  if (localQueue === undefined) {
    return unread.some((sentence) => sentence.includes('localqueues')) ? undefined : [{
      id: 'QueueNotFound',
      what: `There is no LocalQueue ${name} in the namespace ${namespace}.`,
      evidence: [localQueues.length > 0 ? `Its queues: ${listed(localQueues, 8)}.` : 'The namespace has no queues.'],
      fix: `Create the LocalQueue, or create the job with another one.${didYouMean(name, localQueues)}`,
    }];
  }
  const clusterName = String(localQueue.spec?.clusterQueue);
  const isStopped = [localQueue, clusterQueue].find((candidate) => !['None', undefined].includes(candidate?.spec?.stopPolicy as string | undefined));
  if (isStopped !== undefined) {
    return [{
      id: 'QueueStopped',
      what: `The ${isStopped.kind} ${isStopped.metadata?.name} is stopped: it admits no jobs.`,
      evidence: [`spec.stopPolicy is ${String(isStopped.spec?.stopPolicy)}.`],
      fix: 'Ask the person who stopped it, or set spec.stopPolicy to None.',
    }];
  }
  const inactive = [localQueue, clusterQueue].map((candidate) => conditionOf(candidate, 'Active')).find((condition) => condition?.status === 'False');
  if (inactive !== undefined) {
    return [{
      id: 'QueueInactive',
      what: `The queue ${name} is not active.`,
      evidence: [`${inactive.reason}: ${inactive.message}`],
      fix: inactive.reason?.includes('ClusterQueue') && clusterQueue === undefined ? `Create the ClusterQueue ${clusterName}, or point the LocalQueue to another.`
        : `Fix the ClusterQueue ${clusterName}: the flavors and checks that it names must exist.`,
    }];
  }
  return undefined;
}

function missingWorkload(snapshot: JobSnapshot, name: string): Cause[] {
  if (isTrainingJob(snapshot)) {
    // The operator creates it. If it cannot, the condition Admitted has the reason.
    const admitted = conditionOf(snapshot.job, 'Admitted');
    return admitted === undefined || admitted.status === 'True' ? [] : [{
      id: admitted.reason ?? 'WorkloadMissing',
      what: 'The job has no Workload in Kueue.',
      evidence: [`${admitted.reason}: ${admitted.message}`],
      fix: FIXES[admitted.reason ?? ''] ?? 'Wait a few seconds: the operator creates it.',
    }];
  }
  return [{
    id: 'WorkloadMissing',
    what: 'Kueue has not created a Workload for the job.',
    evidence: [`The job uses the queue ${name}.`],
    fix: `Enable ${snapshot.job.kind} in integrations.frameworks of Kueue's configuration, and check its log: kubectl logs -n kueue-system deploy/kueue-controller-manager.`,
  }];
}

const FIXES: { readonly [reason: string]: string } = {
  WorkloadRefused: 'Fix what Kueue rejects; the operator retries automatically.',
  PriorityClassMissing: 'Create the class, or create the job without it.',
  QueueNotReadable: 'Give the operator\'s service account permission to read it (docs/teams/queues.md).',
};

function isAdmitted(snapshot: JobSnapshot, { workload }: QueueView): boolean {
  return workload !== undefined && isWorkloadConditionTrue(workload, 'Admitted') && !isWorkloadConditionTrue(workload, 'Evicted')
    && trueCondition(snapshot.job, 'Suspended') === undefined;
}

/** The Workload waits for admission. */
function waiting(snapshot: JobSnapshot, name: string, queue: QueueView): Cause[] {
  const workload = queue.workload!;
  const kueueWord = `Workload ${workload.metadata?.name}`;
  if (workload.spec?.active === false) {
    return [{
      id: 'Deactivated',
      what: 'The Workload of the job was deactivated in Kueue.',
      evidence: [`${kueueWord}: spec.active is false.${wordsOf(workloadCondition(workload, 'Evicted'))}`],
      fix: `Activate it: kubectl patch workload ${workload.metadata?.name} -n ${workload.metadata?.namespace} --type merge -p '{"spec":{"active":true}}'`,
    }];
  }
  const check = (workload.status?.admissionChecks ?? []).find(({ state }) => state !== 'Ready');
  if (check !== undefined && isWorkloadConditionTrue(workload, 'QuotaReserved')) {
    return [{
      id: 'AdmissionCheck',
      what: `Kueue has reserved quota, but the check ${check.name} is pending: ${check.state}.`,
      evidence: check.message ? [check.message] : [],
      fix: check.state === 'Rejected' ? 'Check the controller of that admission check; the job waits for it and may be rejected permanently.' : 'Wait, or check the controller of that admission check.',
    }];
  }
  const quota = quotaLines(workload, queue.clusterQueue);
  const position = trainingStatus(snapshot).queue?.position;
  const evicted = workloadCondition(workload, 'Evicted');
  const reserved = workloadCondition(workload, 'QuotaReserved');
  const evidence = [
    ...(evicted?.status === 'True' ? [`Evicted (${evicted.reason}): ${evicted.message}`] : []),
    ...(reserved?.status === 'False' && reserved.message ? [`Kueue reports: ${reserved.message}`] : []),
    ...quota.lines,
    ...(position === undefined ? [] : [`${position} ${position === 1 ? 'job is' : 'jobs are'} before it in the queue.`]),
  ];
  const clusterName = queue.clusterQueue?.metadata?.name ?? 'the ClusterQueue';
  if (/doesn't match ClusterQueue selector/i.test(reserved?.message ?? '')) {
    return [{
      id: 'NamespaceNotAdmitted', what: `${clusterName} does not accept jobs of this namespace.`, evidence,
      fix: 'Label the namespace to match spec.namespaceSelector of the ClusterQueue, or use another queue.',
    }];
  }
  return [{
    id: quota.verdict === 'never' ? 'QuotaTooSmall' : evicted?.status === 'True' && evicted.reason === 'Preempted' ? 'Preempted' : 'QuotaInUse',
    what: quota.verdict === 'never' ? `The job requests more than ${clusterName} can ever provide.` : `The job waits in the queue ${name} for quota of ${clusterName}.`,
    evidence,
    fix: FIX_OF_VERDICT[quota.verdict],
  }];
}

const FIX_OF_VERDICT: { readonly [verdict in QuotaVerdict]: string } = {
  never: 'Request less (fewer replicas, smaller resources), use another queue, or raise the quota of the ClusterQueue.',
  later: 'Wait until other jobs end, raise the priority of the job, or request less.',
  unknown: 'Fix what Kueue names: the resource, flavor or taint that blocks the job.',
};

function wordsOf(condition: { readonly status: string; readonly message: string } | undefined): string {
  return condition?.status === 'True' ? ` ${condition.message}` : '';
}
