/**
 * Objects of every kind in the states that they pass through, with the health that Argo CD is to show. Those of MLTrainingJob are written by our
 * operator's own planner; the others have the fields, reasons and messages of the systems at the versions that the catalogue names.
 */
import { trainingJobStates } from './training-job-states';

/** Healths of Argo CD. */
export type Health = 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';

/** An object in a state. */
export interface State {
  readonly name: string;
  readonly object: { readonly [field: string]: unknown };
  readonly health: Health;
  /** What the message has to say. */
  readonly says: RegExp;
}

interface Parts {
  readonly generation?: number;
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
  readonly spec?: object;
  readonly status?: object;
}

const AT = '2026-03-01T12:00:00Z';
const QUEUED = { 'kueue.x-k8s.io/queue-name': 'team-a' };

/** A condition, as most systems write it. */
function is(type: string, status: 'True' | 'False' | 'Unknown', reason: string, message = '', more: object = {}): object {
  return { type, status, reason, message, lastTransitionTime: AT, ...more };
}

function stateOf(apiVersion: string, kind: string) {
  return (name: string, { generation = 1, labels, annotations, spec = {}, status }: Parts, health: Health, says: RegExp): State => ({
    name, health, says,
    object: { apiVersion, kind, metadata: { name: 'train', namespace: 'team-a', generation, labels, annotations }, spec, ...(status !== undefined && { status }) },
  });
}

const trainJob = stateOf('trainer.kubeflow.org/v1alpha1', 'TrainJob');
const jobSet = stateOf('jobset.x-k8s.io/v1alpha2', 'JobSet');
const cluster = stateOf('ray.io/v1', 'RayCluster');
const rayJob = stateOf('ray.io/v1', 'RayJob');
const service = stateOf('ray.io/v1', 'RayService');
const cron = stateOf('ray.io/v1', 'RayCronJob');
const model = stateOf('serving.kserve.io/v1alpha2', 'LLMInferenceService');
const application = stateOf('argoproj.io/v1alpha1', 'Application');
const workload = stateOf('kueue.x-k8s.io/v1beta2', 'Workload');

/** Conditions of a job of training-operator v1. */
function v1States(kind: string, apiVersion = 'kubeflow.org/v1'): State[] {
  const job = stateOf(apiVersion, kind);
  const created = is('Created', 'True', `${kind}Created`, `${kind} train is created.`);
  const replicaStatuses = { Worker: { active: 2, selector: 'training.kubeflow.org/job-name=train' } };
  return [
    job('new', {}, 'Progressing', /has not seen/),
    job('created', { status: { conditions: [created], replicaStatuses: {} } }, 'Progressing', /Starting: \w+Created/),
    job('running', { status: { conditions: [created, is('Running', 'True', `${kind}Running`, `${kind} train is running.`)], replicaStatuses } }, 'Progressing', /Running: \w+Running: /),
    job('restarting', {
      status: { conditions: [created, is('Restarting', 'True', `${kind}Restarting`, `${kind} train is restarting because 1 Worker replica(s) failed.`)] },
    }, 'Progressing', /Restarting.*1 Worker replica\(s\) failed/),
    job('succeeded', {
      status: { conditions: [created, is('Running', 'False', `${kind}Running`), is('Succeeded', 'True', `${kind}Succeeded`, `${kind} train successfully completed.`)], completionTime: AT },
    }, 'Healthy', /successfully completed/),
    job('failed', {
      status: { conditions: [created, is('Running', 'False', `${kind}Running`), is('Failed', 'True', `${kind}Failed`, `${kind} train has failed because it has reached the specified backoff limit`)] },
    }, 'Degraded', /backoff limit/),
    job('suspended', {
      spec: { runPolicy: { suspend: true } }, status: { conditions: [created, is('Suspended', 'True', `${kind}Suspended`, `${kind} train is suspended.`)] },
    }, 'Suspended', /Suspended: \w+Suspended/),
    job('about to be suspended', {
      spec: { runPolicy: { suspend: true } }, status: { conditions: [created, is('Running', 'True', `${kind}Running`)] },
    }, 'Progressing', /being suspended/),
    job('about to be resumed', {
      spec: { runPolicy: { suspend: false } }, status: { conditions: [created, is('Suspended', 'True', `${kind}Suspended`)] },
    }, 'Progressing', /being resumed/),
    job('in a queue', {
      labels: QUEUED, spec: { runPolicy: { suspend: true } }, status: { conditions: [created, is('Suspended', 'True', `${kind}Suspended`)] },
    }, 'Suspended', /Waits in queue team-a/),
  ];
}

