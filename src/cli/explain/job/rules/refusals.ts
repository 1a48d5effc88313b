/** What the API server does not let in: names that are taken, quotas, policies, invalid pods. */
import type { Cause } from '../diagnosis';
import type { DiagnosisRule } from './rule';
import { conditionOf, eventsOf, isTrainingJob } from '../facts';
import type { EventObject } from '../snapshot';
import { reasonEntry } from '../../../../model/training-job/reasons';

/** Reasons of events by which controllers tell that they could not make something: FailedCreate, JobCreationFailed, FailedCreatePod ... */
const CREATE_FAILURES = /creat|forbidden|invalid|nametaken/i;

/** See the top of this file. */
export const refusals: DiagnosisRule = (snapshot) => {
  const created = conditionOf(snapshot.job, 'Created');
  if (isTrainingJob(snapshot)) {
    return created?.status === 'False' && !['GangSchedulerMissing'].includes(created.reason ?? '') ? [refusal(created.reason ?? 'Refused', created.message ?? '')] : [];
  }
  // Other engines tell it by events, and go on trying.
  const event = [snapshot.job, ...snapshot.owned].flatMap((object) => eventsOf(snapshot, object)).find(isCreateFailure);
  return event === undefined || snapshot.pods.length > 0 ? [] : [refusal(event.reason ?? 'Refused', event.message ?? '')];
};

function isCreateFailure({ type, reason }: EventObject): boolean {
  return type === 'Warning' && CREATE_FAILURES.test(reason ?? '');
}

function refusal(reason: string, words: string): Cause {
  const evidence = [words];
  const quota = /exceeded quota: ([^,:]+), requested: ([^ ]+), used: ([^ ]+), limited: ([^ "]+)/.exec(words);
  if (quota !== null) {
    const [, name, requested, used, limited] = quota;
    return {
      id: 'QuotaExceeded', what: `The ResourceQuota ${name} of the namespace is used up.`,
      evidence: [`Asked for ${requested}; ${used} are in use, of ${limited}.`, words],
      fix: 'Ask for less, wait until others end, or have the quota raised.',
    };
  }
  if (/violates PodSecurity/.test(words)) {
    return {
      id: 'PodSecurity', what: 'The namespace does not take the pods: they break its pod security standard.', evidence,
      fix: 'Set spec.security.restricted: true, and mend what is named; or label the namespace for a weaker standard.',
    };
  }
  const webhook = /admission webhook "([^"]+)" denied the request:?\s*(.*)/s.exec(words);
  if (webhook !== null) {
    return {
      id: 'WebhookDenied', what: `The admission webhook ${webhook[1]} refuses what the job needs.`, evidence,
      fix: 'Mend what the webhook names, or ask whoever runs it.',
    };
  }
  if (/failed calling webhook/.test(words)) {
    return {
      id: 'WebhookDown', what: 'An admission webhook does not answer, and so nothing can be created.', evidence,
      fix: 'Mend the webhook that is named, or remove its configuration when nothing serves it any more.',
    };
  }
  if (/ValidatingAdmissionPolicy '([^']+)'/.test(words)) {
    return { id: 'PolicyDenied', what: 'An admission policy of the cluster refuses what the job needs.', evidence, fix: 'Mend what the policy names, or ask an administrator.' };
  }
  if (/because it is being terminated/.test(words)) {
    return { id: 'NamespaceTerminating', what: 'The namespace is being deleted: nothing can be created in it.', evidence, fix: 'Create the job in another namespace.' };
  }
  if (/serviceaccount "?([^" ]+)"? not found/i.test(words)) {
    return { id: 'ServiceAccountMissing', what: 'The service account of the pods does not exist.', evidence, fix: 'Create it, or name another one in the pod template.' };
  }
  return { id: reason, what: reasonEntry(reason)?.means ?? 'An object of the job cannot be created.', evidence, fix: FIXES[reason] ?? 'Mend what the message names; it is tried again by itself.' };
}

const FIXES: { readonly [reason: string]: string } = {
  NameTaken: 'Delete or rename the object that has the name, or create the job under another name. The operator tries again by itself.',
  Forbidden: 'Give the operator the right, or change what the policy forbids. The operator tries again by itself.',
  InvalidPod: 'Mend the field that the message names (often in spec.template); the job has to be created again.',
};
