/** Pods of an object: those that it contains, and those that the operator creates for a training job. */
import { workloadKindOf } from '../../model/kinds/registry';
import { SPARK_GROUP } from '../../model/kinds/spark';
import type { FieldNames } from '../../model/kinds/workload-kind';
import { API_GROUP, TRAINING_JOB_KIND } from '../../model/labels';
import { record, records, type JsonRecord } from '../../model/json-parts';
import type { CheckedObject } from '../../model/hardening/checks';
import { SPARK_CONTAINERS } from '../../model/spark/settings';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { validateTrainingJob } from '../../model/training-job/validation/validation';
import { constructReplicaPod } from '../pod/replica-pod';

/** A pod of an object, and its path. */
export interface PodOf {
  readonly path: string;
  readonly metadata: JsonRecord;
  readonly spec: JsonRecord;
}

/** Whether the pods of an object run to completion. */
export function hasEndingPods(object: CheckedObject): boolean {
  return workloadKindOf(object)?.hasEndingPods ?? false;
}

/** Pods of an object. For a training job, one for each role; none if it is invalid. */
export function podsOf(object: CheckedObject): PodOf[] {
  const { apiVersion = '', kind, metadata, spec } = object;
  if (kind === TRAINING_JOB_KIND && apiVersion.startsWith(`${API_GROUP}/`)) {
    return podsOfTrainingJob(metadata.name, metadata.namespace ?? '', spec as TrainingJobSpec);
  }
  if (kind === 'CustomResourceDefinition') {
    return [];
  }
  const known = workloadKindOf(object);
  if (known?.group === SPARK_GROUP) {
    return podsOfSpark(object, known.scheduled?.spec ?? ['spec']);
  }
  // A runtime: the TrainJob adds image and resources to the training container.
  if (known?.isTemplate === true) {
    return records(record(record(record(spec).template).spec).replicatedJobs).map(({ template }, index) => podOfRuntime(template, index));
  }
  return kind === 'Pod' ? [{ path: 'spec', metadata, spec: record(spec) }] : podsIn(object, '');
}

function podsOfTrainingJob(name: string, namespace: string, written: TrainingJobSpec): PodOf[] {
  const { array: _array, autoTuning: _autoTuning, ...spec } = written;
  if (validateTrainingJob(name, spec).length > 0) {
    return [];
  }
  const job = resolveTrainingJob(name, spec);
  return job.roles.filter(({ replicas }) => replicas > 0).map((role) => {
    const pod = constructReplicaPod({ job, replica: job.replicas.find((replica) => replica.role === role.name)!, attempt: 0, namespace });
    return { path: `pods of role '${role.name}'`, metadata: pod.metadata as JsonRecord, spec: pod.spec as JsonRecord };
  });
}

function podOfRuntime(jobTemplate: unknown, index: number): PodOf {
  const { metadata, spec } = record(record(record(jobTemplate).spec).template);
  const pod = record(spec);
  const containers = records(pod.containers)
    .map((container) => (container.image === undefined && container.resources === undefined ? withResources(container) : container));
  return { path: `spec.template.spec.replicatedJobs[${index}].template.spec.template.spec`, metadata: record(metadata), spec: { ...pod, containers } };
}

/** Pod templates of driver, server and executors, to which Spark adds image, cores and memory. */
function podsOfSpark(object: CheckedObject, specAt: FieldNames): PodOf[] {
  const place = specAt.join('.');
  const application = specAt.reduce<JsonRecord>((part, name) => record(part[name]), object);
  return ['driver', 'server', 'executor'].filter((part) => application[part] !== undefined).map((part) => {
    const { template, serviceAccount } = record(application[part]);
    const { metadata, spec: pod } = record(template);
    const { containers, ...rest } = record(pod);
    return {
      path: `${place}.${part}.template.spec`,
      metadata: record(metadata),
      spec: {
        ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }), ...rest,
        containers: records(containers).map(withSparkResources),
      },
    };
  });
}

function withSparkResources(container: JsonRecord): JsonRecord {
  return Object.values<unknown>(SPARK_CONTAINERS).includes(container.name) ? withResources(container) : container;
}

/** A container that gets its cores and memory later. */
function withResources(container: JsonRecord): JsonRecord {
  return { ...container, resources: { requests: { cpu: 'cores', memory: 'memory' } } };
}

/** Any object with a list of containers with images is a pod, in any kind. */
function podsIn(value: unknown, path: string): PodOf[] {
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
  return records(record(value).containers).some(({ image }) => image !== undefined);
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
