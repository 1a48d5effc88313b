/** Pods without a node: the messages of the scheduler, and a fix for each. */
import { gangSchedulerNames } from './gang';
import { podEvidence, type Cause, type DiagnosisRule } from '../diagnosis';
import { ageOf, conditionOf, groupedBy, isTrainingJob, livePods, podName, trainingSpec } from '../facts';
import type { JobSnapshot, NodeObject } from '../snapshot';
import type { PodObject } from '../../../jobs/objects';
import { count, listed } from '../../../text';
import { podRequests, toQuantities } from '../../../../manifests/gang/gang-renderer';
import { tryParseQuantity } from '../../../../model/quantities';
import { RUN_POLICY_DEFAULTS } from '../../../../model/training-job/run-policy';
import { duration } from '../../../../model/text/times';

/** How long a pod may have no message from a scheduler; milliseconds. */
const SILENCE_MS = 20_000;

export const scheduling: DiagnosisRule = (snapshot) => {
  const unplaced = livePods(snapshot).filter(({ spec }) => spec?.nodeName === undefined);
  return [...gated(unplaced), ...unheard(snapshot, unplaced), ...unschedulable(snapshot, unplaced)];
};

function scheduledCondition(pod: PodObject) {
  return pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
}

/** Pods with a scheduling gate. */
function gated(pods: readonly PodObject[]): Cause[] {
  const held = pods.filter((pod) => gatesOf(pod).length > 0);
  return groupedBy(held, (pod) => gatesOf(pod).join()).map((group) => {
    const gates = gatesOf(group[0]);
    const isKueue = gates.some((gate) => gate.startsWith('kueue.x-k8s.io/'));
    return {
      id: 'SchedulingGated',
      what: `${count(group.length, 'pod')} ${group.length === 1 ? 'is' : 'are'} held back by the scheduling gate ${listed(gates)}.`,
      evidence: [`Pods: ${listed(group.map(podName))}`],
      fix: isKueue ? 'Kueue removes it when it admits the job: look at its Workload, kubectl get workloads.' : 'The controller that set the gate must remove it.',
    };
  });
}

