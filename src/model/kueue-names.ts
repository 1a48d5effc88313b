/** Names that Kueue and its users select by. @see https://kueue.sigs.k8s.io/docs/reference/labels-and-annotations/ */

export const KUEUE_GROUP = 'kueue.x-k8s.io';

/** Version of Kueue's API that is spoken here; served from Kueue 0.15 on. */
export const KUEUE_VERSION = 'v1beta2';

/** Queue of a plain pod. Set by the operator on pods of jobs with queueMode PodGroup. */
export const QUEUE_NAME_LABEL = `${KUEUE_GROUP}/queue-name`;

/** WorkloadPriorityClass of a plain pod. Set by the operator on pods of jobs with queueMode PodGroup. */
export const PRIORITY_CLASS_LABEL = `${KUEUE_GROUP}/priority-class`;

/** Group that a plain pod belongs to. Set by the operator on pods of jobs with queueMode PodGroup. */
export const POD_GROUP_NAME_LABEL = `${KUEUE_GROUP}/pod-group-name`;

/** How many pods the group has. Set next to {@link POD_GROUP_NAME_LABEL}, as an annotation. */
export const POD_GROUP_TOTAL_COUNT_ANNOTATION = `${KUEUE_GROUP}/pod-group-total-count`;

/** `false` says that no pod of the group is replaced, so that Kueue lets the group go when all of them have ended; an annotation. */
export const RETRIABLE_IN_GROUP_ANNOTATION = `${KUEUE_GROUP}/retriable-in-group`;

/** Pods with one hash are one pod set: the operator writes the role, as an annotation. */
export const ROLE_HASH_ANNOTATION = `${KUEUE_GROUP}/role-hash`;

/** Name of the label that counts the pods of a set. Set by the operator as an annotation on pods that ask for a topology. */
export const POD_INDEX_LABEL_ANNOTATION = `${KUEUE_GROUP}/pod-group-pod-index-label`;

/** Level that a pod set has to be kept within; an annotation. */
export const REQUIRED_TOPOLOGY_ANNOTATION = `${KUEUE_GROUP}/podset-required-topology`;

/** Level that a pod set should be kept within; an annotation. */
export const PREFERRED_TOPOLOGY_ANNOTATION = `${KUEUE_GROUP}/podset-preferred-topology`;

/** Says that the pods of a set may be anywhere; an annotation. Set by the operator on pods for which Kueue chose domains without being asked. */
export const UNCONSTRAINED_TOPOLOGY_ANNOTATION = `${KUEUE_GROUP}/podset-unconstrained-topology`;

/** Uid of the job that a Workload stands for. Set by the operator on its Workloads. */
export const JOB_UID_LABEL = `${KUEUE_GROUP}/job-uid`;

/** Pod set that a pod belongs to. Set by the operator on pods of an admitted Workload; Kueue finds them by it. */
export const POD_SET_LABEL = `${KUEUE_GROUP}/podset`;

/** Workload that a pod belongs to. Set by the operator on pods of an admitted Workload, as an annotation. */
export const WORKLOAD_ANNOTATION = `${KUEUE_GROUP}/workload`;

/** Gate of pods that wait for Kueue to assign their topology domain. */
export const TOPOLOGY_GATE = `${KUEUE_GROUP}/topology`;

/** Controller that Kueue's dispatcher makes the manager of a job, in `managedBy`. */
export const MULTI_KUEUE_CONTROLLER = `${KUEUE_GROUP}/multikueue`;
