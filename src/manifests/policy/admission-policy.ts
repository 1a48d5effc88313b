/**
 * A policy as ValidatingAdmissionPolicies of the API server: one for each group of kinds, with its binding. They have the rules of
 * `model/policy/evaluate.ts`, in the same order and with the same messages.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
import { CEL_TARGETS, SCALE_TARGET, TRAINING_JOB_ANNOTATIONS, hostAccessVariables, type CelTarget } from './cel';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { celLiteral, type CelVariable } from '../../model/kinds/cel';
import { API_GROUP, API_VERSION, TRAINING_JOB_PLURAL } from '../../model/labels';
import { POLICY_MESSAGES } from '../../model/policy/evaluate';
import { SYSTEM_NAMESPACES, imageExpression, type JobDefaultsSpec, type JobPolicySpec } from '../../model/policy/spec';

/** What happens to an object that violates a policy. */
export type PolicyAction = 'Deny' | 'Warn' | 'Audit';

/** `apiVersion` of admission policies. */
export const ADMISSION_VERSION = 'admissionregistration.k8s.io/v1';

/**
 * Whether the request comes from a controller: one of Kubernetes, or a service account. Owner references from others do not prove that an object is
 * controlled.
 */
const CONTROLLER = "(request.userInfo.username == 'system:kube-controller-manager' || request.userInfo.username.startsWith('system:serviceaccount:') "
  + "|| request.userInfo.username.startsWith('system:node:'))";
const CONTROLLED = `(${CONTROLLER} && [object, oldObject].exists(o, o != null && dyn(o.metadata).?ownerReferences.orValue([]).exists(r, r.?controller.orValue(false))))`;

/** Whether a field of the metadata has changed. */
const differs = (field: string) => `dyn(object.metadata).?${field} != dyn(oldObject.metadata).?${field}`;

const NAMESPACE_LABEL = 'kubernetes.io/metadata.name';

/** One of `spec.validations`. */
interface CelValidation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** The admission policies of a policy, each followed by its binding. Kinds without a rule have none. */
export function constructAdmissionPolicies(policy: JobPolicySpec, actions: readonly PolicyAction[]): Manifest[] {
  return [...CEL_TARGETS, SCALE_TARGET].flatMap((target) => {
    const validations = target === SCALE_TARGET ? scaleValidations(policy) : validationsFor(policy, target);
    return validations.length === 0 ? [] : [admissionPolicy(policy, target, validations), binding(policy, target, actions)];
  });
}

/** Selects the namespaces of a policy. */
function namespaceSelector({ namespaces, exceptNamespaces = SYSTEM_NAMESPACES }: JobPolicySpec): object {
  const values = [...namespaces ?? exceptNamespaces];
  return values.length === 0 ? {} : { matchExpressions: [{ key: NAMESPACE_LABEL, operator: namespaces === undefined ? 'NotIn' : 'In', values }] };
}

function admissionPolicy(policy: JobPolicySpec, target: CelTarget, validations: readonly CelValidation[]): Manifest {
  const { apiGroup, apiVersions = ['v1'], resources } = target;
  const variables = neededVariables([...target.variables, ...furtherVariables(policy, target.variables.map(({ name }) => name))], validations);
  return plainObject<Manifest & { readonly spec: object }>({
    apiVersion: ADMISSION_VERSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: `${policy.name}-${target.suffix}` },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{
          apiGroups: [apiGroup], apiVersions: [...apiVersions], operations: ['CREATE', 'UPDATE'], resources: [...resources], scope: '*',
        }],
      },
      // Running objects may finish, be scaled down by their owner and be deleted, even if they violate a later policy.
      matchConditions: [{
        name: 'changed',
        expression: `oldObject == null || object.spec != oldObject.spec || ${differs('labels')} || (!${CONTROLLER} && ${differs('ownerReferences')})`,
      }],
      variables: variables.length > 0 ? variables : undefined,
      validations: [...validations],
    },
  });
}

function binding({ name, ...policy }: JobPolicySpec, { suffix }: CelTarget, validationActions: readonly PolicyAction[]): Manifest {
  return plainObject<Manifest & { readonly spec: object }>({
    apiVersion: ADMISSION_VERSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `${name}-${suffix}` },
    spec: { policyName: `${name}-${suffix}`, validationActions: [...validationActions], matchResources: { namespaceSelector: namespaceSelector({ name, ...policy }) } },
  });
}

