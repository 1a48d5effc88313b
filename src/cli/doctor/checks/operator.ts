/** Whether the operator is installed once, runs, leads, has this version and its permissions. */
import type { Check, Fault } from '../finding';
import { installOperator, kubectl } from '../fixes';
import { foundIn, type ClusterSnapshot } from '../snapshot';
import { describe, timeOf } from '../../explain/job/facts';
import type { NodeObject } from '../../explain/job/snapshot';
import { hasFreshLease, podTrouble, readiness, watchedNamespaces, watches } from '../../explain/job/operator';
import type { AnyObject } from '../../jobs/objects';
import { listed } from '../../text';
import { LOCAL_KUBELET_VERSION } from '../../../local/dev/local-node';
import { OPERATOR_CLUSTER_RULES, OPERATOR_RULES, type PolicyRule } from '../../../manifests/operator-rbac';
import { OPERATOR_CODE_HASH, OPERATOR_NAME } from '../../../manifests/operator/settings';
import { compareVersions, tryParseVersion } from '../../../model/catalogue/versions';
import { tryParseImage } from '../../../model/environments/structure';
import { record, records, textIn, texts, type JsonRecord } from '../../../model/json-parts';
import { TRAINING_JOB_KIND } from '../../../model/labels';
import { duration } from '../../../model/text/times';

/** Milliseconds that the time of a Lease may be in the future. */
const SKEW_MS = 10_000;

/** Maximum age of events in milliseconds. */
const RECENT_MS = 1_800_000;

/** Whether the operator is needed: for jobs of the program, or because no program is given. */
function needsOperator({ program }: ClusterSnapshot): boolean {
  return program === undefined || program.workloads.some(({ kind }) => kind.kind === TRAINING_JOB_KIND);
}

export const OPERATOR: Check = {
  topic: 'operator',
  run: (snapshot) => {
    if (!needsOperator(snapshot)) {
      return { faults: [] };
    }
    const { operator } = snapshot;
    const [deployment] = operator.deployments;
    if (operator.deployments.length === 0) {
      if (hasFreshLease(operator, referenceTime(snapshot))) {
        return { faults: [], passed: 'An operator that runs outside of the cluster leads.' };
      }
      if (snapshot.nodes?.some(isOfDev)) {
        return { faults: [], passed: 'This is a cluster of trainyard dev, which runs the operator as a process of the same machine.' };
      }
      return { faults: operator.isReadable && !installsOperator(snapshot) ? [missing()] : [] };
    }
    return {
      faults: [
        ...several(snapshot), ...pods(snapshot),
        ...operator.deployments.flatMap((each) => [...ready(snapshot, each), ...lease(snapshot, each), ...version(snapshot, each)]),
        ...watched(snapshot), ...rights(snapshot), ...warnings(snapshot),
      ],
      passed: `The operator runs in the namespace ${deployment.metadata?.namespace}: ${readiness(deployment).replace(/^.*: /, '')}, and one leads.`,
    };
  },
};

/** Whether `trainyard dev` is the kubelet of a node. Its operator has no Lease. */
function isOfDev({ status }: NodeObject): boolean {
  return record(record(status).nodeInfo).kubeletVersion === LOCAL_KUBELET_VERSION;
}

function installsOperator({ program }: ClusterSnapshot): boolean {
  return program?.objects.some(({ kind, metadata }) => kind === 'Deployment' && metadata?.name === OPERATOR_NAME) === true;
}

/** The time of the API server, with which other clocks are compared. */
function referenceTime({ now, serverNow }: ClusterSnapshot): number {
  return serverNow ?? now;
}

function missing(): Fault {
  return {
    id: 'OperatorMissing', severity: 'error', what: `The operator is not installed: nothing runs ${TRAINING_JOB_KIND}s.`,
    evidence: [`There is no Deployment ${OPERATOR_NAME}, and no current Lease.`], fix: installOperator(),
  };
}

function several({ operator: { deployments } }: ClusterSnapshot): Fault[] {
  const overlap = deployments.flatMap((one, index) => deployments.slice(index + 1).map((other) => [one, other] as const)).filter(([one, other]) => {
    const [left, right] = [watchedNamespaces(one), watchedNamespaces(other)];
    return left.length === 0 || right.length === 0 || left.some((namespace) => right.includes(namespace));
  });
  return overlap.length === 0 ? [] : [{
    id: 'SeveralOperators', severity: 'error', what: 'Several operators act on the same jobs. Keep one of them, or give each its own watchNamespaces.',
    evidence: deployments.map((deployment) => `${describe(deployment)} watches ${listed(watchedNamespaces(deployment)) || 'all namespaces'}`),
    fix: kubectl(overlap[0][1].metadata?.namespace, 'scale', 'deployment', OPERATOR_NAME, '--replicas=0'),
  }];
}

