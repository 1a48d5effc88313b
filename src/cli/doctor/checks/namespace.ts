/** Whether the namespaces of the program exist, have enough quota, and allow its pods. */
import type { Check, Fault } from '../finding';
import { apply, command, kubectl, patch } from '../fixes';
import type { PodSet, Workload } from '../program';
import { foundIn, type ClusterSnapshot, type NamespaceFacts } from '../snapshot';
import type { AnyObject } from '../../jobs/objects';
import { listed } from '../../text';
import { sumOf, type Amounts } from '../../../manifests/gang/gang-renderer';
import { podFindings, type SecurityCheckId } from '../../../model/hardening/checks';
import { record, records, texts, textsIn, type JsonRecord } from '../../../model/json-parts';
import { TRAINING_JOB_KIND } from '../../../model/labels';
import { tryParseQuantity } from '../../../model/quantities';
import { amountOf, shownAmount } from '../../../model/queues/capacity';
import { isSelected, type LabelSelector } from '../../../model/references/targets';
import { podLabels } from '../../../model/references/relations';
import type { SecuritySpec } from '../../../model/training-job/security';
import { hasNetworkPolicy } from '../../../model/training-job/security';
import { duration } from '../../../model/text/times';

const ENFORCE = 'pod-security.kubernetes.io/enforce';

/** @see https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
const BASELINE: readonly SecurityCheckId[] = ['privileged', 'host-namespaces', 'host-paths', 'host-ports'];
const LEVELS: { readonly [level: string]: readonly SecurityCheckId[] } = {
  baseline: BASELINE, restricted: [...BASELINE, 'capabilities', 'privilege-escalation', 'run-as-non-root', 'seccomp'],
};

export const NAMESPACE: Check = {
  topic: 'namespace',
  run: (snapshot) => ({
    faults: snapshot.namespaces.flatMap((facts) => namespaceFaults(snapshot, facts)),
    ...(snapshot.namespaces.some(({ namespace }) => typeof namespace === 'object') && { passed: `The program may run in ${snapshot.namespaces.length === 1 ? 'the namespace' : 'the namespaces'} ${listed(snapshot.namespaces.map(({ name }) => name), 5)}.` }),
  }),
};

function namespaceFaults(snapshot: ClusterSnapshot, facts: NamespaceFacts): Fault[] {
  const { name, namespace } = facts;
  if (namespace === 'missing') {
    return [{ id: 'NamespaceMissing', severity: 'error', what: `The namespace ${name} does not exist.`, evidence: [], fix: kubectl(undefined, 'create', 'namespace', name) }];
  }
  const found = foundIn(namespace);
  if (found?.metadata?.deletionTimestamp !== undefined || found?.status?.phase === 'Terminating') {
    const { deletionTimestamp } = found.metadata ?? {};
    const stuck = (found.status?.conditions ?? []).filter(({ status, message }) => status === 'True' && message).map(({ type, message }) => `${type}: ${message}`);
    return [{
      id: 'NamespaceTerminating', severity: 'error',
      what: `The namespace ${name} is being deleted${deletionTimestamp === undefined ? '' : ` since ${duration(snapshot.now - Date.parse(deletionTimestamp))}`}: nothing can be created in it.`,
      evidence: stuck, fix: kubectl(undefined, 'wait', '--for=delete', `namespace/${name}`, '--timeout=300s'),
    }];
  }
  const workloads = (snapshot.program?.workloads ?? []).filter((workload) => workload.namespace === name);
  return [
    ...facts.quotas.flatMap((quota) => quotaFaults(quota, workloads)),
    ...facts.limits.flatMap((limit) => limitFaults(limit, workloads)),
    ...(found === undefined ? [] : securityFaults(found, workloads, snapshot.program?.file ?? '')),
    ...workloads.flatMap((workload) => networkFaults(facts, workload)),
  ];
}

/** Usage of the program's pods, by the resource names of quotas. */
function takenBy(workloads: readonly Workload[]): Amounts {
  return sumOf(workloads.flatMap(({ podSets }) => podSets.map(({ count, requests, spec }) => {
    const limits = sumOf(spec.containers.map(({ resources }) => amounts(resources?.limits)));
    const all = [
      ['pods', 1] as const, ['count/pods', 1] as const, ...['cpu', 'memory', 'ephemeral-storage'].map((resource) => [resource, requests[resource] ?? 0] as const),
      ...Object.entries(requests).map(([resource, amount]) => [`requests.${resource}`, amount] as const), ...Object.entries(limits).map(([resource, amount]) => [`limits.${resource}`, amount] as const),
    ];
    return Object.fromEntries(all.map(([resource, amount]) => [resource, amount * count]));
  })));
}