/** Variables that several validations use. */
function furtherVariables({ allowedImages, priorityClasses, serviceAccounts }: JobPolicySpec, known: readonly string[]): CelVariable[] {
  return [
    ...(allowedImages === undefined || !known.includes('images') ? []
      : [{ name: 'foreign', expression: `variables.images.map(l, l.filter(i, !${imageMatches(allowedImages)})).filter(l, size(l) > 0)` }]),
    ...(priorityClasses === undefined || !known.includes('priorities') ? []
      : [{ name: 'otherPriorities', expression: `variables.priorities.filter(i, !(i in ${celLiteral(priorityClasses)}))` }]),
    ...(known.includes('podSpecs') ? hostAccessVariables(known.includes('parts') ? TRAINING_JOB_ANNOTATIONS : undefined) : []),
    ...(serviceAccounts === undefined ? [] : [{ name: 'otherAccounts', expression: `variables.serviceAccounts.filter(a, !(a in ${celLiteral(serviceAccounts)}))` }]),
  ];
}

/** Variables that validations use, directly or indirectly. A variable uses only earlier ones. */
function neededVariables(variables: readonly CelVariable[], validations: readonly CelValidation[]): CelVariable[] {
  const named = (text: string) => [...text.matchAll(/\bvariables\.(\w+)/g)].map(([, name]) => name);
  const needed = new Set(validations.flatMap(({ expression, messageExpression = '' }) => named(`${expression} ${messageExpression}`)));
  for (const { name, expression } of [...variables].reverse()) {
    if (needed.has(name)) {
      named(expression).forEach((other) => needed.add(other));
    }
  }
  return variables.filter(({ name }) => needed.has(name));
}

function imageMatches(patterns: readonly string[]): string {
  return `i.matches(${celLiteral(imageExpression(patterns))})`;
}

function validationsFor(policy: JobPolicySpec, { variables }: CelTarget): CelValidation[] {
  const has = (name: string) => variables.some((variable) => variable.name === name);
  const { allowedImages, requiredLabels = {}, priorityClasses, queuePriorityClasses, queues, hostAccess, serviceAccounts } = policy;
  const { maxReplicas, maxGpus, maxDeadlineSeconds } = policy;
  const validations: CelValidation[] = [];
  if (allowedImages !== undefined && has('images')) {
    validations.push(empty('foreign', POLICY_MESSAGES.image(policy), 'variables.foreign[0][0]'));
  }
  for (const [label, values] of Object.entries(requiredLabels)) {
    const labels = 'object.metadata.labels';
    const value = `has(${labels}) && ${celLiteral(label)} in ${labels}${values.length === 0 ? '' : ` && ${labels}[${celLiteral(label)}] in ${celLiteral(values)}`}`;
    validations.push({
      expression: `${CONTROLLED} || (${value})`, message: POLICY_MESSAGES.label(policy, label, values),
    });
  }
  if (priorityClasses !== undefined && has('priorities')) {
    validations.push(empty('otherPriorities', POLICY_MESSAGES.priority(policy)));
  }
  if (queuePriorityClasses !== undefined && has('queuePriority')) {
    const name = 'variables.queuePriority';
    validations.push({
      expression: `!${name}.hasValue() || ${name}.value() in ${celLiteral(queuePriorityClasses)}`,
      messageExpression: around(POLICY_MESSAGES.queuePriority(policy), `${name}.value()`),
    });
  }
  if (queues !== undefined && has('queue')) {
    validations.push({
      expression: `variables.queue.hasValue() ? variables.queue.value() in ${celLiteral(queues)} : (!variables.mustQueue || ${CONTROLLED})`,
      message: POLICY_MESSAGES.queue(policy),
    });
  }
  if (hostAccess === false && has('podSpecs')) {
    validations.push(empty('hostAccess', POLICY_MESSAGES.hostAccess(policy)));
  }
  if (serviceAccounts !== undefined && has('podSpecs')) {
    validations.push(empty('otherAccounts', POLICY_MESSAGES.serviceAccount(policy)));
  }
  if (maxReplicas !== undefined && has('replicas')) {
    validations.push(atMost('replicas', maxReplicas, POLICY_MESSAGES.replicas(policy)));
  }
  if (maxGpus !== undefined && has('gpus')) {
    validations.push(atMost('gpus', maxGpus, POLICY_MESSAGES.gpus(policy)));
  }
  if (maxGpus !== undefined && has('claims')) {
    validations.push({ expression: '!variables.claims', message: POLICY_MESSAGES.claims(policy) });
  }
  if (maxDeadlineSeconds !== undefined && has('deadline')) {
    validations.push({
      expression: `${CONTROLLED} || (variables.deadline.hasValue() && int(variables.deadline.value()) <= ${maxDeadlineSeconds})`,
      message: POLICY_MESSAGES.deadline(policy),
    });
  }
  return validations;
}