function pods({ operator: { pods: all, logs } }: ClusterSnapshot): Fault[] {
  const looping = all.filter(({ status }) => status?.containerStatuses?.some(({ state }) => state?.waiting?.reason === 'CrashLoopBackOff'));
  const failing = all.filter((pod) => !looping.includes(pod) && pod.metadata?.deletionTimestamp === undefined && podTrouble(pod) !== undefined);
  return [
    ...looping.map((pod): Fault => ({
      id: 'OperatorCrashLoop', severity: 'error', what: `The operator's pod ${pod.metadata?.name} crashes again and again.`,
      evidence: [
        ...(pod.status?.containerStatuses ?? []).flatMap(({ restartCount, lastState }) => (lastState?.terminated === undefined ? []
          : [`It was started ${restartCount ?? 0} times; the last one ended with exit code ${lastState.terminated.exitCode}.`])),
        ...logs.filter((log) => log.pod === pod.metadata?.name).flatMap(({ text }) => ['Its last lines:', ...text.trimEnd().split('\n').map((line) => `| ${line}`)]),
      ],
      fix: kubectl(pod.metadata?.namespace, 'logs', pod.metadata?.name ?? '', '--previous', '--tail=50'),
    })),
    ...(failing.length === 0 ? [] : [{
      id: 'OperatorPodsFail' as const, severity: 'error' as const, what: 'Pods of the operator cannot start.', evidence: failing.map((pod) => podTrouble(pod)!),
      fix: kubectl(failing[0].metadata?.namespace, 'describe', 'pod', failing[0].metadata?.name ?? ''),
    }]),
  ];
}

function ready({ operator: { pods: all } }: ClusterSnapshot, deployment: AnyObject): Fault[] {
  const [wanted, have] = [Number(deployment.spec?.replicas ?? 1), Number(deployment.status?.readyReplicas ?? 0)];
  const { namespace } = deployment.metadata ?? {};
  const hasReason = all.some((pod) => pod.metadata?.namespace === namespace && podTrouble(pod) !== undefined);
  if (wanted > 0 && (have >= wanted || (have === 0 && hasReason))) {
    return [];
  }
  const progressing = deployment.status?.conditions?.find(({ type, status }) => type !== 'Progressing' && status !== 'True' && type !== 'ReplicaFailure')
    ?? deployment.status?.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  return [{
    id: 'OperatorNotReady', severity: have === 0 ? 'error' : 'warning',
    what: wanted === 0 ? 'The operator is scaled to 0 replicas.' : have === 0 ? 'The operator does not run.' : 'Some replicas of the operator do not run.',
    evidence: [readiness(deployment), ...(progressing?.message === undefined ? [] : [`${progressing.reason}: ${progressing.message}`])],
    fix: wanted === 0 ? kubectl(namespace, 'scale', 'deployment', OPERATOR_NAME, '--replicas=2') : kubectl(namespace, 'rollout', 'restart', `deployment/${OPERATOR_NAME}`),
  }];
}

/** Reports nothing if the operator does not run: it cannot lead then, and another check reports that. */
function lease(snapshot: ClusterSnapshot, deployment: AnyObject): Fault[] {
  const { namespace } = deployment.metadata ?? {};
  const { operator } = snapshot;
  if (!operator.isReadable || Number(deployment.status?.readyReplicas ?? 0) === 0) {
    return [];
  }
  const own = operator.leases.find(({ metadata }) => metadata?.namespace === namespace);
  const restart = kubectl(namespace, 'rollout', 'restart', `deployment/${OPERATOR_NAME}`);
  const { holderIdentity, renewTime } = own?.spec ?? {};
  if (own === undefined || !holderIdentity) {
    return [{
      id: 'NoLeader', severity: 'error', what: 'No replica of the operator is the leader: jobs are not processed.',
      evidence: [own === undefined ? `There is no Lease ${namespace}/${OPERATOR_NAME}.` : `The Lease ${namespace}/${OPERATOR_NAME} has no holder.`], fix: restart,
    }];
  }
  const age = referenceTime(snapshot) - Date.parse(renewTime ?? '');
  if (age < -SKEW_MS) {
    return [{
      id: 'OperatorClockSkew', severity: 'warning', what: `The clock of the operator's node is ${duration(-age)} ahead of that of the API server.`,
      evidence: [`${holderIdentity} renewed the Lease at ${renewTime}.`], fix: kubectl(namespace, 'get', 'pods', '-o', 'wide'),
    }];
  }
  return hasFreshLease({ ...operator, leases: [own] }, referenceTime(snapshot)) ? [] : [{
    id: 'LeaseStale', severity: 'error', what: `The operator has not renewed its Lease for ${duration(age)}: jobs are not processed.`,
    evidence: [`Lease ${namespace}/${OPERATOR_NAME} is held by ${holderIdentity}, and was renewed at ${renewTime ?? 'no time'}.`], fix: restart,
  }];
}

