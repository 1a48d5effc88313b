/** Kinds of the Spark operator. @see https://github.com/kubeflow/spark-operator/tree/v2.5.2/api */
import { queueLabels } from './cel';
import type { JobPods, PolicyPods } from './pod-sets';
import { standingByPhase } from './standing';
import type { WorkloadKind } from './workload-kind';
import { record, textIn } from '../json-parts';

export const SPARK_GROUP = 'sparkoperator.k8s.io';

const NOT_MIGRATED = 'runs on Spark, which has its own drivers and executors. Keep it.';

/** Where they say how large they are is not known here: their pods are looked at one by one. */
const PODS = (): JobPods => ({ queued: 'Always' });
const POLICY: PolicyPods = { target: 'spark-applications', cel: queueLabels('true') };

/** @see https://github.com/kubeflow/spark-operator/blob/v2.5.2/api/v1beta2/sparkapplication_types.go (ApplicationStateType) */
const STATES = {
  RUNNING: 'Running', SUCCEEDING: 'Running', COMPLETED: 'Succeeded', FAILING: 'Restarting', PENDING_RERUN: 'Restarting', INVALIDATING: 'Restarting',
  FAILED: 'Failed', SUBMISSION_FAILED: 'Restarting', SUSPENDING: 'Suspended', SUSPENDED: 'Suspended',
} as const;

export const SPARK_APPLICATION: WorkloadKind = {
  group: SPARK_GROUP, kind: 'SparkApplication', plural: 'sparkapplications', versions: ['v1beta2'], shortNames: ['sparkapp'],
  isJob: true, hasEndingPods: true, suspend: ['spec', 'suspend'], ttl: ['spec', 'timeToLiveSeconds'], podLabels: ['sparkoperator.k8s.io/app-name'],
  logStream: 'spark_application', roleLabel: 'spark-role', indexLabel: 'spark-exec-id',
  standing: ({ status, ...object }) => {
    const { applicationState, executorState } = record(status);
    const { state, errorMessage } = record(applicationState);
    const executors = Object.values(record(executorState));
    // It is tried again where the application says so.
    const isOver = state === 'SUBMISSION_FAILED' && !['OnFailure', 'Always'].includes(textIn(record(record(object.spec).restartPolicy).type) ?? '');
    return standingByPhase(object, state, isOver ? { SUBMISSION_FAILED: 'Failed' } : STATES, {
      message: textIn(errorMessage), ...(executors.length > 0 && { ready: `${executors.filter((one) => one === 'RUNNING' || one === 'COMPLETED').length}/${executors.length}` }),
    });
  },
  pods: PODS, policy: POLICY, isQueued: true, kueueFeatureGate: 'SparkApplicationIntegration', cost: 'Spark', notMigrated: NOT_MIGRATED,
};

export const SCHEDULED_SPARK_APPLICATION: WorkloadKind = {
  group: SPARK_GROUP, kind: 'ScheduledSparkApplication', plural: 'scheduledsparkapplications', versions: ['v1beta2'], hasEndingPods: true,
  scheduled: { of: SPARK_APPLICATION, spec: ['spec', 'template'] }, pods: PODS, policy: POLICY, notMigrated: NOT_MIGRATED,
};

/** A server whose executors come and go. */
export const SPARK_CONNECT: WorkloadKind = {
  group: SPARK_GROUP, kind: 'SparkConnect', plural: 'sparkconnects', versions: ['v1alpha1'], cost: 'Spark',
  podLabels: ['sparkoperator.k8s.io/connect-name'], logStream: 'spark_connect', roleLabel: 'spark-role', indexLabel: 'spark-exec-id',
  standing: (object) => standingByPhase(object, record(object.status).state, { Ready: 'Running', NotReady: 'Waiting', Failed: 'Failed' }),
};
