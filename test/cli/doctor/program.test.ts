/** What a program asks of a cluster, by the kind of its jobs. */
import { NAMESPACE, jobSet, object, trainingJob } from './snapshots';
import { readProgram, type Workload } from '../../../src/cli/doctor/program';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';

const workloadOf = (manifest: ManifestObject, runtimes: readonly ManifestObject[] = []): Workload => readProgram('f', [manifest], NAMESPACE, runtimes).workloads[0];
const podsOf = (manifest: ManifestObject, runtimes: readonly ManifestObject[] = []) => (
  workloadOf(manifest, runtimes).podSets.map(({ name, count, requests }) => [name, count, requests['nvidia.com/gpu'] ?? 0]));

const trainJob = object('trainer.kubeflow.org/v1alpha1', 'TrainJob', 'x', {
  spec: { runtimeRef: { name: 'torch' }, trainer: { numNodes: 4, resourcesPerNode: { limits: { 'nvidia.com/gpu': '8' } } } },
});
const step = { 'trainer.kubeflow.org/trainjob-ancestor-step': 'trainer' };
const runtime = object('trainer.kubeflow.org/v1alpha1', 'ClusterTrainingRuntime', 'torch', {
  spec: { template: { spec: { replicatedJobs: [{ name: 'node', template: { metadata: { labels: step }, spec: { template: { spec: { nodeSelector: { pool: 'a' }, containers: [{ name: 'node', image: 'torch' }] } } } } }] } } },
});
const spark = object('sparkoperator.k8s.io/v1beta2', 'SparkApplication', 'x', { spec: { driver: { cores: 1 }, executor: { instances: 3, cores: 2, gpu: { name: 'nvidia.com/gpu', quantity: 1 } } } });
const search = object('kubeflow.org/v1beta1', 'Experiment', 'x', { spec: { parallelTrialCount: 2, maxTrialCount: 10, trialTemplate: { trialSpec: jobSet() } } });

test.each<readonly [string, ManifestObject, readonly (readonly unknown[])[]]>([
  ['our own', trainingJob(), [['worker', 2, 1]]],
  ['our own, many times', trainingJob({ array: { count: 10, parallelism: 3 } }), [['worker', 6, 1]]],
  ['JobSet', jobSet(), [['worker', 2, 1]]],
  ['TrainJob', trainJob, [['node', 4, 8]]],
  ['Spark', spark, [['driver', 1, 0], ['executor', 3, 1]]],
  ['trials of Katib', search, [['worker', 4, 1]]],
  ['what runs on a schedule', object('batch/v1', 'CronJob', 'x', { spec: { schedule: '@daily', jobTemplate: { spec: { parallelism: 2, completions: 4, template: { spec: { containers: [{ name: 'a', image: 'b' }] } } } } } }), [['pod', 2, 0]]],
])('pods of %s', (_what, manifest, pods) => expect(podsOf(manifest)).toEqual(pods));

test('a runtime of the cluster has a part of the pods', () => {
  expect(podsOf(trainJob, [runtime])).toEqual([['node', 4, 8]]);
  expect(workloadOf(trainJob, [runtime]).podSets[0].spec.nodeSelector).toEqual({ pool: 'a' });
});

test('queues, namespaces and mistakes', () => {
  expect(workloadOf(trainingJob({ scheduling: { queueName: 'research' } }))).toMatchObject({ queue: 'research', title: 'MLTrainingJob ml/train', mistakes: [] });
  expect(workloadOf(jobSet({}, { namespace: undefined, labels: { 'kueue.x-k8s.io/queue-name': 'a' } }))).toMatchObject({ queue: 'a', namespace: NAMESPACE });
  expect(workloadOf(trainingJob({ replicas: -1 }))).toMatchObject({ podSets: [], mistakes: [expect.stringContaining('spec.replicas')] });
  expect(readProgram('f', [runtime, object('v1', 'ConfigMap', 'x')], NAMESPACE).workloads).toEqual([]);
});