/** A queue of Kueue. */
function queueStates(kind: string): State[] {
  const queue = stateOf('kueue.x-k8s.io/v1beta2', kind);
  const active = (status: 'True' | 'False', reason: string, message: string, observedGeneration = 1) => ({ conditions: [is('Active', status, reason, message, { observedGeneration })] });
  return [
    queue('new', {}, 'Progressing', /has not seen/),
    queue('active', { status: { ...active('True', 'Ready', 'Can admit new workloads'), pendingWorkloads: 3, admittedWorkloads: 2 } }, 'Healthy', /2 workloads admitted, 3 pending/),
    queue('without a flavor', {
      status: active('False', 'FlavorNotFound', 'Can\'t admit new workloads: references missing ResourceFlavor(s): h100.'),
    }, 'Degraded', /FlavorNotFound.*h100/),
    queue('stopped', { spec: { stopPolicy: 'Hold' }, status: active('False', 'Stopped', 'Can\'t admit new workloads: is stopped.') }, 'Suspended', /Stopped/),
    queue('changed', { generation: 2, status: active('True', 'Ready', 'Can admit new workloads') }, 'Progressing', /last change/),
    queue('going', { status: active('False', 'Terminating', 'Can\'t admit new workloads; clusterQueue is terminating') }, 'Progressing', /Terminating/),
    ...(kind === 'LocalQueue' ? [
      queue('of a queue that is stopped', { status: active('False', 'ClusterQueueIsInactive', 'Can\'t submit new workloads to clusterQueue') }, 'Suspended', /ClusterQueueIsInactive/),
      queue('of no queue', { status: active('False', 'ClusterQueueDoesNotExist', 'Can\'t submit new workloads to clusterQueue') }, 'Degraded', /ClusterQueueDoesNotExist/),
    ] : []),
  ];
}

/** What Kueue only says of whether it is active. */
function activeStates(kind: string): State[] {
  const check = stateOf('kueue.x-k8s.io/v1beta2', kind);
  const active = (status: 'True' | 'False' | 'Unknown', reason: string, message: string, observedGeneration = 1) => ({ conditions: [is('Active', status, reason, message, { observedGeneration })] });
  return [
    check('new', {}, 'Progressing', /has not seen/),
    check('active', { status: active('True', 'Active', 'The admission check is active') }, 'Healthy', /is active/),
    check('inactive', { status: active('False', 'BadParametersRef', 'Inactive because of missing parameters') }, 'Degraded', /missing parameters/),
    check('changed', { generation: 3, status: active('False', 'BadParametersRef', 'Inactive', 2) }, 'Progressing', /last change/),
    check('not known', { status: active('Unknown', 'Connecting', 'Connecting to the cluster') }, 'Progressing', /Connecting/),
  ];
}

const jobs = (ready: number, succeeded: number) => [{ name: 'node', ready, succeeded, failed: 0, active: ready, suspended: 0 }];

