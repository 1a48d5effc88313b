/** All kinds of workloads that are known, and how they are looked up. A new kind is a file, and a line here. */
import { EXPERIMENT } from './katib';
import { DEPLOYMENT } from './deployment';
import { CRON_JOB, JOB, SCALED_JOB } from './job';
import { JOB_SET } from './job-set';
import { KUBEFLOW_V1_JOBS } from './kubeflow-v1-jobs';
import { LEADER_WORKER_SET } from './leader-worker-set';
import { ML_TRAINING_JOB } from './ml-training-job';
import { NOTEBOOK } from './notebook';
import { RAY_CLUSTER, RAY_CRON_JOB, RAY_JOB, RAY_SERVICE } from './ray';
import { INFERENCE_SERVICE, LLM_INFERENCE_SERVICE } from './serving';
import { SCHEDULED_SPARK_APPLICATION, SPARK_APPLICATION, SPARK_CONNECT } from './spark';
import { CLUSTER_TRAINING_RUNTIME, TRAINING_RUNTIME, TRAIN_JOB } from './train-job';
import { VOLCANO_CRON_JOB, VOLCANO_JOB } from './volcano-job';
import { standingByConditions, type Standing } from './standing';
import type { WorkloadKind } from './workload-kind';
import type { JsonRecord } from '../json-parts';
import { groupOf } from '../objects/builtin-kinds';

/** What makes objects of another kind comes before that kind. */
export const WORKLOAD_KINDS: readonly WorkloadKind[] = [
  ML_TRAINING_JOB,
  EXPERIMENT,
  TRAIN_JOB, TRAINING_RUNTIME, CLUSTER_TRAINING_RUNTIME,
  ...KUBEFLOW_V1_JOBS,
  JOB_SET,
  VOLCANO_CRON_JOB, VOLCANO_JOB,
  RAY_CRON_JOB, RAY_JOB, RAY_SERVICE, RAY_CLUSTER,
  SCHEDULED_SPARK_APPLICATION, SPARK_APPLICATION, SPARK_CONNECT,
  LEADER_WORKER_SET,
  SCALED_JOB, CRON_JOB, JOB,
  INFERENCE_SERVICE, LLM_INFERENCE_SERVICE,
  NOTEBOOK,
];

/** Kinds of which the platform itself is made: `explain` knows them too, and nothing else treats them as work of users. */
export const PLATFORM_KINDS: readonly WorkloadKind[] = [DEPLOYMENT];

const BY_KEY: ReadonlyMap<string, WorkloadKind> = new Map(WORKLOAD_KINDS.map((kind) => [`${kind.group} ${kind.kind}`, kind]));

/** The kind of an object, whichever version it has; undefined for what is not a workload. */
export function workloadKindOf({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string }): WorkloadKind | undefined {
  return BY_KEY.get(`${groupOf(apiVersion ?? '')} ${kind}`);
}

/** The same, and kinds of the platform. */
export function explainedKindOf(object: { readonly apiVersion?: string; readonly kind?: string }): WorkloadKind | undefined {
  return workloadKindOf(object) ?? PLATFORM_KINDS.find(({ group, kind }) => group === groupOf(object.apiVersion ?? '') && kind === object.kind);
}

/** How an object stands, whatever its kind. */
export function standingOf(object: JsonRecord & { readonly apiVersion?: string; readonly kind?: string }): Standing {
  return (explainedKindOf(object)?.standing ?? standingByConditions)(object);
}

/** The same for what runs once, and cannot be changed once it has run. */
export function jobKindOf(object: { readonly apiVersion?: string; readonly kind?: string }): WorkloadKind | undefined {
  const kind = workloadKindOf(object);
  return kind?.isJob === true ? kind : undefined;
}

/** API groups whose objects are workloads. */
export function workloadGroups(): readonly string[] {
  return [...new Set(WORKLOAD_KINDS.map(({ group }) => group))];
}
