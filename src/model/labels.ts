/**
 * Names that other programs select by: the API group, labels, annotations and finalizers. Each comment says who sets it and on what.
 */

/** API group of the operator's custom resources, as the blog chose it. */
export const API_GROUP = 'ml.collabnix.io';

export const API_VERSION = 'v1alpha1';

/** `apiVersion` of an MLTrainingJob. */
export const GROUP_VERSION = `${API_GROUP}/${API_VERSION}`;

export const TRAINING_JOB_KIND = 'MLTrainingJob';

/** Plural (URL) name of the kind. */
export const TRAINING_JOB_PLURAL = 'mltrainingjobs';

/** Value of `spec.managedBy` for jobs that this operator runs; the default. */
export const OPERATOR_NAME = `${API_GROUP}/trainyard-operator`;

/** The blog's label: name of the job. Set by the operator on every pod and service, so that `kubectl logs -l role=master,job=NAME` works. */
export const JOB_LABEL = 'job';

/** The blog's label: role of the replica. Set by the operator on every pod. */
export const ROLE_LABEL = 'role';

/** Index of the replica in its role, from 0. Set by the operator on every pod. */
export const REPLICA_INDEX_LABEL = `${API_GROUP}/replica-index`;

/** Slice of TPUs whose host a pod is: its number in the job, and a text that no other job has. Set on pods of slices of several hosts. */
export const TPU_SLICE_LABEL = `${API_GROUP}/tpu-slice`;

/** Attempt of the job that a pod belongs to, from 0. Set by the operator on every pod; the planner deletes pods of older attempts. */
export const ATTEMPT_LABEL = `${API_GROUP}/attempt`;

/**
 * Gang scheduler of the job, as `spec.scheduling.gang.scheduler` spells it. Set by the operator on every pod of a gang: when the job is gone, its
 * pods still say which objects of a scheduler it had.
 */
export const GANG_LABEL = `${API_GROUP}/gang`;

/** Hook that a pod runs: `before`, `after` or `onExit`. Set by the operator on pods of hooks, which are not replicas. */
export const HOOK_LABEL = `${API_GROUP}/hook`;

/** Name of the job whose `autoTuning` a trial belongs to. Set by the operator on the MLTrainingJob of every trial. */
export const TUNED_JOB_LABEL = `${API_GROUP}/auto-tuning`;

/** Number of the trial, from 1. Set by the operator on the MLTrainingJob of every trial. */
export const TRIAL_LABEL = `${API_GROUP}/trial`;

/** Name of the search that a trial of Katib belongs to. Set on the job of every trial, and on its pods where trials share a service. */
export const SEARCH_LABEL = `${API_GROUP}/search`;

/** Name of the job whose `array` a copy belongs to. Set by the operator on the MLTrainingJob of every copy. */
export const ARRAY_LABEL = `${API_GROUP}/array`;

/** Index of the copy, from 0. Set by the operator on the MLTrainingJob of every copy. */
export const ARRAY_INDEX_LABEL = `${API_GROUP}/array-index`;

/** `trainyard` on everything that the operator creates; its caches select by it. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';

/** Value of {@link MANAGED_BY_LABEL} on the operator's objects. */
export const MANAGED_BY_OPERATOR = 'trainyard-operator';

/** Value of {@link MANAGED_BY_LABEL} on what the library writes for other engines: the operator keeps its hands off it. */
export const MANAGED_BY_ENGINES = 'trainyard';

/** Global rank of the replica, absent on roles without a rank (parameter servers). Set by the operator on every pod as an annotation. */
export const RANK_ANNOTATION = `${API_GROUP}/rank`;

/**
 * PEM of the certificate authorities of the progress endpoint. Set by the operator on every pod, whose volume shows it as a file: so no job needs a
 * ConfigMap for it, and each attempt gets the newest.
 */
export const PROGRESS_CA_ANNOTATION = `${API_GROUP}/progress-ca`;

/** Nodes that the pod keeps away from because its job has failed there, joined by commas. Set by the operator on pods as an annotation. */
export const AVOIDED_NODES_ANNOTATION = `${API_GROUP}/avoided-nodes`;

/** Set by users on a job that was suspended for idleness, to any other value than before: it runs again. */
export const RESUME_ANNOTATION = `${API_GROUP}/resume`;

/** Id of the run that an object and its pods belong to. Set at synth on jobs with a run identity, and on their pods. */
export const RUN_LABEL = `${API_GROUP}/run-id`;

/** Id of the run that this one continues or is part of. Set at synth on jobs that have one, and on their pods. */
export const PARENT_RUN_LABEL = `${API_GROUP}/parent-run`;

/** First 16 digits of the SHA-256 of what the job says. Set at synth on jobs with a run identity, and on their pods. */
export const SPEC_DIGEST_LABEL = `${API_GROUP}/spec-digest`;

/** First 16 digits of the code bundle's SHA-256. Set like {@link SPEC_DIGEST_LABEL}. */
export const CODE_DIGEST_LABEL = `${API_GROUP}/code-digest`;

/** First 16 digits of the image's SHA-256, where all roles have the same image and it is given by digest. Set like {@link SPEC_DIGEST_LABEL}. */
export const IMAGE_DIGEST_LABEL = `${API_GROUP}/image-digest`;

/**
 * Set by users on an object, or on a pod template in it: what in it looks like a secret and is none, by names of variables, keys of annotations,
 * options of a command line or else the field (`args`), separated by commas.
 */
export const NOT_SECRET_ANNOTATION = `${API_GROUP}/not-secret`;

/** How the machines of a pool or of a flavor are had, and what one costs, in words. Set at synth on objects of node pools whose price is known. */
export const PRICE_ANNOTATION = `${API_GROUP}/price`;

/** Labels that users cannot set on pods, because the operator finds its pods by them. */
export const RESERVED_POD_LABELS: readonly string[] = [
  JOB_LABEL,
  ROLE_LABEL,
  REPLICA_INDEX_LABEL,
  ATTEMPT_LABEL,
  TPU_SLICE_LABEL,
  GANG_LABEL,
  HOOK_LABEL,
  MANAGED_BY_LABEL,
];

/** How the names of the operator's own volumes in a pod start; templates cannot use it. */
export const RESERVED_VOLUME_PREFIX = 'trainyard-';

/**
 * Ids of findings that are known and accepted for the object, joined by commas: `trainyard validate` is silent about them. Set by users, and by
 * `Warnings.acknowledge` on the objects that a finding is about.
 */
export const ACKNOWLEDGED_ANNOTATION = `${API_GROUP}/acknowledged`;

/** kubectl's copy of the object that it applied last. */
export const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
