/**
 * Nodes on which a job has failed in a way that speaks of the node (`speaksOfNode`). New pods keep away from those with enough counted failures,
 * because a node whose GPU or network is sick looks ready to the scheduler. A program's own fault can look the same, so it is never for good: the
 * list is short, an entry goes some time after its last failure, and all of them go when no other node can take the pods (`rules/node-avoidance.ts`).
 */
import { timeText } from '../timestamps';
import type { PlannedEvent } from '../types';
import type { ResolvedRunPolicy } from '../../../../model/training-job/run-policy';
import { MAX_SUSPECT_NODES, type SuspectNode } from '../../../../model/training-job/status/recovery-status';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';

/** A failure on a node. */
export interface NodeFailure {
  readonly node: string | undefined;
  readonly reason: string;
}

/** The field of the status with counted failures added to it. */
export function withNodeFailures(
  status: TrainingJobStatus, failures: readonly NodeFailure[], { afterFailures }: ResolvedRunPolicy['nodeAvoidance'], now: number,
): Pick<TrainingJobStatus, 'suspectNodes'> {
  let suspects = status.suspectNodes ?? [];
  for (const { node, reason } of failures) {
    if (node !== undefined && afterFailures > 0) {
      const before = suspects.find((suspect) => suspect.node === node);
      const count = (before?.failures ?? 0) + 1;
      suspects = noted(suspects, { node, failures: count, time: timeText(now), reason, avoided: before?.avoided === true || count >= afterFailures });
    }
  }
  return { suspectNodes: suspects.length > 0 ? suspects : undefined };
}

/**
 * The field of the status with a node that new pods avoid from now on, however often the job failed there: for checks that found the node itself
 * to be sick. To be part of a decision.
 * @param reason CamelCase, such as `PreflightFailed`
 */
export function withSickNode(status: TrainingJobStatus, node: string, reason: string, now: number): Pick<TrainingJobStatus, 'suspectNodes'> {
  const suspects = status.suspectNodes ?? [];
  const failures = (suspects.find((suspect) => suspect.node === node)?.failures ?? 0) + 1;
  return { suspectNodes: noted(suspects, { node, failures, time: timeText(now), reason, avoided: true }) };
}

/** The entries that are still in force. */
export function unexpired(suspects: readonly SuspectNode[] = [], { forSeconds }: ResolvedRunPolicy['nodeAvoidance'], now: number): readonly SuspectNode[] {
  return suspects.filter((suspect) => expiryOf(suspect, forSeconds) > now);
}

/** When an entry goes, milliseconds since the epoch. */
export function expiryOf({ time }: SuspectNode, forSeconds: number): number {
  return Date.parse(time) + forSeconds * 1000;
}

/** What users should hear of when a status follows another: nodes that are avoided from now on. */
export function avoidedNews(before: TrainingJobStatus, after: TrainingJobStatus): PlannedEvent[] {
  const known = new Set(before.suspectNodes?.filter(({ avoided }) => avoided).map(({ node }) => node));
  return (after.suspectNodes ?? []).filter(({ node, avoided }) => avoided && !known.has(node)).map(({ node, failures, reason }) => ({
    type: 'Warning', reason: 'NodeAvoided', message: `Node ${node} is avoided by new pods: failures of this job there: ${failures}, the last one ${reason}`,
  }));
}

/** The newest entry last; beyond the limit the oldest goes. */
function noted(suspects: readonly SuspectNode[], suspect: SuspectNode): SuspectNode[] {
  return [...suspects.filter(({ node }) => node !== suspect.node), suspect].slice(-MAX_SUSPECT_NODES);
}
