/**
 * Keeps users from gaining permissions through the operator. The operator creates pods and NetworkPolicies with its own permissions, and does not
 * know who created a job. The API server does, and this policy checks whether the user may do what the job asks for. The operator's own jobs pass,
 * because it has these permissions.
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
  `authorizer.group(${celLiteral(group)}).resource(${celLiteral(resource)}).namespace(request.namespace)`
  + `${name === undefined ? '' : `.name(${name})`}.check(${celLiteral(verb)}).allowed()`);

/**
 * Parts of a spec that need permissions. Other changes are not checked, so users can suspend a job that they could not create.
 */
const partsOf = (spec: string) => [
  `dyn(${spec}).?template`, `dyn(${spec}).?security.?networkPolicy`,
  ...['roles', 'helpers'].map((field) => `dyn(${spec}).?${field}.orValue([]).map(p, p.?template.orValue({}))`),
];

const UNCHANGED = partsOf('object.spec').map((part, index) => `${part} == ${partsOf('oldObject.spec')[index]}`).join(' && ');

/** Fields of a validation for a missing permission. @param what expression of what needs which permission */
const forbidden = (what: string) => ({
  messageExpression: `${celLiteral(`policy '${JOB_CREATORS_POLICY}': `)} + ${what} + " in namespace " + request.namespace `
    + '+ ", which " + request.userInfo.username + " does not have. Remove it, or ask an administrator"',
  reason: 'Forbidden',
});

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
          // A user who may create pods can use their service accounts and, within the namespace's Pod Security Standard, their nodes.
          { name: 'mayCreatePods', expression: may('create', 'pods') },
        ],
        validations: [
          {
            expression: `size(variables.openings) == 0 || ${may('create', 'networkpolicies', { group: 'networking.k8s.io' })}`,
            ...forbidden('"spec.security.networkPolicy." + variables.openings[0] + " opens the namespace\'s firewall. It needs the right to create networkpolicies"'),
          },
          {
            // Authorization checks are expensive and a policy has a cost budget, so only one name is checked.
            expression: 'size(variables.serviceAccounts) == 0 || variables.mayCreatePods || (variables.serviceAccounts.all(a, a == variables.serviceAccounts[0]) '
              + `&& ${may('impersonate', 'serviceaccounts', { name: 'variables.serviceAccounts[0]' })})`,
            ...forbidden('"a template names the service account \'" + variables.serviceAccounts[0] '
              + '+ "\'. It needs the right to create pods, or to impersonate this one service account,"'),
          },
          {
            expression: 'size(variables.hostAccess) == 0 || variables.mayCreatePods',
            ...forbidden('"a template asks for access to the node (" + variables.hostAccess.join(", ") + "). It needs the right to create pods"'),
          },
        ],
      },
    },
    { apiVersion: ADMISSION_VERSION, kind: 'ValidatingAdmissionPolicyBinding', metadata, spec: { policyName: JOB_CREATORS_POLICY, validationActions: ['Deny'] } },
  ];
}
