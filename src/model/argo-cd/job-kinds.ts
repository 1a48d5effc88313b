/** Kinds that run to completion, as far as it matters to Argo CD: what deletes them by itself, and what suspends them. */

/** A kind of job. */
export interface JobKind {
  readonly group: string;
  readonly kind: string;
  /** Field after which the object deletes itself, in seconds. */
  readonly ttl?: readonly string[];
  /** Field that suspends it. */
  readonly suspend?: readonly string[];
}

const v1 = (kind: string): JobKind => ({ group: 'kubeflow.org', kind, ttl: ['spec', 'runPolicy', 'ttlSecondsAfterFinished'], suspend: ['spec', 'runPolicy', 'suspend'] });
const TTL = ['spec', 'ttlSecondsAfterFinished'];
const SUSPEND = ['spec', 'suspend'];

/**
 * All of them. TrainJob has no time to live: its runtime's goes to the JobSet below it. RayJob's is its cluster's, and `DeleteSelf` among its
 * deletion rules is the job's own (`job-findings.ts`).
 */
const JOB_KINDS: readonly JobKind[] = [
  { group: 'ml.collabnix.io', kind: 'MLTrainingJob', ttl: ['spec', 'runPolicy', 'ttlSecondsAfterFinished'], suspend: SUSPEND },
  { group: 'trainer.kubeflow.org', kind: 'TrainJob', suspend: SUSPEND },
  ...['PyTorchJob', 'TFJob', 'MPIJob', 'XGBoostJob', 'PaddleJob', 'JAXJob', 'MXJob'].map(v1),
  { group: 'jobset.x-k8s.io', kind: 'JobSet', ttl: TTL, suspend: SUSPEND },
  { group: 'batch', kind: 'Job', ttl: TTL, suspend: SUSPEND },
  { group: 'batch.volcano.sh', kind: 'Job', ttl: TTL },
  { group: 'ray.io', kind: 'RayJob', suspend: SUSPEND },
  { group: 'sparkoperator.k8s.io', kind: 'SparkApplication', ttl: ['spec', 'timeToLiveSeconds'], suspend: SUSPEND },
];

/** The kind of an object, if it is one that runs to completion. */
export function jobKindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): JobKind | undefined {
  const [group, version] = apiVersion.split('/');
  return version === undefined ? undefined : JOB_KINDS.find((each) => each.group === group && each.kind === kind);
}