function gatesOf({ spec }: PodObject): string[] {
  return ((spec?.schedulingGates ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
}

/** Pods that no scheduler has processed. */
function unheard(snapshot: JobSnapshot, pods: readonly PodObject[]): Cause[] {
  const silent = pods.filter((pod) => gatesOf(pod).length === 0 && scheduledCondition(pod) === undefined && ageOf(snapshot, pod) > SILENCE_MS);
  return groupedBy(silent, ({ spec }) => spec?.schedulerName ?? 'default-scheduler').map((group) => {
    const scheduler = group[0].spec?.schedulerName ?? 'default-scheduler';
    return {
      id: 'NoScheduler',
      what: `The scheduler ${scheduler} has not processed ${count(group.length, 'pod')}.`,
      evidence: [`Pods: ${listed(group.map(podName))}; they have no condition PodScheduled.`],
      fix: scheduler === 'default-scheduler' ? 'Check whether kube-scheduler is running: kubectl get pods -n kube-system.'
        : `${gangSchedulerNames().get(scheduler) ?? 'Install a scheduler of that name'}, or create the job with another scheduler.`,
    };
  });
}

function unschedulable(snapshot: JobSnapshot, pods: readonly PodObject[]): Cause[] {
  const refused = pods.filter((pod) => scheduledCondition(pod)?.status === 'False' && scheduledCondition(pod)?.reason !== 'SchedulingGated');
  return groupedBy(refused, (pod) => scheduledCondition(pod)?.message ?? '').map((group) => {
    const words = scheduledCondition(group[0])?.message ?? '';
    const large = tooLarge(group[0], snapshot.nodes);
    const advice = [...new Set([...large.map(({ fix }) => fix), ...REASONS.flatMap(({ pattern, fix }) => {
      const match = pattern.exec(words);
      // Freeing resources does not help if even an empty node has too few.
      return match === null || large.some(({ resource }) => resource === match[1]) ? [] : [fix(match)];
    })])];
    return {
      id: 'Unschedulable',
      what: `No node can run ${group.length === 1 ? `the pod ${podName(group[0])}` : `${group.length} pods`}.`,
      evidence: [
        ...(words === '' ? [] : [`The scheduler reports: ${words}`]),
        ...podEvidence(group),
        ...large.map(({ words: compared }) => compared),
      ],
      fix: advice.length > 0 ? advice.join(' ') : 'Free resources on a node that the pod may run on, or request less.',
    };
  });
}

interface TooLarge {
  readonly resource: string;
  readonly words: string;
  readonly fix: string;
}

/** Resources of which no node has enough, even when it is empty. */
function tooLarge(pod: PodObject, nodes: readonly NodeObject[] | undefined): TooLarge[] {
  if (nodes === undefined || nodes.length === 0 || pod.spec === undefined) {
    return [];
  }
  return Object.entries(podRequests(pod.spec)).flatMap(([resource, asked]) => {
    const largest = Math.max(...nodes.map(({ status }) => tryParseQuantity(status?.allocatable?.[resource] ?? '0') ?? 0));
    if (largest >= asked) {
      return [];
    }
    const quantities = toQuantities({ asked, largest });
    return [largest === 0 ? {
      resource,
      words: `No node of the cluster has any ${resource}.`,
      fix: `Add nodes with ${resource} (and their device plugin), or do not request it.`,
    } : {
      resource,
      words: `Each pod requests ${quantities.asked} of ${resource}, but the largest node has ${quantities.largest}.`,
      fix: `Request at most ${quantities.largest} of ${resource} in each pod and more pods, or add larger nodes.`,
    }];
  });
}

/** Messages of schedulers, and their fixes. @see https://kubernetes.io/docs/concepts/scheduling-eviction/ */
const REASONS: readonly { readonly pattern: RegExp; readonly fix: (match: RegExpExecArray) => string }[] = [
  { pattern: /Insufficient ([\w./-]*\w)/, fix: ([, resource]) => `Free ${resource} on a node, add a node that has it, or request less of it.` },
  {
    pattern: /untolerated taint(?:\(s\))?(?: \{([^{}]*)\})?|taint \{([^{}]*)\},? that the pod didn't tolerate/,
    fix: ([, taint, older]) => `Tolerate the taint${taint ?? older ? ` ${(taint ?? older).replace(/: $/, '').replace(': ', '=')}` : ''} (spec.scheduling.tolerations) if the job may run there.`,
  },
  { pattern: /didn't match Pod's node affinity\/selector/, fix: () => 'Correct spec.scheduling.nodeSelector, or the affinity of the template: no node with room has these labels.' },
  { pattern: /node\(s\) were unschedulable/, fix: () => 'Uncordon a node when its maintenance is over: kubectl uncordon NODE.' },
  { pattern: /persistentvolumeclaim "([^"]+)" not found/, fix: ([, claim]) => `Create the PersistentVolumeClaim ${claim}, or correct its name.` },
  { pattern: /persistentvolumeclaim "([^"]+)" is being deleted/, fix: ([, claim]) => `Wait until the PersistentVolumeClaim ${claim} is deleted, and create it again.` },
  { pattern: /unbound immediate PersistentVolumeClaims/, fix: () => 'Check why the claim is not bound: kubectl describe pvc. Its storage class may not exist, or have no capacity.' },
  { pattern: /volume node affinity conflict/, fix: () => 'The volume is in a different zone than the free nodes: use a class with volumeBindingMode WaitForFirstConsumer, or a node in that zone.' },
  { pattern: /didn't match pod (?:anti-)?affinity rules/, fix: () => 'Loosen the pod affinity (spec.scheduling.topology with mode Preferred), or free nodes in one domain.' },
  { pattern: /didn't match pod topology spread constraints/, fix: () => 'Set mode Preferred in spec.scheduling.spread, loosen topologySpreadConstraints of the template, or free nodes in the emptier domains.' },
  { pattern: /Too many pods/, fix: () => 'All nodes have reached their pod limit: add a node.' },
  { pattern: /free ports for the requested pod ports/, fix: () => 'A port of the node is in use: remove hostPort or hostNetwork.' },
  { pattern: /^0\/0 nodes|no nodes available/, fix: () => 'The cluster has no nodes: add one.' },
  { pattern: /cannot allocate all claims|resourceclaim/i, fix: () => 'Check the ResourceClaims of the pod: no device of that class is free.' },
];

/** Pods on nodes that are lost. */
export const lostNodes: DiagnosisRule = (snapshot) => {
  const { nodes, pods, now } = snapshot;
  if (nodes === undefined) {
    return [];
  }
  const onNodes = pods.filter(({ spec, status }) => spec?.nodeName !== undefined && !['Succeeded', 'Failed'].includes(status?.phase ?? ''));
  return groupedBy(onNodes, ({ spec }) => spec!.nodeName!).flatMap((group) => {
    const name = group[0].spec!.nodeName!;
    const node = nodes.find(({ metadata }) => metadata?.name === name);
    const ready = conditionOf(node, 'Ready');
    if (node !== undefined && ready?.status !== 'False' && ready?.status !== 'Unknown') {
      return [];
    }
    const since = ready?.lastTransitionTime === undefined ? '' : ` since ${duration(now - Date.parse(ready.lastTransitionTime))}`;
    const { nodeLoss } = trainingSpec(snapshot).runPolicy ?? {};
    const grace = nodeLoss?.graceSeconds ?? RUN_POLICY_DEFAULTS.nodeLoss.graceSeconds;
    return [{
      id: node === undefined ? 'NodeGone' : 'NodeNotReady',
      what: node === undefined ? `The node ${name} of ${count(group.length, 'pod')} no longer exists.` : `The node ${name} of ${count(group.length, 'pod')} is not ready${since}.`,
      evidence: [`Pods: ${listed(group.map(podName))}`, ...(ready?.message ? [`The node reports: ${ready.reason}: ${ready.message}`] : [])],
      fix: isTrainingJob(snapshot)
        ? `No action needed: after ${grace} s (spec.runPolicy.nodeLoss.graceSeconds) the operator counts the pods as lost and starts the job elsewhere. Repair or remove the node.`
        : `Repair the node, or delete it if it no longer exists: kubectl delete node ${name}.`,
    }];
  });
};
