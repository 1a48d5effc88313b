/** Webhooks that do not answer, and the policy for creators of jobs. */
import type { Check, Fault } from '../finding';
import { command, installOperator, kubectl } from '../fixes';
import { serviceFault, type ClusterSnapshot, type WebhookFacts } from '../snapshot';
import { JOB_CREATORS_POLICY } from '../../../manifests/policy/job-creators';

export const ADMISSION: Check = {
  topic: 'admission',
  run: (snapshot) => ({
    faults: [...(snapshot.webhooks ?? []).flatMap(webhook), ...policies(snapshot)],
    ...(snapshot.webhooks !== undefined && { passed: 'No admission webhook blocks jobs or pods.' }),
  }),
};

function webhook({ configuration, name, failurePolicy, isSelective, resource, service }: WebhookFacts): Fault[] {
  const why = serviceFault(service);
  if (why === undefined) {
    return [];
  }
  const blocks = failurePolicy === 'Fail';
  const effect = blocks ? `requests to create ${resource} are rejected${isSelective ? ', where its selectors match' : ''}` : `${resource} are created without what it adds or checks`;
  const [kind, configurationName] = configuration.split(' ');
  return [{
    id: service.service === 'missing' ? 'WebhookServiceMissing' : 'WebhookNoEndpoints', severity: blocks && !isSelective ? 'error' : 'warning',
    what: `The webhook ${name} does not answer: ${effect}. ${service.service === 'missing' ? 'Install what it belongs to again, or delete the configuration that was left behind.' : 'Repair the pods of its Service.'}`,
    evidence: [why, `It is in ${configuration}, with failurePolicy ${failurePolicy}.`],
    fix: service.service === 'missing' ? command('kubectl', 'delete', kind.toLowerCase(), configurationName) : kubectl(service.namespace, 'get', 'pods,endpointslices'),
  }];
}

function policies({ policies: all, policyBindings: bindings }: ClusterSnapshot): Fault[] {
  if (all === undefined || bindings === undefined) {
    return [];
  }
  const has = all.some(({ metadata }) => metadata?.name === JOB_CREATORS_POLICY);
  const bound = bindings.filter(({ spec }) => spec?.policyName === JOB_CREATORS_POLICY);
  if (has && bound.length === 0) {
    return [{
      id: 'PolicyBindingMissing', severity: 'warning',
      what: `The policy ${JOB_CREATORS_POLICY} has no effect, because nothing binds it: whoever may create jobs may create any pod.`,
      evidence: [`There is no ValidatingAdmissionPolicyBinding with policyName ${JOB_CREATORS_POLICY}.`], fix: installOperator(),
    }];
  }
  return !has && bound.length > 0 ? [{
    id: 'PolicyMissing', severity: 'warning',
    what: `The policy ${JOB_CREATORS_POLICY} does not exist, but a binding names it: whoever may create jobs may create any pod.`,
    evidence: [`ValidatingAdmissionPolicyBinding ${bound[0].metadata?.name} names it.`], fix: installOperator(),
  }] : [];
}