/** By kind, as `GROUP/KIND`. */
export const STATES: { readonly [kind: string]: readonly State[] } = {
  'ml.collabnix.io/MLTrainingJob': trainingJobStates(),

  'argoproj.io/Application': [
    application('new', {}, 'Progressing', /not been synced/),
    // What Argo CD says of one whose repository it has not read: nothing of it is there to be unhealthy.
    application('healthy before its first sync', { status: { sync: { status: 'Unknown' }, health: { status: 'Healthy' } } }, 'Progressing', /not been synced/),
    application('missing', { status: { sync: { status: 'OutOfSync' }, health: { status: 'Missing' } } }, 'Progressing', /not been synced/),
    application('in its first sync', {
      status: { sync: { status: 'OutOfSync' }, health: { status: 'Healthy' }, operationState: { phase: 'Running', message: 'waiting for healthy state of Deployment' } },
    }, 'Progressing', /not been synced/),
    application('refused', {
      status: { sync: { status: 'OutOfSync' }, health: { status: 'Missing' }, operationState: { phase: 'Failed', message: 'one or more objects failed to apply' } },
    }, 'Degraded', /failed to apply/),
    application('synced, its objects starting', { status: { sync: { status: 'Synced' }, health: { status: 'Progressing' }, operationState: { phase: 'Succeeded' } } }, 'Progressing', /Its objects are Progressing/),
    application('healthy', { status: { sync: { status: 'Synced' }, health: { status: 'Healthy' }, operationState: { phase: 'Succeeded' } } }, 'Healthy', /Its objects are Healthy/),
    application('healthy, taken over as it was', { status: { sync: { status: 'Synced' }, health: { status: 'Healthy' } } }, 'Healthy', /Healthy/),
    application('changed by hand since', { status: { sync: { status: 'OutOfSync' }, health: { status: 'Healthy' }, operationState: { phase: 'Succeeded' } } }, 'Healthy', /Healthy/),
    application('degraded', {
      status: { sync: { status: 'Synced' }, health: { status: 'Degraded', message: 'Deployment exceeded its progress deadline' }, operationState: { phase: 'Succeeded' } },
    }, 'Degraded', /progress deadline/),
    application('with jobs that wait', { status: { sync: { status: 'Synced' }, health: { status: 'Suspended' }, operationState: { phase: 'Succeeded' } } }, 'Suspended', /Suspended/),
  ],

  'trainer.kubeflow.org/TrainJob': [
    trainJob('new', {}, 'Progressing', /has not seen/),
    trainJob('running', { status: { jobsStatus: jobs(2, 0), trainerStatus: { progressPercentage: 40, lastUpdatedTime: AT } } }, 'Progressing', /node: 2 ready, 0 succeeded; 40 %/),
    trainJob('complete', { status: { conditions: [is('Complete', 'True', 'AllJobsCompleted', 'jobset completed successfully')], jobsStatus: jobs(0, 1) } }, 'Healthy', /AllJobsCompleted/),
    trainJob('failed', { status: { conditions: [is('Failed', 'True', 'FailedJobs', 'jobset failed due to one or more job failures')] } }, 'Degraded', /FailedJobs/),
    trainJob('without a runtime', {
      status: { conditions: [is('Failed', 'True', 'TrainingRuntimeNotSupported', 'the runtime is not supported')] },
    }, 'Degraded', /TrainingRuntimeNotSupported/),
    trainJob('suspended', { spec: { suspend: true }, status: { conditions: [is('Suspended', 'True', 'Suspended', 'TrainJob is suspended')] } }, 'Suspended', /TrainJob is suspended/),
    trainJob('in a queue', {
      labels: QUEUED, spec: { suspend: true }, status: { conditions: [is('Suspended', 'True', 'Suspended', 'TrainJob is suspended')] },
    }, 'Suspended', /Waits in queue team-a/),
    trainJob('about to be resumed', { spec: { suspend: false }, status: { conditions: [is('Suspended', 'True', 'Suspended')] } }, 'Progressing', /being resumed/),
    trainJob('resumed', { spec: { suspend: false }, status: { conditions: [is('Suspended', 'False', 'Resumed')], jobsStatus: jobs(1, 0) } }, 'Progressing', /1 ready/),
    trainJob('about to be suspended', { spec: { suspend: true }, status: { jobsStatus: jobs(2, 0) } }, 'Progressing', /being suspended/),
  ],

  ...Object.fromEntries(['PyTorchJob', 'TFJob', 'XGBoostJob', 'PaddleJob', 'JAXJob', 'MXJob'].map((kind) => [`kubeflow.org/${kind}`, v1States(kind)])),
  'kubeflow.org/MPIJob': [
    ...v1States('MPIJob'),
    ...v1States('MPIJob', 'kubeflow.org/v2beta1').map((state) => ({ ...state, name: `${state.name} (v2beta1)` })),
    stateOf('kubeflow.org/v2beta1', 'MPIJob')('evicted (v2beta1)', {
      status: { conditions: [is('Created', 'True', 'MPIJobCreated'), is('Failed', 'True', 'MPIJobEvicted', '1/4 workers are evicted')] },
    }, 'Degraded', /MPIJobEvicted: 1\/4 workers/),
  ],

  'jobset.x-k8s.io/JobSet': [
    jobSet('new', {}, 'Progressing', /has not seen/),
    jobSet('running', { status: { replicatedJobsStatus: jobs(2, 0), restarts: 0 } }, 'Progressing', /node: 2 ready/),
    jobSet('starting in order', {
      status: { conditions: [is('StartupPolicyInProgress', 'True', 'StartupPolicyInProgress', 'startup policy in order in progress')], replicatedJobsStatus: jobs(0, 0) },
    }, 'Progressing', /Starting.*in order/),
    jobSet('restarting', { status: { conditions: [is('RestartingJobSet', 'True', 'Restarting', 'restarting jobset')], restarts: 1 } }, 'Progressing', /Restarting/),
    jobSet('completed', {
      status: { conditions: [is('Completed', 'True', 'AllJobsCompleted', 'jobset completed successfully')], terminalState: 'Completed' },
    }, 'Healthy', /completed successfully/),
    jobSet('failed', {
      status: { conditions: [is('Failed', 'True', 'ReachedMaxRestarts', 'jobset failed due to reaching max number of restarts')], terminalState: 'Failed' },
    }, 'Degraded', /ReachedMaxRestarts/),
    jobSet('suspended', { spec: { suspend: true }, status: { conditions: [is('Suspended', 'True', 'SuspendedJobs', 'jobset is suspended')] } }, 'Suspended', /jobset is suspended/),
    jobSet('in a queue', { labels: QUEUED, spec: { suspend: true }, status: { conditions: [is('Suspended', 'True', 'SuspendedJobs')] } }, 'Suspended', /Waits in queue team-a/),
  ],

  'ray.io/RayCluster': [
    cluster('new', {}, 'Progressing', /has not seen/),
    cluster('being made', {
      status: {
        observedGeneration: 1, desiredWorkerReplicas: 4, readyWorkerReplicas: 1,
        conditions: [is('HeadPodReady', 'True', 'HeadPodRunningAndReady'), is('RayClusterProvisioned', 'False', 'RayClusterPodsProvisioning', 'RayCluster Pods are being provisioned for first time')],
      },
    }, 'Progressing', /1 of 4 workers are ready: RayClusterPodsProvisioning/),
    cluster('without its head', {
      status: { observedGeneration: 1, conditions: [is('HeadPodReady', 'False', 'ContainersNotReady', 'containers with unready status: [ray-head]')] },
    }, 'Progressing', /head is not ready: ContainersNotReady/),
    cluster('ready', {
      status: {
        observedGeneration: 1, state: 'ready', desiredWorkerReplicas: 4, readyWorkerReplicas: 4,
        conditions: [is('HeadPodReady', 'True', 'HeadPodRunningAndReady'), is('RayClusterProvisioned', 'True', 'AllPodRunningAndReadyFirstTime')],
      },
    }, 'Healthy', /4 of 4 workers are ready/),
    cluster('ready, of an older KubeRay', { status: { observedGeneration: 1, state: 'ready', desiredWorkerReplicas: 1, availableWorkerReplicas: 1 } }, 'Healthy', /workers are ready/),
    cluster('refused', {
      status: { observedGeneration: 1, conditions: [is('ReplicaFailure', 'True', 'FailedCreateWorkerPod', 'pods "w" is forbidden: exceeded quota')] },
    }, 'Degraded', /exceeded quota/),
    cluster('changed', { generation: 2, status: { observedGeneration: 1, state: 'ready' } }, 'Progressing', /last change/),
    cluster('suspended', {
      spec: { suspend: true }, status: { observedGeneration: 1, state: 'suspended', conditions: [is('RayClusterSuspended', 'True', 'RayClusterSuspended')] },
    }, 'Suspended', /Suspended/),
    cluster('in a queue', { labels: QUEUED, spec: { suspend: true }, status: { observedGeneration: 1, state: 'suspended' } }, 'Suspended', /Waits in queue team-a/),
    cluster('being suspended', { spec: { suspend: true }, status: { observedGeneration: 1, conditions: [is('RayClusterSuspending', 'True', 'UserRequestedSuspend')] } }, 'Progressing', /being suspended/),
  ],

  'ray.io/RayJob': [
    rayJob('new', {}, 'Progressing', /has not seen/),
    rayJob('beginning', { status: { observedGeneration: 1, jobDeploymentStatus: 'Initializing', rayClusterName: 'train-abc' } }, 'Progressing', /Initializing/),
    rayJob('running', { status: { observedGeneration: 1, jobDeploymentStatus: 'Running', jobStatus: 'RUNNING' } }, 'Progressing', /Running, RUNNING/),
    rayJob('succeeded', {
      generation: 2, status: { observedGeneration: 1, jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED', message: 'Job finished successfully.' },
    }, 'Healthy', /finished successfully/),
    rayJob('failed', {
      status: { observedGeneration: 1, jobDeploymentStatus: 'Failed', jobStatus: 'FAILED', reason: 'AppFailed', message: 'Job entrypoint command failed with exit code 1' },
    }, 'Degraded', /AppFailed: .*exit code 1/),
    rayJob('too late', { status: { observedGeneration: 1, jobDeploymentStatus: 'Failed', reason: 'DeadlineExceeded' } }, 'Degraded', /DeadlineExceeded/),
    rayJob('not valid', { status: { jobDeploymentStatus: 'ValidationFailed', reason: 'ValidationFailed', message: 'shutdownAfterJobFinishes is false' } }, 'Degraded', /shutdownAfterJobFinishes/),
    rayJob('stopped', { status: { observedGeneration: 1, jobDeploymentStatus: 'Complete', jobStatus: 'STOPPED' } }, 'Degraded', /Ended as STOPPED/),
    rayJob('tried again', { status: { observedGeneration: 1, jobDeploymentStatus: 'Retrying', jobStatus: 'FAILED', failed: 1 } }, 'Progressing', /Retrying/),
    rayJob('suspended', { spec: { suspend: true }, status: { observedGeneration: 1, jobDeploymentStatus: 'Suspended' } }, 'Suspended', /Suspended/),
    rayJob('in a queue', { labels: QUEUED, spec: { suspend: true }, status: { observedGeneration: 1, jobDeploymentStatus: 'Suspended' } }, 'Suspended', /Waits in queue team-a/),
    rayJob('waiting for somebody', { status: { observedGeneration: 1, jobDeploymentStatus: 'Waiting' } }, 'Suspended', /InteractiveMode/),
  ],

  'ray.io/RayService': [
    service('new', {}, 'Progressing', /has not seen/),
    service('beginning', {
      status: { observedGeneration: 1, conditions: [is('Ready', 'False', 'Initializing', 'RayService is initializing')] },
    }, 'Progressing', /Initializing/),
    service('ready', {
      status: {
        observedGeneration: 1, numServeEndpoints: 2, serviceStatus: 'Running', activeServiceStatus: { applicationStatuses: { llm: { status: 'RUNNING' } } },
        conditions: [is('Ready', 'True', 'NonZeroServeEndpoints', 'Number of serve endpoints is greater than 0'), is('UpgradeInProgress', 'False', 'NoPendingCluster')],
      },
    }, 'Healthy', /serve endpoints/),
    service('upgrading', {
      status: { observedGeneration: 2, conditions: [is('Ready', 'True', 'NonZeroServeEndpoints'), is('UpgradeInProgress', 'True', 'BothActivePendingClustersExist')] },
    }, 'Progressing', /Upgrading/),
    service('with an application that failed', {
      status: {
        observedGeneration: 1, conditions: [is('Ready', 'False', 'ZeroServeEndpoints')],
        pendingServiceStatus: { applicationStatuses: { zoo: { status: 'UNHEALTHY' }, llm: { status: 'DEPLOY_FAILED', message: 'No module named vllm' }, ok: { status: 'RUNNING' } } },
      },
    }, 'Degraded', /Application llm is DEPLOY_FAILED: No module named vllm/),
    service('too late', { status: { observedGeneration: 1, conditions: [is('Ready', 'False', 'InitializingTimeout', 'RayService did not become ready')] } }, 'Degraded', /InitializingTimeout/),
    service('rolled back', { status: { observedGeneration: 1, conditions: [is('RollbackInProgress', 'True', 'TargetClusterChanged', 'back')] } }, 'Degraded', /rolled back/),
    service('changed', { generation: 2, status: { observedGeneration: 1, conditions: [is('Ready', 'True', 'NonZeroServeEndpoints')] } }, 'Progressing', /last change/),
    service('suspended', { spec: { suspend: true }, status: { observedGeneration: 1, conditions: [is('Suspended', 'True', 'RayServiceSuspended')] } }, 'Suspended', /Suspended/),
    service('ready, of an older KubeRay', { status: { serviceStatus: 'Running' } }, 'Healthy', /Running/),
  ],

  'ray.io/RayCronJob': [
    cron('new', {}, 'Healthy', /not run yet/),
    cron('that has run', { status: { lastScheduleTime: AT } }, 'Healthy', /Ran last at 2026/),
    cron('suspended', { spec: { suspend: true }, status: { lastScheduleTime: AT } }, 'Suspended', /no jobs are begun/),
    cron('suspended from the beginning', { spec: { suspend: true } }, 'Suspended', /no jobs are begun/),
    cron('resumed', { generation: 4, spec: { suspend: false }, status: { lastScheduleTime: AT } }, 'Healthy', /Ran last/),
  ],

  'kueue.x-k8s.io/ClusterQueue': queueStates('ClusterQueue'),
  'kueue.x-k8s.io/LocalQueue': queueStates('LocalQueue'),
  'kueue.x-k8s.io/AdmissionCheck': activeStates('AdmissionCheck'),
  'kueue.x-k8s.io/MultiKueueCluster': activeStates('MultiKueueCluster'),
  'kueue.x-k8s.io/Workload': [
    workload('new', {}, 'Progressing', /has not seen/),
    workload('waiting', {
      spec: { queueName: 'team-a' },
      status: { conditions: [is('QuotaReserved', 'False', 'Pending', 'couldn\'t assign flavors to pod set main: insufficient unused quota for cpu')] },
    }, 'Suspended', /Waits in queue team-a.*insufficient unused quota/),
    workload('that never fits', { status: { conditions: [is('QuotaReserved', 'False', 'ExceedsMaxQuota', 'more than there is')] } }, 'Degraded', /ExceedsMaxQuota/),
    workload('with quota, before its checks', { status: { conditions: [is('QuotaReserved', 'True', 'QuotaReserved', 'Quota reserved in ClusterQueue a')] } }, 'Progressing', /admission checks/),
    workload('admitted', { status: { conditions: [is('QuotaReserved', 'True', 'QuotaReserved'), is('Admitted', 'True', 'Admitted', 'The workload is admitted')] } }, 'Healthy', /is admitted/),
    workload('admitted, without its pods', { status: { conditions: [is('Admitted', 'True', 'Admitted'), is('PodsReady', 'False', 'WaitForStart', 'Not all pods are ready')] } }, 'Progressing', /Not all pods/),
    workload('finished', { status: { conditions: [is('Admitted', 'True', 'Admitted'), is('Finished', 'True', 'Succeeded', 'Job finished successfully')] } }, 'Healthy', /finished successfully/),
    workload('failed', { status: { conditions: [is('Finished', 'True', 'Failed', 'Job has reached the backoff limit')] } }, 'Degraded', /backoff limit/),
    workload('deactivated', { spec: { active: false }, status: { conditions: [is('Evicted', 'True', 'Deactivated', 'The workload is deactivated')] } }, 'Suspended', /Deactivated/),
  ],

  'serving.kserve.io/LLMInferenceService': [
    model('new', {}, 'Progressing', /has not seen/),
    model('loading', {
      status: { observedGeneration: 1, conditions: [is('MainWorkloadReady', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'), is('Ready', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.')] },
    }, 'Progressing', /MinimumReplicasUnavailable/),
    model('not known', { status: { observedGeneration: 1, conditions: [is('Ready', 'Unknown', '')] } }, 'Progressing', /Not ready/),
    model('ready', { status: { observedGeneration: 1, url: 'http://llm.example', conditions: [is('Ready', 'True', '')] } }, 'Healthy', /http:\/\/llm.example/),
    model('with a preset that is not there', {
      status: { observedGeneration: 1, conditions: [is('PresetsCombined', 'False', 'CombineBaseError', 'failed to get LLMInferenceServiceConfig llama'), is('Ready', 'False', 'CombineBaseError')] },
    }, 'Degraded', /PresetsCombined is False: CombineBaseError: failed to get/),
    model('too slow', { status: { observedGeneration: 1, conditions: [is('MainWorkloadReady', 'False', 'ProgressDeadlineExceeded', 'timed out')] } }, 'Degraded', /timed out/),
    model('changed', { generation: 2, status: { observedGeneration: 1, conditions: [is('Ready', 'True', '')] } }, 'Progressing', /last change/),
    model('stopped', {
      annotations: { 'serving.kserve.io/stop': 'true' }, status: { observedGeneration: 1, conditions: [is('Ready', 'False', 'Stopped', 'Service is stopped')] },
    }, 'Suspended', /Stopped/),
    ...['serving.kserve.io/v1alpha1'].map((version) => stateOf(version, 'LLMInferenceService')('ready (v1alpha1)', {
      status: { observedGeneration: 1, conditions: [is('Ready', 'True', '')] },
    }, 'Healthy', /Ready/)),
  ],
};
