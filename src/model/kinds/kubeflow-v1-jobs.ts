/**
 * Jobs of training-operator v1, which differ in the field of their roles only, and MPI operator's, which has the same kind in another version.
 * @see https://github.com/kubeflow/training-operator/tree/v1.9.4/pkg/apis/kubeflow.org/v1
 * @see https://github.com/kubeflow/mpi-operator/blob/v0.8.0/pkg/apis/kubeflow/v2beta1/types.go
 */
import { SPEC, TEMPLATE_OF_SET, variablesOfSets } from './cel';
import { numberOf, orNull, podSpec, type CountedPods, type JobPods } from './pod-sets';
import { readyOf, standingByConditions, sumOf } from './standing';
import type { ArgoCdFacts, WorkloadKind } from './workload-kind';
import { range } from '../cost/ranges';
import { numberIn, record, type JsonRecord } from '../json-parts';
import { programText } from '../../programs/program-text';

/** Kinds, and the fields of their roles. */
const REPLICA_FIELDS = {
  PyTorchJob: 'pytorchReplicaSpecs', TFJob: 'tfReplicaSpecs', MPIJob: 'mpiReplicaSpecs', XGBoostJob: 'xgbReplicaSpecs', PaddleJob: 'paddleReplicaSpecs',
  JAXJob: 'jaxReplicaSpecs',
} as const;

/** Release 1.9 has no MXJob any more. */
const RETIRED_FIELDS = { MXJob: 'mxReplicaSpecs' } as const;

export type V1JobKind = keyof typeof REPLICA_FIELDS | keyof typeof RETIRED_FIELDS;

const FIELDS = Object.values(REPLICA_FIELDS);

export function replicaSpecsOf(kind: V1JobKind): string {
  return { ...REPLICA_FIELDS, ...RETIRED_FIELDS }[kind];
}

/** An elastic PyTorchJob has more and fewer workers than it says. */
function atATime(role: string, count: number, { elasticPolicy }: JsonRecord): Pick<CountedPods, 'atATime'> {
  const { minReplicas, maxReplicas } = record(elasticPolicy);
  return role === 'Worker' ? { atATime: range(numberOf(minReplicas, count), numberOf(maxReplicas, count)) } : {};
}

const podsAt = (fields: readonly string[]) => (spec: JsonRecord): JobPods => {
  const roles = fields.flatMap((field) => Object.entries(record(spec[field])));
  return {
    sets: roles.map(([role, replica]) => {
      const { replicas, template } = record(replica);
      const count = numberOf(replicas, 1);
      return { name: role.toLowerCase(), count, ...atATime(role, count, spec), pod: podSpec(template) };
    }),
    deadlineSeconds: orNull(record(spec.runPolicy).activeDeadlineSeconds),
    queued: 'Always',
  };
};

const CEL = variablesOfSets({
  list: FIELDS.map((field) => `${SPEC}.?${field}.orValue({}).map(k, ${SPEC}.${field}[k])`).join(' + '),
  count: 'int(r.?replicas.orValue(1))', pod: TEMPLATE_OF_SET, deadline: `${SPEC}.?runPolicy.?activeDeadlineSeconds`, mustQueue: 'true',
});

/** The statuses of all of them have the same conditions, and none has an observedGeneration. */
const ARGO_CD: ArgoCdFacts = {
  health: programText('argo-cd/health/v1-job.lua'),
  finished: "is('Succeeded', 'True') or is('Failed', 'True')",
  failed: "is('Failed', 'True')",
};

const v1Job = (kind: V1JobKind, more: Partial<WorkloadKind>): WorkloadKind => ({
  group: 'kubeflow.org', kind, plural: `${kind.toLowerCase()}s`, versions: ['v1'],
  isJob: true, hasEndingPods: true, suspend: ['spec', 'runPolicy', 'suspend'], ttl: ['spec', 'runPolicy', 'ttlSecondsAfterFinished'],
  controller: 'kubeflow.org/training-operator', podLabels: ['training.kubeflow.org/job-name'], logStream: 'kubeflow_job',
  roleLabel: 'training.kubeflow.org/replica-type', indexLabel: 'training.kubeflow.org/replica-index',
  isQueued: true, argoCd: ARGO_CD, migrated: kind, ...more,
});

export const KUBEFLOW_V1_JOBS: readonly WorkloadKind[] = [
  ...(Object.keys(REPLICA_FIELDS) as (keyof typeof REPLICA_FIELDS)[]).map((kind) => v1Job(kind, {
    pods: podsAt(FIELDS),
    policy: { target: 'kubeflow-jobs', everyVersion: true, cel: CEL },
    // The MPI operator mounts keys and its list of hosts.
    standing: (object) => {
      const counts = Object.values(record(record(object.status).replicaStatuses)).map(record);
      const wanted = sumOf(Object.values(record(record(object.spec)[replicaSpecsOf(kind)])).map((role) => numberOf(record(role).replicas, 1)));
      return standingByConditions(object, readyOf(sumOf(counts.flatMap(({ active, succeeded }) => [active, succeeded])), wanted));
    },
    scales: (spec) => Object.entries(record(spec[replicaSpecsOf(kind)])).map(([role, replica]) => (
      { role: role.toLowerCase(), field: [replicaSpecsOf(kind), role, 'replicas'], replicas: numberIn(record(replica).replicas) })),
    ...(kind === 'MPIJob' && { versions: ['v1', 'v2beta1'], fillsPods: true }),
  })),
  v1Job('MXJob', { pods: podsAt(Object.values(RETIRED_FIELDS)), isRetired: true }),
];