/**
 * Rules for changes of the scale. The pods of a Deployment are those of its ReplicaSet, which is checked when the Deployment's controller changes it,
 * so an autoscaler can continue.
 */
function scaleValidations(policy: JobPolicySpec): CelValidation[] {
  const { maxReplicas, maxGpus } = policy;
  return [
    ...(maxReplicas === undefined ? [] : [{
      ...atMost('replicas', maxReplicas, POLICY_MESSAGES.replicas(policy)), expression: `!variables.rises || variables.replicas <= ${maxReplicas}`,
    }]),
    ...(maxGpus === undefined ? [] : [{
      expression: `!variables.rises || (request.resource.resource == 'deployments' && ${CONTROLLER})`,
      message: POLICY_MESSAGES.scale(policy),
    }]),
  ];
}

/** A list that must be empty. @param found expression of the value in the message */
function empty(list: string, message: readonly string[], found = `variables.${list}[0]`): CelValidation {
  return { expression: `size(variables.${list}) == 0`, messageExpression: around(message, found) };
}

/** A number with a limit. */
function atMost(number: string, limit: number, message: readonly string[]): CelValidation {
  return { expression: `variables.${number} <= ${limit}`, messageExpression: around(message, `string(variables.${number})`) };
}

/** A message with a value in it. */
function around([before, after]: readonly string[], found: string): string {
  return [...before === '' ? [] : [celLiteral(before)], found, ...after === '' ? [] : [celLiteral(after)]].join(' + ');
}

/**
 * Defaults of a policy as a MutatingAdmissionPolicy and its binding; none without defaults. The API server sets them in training jobs before it
 * evaluates policies.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
export function constructDefaultsPolicy(policy: JobPolicySpec, version: string): Manifest[] {
  const mutations = mutationsOf(policy.defaults ?? {});
  if (mutations.length === 0) {
    return [];
  }
  const apiVersion = `admissionregistration.k8s.io/${version}`;
  const metadata = { name: `${policy.name}-defaults` };
  const object = (kind: string, spec: object) => plainObject<Manifest & { readonly spec: object }>({ apiVersion, kind, metadata, spec });
  return [
    object('MutatingAdmissionPolicy', {
      failurePolicy: 'Fail',
      reinvocationPolicy: 'IfNeeded',
      matchConstraints: {
        resourceRules: [{ apiGroups: [API_GROUP], apiVersions: [API_VERSION], operations: ['CREATE'], resources: [TRAINING_JOB_PLURAL], scope: '*' }],
      },
      mutations: mutations.map((expression) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } })),
    }),
    object('MutatingAdmissionPolicyBinding', { policyName: metadata.name, matchResources: { namespaceSelector: namespaceSelector(policy) } }),
  ];
}

function mutationsOf({ labels = {}, deadlineSeconds, queueName }: JobDefaultsSpec): string[] {
  return [
    ...Object.entries(labels).map(([label, value]) => unless(
      `has(object.metadata.labels) && ${celLiteral(label)} in object.metadata.labels`, `metadata: Object.metadata{labels: {${celLiteral(label)}: ${celLiteral(value)}}}`,
    )),
    ...(deadlineSeconds === undefined ? [] : [unless(
      'has(object.spec.runPolicy) && has(object.spec.runPolicy.activeDeadlineSeconds)',
      `spec: Object.spec{runPolicy: Object.spec.runPolicy{activeDeadlineSeconds: ${deadlineSeconds}}}`,
    )]),
    ...(queueName === undefined ? [] : [unless(
      'has(object.spec.scheduling) && has(object.spec.scheduling.queueName)', `spec: Object.spec{scheduling: Object.spec.scheduling{queueName: ${celLiteral(queueName)}}}`,
    )]),
  ];
}

function unless(condition: string, fields: string): string {
  return `${condition} ? Object{} : Object{${fields}}`;
}
