/**
 * What somebody may not have the operator do for him. The operator makes pods and NetworkPolicies with rights of its own, and does not know who
 * created a job; the API server does, and asks here whether he may do by himself what the job asks for. The operator passes for the jobs that it
 * makes itself, because it has these rights.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
import { ADMISSION_VERSION } from './admission-policy';
import { TRAINING_JOB_ANNOTATIONS, TRAINING_JOB_PODS, hostAccessVariables } from './cel';
import { celLiteral } from '../../model/kinds/cel';
import { API_GROUP, TRAINING_JOB_PLURAL } from '../../model/labels';
import type { Manifest } from '../kubernetes';

/** Name of the policy and of its binding. */
export const JOB_CREATORS_POLICY = 'trainyard-job-creators';

const may = (verb: string, resource: string, { group = '', name }: { readonly group?: string; readonly name?: string } = {}) => (
  `authorizer.group(${celLiteral(group)}).resource(${celLiteral(resource)}).namespace(request.namespace)${name === undefined ? '' : `.name(${name})`}.check(${celLiteral(verb)}).allowed()`);

/**
 * Parts of a spec that rights are needed for. What else changes is no matter of this policy, so that a job may be suspended by those who could not
 * create it.
 */
const partsOf = (spec: string) => [
  `dyn(${spec}).?template`, `dyn(${spec}).?security.?networkPolicy`, ...['roles', 'helpers'].map((field) => `dyn(${spec}).?${field}.orValue([]).map(p, p.?template.orValue({}))`),
];

const UNCHANGED = partsOf('object.spec').map((part, index) => `${part} == ${partsOf('oldObject.spec')[index]}`).join(' && ');

const REFUSED = celLiteral(`policy '${JOB_CREATORS_POLICY}': `);
const IN_NAMESPACE = '" in namespace " + request.namespace';

/** The policy and its binding, for all namespaces. */
export function constructJobCreatorsPolicy(): (Manifest & { readonly spec: object })[] {
  const metadata = { name: JOB_CREATORS_POLICY };
  return [
    {
      apiVersion: ADMISSION_VERSION,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [{ apiGroups: [API_GROUP], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [TRAINING_JOB_PLURAL], scope: '*' }],
        },
        matchConditions: [{ name: 'changed', expression: `oldObject == null || !(${UNCHANGED})` }],
        variables: [
          ...TRAINING_JOB_PODS,
          ...hostAccessVariables(TRAINING_JOB_ANNOTATIONS),
          { name: 'firewall', expression: 'variables.spec.?security.?networkPolicy.orValue({})' },
          {
            name: 'openings',
            expression: 'variables.firewall.?enabled.orValue(true) ? ["toCidrs", "fromNamespaces"].filter(f, f in variables.firewall && size(variables.firewall[f]) > 0) : []',
          },
          // Whoever may create pods has their accounts and, as far as the namespace's pod security standard lets him, their nodes.
          { name: 'mayCreatePods', expression: may('create', 'pods') },
        ],
        validations: [
          {
            expression: `size(variables.openings) == 0 || ${may('create', 'networkpolicies', { group: 'networking.k8s.io' })}`,
            messageExpression: `${REFUSED} + "spec.security.networkPolicy." + variables.openings[0] + " opens the namespace's firewall. It needs the right to create networkpolicies" + ${IN_NAMESPACE} `
              + '+ ", which " + request.userInfo.username + " does not have. Remove it, or ask an administrator"',
            reason: 'Forbidden',
          },
          {
            // A check of rights is dear, and a policy has a budget: one name is looked up.
            expression: 'size(variables.serviceAccounts) == 0 || variables.mayCreatePods || (variables.serviceAccounts.all(a, a == variables.serviceAccounts[0]) '
              + `&& ${may('impersonate', 'serviceaccounts', { name: 'variables.serviceAccounts[0]' })})`,
            messageExpression: `${REFUSED} + "a template names the service account '" + variables.serviceAccounts[0] + "'. It needs the right to create pods, or to impersonate this one service account," + ${IN_NAMESPACE} `
              + '+ ", which " + request.userInfo.username + " does not have. Remove it, or ask an administrator"',
            reason: 'Forbidden',
          },
          {
            expression: 'size(variables.hostAccess) == 0 || variables.mayCreatePods',
            messageExpression: `${REFUSED} + "a template asks for access to the node (" + variables.hostAccess.join(", ") + "). It needs the right to create pods" + ${IN_NAMESPACE} `
              + '+ ", which " + request.userInfo.username + " does not have. Remove it, or ask an administrator"',
            reason: 'Forbidden',
          },
        ],
      },
    },
    { apiVersion: ADMISSION_VERSION, kind: 'ValidatingAdmissionPolicyBinding', metadata, spec: { policyName: JOB_CREATORS_POLICY, validationActions: ['Deny'] } },
  ];
}
