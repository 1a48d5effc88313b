/** Pods on nodes that are lost. */
import type { DiagnosisRule } from './rule';
import { conditionOf, count, duration, groupedBy, isTrainingJob, listed, podName, trainingSpec } from '../facts';
import { RUN_POLICY_DEFAULTS } from '../../../../model/training-job/run-policy';

/** See the top of this file. */
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
