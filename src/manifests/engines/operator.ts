/**
 * The engine that ships with Trainyard: an MLTrainingJob, which `TrainingOperator` runs. Its spec is the model's, so it supports everything but
 * MultiKueue.
 */
import { each, partly } from './capabilities';
import type { EngineDefinition } from './engine';
import { GROUP_VERSION, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL } from '../../model/labels';
import { isRecord } from '../../model/json-parts';
import { MULTI_KUEUE_CONTROLLER } from '../../model/kueue-names';
import { PodAddressBook } from '../../model/frameworks/address-book';
import { arrayJobName } from '../../model/names';
import { arrayCopySpec, isArray } from '../../model/training-job/array';
import { replicaEnvironment } from '../../model/training-job/environment/environment';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import { GROUP_PORT } from '../../model/training-job/replicas/role-specs';
import { FRAMEWORK_NAMES, type TrainingJobSpec } from '../../model/training-job/spec';
import { FIELD_PATHS } from '../../model/training-job/fields/field-paths';
import type { EnvVar } from '../kubernetes';

/**
 * Kueue's adapter for external frameworks needs a Workload in the manager's cluster, and copies it to the worker's.
 * @see https://kueue.sigs.k8s.io/docs/tasks/run/multikueue/external-frameworks/
 */
const NO_MULTI_KUEUE = partly(`not ${MULTI_KUEUE_CONTROLLER}`, (value) => (value === MULTI_KUEUE_CONTROLLER
  ? 'does not run jobs of MultiKueue: it makes no Workload for a job that another controller manages, and uses none that MultiKueue brings' : undefined));

/** @see EngineDefinition */
export const OPERATOR_ENGINE: EngineDefinition = {
  name: 'operator',
  title: 'the Trainyard operator',
  capabilities: { frameworks: each(true, ...FRAMEWORK_NAMES), fields: { ...each(true, ...FIELD_PATHS), managedBy: NO_MULTI_KUEUE } },
  hasSlices: true,
  kindOf: () => ({ apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, plural: TRAINING_JOB_PLURAL, hasScale: true }),
  rendersMore: false,
  render: ({ name, namespace, spec }) => ({
    job: { apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name, namespace }, spec: withDefaultsOfItems(spec) },
    companions: [],
  }),
  environments: ({ name, spec }) => {
    // For an array, this is the environment of the first copy.
    const job = isArray(spec) ? resolveTrainingJob(arrayJobName(name, 0), arrayCopySpec(spec, 0)) : resolveTrainingJob(name, spec);
    const addresses = new PodAddressBook(job.name);
    return job.replicas.map((replica) => ({
      role: replica.role,
      index: replica.index,
      pod: replica.podName,
      env: replicaEnvironment({ job, replica, addresses }, 0) as EnvVar[],
    }));
  },
};

/** The spec with the CRD's defaults in list items: kubectl compares such a list as a whole, and would always find a difference. */
function withDefaultsOfItems(spec: TrainingJobSpec): TrainingJobSpec {
  return {
    ...spec,
    ...(spec.roles && { roles: itemsWith({ replicas: 1 }, spec.roles) }),
    ...(spec.helpers && { helpers: itemsWith({ replicas: 1, port: GROUP_PORT, onFailure: 'Restart' as const }, spec.helpers) }),
  };
}

/** Items with their defaults. Values that are not lists of objects are unchanged; validation reports them. */
function itemsWith<T extends object>(defaults: Partial<T>, items: readonly T[]): readonly T[] {
  return Array.isArray(items) ? items.map((item) => isRecord(item) ? { ...defaults, ...item } : item) : items;
}
