/** Objects that the API server rejects: names in use, quotas, policies, invalid pods. */
import type { Cause, DiagnosisRule } from '../diagnosis';
import { conditionOf, eventsOf, isTrainingJob } from '../facts';
import type { EventObject } from '../../../jobs/objects';
import { reasonEntry } from '../../../../model/training-job/status/reasons';
import { entryOf } from '../../../../model/lists';

/** Reasons of events for objects that could not be created: FailedCreate, JobCreationFailed, FailedCreatePod ... */
const CREATE_FAILURES = /creat|forbidden|invalid|nametaken/i;

export const refusals: DiagnosisRule = (snapshot) => {
  const created = conditionOf(snapshot.job, 'Created');
  if (isTrainingJob(snapshot)) {
    return created?.status === 'False' && created.reason !== 'GangSchedulerMissing' ? [refusal(created.reason ?? 'Refused', created.message ?? '')] : [];
  }
  // Other engines report it in events, and retry.
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
      evidence: [`Requested ${requested}; ${used} are in use, of ${limited}.`, words],
      fix: 'Request less, wait until other jobs end, or have the quota raised.',
    };
  }
  const known = REFUSALS.find(({ pattern }) => pattern.test(words));
  if (known !== undefined) {
    return { id: known.id, what: known.what.replace('…', () => known.pattern.exec(words)![1]), evidence, fix: known.fix };
  }
  return { id: reason, what: reasonEntry(reason)?.means ?? 'An object of the job cannot be created.', evidence, fix: entryOf(FIXES, reason) ?? 'Fix what the message names; it is retried automatically.' };
}

/** Refusals by their messages. `…` is the first group of the pattern. */
const REFUSALS: readonly (Pick<Cause, 'id' | 'what' | 'fix'> & { readonly pattern: RegExp })[] = [
  {
    pattern: /violates PodSecurity/, id: 'PodSecurity', what: 'The namespace rejects the pods: they violate its Pod Security Standard.',
    fix: 'Set spec.security.restricted: true, and fix what is named; or label the namespace for a weaker standard.',
  },
  {
    pattern: /admission webhook "([^"]+)" denied the request/, id: 'WebhookDenied', what: 'The admission webhook … rejects an object of the job.',
    fix: 'Fix what the webhook names, or ask its owner.',
  },
  {
    pattern: /failed calling webhook/, id: 'WebhookDown', what: 'An admission webhook does not respond, so nothing can be created.',
    fix: 'Fix that webhook, or remove its configuration if it is no longer used.',
  },
  {
    pattern: /ValidatingAdmissionPolicy '[^']+'/, id: 'PolicyDenied', what: 'An admission policy of the cluster rejects an object of the job.',
    fix: 'Fix what the policy names, or ask an administrator.',
  },
  {
    pattern: /because it is being terminated/, id: 'NamespaceTerminating', what: 'The namespace is being deleted: nothing can be created in it.',
    fix: 'Create the job in another namespace.',
  },
  {
    pattern: /serviceaccount "?[^" ]+"? not found/i, id: 'ServiceAccountMissing', what: 'The service account of the pods does not exist.',
    fix: 'Create it, or name another one in the pod template.',
  },
];

const FIXES: { readonly [reason: string]: string } = {
  NameTaken: 'Delete or rename the object that has the name, or create the job under another name. The operator retries automatically.',
  Forbidden: 'Give the operator the permission, or change what the policy forbids. The operator retries automatically.',
  InvalidPod: 'Fix the field that the message names (often in spec.template); then create the job again.',
};
