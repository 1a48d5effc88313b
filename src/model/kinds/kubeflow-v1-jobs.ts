/**
 * Jobs of training-operator v1, which differ in the field of their roles only, and MPI operator's, which has the same kind in another version.
 * @see https://github.com/kubeflow/training-operator/tree/v1.9.4/pkg/apis/kubeflow.org/v1
 */
import { SPEC, TEMPLATE_OF_SET, variablesOfSets } from './cel';
import { numberOf, orNull, podSpec, type JobPods } from './pod-sets';
import type { WorkloadKind } from './workload-kind';
import { record, records, type JsonRecord } from '../json-parts';

/** Kinds, and the fields of their roles. */
const REPLICA_FIELDS = {
  PyTorchJob: 'pytorchReplicaSpecs', TFJob: 'tfReplicaSpecs', MPIJob: 'mpiReplicaSpecs', XGBoostJob: 'xgbReplicaSpecs', PaddleJob: 'paddleReplicaSpecs',
  JAXJob: 'jaxReplicaSpecs',
} as const;

const FIELDS = Object.values(REPLICA_FIELDS);

function v1Pods(spec: JsonRecord): JobPods {
  const roles = FIELDS.flatMap((field) => records(Object.values(record(spec[field]))));
  return {
    sets: roles.map(({ replicas, template }) => ({ count: numberOf(replicas, 1), pod: podSpec(template) })),
    deadlineSeconds: orNull(record(spec.runPolicy).activeDeadlineSeconds),
    queued: 'Always',
  };
}

const CEL = variablesOfSets({
  list: FIELDS.map((field) => `${SPEC}.?${field}.orValue({}).map(k, ${SPEC}.${field}[k])`).join(' + '),
  count: 'int(r.?replicas.orValue(1))', pod: TEMPLATE_OF_SET, deadline: `${SPEC}.?runPolicy.?activeDeadlineSeconds`, mustQueue: 'true',
});

const v1Job = (kind: string, versions: readonly string[]) => ({
  group: 'kubeflow.org', kind, plural: `${kind.toLowerCase()}s`, versions,
  isJob: true, hasEndingPods: true, suspend: ['spec', 'runPolicy', 'suspend'], ttl: ['spec', 'runPolicy', 'ttlSecondsAfterFinished'],
  controller: 'kubeflow.org/training-operator', podLabels: ['training.kubeflow.org/job-name'],
}) satisfies WorkloadKind;

export const KUBEFLOW_V1_JOBS: readonly WorkloadKind[] = [
  ...Object.keys(REPLICA_FIELDS).map((kind) => ({
    ...v1Job(kind, kind === 'MPIJob' ? ['v1', 'v2beta1'] : ['v1']),
    policy: { target: 'kubeflow-jobs', everyVersion: true, pods: v1Pods, cel: CEL },
  })),
  // Release 1.9 has no MXJob any more.
  { ...v1Job('MXJob', ['v1']), isRetired: true },
];
