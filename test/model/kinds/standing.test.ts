/** How objects of each kind stand, by statuses as their controllers write them. */
import { WORKLOAD_KINDS, standingOf } from '../../../src/model/kinds/registry';

const object = (apiVersion: string, kind: string, status: object, more: object = {}) => ({ apiVersion, kind, metadata: { name: 'x' }, spec: {}, status, ...more });
const condition = (type: string, status = 'True', more: object = {}) => ({ type, status, ...more });

const queued = { metadata: { name: 'x', labels: { 'kueue.x-k8s.io/queue-name': 'research' } } };

test.each([
  ['MLTrainingJob that runs', object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', { phase: 'Running', ready: '3/4' }), { state: 'Running', phase: 'Running', ready: '3/4' }],
  ['MLTrainingJob that nobody has seen', object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', {}), { state: 'Waiting' }],
  ['MLTrainingJob that somebody suspended before anybody saw it', object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', {}, { spec: { suspend: true } }), { state: 'Suspended' }],
  ['MLTrainingJob in a queue', object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', { phase: 'Suspended' }, { spec: { scheduling: { queueName: 'q' } } }), { state: 'Waiting', phase: 'Suspended' }],
  ['MLTrainingJob that failed', object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', { phase: 'Failed', conditions: [condition('Failed', 'True', { reason: 'BackoffLimitExceeded', message: 'gave up' })] }),
    { state: 'Failed', phase: 'Failed', reason: 'BackoffLimitExceeded', message: 'gave up' }],
  ['Job with active pods', object('batch/v1', 'Job', { active: 2, ready: 1 }, { spec: { parallelism: 2, completions: 2 } }), { state: 'Running', ready: '1/2' }],
  ['Job that is complete', object('batch/v1', 'Job', { succeeded: 1, conditions: [condition('SuccessCriteriaMet'), condition('Complete')] }), { state: 'Succeeded', ready: '1/1' }],
  ['Job that waits in a queue', object('batch/v1', 'Job', { conditions: [condition('Suspended')] }, queued), { state: 'Waiting' }],
  ['Job that is suspended', object('batch/v1', 'Job', { conditions: [condition('Suspended', 'True', { reason: 'JobSuspended' })] }), { state: 'Suspended', reason: 'JobSuspended' }],
  ['JobSet', object('jobset.x-k8s.io/v1alpha2', 'JobSet', { replicatedJobsStatus: [{ name: 'worker', active: 2, ready: 2 }] }, { spec: { replicatedJobs: [{ name: 'worker', replicas: 2 }] } }), { state: 'Running', ready: '2/2' }],
  ['JobSet that failed', object('jobset.x-k8s.io/v1alpha2', 'JobSet', { conditions: [condition('Failed', 'True', { reason: 'FailedJobs' })] }), { state: 'Failed', reason: 'FailedJobs' }],
  ['TrainJob', object('trainer.kubeflow.org/v1alpha1', 'TrainJob', { jobsStatus: [{ name: 'node', active: 1 }] }), { state: 'Running' }],
  ['PyTorchJob', object('kubeflow.org/v1', 'PyTorchJob', { conditions: [condition('Created'), condition('Running')], replicaStatuses: { Master: { active: 1 }, Worker: { active: 2 } } },
    { spec: { pytorchReplicaSpecs: { Master: { replicas: 1 }, Worker: { replicas: 3 } } } }), { state: 'Running', ready: '3/4' }],
  ['PyTorchJob between two attempts', object('kubeflow.org/v1', 'PyTorchJob', { conditions: [condition('Running', 'False'), condition('Restarting')] }), { state: 'Restarting' }],
  ['RayJob that runs', object('ray.io/v1', 'RayJob', { jobDeploymentStatus: 'Running', jobStatus: 'RUNNING', rayClusterStatus: { readyWorkerReplicas: 1, desiredWorkerReplicas: 2 } }), { state: 'Running', phase: 'Running', ready: '1/2' }],
  ['RayJob that somebody stopped', object('ray.io/v1', 'RayJob', { jobDeploymentStatus: 'Complete', jobStatus: 'STOPPED' }), { state: 'Failed', phase: 'Complete' }],
  ['RayJob that is done', object('ray.io/v1', 'RayJob', { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED' }), { state: 'Succeeded' }],
  ['RayCluster', object('ray.io/v1', 'RayCluster', { state: 'ready', readyWorkerReplicas: 2, desiredWorkerReplicas: 2 }), { state: 'Running', ready: '2/2' }],
  ['SparkApplication that could not be submitted', object('sparkoperator.k8s.io/v1beta2', 'SparkApplication', { applicationState: { state: 'SUBMISSION_FAILED', errorMessage: 'no driver' } }), { state: 'Failed', message: 'no driver' }],
  ['SparkApplication that is submitted again', object('sparkoperator.k8s.io/v1beta2', 'SparkApplication', { applicationState: { state: 'SUBMISSION_FAILED' } }, { spec: { restartPolicy: { type: 'OnFailure' } } }), { state: 'Restarting' }],
  ['SparkApplication', object('sparkoperator.k8s.io/v1beta2', 'SparkApplication', { applicationState: { state: 'RUNNING' }, executorState: { a: 'RUNNING', b: 'PENDING' } }), { state: 'Running', phase: 'RUNNING', ready: '1/2' }],
  ['Volcano Job', object('batch.volcano.sh/v1alpha1', 'Job', { state: { phase: 'Running' }, running: 2 }, { spec: { tasks: [{ replicas: 3 }] } }), { state: 'Running', ready: '2/3' }],
  ['InferenceService that is ready', object('serving.kserve.io/v1beta1', 'InferenceService', { conditions: [condition('PredictorReady'), condition('Ready')] }), { state: 'Running' }],
  ['InferenceService that is not', object('serving.kserve.io/v1beta1', 'InferenceService', { conditions: [condition('Ready', 'False', { reason: 'RevisionMissing' })] }), { state: 'Waiting', reason: 'RevisionMissing' }],
  ['InferenceService that was stopped', object('serving.kserve.io/v1beta1', 'InferenceService', {}, { metadata: { name: 'x', annotations: { 'serving.kserve.io/stop': 'true' } } }), { state: 'Suspended' }],
  ['Notebook', object('kubeflow.org/v1', 'Notebook', { readyReplicas: 1 }), { state: 'Running', ready: '1/1' }],
  ['Experiment', object('kubeflow.org/v1beta1', 'Experiment', { trialsSucceeded: 3, conditions: [condition('Created'), condition('Running')] }, { spec: { maxTrialCount: 12 } }), { state: 'Running', ready: '3/12' }],
  ['an object that is being deleted', object('batch/v1', 'Job', { active: 1 }, { metadata: { name: 'x', deletionTimestamp: 'now' } }), { state: 'Deleting' }],
])('%s', (_what, given, expected) => {
  expect(standingOf(given)).toMatchObject(expected);
});

test.each(WORKLOAD_KINDS.map(({ group, kind, versions }) => [kind, `${group}/${versions[0]}`]))('a %s without a status, or with one of another form, waits', (kind, apiVersion) => {
  for (const status of [undefined, {}, null, 'x', { conditions: 'x', state: 7, phase: {} }]) {
    expect(standingOf({ apiVersion, kind, metadata: { name: 'x' }, spec: null, status } as never)).toMatchObject({ state: 'Waiting' });
  }
});
