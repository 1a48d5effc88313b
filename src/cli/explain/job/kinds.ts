/** Kinds of jobs that can be explained: how people write them, and how their pods are found. */
import type { AnyObject } from './snapshot';
import { JOB_LABEL } from '../../../model/labels';
import type { ResourceKind } from '../../../operator/runtime/resource-kind';
import { TRAINING_JOBS } from '../../../operator/training/resources';

/** See the top of this file. */
export interface ExplainableKind extends ResourceKind {
  /** Short names, beside kind and plural. */
  readonly aliases: readonly string[];
  /** Label selectors of its pods. */
  podSelectors(job: AnyObject): readonly string[];
}

/** Jobs of batch/v1. */
export const JOBS: ResourceKind = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true };

/** JobSets. */
export const JOB_SETS: ResourceKind = { group: 'jobset.x-k8s.io', version: 'v1alpha2', plural: 'jobsets', kind: 'JobSet', namespaced: true };

/** Label of JobSet on its jobs and pods. */
export const JOB_SET_LABEL = 'jobset.sigs.k8s.io/jobset-name';

const nameOf = ({ metadata }: AnyObject) => metadata?.name ?? '';
const byLabel = (label: string) => (job: AnyObject) => [`${label}=${nameOf(job)}`];
const kind = (group: string, version: string, name: string, label: string, aliases: readonly string[] = [], plural = `${name.toLowerCase()}s`): ExplainableKind => (
  { group, version, kind: name, plural, namespaced: true, aliases, podSelectors: byLabel(label) });

const KUBEFLOW_LABEL = 'training.kubeflow.org/job-name';

/** All of them; a bare name is looked for in this order. */
export const EXPLAINABLE_KINDS: readonly ExplainableKind[] = [
  { ...TRAINING_JOBS, aliases: ['mltj'], podSelectors: byLabel(JOB_LABEL) },
  kind('trainer.kubeflow.org', 'v1alpha1', 'TrainJob', JOB_SET_LABEL),
  ...['PyTorchJob', 'TFJob', 'MPIJob', 'XGBoostJob', 'PaddleJob', 'JAXJob'].map((name) => kind('kubeflow.org', 'v1', name, KUBEFLOW_LABEL)),
  kind('kubeflow.org', 'v2beta1', 'MPIJob', KUBEFLOW_LABEL),
  kind(JOB_SETS.group, JOB_SETS.version, JOB_SETS.kind, JOB_SET_LABEL),
  kind('batch.volcano.sh', 'v1alpha1', 'Job', 'volcano.sh/job-name', ['vcjob', 'vj']),
  {
    ...kind('ray.io', 'v1', 'RayJob', 'ray.io/cluster'),
    podSelectors: (job) => [...(job.status?.rayClusterName ? [`ray.io/cluster=${String(job.status.rayClusterName)}`] : []), `job-name=${nameOf(job)}`],
  },
  kind('ray.io', 'v1', 'RayCluster', 'ray.io/cluster'),
  kind('sparkoperator.k8s.io', 'v1beta2', 'SparkApplication', 'sparkoperator.k8s.io/app-name', ['sparkapp']),
  kind('leaderworkerset.x-k8s.io', 'v1', 'LeaderWorkerSet', 'leaderworkerset.sigs.k8s.io/name', ['lws']),
  kind(JOBS.group, JOBS.version, JOBS.kind, 'batch.kubernetes.io/job-name'),
];

/** Kinds that a word may mean: `mltj`, `PyTorchJob`, `jobs.batch`. */
export function kindsNamed(word: string): readonly ExplainableKind[] {
  const [name, ...group] = word.toLowerCase().split('.');
  const named = EXPLAINABLE_KINDS.filter((candidate) => (
    [candidate.kind.toLowerCase(), candidate.plural, ...candidate.aliases].includes(name) && (group.length === 0 || candidate.group === group.join('.'))));
  // A bare "job" is Kubernetes' own.
  return name === 'job' || name === 'jobs' ? named.filter((candidate) => group.length > 0 || candidate.group === 'batch') : named;
}

/** Words for guesses. */
export function kindWords(): readonly string[] {
  return EXPLAINABLE_KINDS.flatMap((candidate) => [candidate.kind.toLowerCase(), ...candidate.aliases]);
}
