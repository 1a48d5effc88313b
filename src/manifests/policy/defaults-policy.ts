/**
 * Defaults of a policy as a MutatingAdmissionPolicy: the API server fills them into training jobs that say nothing, before any policy looks at them.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
import { namespaceSelector } from './admission-policy';
import { celLiteral } from '../../model/kinds/cel';
import { API_GROUP, API_VERSION, TRAINING_JOB_PLURAL } from '../../model/labels';
import type { JobDefaultsSpec, JobPolicySpec } from '../../model/policy/spec';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';

/** The admission policy and its binding; nothing where there are no defaults. */
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
      matchConstraints: { resourceRules: [{ apiGroups: [API_GROUP], apiVersions: [API_VERSION], operations: ['CREATE'], resources: [TRAINING_JOB_PLURAL], scope: '*' }] },
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
