/** Kinds of the Spark operator. @see https://github.com/kubeflow/spark-operator/tree/v2.5.2/api */
import { queueLabels } from './cel';
import type { JobPods, PolicyPods } from './pod-sets';
import type { WorkloadKind } from './workload-kind';

/** Their API group. */
export const SPARK_GROUP = 'sparkoperator.k8s.io';

const NOT_MIGRATED = 'runs on Spark, which has its own drivers and executors. Keep it.';

/** Where they say how large they are is not known here: their pods are looked at one by one. */
const PODS = (): JobPods => ({ queued: 'Always' });
const POLICY: PolicyPods = { target: 'spark-applications', cel: queueLabels('true') };

export const SPARK_APPLICATION: WorkloadKind = {
  group: SPARK_GROUP, kind: 'SparkApplication', plural: 'sparkapplications', versions: ['v1beta2'], shortNames: ['sparkapp'],
  isJob: true, hasEndingPods: true, suspend: ['spec', 'suspend'], ttl: ['spec', 'timeToLiveSeconds'], podLabels: ['sparkoperator.k8s.io/app-name'],
  pods: PODS, policy: POLICY, isQueued: true, cost: 'Spark', notMigrated: NOT_MIGRATED,
};

export const SCHEDULED_SPARK_APPLICATION: WorkloadKind = {
  group: SPARK_GROUP, kind: 'ScheduledSparkApplication', plural: 'scheduledsparkapplications', versions: ['v1beta2'], hasEndingPods: true,
  scheduled: { of: SPARK_APPLICATION, spec: ['spec', 'template'] }, pods: PODS, policy: POLICY, notMigrated: NOT_MIGRATED,
};

/** A server whose executors come and go. */
export const SPARK_CONNECT: WorkloadKind = { group: SPARK_GROUP, kind: 'SparkConnect', plural: 'sparkconnects', versions: ['v1alpha1'], cost: 'Spark' };
