/** Pods that an object becomes: those that it has written out, and those that our operator makes of a training job. */
import { API_GROUP, TRAINING_JOB_KIND } from '../../model/labels';
import type { CheckedObject } from '../../model/hardening/object-checks';
import { resolveTrainingJob } from '../../model/training-job/resolve';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { validateTrainingJob } from '../../model/training-job/validation';
import { constructReplicaPod } from '../replica-pod';

interface Fields { readonly [field: string]: unknown }

/** A pod of an object, and where it stands there. */
export interface PodOf {
  readonly path: string;
  readonly metadata: Fields;
  readonly spec: Fields;
}

/** Kinds whose pods end when their work is done. */
const ENDING = ['MLTrainingJob', 'Job', 'CronJob', 'JobSet', 'TrainJob', 'RayJob', 'SparkApplication', 'PyTorchJob', 'TFJob', 'MPIJob', 'XGBoostJob', 'PaddleJob', 'JAXJob'];

/** Whether the pods of an object end by themselves. */
export function hasEndingPods({ kind }: CheckedObject): boolean {
  return ENDING.includes(kind ?? '');
}

/** Pods of an object. Of a training job one for each role; a job that breaks rules has none. */
export function podsOf(object: CheckedObject): PodOf[] {
  const { apiVersion = '', kind, metadata, spec } = object;
  if (kind === TRAINING_JOB_KIND && apiVersion.startsWith(`${API_GROUP}/`)) {
    return podsOfTrainingJob(metadata.name, metadata.namespace ?? '', spec as TrainingJobSpec);
  }
  if (kind === 'CustomResourceDefinition') {
    return [];
  }
  return podsIn(object, kind === 'Pod' ? 'spec' : '', kind === 'Pod' ? object : undefined);
}

function podsOfTrainingJob(name: string, namespace: string, written: TrainingJobSpec): PodOf[] {
  const { array: _array, autoTuning: _autoTuning, ...spec } = written;
  if (validateTrainingJob(name, spec).length > 0) {
    return [];
  }
  const job = resolveTrainingJob(name, spec);
  return job.roles.filter(({ replicas }) => replicas > 0).map((role) => {
    const pod = constructReplicaPod({ job, replica: job.replicas.find((replica) => replica.role === role.name)!, attempt: 0, namespace });
    return { path: `pods of role '${role.name}'`, metadata: pod.metadata as Fields, spec: pod.spec as Fields };
  });
}

/** Whatever has a list of containers with images is a pod, in any kind. */
function podsIn(value: unknown, path: string, pod?: CheckedObject): PodOf[] {
  if (pod !== undefined) {
    return [{ path, metadata: pod.metadata, spec: record(pod.spec) }];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => podsIn(item, `${path}[${index}]`));
  }
  const fields = record(value);
  const { spec, metadata } = fields;
  if (isPodSpec(spec)) {
    return [{ path: join(path, 'spec'), metadata: record(metadata), spec: record(spec) }];
  }
  if (isPodSpec(fields)) {
    return [{ path, metadata: {}, spec: fields }];
  }
  return Object.entries(fields).flatMap(([name, field]) => (typeof field === 'object' && field !== null ? podsIn(field, join(path, name)) : []));
}

function isPodSpec(value: unknown): boolean {
  const { containers } = record(value);
  return Array.isArray(containers) && containers.some((container) => record(container).image !== undefined);
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function record(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Fields : {};
}
