/** Jobs between two attempts, failed jobs, searches and arrays. */
import type { Cause, DiagnosisRule } from '../diagnosis';
import { endingFix } from './failures';
import { conditionOf, isTrainingJob, trainingSpec, trainingStatus, trueCondition } from '../facts';
import type { JobSnapshot } from '../snapshot';
import { count } from '../../../text';
import { describeFailure } from '../../../../local/output/failure-text';
import type { JsonRecord } from '../../../../model/json-parts';
import { standingOf } from '../../../../model/kinds/registry';
import { reasonEntry } from '../../../../model/training-job/status/reasons';
import { RUN_POLICY_DEFAULTS } from '../../../../model/training-job/run-policy';
import { duration } from '../../../../model/text/times';
import { entryOf } from '../../../../model/lists';

/** The job waits before it starts again. */
export const restarts: DiagnosisRule = (snapshot) => {
  const { nextRetryTime, restarts: counted = 0, attempt = 0, preflight, gang, phase } = trainingStatus(snapshot);
  const causes: Cause[] = [];
  if ((preflight?.failures ?? 0) > 0) {
    causes.push({
      id: 'PreflightFailed',
      what: `The checks before training have failed ${count(preflight!.failures, 'time')} in a row.`,
      evidence: [conditionOf(snapshot.job, 'Restarting')?.message ?? ''].filter((text) => text !== ''),
      fix: 'Check the named node: its GPUs, driver and network. The job avoids it after spec.runPolicy.nodeAvoidance.afterFailures failures.',
    });
  }
  if (phase === 'Restarting' && nextRetryTime !== undefined && Date.parse(nextRetryTime) > snapshot.now && gang?.releases === undefined) {
    const limit = trainingSpec(snapshot).runPolicy?.backoffLimit ?? RUN_POLICY_DEFAULTS.backoffLimit;
    causes.push({
      id: 'RetryPending',
      what: `The job starts again in ${duration(Date.parse(nextRetryTime) - snapshot.now)}, at ${nextRetryTime}.`,
      evidence: [`Attempt ${attempt}; ${counted} of ${limit} restarts are used.`],
      fix: 'Wait; or fix the cause, delete the job and create it again. spec.runPolicy.backoff sets how long it waits.',
    });
  }
  return causes;
};

/** The job has failed for good. */
export const failure: DiagnosisRule = (snapshot) => {
  const { job } = snapshot;
  const condition = trueCondition(job, 'Failed');
  if (condition !== undefined) {
    return [isTrainingJob(snapshot) ? trainingFailure(snapshot, condition.reason ?? 'Failed', condition.message ?? '')
      : { id: condition.reason ?? 'Failed', what: 'The job has failed.', evidence: [`${condition.reason}: ${condition.message}`], fix: fixOf(condition.reason ?? '') }];
  }
  const { state, phase, reason, message } = standingOf(job as JsonRecord);
  return state !== 'Failed' ? [] : [{
    id: reason ?? phase ?? 'Failed', what: 'The job has failed.', evidence: [[phase, reason, message].filter(Boolean).join(': ')], fix: fixOf(''),
  }];
};

function trainingFailure(snapshot: JobSnapshot, reason: string, message: string): Cause {
  const { lastFailure } = trainingStatus(snapshot);
  const evidence = [message, ...(lastFailure === undefined ? [] : describeFailure(lastFailure))];
  const isEnding = lastFailure !== undefined && !Object.hasOwn(FIXES, reason);
  return {
    id: reason,
    what: `The job has failed: ${reasonEntry(reason)?.means ?? reason}`,
    evidence,
    fix: isEnding ? endingFix(lastFailure.reason, lastFailure.exitCode, evidence.join('\n')) : fixOf(reason),
  };
}

const FIXES: { readonly [reason: string]: string } = {
  PreRunningDeadlineExceeded: 'Raise preRunningDeadlineSeconds, or request less. While a job waits, trainyard explain shows the reason.',
  DeadlineExceeded: 'Raise activeDeadlineSeconds, or continue from the last checkpoint with a new job.',
  InvalidSpec: 'Fix the field that the message names. trainyard validate finds such mistakes before a job is applied.',
  DisruptionLimitExceeded: 'Raise spec.runPolicy.disruptionLimit, or run on nodes that are not preempted.',
  ImagePullFailed: 'Correct the image or its pull credentials, and create the job again.',
  InvalidImageName: 'Correct spec.image: REGISTRY/PATH:TAG, lower-case, without spaces.',
  ContainerConfigError: 'Create the Secret or ConfigMap that the message names, and create the job again.',
  ContainerStartFailed: 'Correct spec.command, and create the job again.',
  Stalled: 'The stacks above show where the replicas hung. Raise spec.runPolicy.stall.timeoutSeconds if they were only slow.',
  PreflightFailed: 'Repair or drain the node that the message names, and create the job again.',
  InvalidPod: 'Fix the field that the message names (often in spec.template), and create the job again.',
  TooManyFailedTrials: 'status.tuning.lastFailedTrial shows why the last trial failed.',
  NoTrialSucceeded: 'status.tuning.lastFailedTrial shows why the last trial failed.',
  FailedIndexes: 'status.array.failedIndexes shows which copies failed, and lastFailedIndex why the last of them did.',
  MaxFailedIndexesExceeded: 'status.array.failedIndexes shows which copies failed, and lastFailedIndex why the last of them did.',
  PodFailurePolicy: 'A pod ended with an exit code that podFailurePolicy does not retry: see its log.',
};

function fixOf(reason: string): string {
  return entryOf(FIXES, reason) ?? 'See the pods and their logs below; fix the cause and create the job again.';
}

/** A search whose trials do not succeed. */
export const search: DiagnosisRule = (snapshot) => {
  const { tuning } = trainingStatus(snapshot);
  const failed = tuning?.lastFailedTrial;
  return tuning === undefined || failed === undefined || tuning.succeeded > 0 || trueCondition(snapshot.job, 'Failed') !== undefined ? [] : [{
    id: 'TrialsFail',
    what: `${count(tuning.failed, 'trial')} of the search failed, and none has succeeded yet.`,
    evidence: [`Trial ${failed.trial}: ${failed.reason}: ${failed.message}`],
    fix: `Explain the trial: trainyard explain ${snapshot.job.metadata?.name}-trial-${failed.trial} -n ${snapshot.job.metadata?.namespace}.`,
  }];
};

/** An array with failed copies. */
export const arrayCopies: DiagnosisRule = (snapshot) => {
  const { array } = trainingStatus(snapshot);
  const failed = array?.lastFailedIndex;
  return array === undefined || failed === undefined || trueCondition(snapshot.job, 'Failed') !== undefined ? [] : [{
    id: 'CopiesFail',
    what: `${array.failed} ${array.failed === 1 ? 'copy' : 'copies'} of the array failed (${array.failedIndexes}); the others continue.`,
    evidence: [`Copy ${failed.index}: ${failed.reason}: ${failed.message}`],
    fix: `Explain the copy: trainyard explain ${snapshot.job.metadata?.name}-${failed.index} -n ${snapshot.job.metadata?.namespace}.`,
  }];
};