/** Quantities as numbers. */
function amounts(quantities: unknown): Amounts {
  return Object.fromEntries(Object.entries(textsIn(quantities)).map(([resource, quantity]) => [resource, amountOf(quantity)]));
}

function quotaFaults(quota: AnyObject, workloads: readonly Workload[]): Fault[] {
  // A quota with scopes is for some pods only.
  if (texts(quota.spec?.scopes).length > 0 || quota.spec?.scopeSelector !== undefined) {
    return [];
  }
  const { name = '', namespace } = quota.metadata ?? {};
  const taken = takenBy(workloads);
  const [hard, used] = [quota.status?.hard ?? quota.spec?.hard, quota.status?.used].map(amounts);
  const over = Object.keys(hard).filter((resource) => (taken[resource] ?? 0) > hard[resource] - (used[resource] ?? 0));
  const never = over.filter((resource) => taken[resource] > hard[resource]);
  const line = (resource: string) => {
    const show = (amount: number) => shownAmount(resource.replace(/^(?:requests|limits)\./, ''), amount);
    return `${resource}: the program asks for ${show(taken[resource])}; ${show(used[resource] ?? 0)} of ${show(hard[resource])} are in use`;
  };
  if (over.length === 0) {
    return [];
  }
  return never.length > 0 ? [{
    id: 'NamespaceQuotaTooSmall', severity: 'error', what: `The program asks for more than the ResourceQuota ${name} of the namespace ${namespace} allows: some pods are never created.`,
    evidence: never.map(line), fix: patch(namespace, 'resourcequota', name, { spec: { hard: Object.fromEntries(never.map((resource) => [resource, String(Math.ceil(taken[resource]))])) } }),
  }] : [{
    id: 'NamespaceQuotaInUse', severity: 'warning', what: `The ResourceQuota ${name} of the namespace ${namespace} has too little room now: some pods are created only when others end.`,
    evidence: over.map(line), fix: kubectl(namespace, 'describe', 'resourcequota', name),
  }];
}

function limitFaults(limit: AnyObject, workloads: readonly Workload[]): Fault[] {
  const { name = '', namespace } = limit.metadata ?? {};
  const sets = workloads.flatMap(({ title, podSets }) => podSets.map((set) => ({ title, set })));
  const maxima = records(limit.spec?.limits).flatMap(({ type, max }) => (
    Object.entries(textsIn(max)).map(([resource, most]) => ({ type, resource, most }))));
  const evidence = maxima.flatMap(({ type, resource, most }) => sets.flatMap(({ title, set }) => {
    const asked = Math.max(0, ...askedBy(set, resource, type));
    return asked <= (tryParseQuantity(most) ?? Infinity) ? []
      : [`${title} (${set.name}): a ${type === 'Pod' ? 'pod' : 'container'} asks for ${shownAmount(resource, asked)} ${resource}, and at most ${most} are allowed`];
  }));
  return evidence.length === 0 ? [] : [{
    id: 'LimitRangeExceeded', severity: 'error', what: `The LimitRange ${name} of the namespace ${namespace} rejects pods of the program.`, evidence: evidence.slice(0, 5),
    fix: kubectl(namespace, 'edit', 'limitrange', name),
  }];
}

