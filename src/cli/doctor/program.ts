/** The workloads of a program, their pods, and what those request. */
import { CliError } from '../cli-error';
import { surroundingsOf } from '../cost/surroundings';
import { workloadsOf } from '../cost/workloads';
import { podRequests, type Amounts } from '../../manifests/gang/gang-renderer';
import { podsOf } from '../../manifests/hardening/pods-of';
import type { PodSpec } from '../../manifests/kubernetes';
import { constructReplicaPod } from '../../manifests/pod/replica-pod';
import type { CheckedObject } from '../../model/hardening/checks';
import { record, records, textIn, textsIn, type JsonRecord } from '../../model/json-parts';
import { workloadKindOf } from '../../model/kinds/registry';
import type { WorkloadKind } from '../../model/kinds/workload-kind';
import { QUEUE_NAME_LABEL } from '../../model/kueue-names';
import { TRAINING_JOB_KIND } from '../../model/labels';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { validateTrainingJob } from '../../model/training-job/validation/validation';
import { formatViolation } from '../../model/violations';

/** Equal pods. */
export interface PodSet {
  readonly name: string;
  readonly count: number;
  readonly labels: { readonly [label: string]: string };
  readonly spec: PodSpec;
  /** Of one pod. */
  readonly requests: Amounts;
}

/** Something that runs pods. */
export interface Workload {
  readonly object: ManifestObject;
  readonly kind: WorkloadKind;
  /** `MLTrainingJob ml/train`. */
  readonly title: string;
  readonly namespace: string;
  readonly podSets: readonly PodSet[];
  /** Its LocalQueue. */
  readonly queue?: string;
  /** Mistakes that do not depend on the cluster. */
  readonly mistakes: readonly string[];
}

export interface Program {
  /** The file, as the user wrote it. */
  readonly file: string;
  readonly objects: readonly ManifestObject[];
  readonly workloads: readonly Workload[];
}

/**
 * Reads the workloads of a program.
 * @param namespace of objects that name none
 * @param runtimes runtimes in the cluster that jobs of the program use
 */
export function readProgram(file: string, objects: readonly ManifestObject[], namespace: string, runtimes: readonly ManifestObject[] = []): Program {
  return {
    file, objects,
    workloads: objects.flatMap((object) => {
      const kind = workloadKindOf(object);
      return kind === undefined || kind.isTemplate === true ? [] : [readWorkload(object, kind, namespace, [...objects, ...runtimes])];
    }),
  };
}

/** `MLTrainingJob ml/train`. */
export function titleOf({ kind, metadata }: ManifestObject, namespace: string): string {
  return `${kind} ${metadata?.namespace ?? namespace}/${metadata?.name ?? String(metadata?.generateName ?? '')}`;
}

function readWorkload(object: ManifestObject, kind: WorkloadKind, standard: string, context: readonly ManifestObject[]): Workload {
  const namespace = object.metadata?.namespace ?? standard;
  const mistakes = kind.kind === TRAINING_JOB_KIND
    ? validateTrainingJob(object.metadata?.name ?? '', record(object.spec) as unknown as TrainingJobSpec).map(formatViolation) : [];
  const queue = textIn(record(record(object.spec).scheduling).queueName) ?? textsIn(object.metadata?.labels)[QUEUE_NAME_LABEL] as string | undefined;
  return {
    object, kind, namespace, mistakes, title: titleOf(object, standard),
    podSets: mistakes.length > 0 ? [] : podSetsOf(object, kind, namespace, context),
    ...(queue !== undefined && { queue }),
  };
}

function podSetsOf(object: ManifestObject, kind: WorkloadKind, namespace: string, context: readonly ManifestObject[]): PodSet[] {
  if (kind.kind === TRAINING_JOB_KIND) {
    return trainingPodSets(object.metadata?.name ?? '', record(object.spec) as unknown as TrainingJobSpec, namespace);
  }
  const counted = countedPodSets(object, context);
  // The number of pods is unknown, so each counts once.
  return counted.length > 0 ? counted : podsOf({ ...object, metadata: record(object.metadata) } as unknown as CheckedObject)
    .map(({ path, metadata, spec }) => podSet(path, 1, spec, textsIn(metadata.labels)));
}

/** Counted as for `trainyard cost`, which knows the pods of each kind and runtime. */
function countedPodSets(object: ManifestObject, context: readonly ManifestObject[]): PodSet[] {
  const sets: PodSet[] = [];
  try {
    const workloads = workloadsOf([object], {
      ...surroundingsOf(context), onPods: (name, pods, spec) => (pods.max > 0 ? sets.push(podSet(name, pods.max, spec, {})) : undefined),
    });
    const copies = workloads[0]?.copies?.parallel ?? 1;
    return sets.map((set) => ({ ...set, count: set.count * copies }));
  } catch (error) {
    if (error instanceof CliError) {
      // The job in a search is complete only after its controller has filled in parameters.
      return [];
    }
    throw error;
  }
}

function trainingPodSets(name: string, written: TrainingJobSpec, namespace: string): PodSet[] {
  // Copies of an array and trials of a search are jobs of their own.
  const { array, autoTuning, ...spec } = written;
  const job = resolveTrainingJob(name, spec);
  const copies = array === undefined ? autoTuning?.parallelTrials ?? 1 : Math.min(array.count, array.parallelism ?? array.count);
  return job.roles.filter(({ replicas }) => replicas > 0).map((role) => {
    const pod = constructReplicaPod({ job, replica: job.replicas.find((replica) => replica.role === role.name)!, attempt: 0, namespace });
    return podSet(role.name, role.replicas * copies, pod.spec as JsonRecord, textsIn(pod.metadata?.labels));
  });
}

function podSet(name: string, count: number, written: JsonRecord, labels: PodSet['labels']): PodSet {
  const spec = { ...written, containers: records(written.containers), initContainers: records(written.initContainers) } as unknown as PodSpec;
  return { name, count, labels, spec, requests: podRequests(spec) };
}