function version({ version: own, operatorCode }: ClusterSnapshot, deployment: AnyObject): Fault[] {
  const { metadata, spec } = record(deployment.spec?.template);
  const hash = textIn(record(record(metadata).annotations)[OPERATOR_CODE_HASH]);
  const image = textIn(records(record(spec).containers)[0]?.image);
  const { tag } = (image === undefined ? undefined : tryParseImage(image)) ?? {};
  const { namespace } = deployment.metadata ?? {};
  const watchNamespaces = watchedNamespaces(deployment);
  const isOther = hash === undefined ? tag !== undefined && tryParseVersion(tag) !== undefined && compareVersions(tag, own) < 0
    : operatorCode !== undefined && hash !== operatorCode;
  return !isOther ? [] : [{
    id: 'OperatorOtherVersion', severity: 'warning',
    what: `The operator is not of this version of trainyard (${own}): jobs that this version writes may not run as described. Update the operator, or use the trainyard of its version.`,
    evidence: [hash === undefined ? `It runs the image ${image}.` : `It runs the code ${hash}, and this version has ${operatorCode}.`],
    fix: installOperator({ namespace, watchNamespaces }),
  }];
}

function watched({ operator: { deployments }, program, namespace }: ClusterSnapshot): Fault[] {
  const jobs = program?.workloads.filter(({ kind }) => kind.kind === TRAINING_JOB_KIND) ?? [];
  const wanted = [...new Set(program === undefined ? [namespace] : jobs.map((job) => job.namespace))];
  const unwatched = wanted.filter((name) => !deployments.some((deployment) => watches(deployment, name)));
  const [deployment] = deployments;
  return unwatched.length === 0 ? [] : [{
    id: 'NamespaceNotWatched', severity: program === undefined ? 'warning' : 'error', what: `The operator does not watch ${listed(unwatched)}: jobs there do not start.`,
    evidence: deployments.map((each) => `${describe(each)} watches ${listed(watchedNamespaces(each), 8)}`),
    fix: installOperator({ namespace: deployment.metadata?.namespace, watchNamespaces: [...watchedNamespaces(deployment), ...unwatched] }),
  }];
}

function rights({ operator: { clusterRole, clusterRoleBinding, deployments } }: ClusterSnapshot): Fault[] {
  if (clusterRole === undefined || clusterRoleBinding === undefined || deployments.every((deployment) => watchedNamespaces(deployment).length > 0)) {
    return [];
  }
  const namespace = deployments.find((deployment) => watchedNamespaces(deployment).length === 0)?.metadata?.namespace;
  const subjects = records((foundIn(clusterRoleBinding) as { readonly subjects?: unknown } | undefined)?.subjects);
  const role = foundIn(clusterRole) as { readonly rules?: unknown } | undefined;
  const lacking = role === undefined ? [] : [...OPERATOR_RULES, ...OPERATOR_CLUSTER_RULES].flatMap((rule) => lackingOf(rule, records(role.rules)));
  const evidence = [
    ...(clusterRole === 'missing' ? [`There is no ClusterRole ${OPERATOR_NAME}.`] : []),
    ...(clusterRoleBinding === 'missing' ? [`There is no ClusterRoleBinding ${OPERATOR_NAME}.`] : []),
    ...(typeof clusterRoleBinding === 'object' && !subjects.some((subject) => subject.namespace === namespace) ? [`The ClusterRoleBinding ${OPERATOR_NAME} is for no account in ${namespace}.`] : []),
    ...(lacking.length === 0 ? [] : [`The ClusterRole lacks: ${listed(lacking, 5)}.`]),
  ];
  return evidence.length === 0 ? [] : [{
    id: 'OperatorRightsMissing', severity: 'error', what: 'The operator does not have the permissions that it needs. Install it again.', evidence, fix: installOperator({ namespace }),
  }];
}

/** Permissions of a rule that others do not have. */
function lackingOf({ apiGroups, resources, verbs }: PolicyRule, rules: readonly JsonRecord[]): string[] {
  const has = (list: unknown, name: string) => texts(list).some((entry) => entry === name || entry === '*');
  return apiGroups.flatMap((group) => resources.flatMap((resource) => verbs
    .filter((verb) => !rules.some((rule) => has(rule.apiGroups, group) && has(rule.resources, resource) && has(rule.verbs, verb)))
    .map((verb) => `${verb} ${group === '' ? resource : `${resource}.${group}`}`)));
}

function warnings(snapshot: ClusterSnapshot): Fault[] {
  const recent = snapshot.operator.events.filter((event) => referenceTime(snapshot) - timeOf(event) < RECENT_MS)
    .sort((one, other) => timeOf(other) - timeOf(one));
  return recent.length === 0 ? [] : [{
    id: 'OperatorWarnings', severity: 'warning', what: 'Kubernetes warns about the operator.',
    evidence: recent.slice(0, 3).map(({ reason, message, involvedObject, count = 1 }) => `${involvedObject?.kind} ${involvedObject?.name}: ${reason}: ${message}${count > 1 ? ` (${count} times)` : ''}`),
    fix: kubectl(recent[0].metadata?.namespace, 'describe', 'pods', '-l', `app.kubernetes.io/name=${OPERATOR_NAME}`),
  }];
}