/** The requests and limits of the containers, or the requests of the pod. */
function askedBy({ spec, requests }: PodSet, resource: string, type: unknown): number[] {
  if (type === 'Pod') {
    return [requests[resource] ?? 0];
  }
  const containers = type === 'Container' ? [...spec.containers, ...spec.initContainers ?? []] : [];
  return containers.flatMap(({ resources }) => [resources?.limits, resources?.requests].map((quantities) => amounts(quantities)[resource] ?? 0));
}

function securityFaults(namespace: AnyObject, workloads: readonly Workload[], file: string): Fault[] {
  const level = namespace.metadata?.labels?.[ENFORCE] ?? '';
  const checks = LEVELS[level] as readonly SecurityCheckId[] | undefined ?? [];
  return workloads.flatMap(({ title, podSets, kind, object }) => {
    // A controller may add what the pods lack here.
    const found = kind.fillsPods === true ? [] : podSets.flatMap(({ name, spec }) => (
      podFindings(spec as JsonRecord, 'spec').filter(({ check }) => checks.includes(check)).map(({ check, path, message }) => ({ check, line: `${name}: ${path} ${message}` }))));
    const lower = found.some(({ check }) => BASELINE.includes(check)) ? 'privileged' : 'baseline';
    return found.length === 0 ? [] : [{
      id: 'PodSecurityRejects', severity: 'error', what: `The namespace ${namespace.metadata?.name} enforces the Pod Security Standard ${level}, and rejects the pods of ${title}. Harden the pods, or choose another namespace.`,
      evidence: [...new Set(found.map(({ line }) => line))].slice(0, 5),
      fix: kind.kind === TRAINING_JOB_KIND && lower === 'baseline'
        ? command('trainyard', 'submit', file, '--job', object.metadata?.name ?? '', '--set', 'spec.security.restricted=true')
        : kubectl(undefined, 'label', '--overwrite', 'namespace', namespace.metadata?.name ?? '', `${ENFORCE}=${lower}`),
    } satisfies Fault];
  });
}

/** Finds policies for the pods of a job that block traffic between them. The operator creates one that allows it if the job has network policies. */
function networkFaults({ networkPolicies, name }: NamespaceFacts, { title, object, kind, podSets }: Workload): Fault[] {
  const security = record(object.spec).security as SecuritySpec | undefined;
  if (podSets.reduce((sum, { count }) => sum + count, 0) < 2 || (kind.kind === TRAINING_JOB_KIND && hasNetworkPolicy(security))) {
    return [];
  }
  const labels = { ...podLabels(object)[0], ...podSets[0].labels };
  const selecting = networkPolicies.filter(({ spec }) => isSelected(record(spec?.podSelector) as LabelSelector, labels)
    && (spec?.policyTypes === undefined || texts(spec.policyTypes).includes('Ingress')));
  const isSelectedBy = (selector: unknown, own: typeof labels) => selector === undefined || isSelected(record(selector) as LabelSelector, own);
  const isPeer = ({ podSelector, namespaceSelector, ipBlock }: JsonRecord) => (
    ipBlock !== undefined || (isSelectedBy(podSelector, labels) && isSelectedBy(namespaceSelector, { 'kubernetes.io/metadata.name': name })));
  // A rule without peers allows all.
  const letsIn = selecting.flatMap(({ spec }) => records(spec?.ingress)).some(({ from }) => records(from).length === 0 || records(from).some(isPeer));
  return selecting.length === 0 || letsIn ? [] : [{
    id: 'NetworkPolicyBlocks', severity: 'warning', what: `Network policies of the namespace ${name} keep the pods of ${title} from reaching each other: a job of several replicas would hang.`,
    evidence: [`They are selected by ${listed(selecting.map(({ metadata }) => metadata?.name ?? ''), 5)}, and no policy lets in traffic from the job's own pods.`],
    fix: apply(allowWithin(name)),
  }];
}

/** Allows traffic between the pods of a namespace. */
function allowWithin(namespace: string): object {
  return {
    apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'allow-same-namespace', namespace },
    spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector: {} }] }] },
  };
}
