/** What a job does about nodes that die, and about nodes on which it keeps failing: the wire types and their defaults. */

/** What happens to a pod that cannot be confirmed to have ended, because its node does not answer. */
export type StuckPodPolicy = 'ForceDelete' | 'Wait';

/** All values of {@link StuckPodPolicy}. */
export const STUCK_POD_POLICIES: readonly StuckPodPolicy[] = ['ForceDelete', 'Wait'];

/** `spec.runPolicy.nodeLoss`. */
export interface NodeLossSpec {
  /** Seconds that a node may be not ready before the pods on it count as lost. A node that is gone counts at once. @default 30 */
  readonly graceSeconds?: number;

  /**
   * Seconds that a node may go without renewing its Lease, which it does every 10, before the pods on it count as lost. Leases are looked at while
   * a failure of another pod of the job may be the node's doing, and while a pod that was asked to go does not.
   * @default 20
   */
  readonly leaseGraceSeconds?: number;

  /**
   * `ForceDelete` removes a pod that hangs on a lost node from the API, so that its successor can start; a node that is only cut off may
   * still run its process. `Wait` leaves it to the node, to Kubernetes or to an administrator.
   * @default ForceDelete
   */
  readonly stuckPods?: StuckPodPolicy;

  /** Seconds after the pod's own grace period before `ForceDelete` acts, where the node is not ready and has no readable Lease. @default 30 */
  readonly forceDeleteAfterSeconds?: number;
}

/** `spec.runPolicy.nodeAvoidance`. */
export interface NodeAvoidanceSpec {
  /** Counted failures on one node after which new pods avoid it. 0 avoids none. @default 2 */
  readonly afterFailures?: number;

  /** Seconds after its last failure for which a node is avoided. @default 3600 */
  readonly forSeconds?: number;
}

/** Defaults of both, also written into the CRD's schema. */
export const NODE_POLICY_DEFAULTS: { readonly nodeLoss: Required<NodeLossSpec>; readonly nodeAvoidance: Required<NodeAvoidanceSpec> } = {
  nodeLoss: { graceSeconds: 30, leaseGraceSeconds: 20, stuckPods: 'ForceDelete', forceDeleteAfterSeconds: 30 },
  nodeAvoidance: { afterFailures: 2, forSeconds: 3600 },
};

/** Fills the defaults in. */
export function resolveNodePolicy(
  spec: { readonly nodeLoss?: NodeLossSpec; readonly nodeAvoidance?: NodeAvoidanceSpec },
): typeof NODE_POLICY_DEFAULTS {
  return {
    nodeLoss: {
      graceSeconds: spec.nodeLoss?.graceSeconds ?? NODE_POLICY_DEFAULTS.nodeLoss.graceSeconds,
      leaseGraceSeconds: spec.nodeLoss?.leaseGraceSeconds ?? NODE_POLICY_DEFAULTS.nodeLoss.leaseGraceSeconds,
      stuckPods: spec.nodeLoss?.stuckPods ?? NODE_POLICY_DEFAULTS.nodeLoss.stuckPods,
      forceDeleteAfterSeconds: spec.nodeLoss?.forceDeleteAfterSeconds ?? NODE_POLICY_DEFAULTS.nodeLoss.forceDeleteAfterSeconds,
    },
    nodeAvoidance: {
      afterFailures: spec.nodeAvoidance?.afterFailures ?? NODE_POLICY_DEFAULTS.nodeAvoidance.afterFailures,
      forSeconds: spec.nodeAvoidance?.forSeconds ?? NODE_POLICY_DEFAULTS.nodeAvoidance.forSeconds,
    },
  };
}
