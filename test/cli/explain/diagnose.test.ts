/** Situations that jobs get into, each with the cause that is named, what is shown as evidence, and the fix. */
import { NOW, ago, condition, event, job, node, otherJob, pod, queue, running, snapshot, unschedulable } from './snapshots';
import { diagnose } from '../../../src/cli/explain/job/diagnose';
import { diagnosisLines } from '../../../src/cli/explain/job/output';
import type { JobSnapshot, OperatorView } from '../../../src/cli/explain/job/snapshot';
import { painter } from '../../../src/local/output/colours';
import type { WorkloadState } from '../../../src/model/kinds/standing';

/** What is wrong, what the cluster shows, how the job stands, the cause that comes first, and words of what is said. */
type Situation = readonly [what: string, shown: Partial<JobSnapshot>, state: WorkloadState, cause: string | undefined, ...words: string[]];

const queued = (status = {}) => job({ scheduling: { queueName: 'research' } }, { phase: 'Pending', conditions: [condition('Created', 'True', 'JobCreated'), condition('Admitted', 'False', 'Pending')], ...status });
const unseen = (metadata = {}) => ({ ...job({}, {}, metadata), status: undefined });
const failed = (reason: string, message: string, lastFailure?: object) => job({}, { phase: 'Failed', conditions: [condition('Failed', 'True', reason, message)], lastFailure });
const refused = (reason: string, message: string) => job({}, { conditions: [condition('Created', 'False', reason, message)] });
const waiting = (reason: string, message = '') => ({ state: { waiting: { reason, message } } });
const ended = (exitCode: number, reason = 'Error', message = '') => ({ state: { terminated: { exitCode, reason, message } } });
const FAILURE = { role: 'worker', index: 1, rank: 1, pod: 'train-worker-1', node: 'node-7', container: 'training', exitCode: 137, signal: 'SIGKILL', reason: 'OOMKilled', logTail: 'loading shard 7', attempt: 2, time: ago(10) };

function operator(more: Partial<OperatorView> = {}, watched?: string): OperatorView {
  const env = watched === undefined ? [] : [{ name: 'WATCH_NAMESPACES', value: watched }];
  return {
    deployments: [{
      kind: 'Deployment', metadata: { name: 'trainyard-operator', namespace: 'trainyard-system' },
      spec: { replicas: 2, template: { spec: { containers: [{ name: 'operator', env }] } } }, status: { readyReplicas: 0 },
    }],
    pods: [],
    leases: [],
    ...more,
  };
}

const isvc = (status: object) => otherJob('serving.kserve.io/v1beta1', 'InferenceService', {}, status as { [field: string]: unknown });
const notReady = { conditions: [condition('PredictorReady', 'False', ''), condition('Ready', 'False', '')] };
const modelFailed = (transitionStatus: string, reason: string, message: string) => ({ transitionStatus, lastFailureInfo: { reason, message, location: 'llm-1', exitCode: 1 } });
const run = (type: string, reason: string, message: string) => ({ ...otherJob('batch/v1', 'Job', {}, { conditions: [condition(type, 'True', reason, message)] }), metadata: { name: 'train-1', namespace: 'ml' } });

const SITUATIONS: { readonly [topic: string]: readonly Situation[] } = {
  'who controls it': [
    ['it is being deleted and a finalizer holds it', { job: job({}, {}, { deletionTimestamp: ago(600), finalizers: ['example.com/hold'] }) }, 'Deleting', 'Deleting', 'for 10 min', 'example.com/hold'],
    ['another controller has it', { job: job({ managedBy: 'other.example/controller' }, {}) }, 'Waiting', 'ManagedByOther', 'other.example/controller', 'create it without managedBy'],
    ['MultiKueue has it', { job: job({ managedBy: 'kueue.x-k8s.io/multikueue' }, {}) }, 'Waiting', 'ManagedByOther', 'MultiKueue cannot run MLTrainingJobs'],
    ['MultiKueue has a job of a kind that it runs', { job: otherJob('jobset.x-k8s.io/v1alpha2', 'JobSet', { managedBy: 'kueue.x-k8s.io/multikueue' }, {}) }, 'Waiting', 'ManagedByOther', 'in another cluster'],
    ['no operator runs', { job: unseen(), operator: operator({ deployments: [] }) }, 'Waiting', 'NoOperator', 'created 5 min ago and has no status', 'TrainingOperator'],
    ['the operator is installed and down', {
      job: unseen(), operator: operator({ pods: [unschedulable('trainyard-operator-1', '0/3 nodes are available: 3 Insufficient cpu.')] }),
    }, 'Waiting', 'OperatorDown', '0 of 2 replicas are ready', 'trainyard-operator-1: 0/3 nodes are available'],
    ['the operator watches other namespaces', { job: unseen(), operator: operator({}, 'team-a, team-b') }, 'Waiting', 'NamespaceNotWatched', 'watches team-a, team-b', 'Add ml to watchNamespaces'],
    ['the operator is behind', {
      job: job({}, { observedGeneration: 1 }, { generation: 3 }),
      operator: operator({ pods: [pod('trainyard-operator-1', { node: 'n', status: { phase: 'Running' }, container: { ready: true, state: { running: {} } } })] }),
    }, 'Waiting', 'OperatorBehind', 'at generation 3, but its status is at 1'],
    ['the operator runs on a laptop, with a lease and no pod', { job: unseen(), operator: operator({ deployments: [], leases: [{ spec: { renewTime: ago(3), leaseDurationSeconds: 15 } }] }) },
      'Waiting', 'OperatorBehind', 'has not processed the job yet'],
    ['nobody may see the operator', { job: unseen() }, 'Waiting', 'OperatorUnknown', 'Ask an administrator'],
    ['no controller of another kind runs', { job: otherJob('kubeflow.org/v1', 'PyTorchJob') }, 'Waiting', 'NoController', 'No controller acts on PyTorchJobs', 'has no status'],
    ['it was created just now', { job: unseen({ creationTimestamp: ago(2) }) }, 'Waiting', 'Unknown', 'created just now', 'Try again'],
  ],
  'suspension': [
    ['somebody suspended it', {
      job: job({ suspend: true }, { phase: 'Suspended', conditions: [condition('Suspended', 'True', 'JobSuspended')] }, {
        managedFields: [
          { manager: 'kubectl-create', time: ago(900), fieldsV1: { 'f:spec': { 'f:image': {} } } }, { manager: 'kubectl-edit', time: ago(120), fieldsV1: { 'f:spec': { 'f:suspend': {} } } },
        ],
      }),
    }, 'Suspended', 'Suspended', 'set by kubectl-edit at 2026-03-01T11:58:00Z', 'kubectl patch mltj train -n ml', '{"spec":{"suspend":false}}'],
    ['GitOps suspended it', {
      job: job({ suspend: true }, { phase: 'Suspended' }, { managedFields: [{ manager: 'argocd-controller', fieldsV1: { 'f:spec': { 'f:suspend': {} } } }] }),
    }, 'Suspended', 'Suspended', 'Set suspend to false where argocd-controller reads it from'],
    ['the operator suspended it for idleness', {
      job: job({ idle: { belowPercent: 10, forSeconds: 600 } }, {
        phase: 'Suspended', idle: { since: ago(4000), percent: 3, suspended: { generation: 1 } }, conditions: [condition('Suspended', 'True', 'JobIdle')],
      }),
    }, 'Suspended', 'SuspendedIdle', '3 % of them were in use', 'ml.collabnix.io/resume'],
    ['a Job is suspended', { job: otherJob('batch/v1', 'Job', { suspend: true }, { conditions: [] }) }, 'Suspended', 'Suspended', 'kubectl patch job.batch train', '{"spec":{"suspend":false}}'],
    ['a PyTorchJob is suspended in its run policy', { job: otherJob('kubeflow.org/v1', 'PyTorchJob', { runPolicy: { suspend: true } }, { conditions: [] }) }, 'Suspended', 'Suspended',
      'kubectl patch pytorchjob.kubeflow.org train', '{"spec":{"runPolicy":{"suspend":false}}}'],
  ],
  'queues': [
    ['Kueue is not installed', { job: queued(), queue: queue({ installed: false }) }, 'Waiting', 'KueueMissing', 'uses the queue research', 'Install Kueue'],
    ['the queue does not exist', { job: queued(), queue: queue({ localQueue: undefined, localQueues: ['reserch', 'other'] }) }, 'Waiting', 'QueueNotFound', 'Its queues: reserch and other', "Did you mean 'reserch'?"],
    ['the queue is stopped', { job: queued(), queue: queue({ clusterQueue: { spec: { stopPolicy: 'HoldAndDrain' } } }) }, 'Waiting', 'QueueStopped', 'ClusterQueue gpus', 'HoldAndDrain'],
    ['the queue is not active', {
      job: queued(), queue: queue({ clusterQueue: { status: { conditions: [condition('Active', 'False', 'FlavorNotFound', 'Can\'t admit new workloads: references missing ResourceFlavor(s): a100.')] } } }),
    }, 'Waiting', 'QueueInactive', 'FlavorNotFound', 'missing ResourceFlavor(s): a100', 'Fix the ClusterQueue gpus'],
    ['the quota is in use', { job: queued({ queue: { name: 'research', admitted: false, position: 3 } }), queue: queue() }, 'Waiting', 'QuotaInUse',
      'Kueue reports: couldn\'t assign flavors', 'nvidia.com/gpu: the job requests 16; a100 has 20, of which 12 are in use.', '3 jobs are before it in the queue', 'Wait until other jobs end'],
    ['the quota can never be enough', {
      job: queued(), queue: queue({ clusterQueue: { spec: { resourceGroups: [{ flavors: [{ name: 'a100', resources: [{ name: 'nvidia.com/gpu', nominalQuota: '8' }] }] }] } } }),
    }, 'Waiting', 'QuotaTooSmall', 'more than gpus can ever provide', 'requests 16; a100 has 8, of which 12 are in use', 'Request less'],
    ['borrowing might make it enough', {
      job: queued(), queue: queue({ clusterQueue: { spec: { cohortName: 'all', resourceGroups: [{ flavors: [{ name: 'a100', resources: [{ name: 'nvidia.com/gpu', nominalQuota: '8' }] }] }] } } }),
    }, 'Waiting', 'QuotaInUse', 'waits in the queue research'],
    ['the ClusterQueue has no quota of a resource', { job: queued(), queue: queue({ clusterQueue: { spec: { resourceGroups: [] } } }) }, 'Waiting', 'QuotaTooSmall', 'has no quota for it'],
    ['a more important job took the quota', {
      job: queued(), queue: queue({ workload: { status: { conditions: [condition('Evicted', 'True', 'Preempted', 'Preempted to accommodate a workload (UID: x) due to prioritization'), condition('QuotaReserved', 'False', 'Pending', 'waiting')] } } }),
    }, 'Waiting', 'Preempted', 'Evicted (Preempted): Preempted to accommodate', 'raise the priority'],
    ['the namespace is not let in', {
      job: queued(), queue: queue({ workload: { status: { conditions: [condition('QuotaReserved', 'False', 'Inadmissible', 'Workload namespace doesn\'t match ClusterQueue selector')] } } }),
    }, 'Waiting', 'NamespaceNotAdmitted', 'does not accept jobs of this namespace', 'spec.namespaceSelector'],
    ['an admission check is not through', {
      job: queued(), queue: queue({ workload: { status: { conditions: [condition('QuotaReserved', 'True', 'QuotaReserved')], admissionChecks: [{ name: 'dws', state: 'Pending', message: 'Waiting for capacity' }] } } }),
    }, 'Waiting', 'AdmissionCheck', 'the check dws is pending: Pending', 'Waiting for capacity'],
    ['the Workload was deactivated', { job: queued(), queue: queue({ workload: { spec: { active: false } } }) }, 'Waiting', 'Deactivated', 'spec.active is false', 'kubectl patch workload mltj-train -n ml'],
    ['Kueue does not know the kind', { job: otherJob('batch/v1', 'Job', { suspend: true }, {}, { labels: { 'kueue.x-k8s.io/queue-name': 'research' } }), queue: { ...queue(), workload: undefined } }, 'Waiting', 'WorkloadMissing',
      'Enable Job in integrations.frameworks'],
    ['the Workload is refused', { job: queued({ conditions: [condition('Admitted', 'False', 'WorkloadRefused', 'spec.podSets: too many')] }), queue: { ...queue(), workload: undefined } }, 'Waiting', 'WorkloadRefused', 'too many'],
  ],
  'refusals': [
    ['a name is taken', { job: refused('NameTaken', 'Service ml/train belongs to nobody') }, 'Waiting', 'NameTaken', 'belongs to nobody', 'Delete or rename'],
    ['a quota of the namespace is used up', {
      job: refused('Forbidden', 'pods "train-worker-0" is forbidden: exceeded quota: compute, requested: requests.nvidia.com/gpu=8, used: requests.nvidia.com/gpu=16, limited: requests.nvidia.com/gpu=16'),
    }, 'Waiting', 'QuotaExceeded', 'Requested requests.nvidia.com/gpu=8; requests.nvidia.com/gpu=16 are in use, of requests.nvidia.com/gpu=16.', 'have the quota raised'],
    ['pod security refuses', { job: refused('Forbidden', 'pods "train-worker-0" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false') }, 'Waiting', 'PodSecurity', 'spec.security.restricted: true'],
    ['a webhook refuses', { job: refused('Forbidden', 'admission webhook "check.example.com" denied the request: no team label') }, 'Waiting', 'WebhookDenied', 'check.example.com', 'no team label'],
    ['a webhook does not answer', { job: refused('Forbidden', 'Internal error occurred: failed calling webhook "x": connection refused') }, 'Waiting', 'WebhookDown', 'does not respond'],
    ['the namespace is going', { job: refused('Forbidden', 'pods "x" is forbidden: unable to create new content in namespace ml because it is being terminated') }, 'Waiting', 'NamespaceTerminating', 'another namespace'],
    ['a pod is invalid', { job: refused('InvalidPod', 'spec.containers[0].volumeMounts[0].name: Not found: "data"') }, 'Waiting', 'InvalidPod', 'Not found: "data"', 'again'],
    ['a JobSet cannot make its jobs', {
      job: otherJob('jobset.x-k8s.io/v1alpha2', 'JobSet', {}, { conditions: [] }),
      events: [event({ uid: 'job-uid' }, 'JobCreationFailed', 'jobs.batch "train-w-0" is forbidden: exceeded quota: jobs, requested: count/jobs.batch=1, used: count/jobs.batch=5, limited: count/jobs.batch=5')],
    }, 'Waiting', 'QuotaExceeded', 'The ResourceQuota jobs'],
    ['the pods of a Job in a JobSet are refused', {
      job: otherJob('jobset.x-k8s.io/v1alpha2', 'JobSet', {}, { conditions: [] }), owned: [{ kind: 'Job', metadata: { name: 'train-w-0', uid: 'inner' } }],
      events: [event({ uid: 'inner' }, 'FailedCreate', 'Error creating: pods "train-w-0-0" is forbidden: error looking up service account ml/trainer: serviceaccount "trainer" not found')],
    }, 'Waiting', 'ServiceAccountMissing', 'serviceaccount "trainer" not found', 'Create it'],
  ],
  'gangs': [
    ['the gang scheduler is not installed', {
      job: job({ scheduling: { gang: { scheduler: 'Volcano' } } }, { conditions: [condition('Created', 'False', 'GangSchedulerMissing', 'the API server knows no PodGroup of scheduling.volcano.sh')] }),
    }, 'Waiting', 'GangSchedulerMissing', 'Install Volcano'],
    ['a gang has room for a part of it', {
      job: job({ scheduling: { gang: { scheduler: 'Volcano' } } }, { gang: { releases: 2, belowSince: ago(50) } }),
      podGroups: [{ kind: 'PodGroup', metadata: { name: 'train', namespace: 'ml', uid: 'g' }, spec: { minMember: 2 }, status: { phase: 'Pending', conditions: [condition('Unschedulable', 'True', 'NotEnoughResources', '1/2 tasks in gang unschedulable')] } }],
      pods: [running('train-worker-0'), unschedulable('train-worker-1', '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.')],
    }, 'Waiting', 'GangBelowMinimum', 'needs 2 replicas placed together, and has 1', 'PodGroup ml/train is Pending: 1/2 tasks', 'Below its minimum since 50 s', '2 times', 'Insufficient nvidia.com/gpu'],
    ['a gang was released and waits', { job: job({ scheduling: { gang: { scheduler: 'Volcano' } } }, { phase: 'Restarting', gang: { releases: 1 }, nextRetryTime: ago(-95) }) }, 'Restarting', 'GangReleased', 'next try is in 95 s'],
    ['nobody schedules for a scheduler', { pods: [pod('train-worker-0', { spec: { schedulerName: 'volcano' } })] }, 'Waiting', 'NoScheduler', 'The scheduler volcano has not processed 1 pod', 'Install Volcano'],
  ],
  'scheduling': [
    ['no node has enough GPUs', {
      pods: [unschedulable('train-worker-0', '0/3 nodes are available: 1 node(s) had untolerated taint {nvidia.com/gpu: present}, 2 Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.')],
      nodes: [node('a', 'True', { 'nvidia.com/gpu': '4', 'memory': '128Gi' }), node('b', 'True', { memory: '32Gi' })],
    }, 'Waiting', 'Unschedulable', 'The scheduler reports: 0/3 nodes', 'Each pod requests 8 of nvidia.com/gpu, but the largest node has 4.', 'Request at most 4 of nvidia.com/gpu in each pod', 'Tolerate the taint nvidia.com/gpu=present'],
    ['no node has the device at all', { pods: [unschedulable('train-worker-0', '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.')], nodes: [node('a', 'True', { memory: '128Gi' })] }, 'Waiting', 'Unschedulable',
      'No node of the cluster has any nvidia.com/gpu.', 'device plugin'],
    ['the pods of another kind have labels that no node has', { job: otherJob('batch/v1', 'Job', {}, { conditions: [] }), pods: [unschedulable('train-x', '0/3 nodes are available: 3 node(s) didn\'t match Pod\'s node affinity/selector.')] }, 'Waiting', 'Unschedulable',
      'Correct nodeSelector of the pod template'],
    ['no node has the labels', { pods: [unschedulable('train-worker-0', '0/3 nodes are available: 3 node(s) didn\'t match Pod\'s node affinity/selector.'), unschedulable('train-worker-1', '0/3 nodes are available: 3 node(s) didn\'t match Pod\'s node affinity/selector.')] },
      'Waiting', 'Unschedulable', 'No node can run 2 pods', 'spec.scheduling.nodeSelector'],
    ['nodes are cordoned', { pods: [unschedulable('train-worker-0', '0/2 nodes are available: 2 node(s) were unschedulable.')] }, 'Waiting', 'Unschedulable', 'kubectl uncordon'],
    ['a claim is not there', { pods: [unschedulable('train-worker-0', 'persistentvolumeclaim "data" not found')] }, 'Waiting', 'Unschedulable', 'Create the PersistentVolumeClaim data'],
    ['a claim is not bound', { pods: [unschedulable('train-worker-0', '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.')] }, 'Waiting', 'Unschedulable', 'why the claim is not bound'],
    ['a volume is in another zone', { pods: [unschedulable('train-worker-0', '0/3 nodes are available: 3 node(s) had volume node affinity conflict.')] }, 'Waiting', 'Unschedulable', 'WaitForFirstConsumer'],
    ['Kueue holds pods back', { pods: [pod('train-worker-0', { spec: { schedulingGates: [{ name: 'kueue.x-k8s.io/admission' }] } })] }, 'Waiting', 'SchedulingGated', 'kueue.x-k8s.io/admission', 'kubectl get workloads'],
  ],
  'starting': [
    ['the image does not exist', {
      pods: [pod('train-worker-0', { node: 'a', container: waiting('ImagePullBackOff', 'Back-off pulling image "registry.example/train:1"') })],
      events: [event({ uid: 'train-worker-0-uid' }, 'Failed', 'Failed to pull image "registry.example/train:1": manifest unknown: not found')],
    }, 'Waiting', 'ImagePullFailed', 'registry.example/train:1', 'manifest unknown', 'has no such image', 'fails when this lasts for 300 s'],
    ['the registry wants an account', { pods: [pod('train-worker-0', { node: 'a', container: waiting('ErrImagePull', 'failed to authorize: 401 Unauthorized') })] }, 'Waiting', 'ImagePullFailed', 'imagePullSecrets'],
    ['the registry limits pulls', { pods: [pod('train-worker-0', { node: 'a', container: waiting('ErrImagePull', 'toomanyrequests: You have reached your pull rate limit') })] }, 'Waiting', 'ImagePullFailed', 'from a mirror'],
    ['the registry cannot be reached', { pods: [pod('train-worker-0', { node: 'a', container: waiting('ErrImagePull', 'dial tcp: lookup registry.example: no such host') })] }, 'Waiting', 'ImagePullFailed', 'cannot reach the registry'],
    ['the name of the image is none', { pods: [pod('train-worker-0', { node: 'a', container: waiting('InvalidImageName', 'couldn\'t parse image name') })] }, 'Waiting', 'InvalidImageName', 'Correct spec.image'],
    ['a secret is missing', { pods: [pod('train-worker-0', { node: 'a', container: waiting('CreateContainerConfigError', 'secret "hub" not found') })] }, 'Waiting', 'ContainerConfigError', 'Create the Secret hub'],
    ['a key of a secret is missing', { pods: [pod('train-worker-0', { node: 'a', container: waiting('CreateContainerConfigError', 'couldn\'t find key token in Secret ml/hub') })] }, 'Waiting', 'ContainerConfigError', 'Add the key token to the Secret ml/hub'],
    ['the command does not exist', { pods: [pod('train-worker-0', { node: 'a', container: waiting('RunContainerError', 'exec: "pyton3": executable file not found in $PATH') })] }, 'Waiting', 'ContainerStartFailed', 'Correct the command'],
    ['a volume cannot be mounted', {
      pods: [pod('train-worker-0', { node: 'a', container: waiting('ContainerCreating') })],
      events: [event({ uid: 'train-worker-0-uid' }, 'FailedMount', 'MountVolume.SetUp failed for volume "settings": configmap "settings" not found')],
    }, 'Waiting', 'FailedMount', 'has been starting for 4 min', 'Create the ConfigMap settings'],
    ['a volume is attached elsewhere', {
      pods: [pod('train-worker-0', { node: 'a', container: waiting('ContainerCreating') })],
      events: [event({ uid: 'train-worker-0-uid' }, 'FailedAttachVolume', 'Multi-Attach error for volume "pvc-1"')],
    }, 'Waiting', 'FailedAttachVolume', 'ReadWriteMany'],
    ['an init container runs on and on', {
      pods: [pod('train-worker-0', { node: 'a', status: { initContainerStatuses: [{ name: 'fetch', state: { running: {} } }] }, container: waiting('PodInitializing') })],
    }, 'Waiting', 'InitContainerRunning', 'The init container fetch of train-worker-0', 'kubectl logs train-worker-0 -c fetch'],
  ],
  'nodes': [
    ['a node does not answer', { job: job({}, { phase: 'Restarting' }), pods: [running('train-worker-0', 'node-7')], nodes: [node('node-7', 'Unknown')] }, 'Restarting', 'NodeNotReady',
      'The node node-7 of 1 pod is not ready since 90 s', 'Kubelet stopped posting', 'graceSeconds'],
    ['a node is gone', { job: otherJob('kubeflow.org/v1', 'PyTorchJob', {}, { conditions: [] }), pods: [pod('train-worker-0', { node: 'gone', container: waiting('ContainerCreating'), age: 10 })], nodes: [node('other')] }, 'Waiting', 'NodeGone',
      'no longer exists', 'kubectl delete node gone'],
  ],
  'failures': [
    ['it ran out of memory and starts again', {
      job: job({}, { phase: 'Restarting', lastFailure: FAILURE, restarts: 2, attempt: 3, nextRetryTime: ago(-130) }),
    }, 'Restarting', 'OOMKilled', 'worker 1 failed on the node node-7', 'exit code 137 (SIGKILL), OOMKilled', '| loading shard 7', 'raise spec.resources.memory', 'starts again in 2 min', '2 of 6 restarts are used'],
    ['a container crashes again and again', {
      job: otherJob('kubeflow.org/v1', 'PyTorchJob', {}, { conditions: [] }),
      pods: [pod('train-master-0', { node: 'a', status: { phase: 'Running' }, container: { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 1, reason: 'Error' } } } })],
      logs: [{ pod: 'train-master-0', container: 'training', text: 'Traceback\nModuleNotFoundError: No module named \'torchvision\'\n' }],
    }, 'Waiting', 'CrashLoop', 'exit code 1, Error', '| ModuleNotFoundError', 'lacks a Python package'],
    ['a program crashed', { job: otherJob('jobset.x-k8s.io/v1alpha2', 'JobSet', {}, { conditions: [] }), pods: [pod('train-w-0', { node: 'a', status: { phase: 'Failed' }, container: ended(139) })] }, 'Waiting', 'Error',
      'train-w-0 failed: exit code 139 (SIGSEGV)', 'a native library'],
    ['a GPU is too small', { job: failed('BackoffLimitExceeded', 'worker 0 failed', { ...FAILURE, reason: 'Error', exitCode: 1, signal: undefined, logTail: 'torch.cuda.OutOfMemoryError: CUDA out of memory.' }) }, 'Failed', 'BackoffLimitExceeded', 'smaller batches'],
    ['shared memory is too small', { job: failed('ReplicaFailed', 'worker 0 failed', { ...FAILURE, reason: 'Error', exitCode: 135, logTail: 'RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error.' }) }, 'Failed', 'ReplicaFailed', 'spec.resources.sharedMemory'],
    ['the command was not found', { job: failed('ReplicaFailed', 'x', { ...FAILURE, reason: 'Error', exitCode: 127, signal: undefined, logTail: 'sh: torchrn: not found' }) }, 'Failed', 'ReplicaFailed', 'was not found'],
    ['a node evicted a pod', { job: otherJob('batch/v1', 'Job', {}, { conditions: [condition('Failed', 'True', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit')] }), pods: [pod('train-0', { node: 'a', status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage.' } })] },
      'Failed', 'BackoffLimitExceeded', 'backoff limit', 'low on resource: ephemeral-storage', 'ran short of memory or disk'],
    ['it took too long', { job: failed('DeadlineExceeded', 'The job ran longer than 60 s') }, 'Failed', 'DeadlineExceeded', 'Raise activeDeadlineSeconds'],
    ['its spec breaks a rule', { job: failed('InvalidSpec', 'spec.env[\'RANK\']: is set by the JAX contract') }, 'Failed', 'InvalidSpec', 'trainyard validate'],
    ['it hung', { job: failed('Stalled', 'no progress for 600 s') }, 'Failed', 'Stalled', 'stall.timeoutSeconds'],
    ['the checks before training fail', { job: job({}, { phase: 'Restarting', preflight: { failures: 2 }, conditions: [condition('Created', 'True', 'JobCreated'), condition('Restarting', 'True', 'PreflightFailed', 'node-7: 7 of 8 GPUs')] }) }, 'Restarting', 'PreflightFailed', '2 times in a row', 'node-7: 7 of 8 GPUs'],
    ['all trials of a search fail', {
      job: job({ autoTuning: {} }, { tuning: { trials: 3, running: 1, succeeded: 0, failed: 2, stopped: 0, lastFailedTrial: { trial: 2, reason: 'ObjectiveMissing', message: 'no value of accuracy', time: ago(5) } } }),
    }, 'Waiting', 'TrialsFail', 'Trial 2: ObjectiveMissing', 'trainyard explain train-trial-2 -n ml'],
    ['copies of an array fail', {
      job: job({ array: { count: 9 } }, { array: { active: 2, succeeded: 1, failed: 2, failedIndexes: '3,5', lastFailedIndex: { index: 5, reason: 'ReplicaFailed', message: 'exited with code 1', time: ago(5) } } }),
    }, 'Waiting', 'CopiesFail', '2 copies of the array failed (3,5)', 'Copy 5: ReplicaFailed', 'trainyard explain train-5 -n ml'],
    ['an array has failed', { job: failed('FailedIndexes', '2 of 9 copies failed, 7 succeeded') }, 'Failed', 'FailedIndexes', 'status.array.failedIndexes'],
    ['a RayJob has failed', { job: otherJob('ray.io/v1', 'RayJob', {}, { jobStatus: 'FAILED', reason: 'AppFailed', message: 'Job entrypoint command failed with exit code 1' }) }, 'Failed', 'AppFailed', 'exit code 1'],
    ['a SparkApplication could not be submitted', { job: otherJob('sparkoperator.k8s.io/v1beta2', 'SparkApplication', {}, { applicationState: { state: 'SUBMISSION_FAILED', errorMessage: 'no such file' } }) }, 'Failed', 'SUBMISSION_FAILED', 'no such file'],
    ['a Volcano Job was aborted', { job: otherJob('batch.volcano.sh/v1alpha1', 'Job', {}, { state: { phase: 'Aborted', message: 'by a policy' } }) }, 'Failed', 'Aborted', 'by a policy'],
  ],
  'what serves': [
    ['no runtime knows the format', { job: isvc({ ...notReady, modelStatus: modelFailed('InvalidSpec', 'NoSupportingRuntime', 'No runtime found to support predictor with model type: {onnx <nil>}') }) },
      'Waiting', 'NoSupportingRuntime', 'model type: {onnx', 'spec.predictor.model.modelFormat'],
    ['the model is not there', { job: isvc({ ...notReady, modelStatus: modelFailed('BlockedByFailedLoad', 'ModelLoadFailed', 'RuntimeError: Failed to fetch model. No model found in s3://models/x') }) },
      'Waiting', 'ModelLoadFailed', 'No model found in s3://models/x', 'storageUri'],
    ['a failure of the past, after which it was updated, is no cause', {
      job: isvc({ conditions: [condition('Ready', 'True', '')], modelStatus: modelFailed('UpToDate', 'ModelLoadFailed', 'x') }), pods: [running('a')],
    }, 'Running', undefined],
    ['the service account is missing', {
      job: isvc(notReady), owned: [{ kind: 'ReplicaSet', metadata: { name: 'llm-predictor-1', uid: 'rs' } }],
      events: [event({ uid: 'rs' }, 'FailedCreate', 'Error creating: pods "llm-predictor-1-" is forbidden: error looking up service account ml/models: serviceaccount "models" not found')],
    }, 'Waiting', 'ServiceAccountMissing', 'serviceaccount "models" not found'],
    ['the quota is used up', {
      job: isvc(notReady), owned: [{ kind: 'ReplicaSet', metadata: { name: 'llm-predictor-1', uid: 'rs' } }],
      events: [event({ uid: 'rs' }, 'FailedCreate', 'Error creating: pods "x" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=8')],
    }, 'Waiting', 'QuotaExceeded', 'ResourceQuota gpus'],
    ['the secret of the storage is missing', { job: isvc(notReady), events: [event({ uid: 'job-uid' }, 'InternalError', 'fails to reconcile predictor: secret "storage-config" not found')] },
      'Waiting', 'InternalError', 'storage-config" not found', 'Create the Secret storage-config'],
    ['the image of a revision cannot be resolved', {
      job: isvc(notReady),
      owned: [{ kind: 'Revision', metadata: { name: 'llm-predictor-00001', uid: 'rev', namespace: 'ml' }, status: { conditions: [condition('Ready', 'False', 'ContainerMissing', 'Unable to fetch image "x": 404 Not Found')] } }],
    }, 'Waiting', 'ContainerMissing', 'Revision ml/llm-predictor-00001 is not ready', '404 Not Found'],
    ['its pods run and are not ready', {
      job: isvc(notReady), pods: [pod('llm-1', { node: 'a', status: { phase: 'Running' }, container: { ready: false, state: { running: {} } } })],
      events: [event({ uid: 'llm-1-uid' }, 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503')],
    }, 'Waiting', 'NotReady', 'statuscode: 503', 'kubectl logs llm-1 -c training'],
    ['it is scaled to zero', { job: isvc({ conditions: [condition('Ready', 'True', '')] }) }, 'Running', undefined],
    ['it is stopped', { job: { ...isvc({ conditions: [condition('Stopped', 'True', 'Stopped')] }), metadata: { name: 'llm', namespace: 'ml', annotations: { 'serving.kserve.io/stop': 'true' } } } },
      'Suspended', 'Suspended', 'kubectl annotate inferenceservice.serving.kserve.io llm -n ml serving.kserve.io/stop-'],
    ['a Deployment whose pods cannot pull', {
      job: otherJob('apps/v1', 'Deployment', {}, { conditions: [condition('Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.')] }),
      pods: [pod('train-1', { node: 'a', container: waiting('ImagePullBackOff', 'Back-off pulling image "x": manifest unknown') })],
    }, 'Waiting', 'ImagePullFailed', 'no such image'],
    ['a Deployment that runs', { job: otherJob('apps/v1', 'Deployment', {}, { conditions: [condition('Available', 'True', 'MinimumReplicasAvailable')] }), pods: [running('a')] }, 'Running', undefined],
  ],
  'schedules': [
    ['the last run has failed', { job: otherJob('batch/v1', 'CronJob', { schedule: '@daily' }, { lastScheduleTime: ago(60) }), owned: [run('Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit')] },
      'Failed', 'LastRunFailed', 'Job ml/train-1', 'backoff limit'],
    ['the last run has succeeded', { job: otherJob('batch/v1', 'CronJob', { schedule: '@daily' }, { lastScheduleTime: ago(60) }), owned: [run('Complete', 'CompletionsReached', '')] }, 'Succeeded', undefined],
    ['it was not due yet', { job: otherJob('batch/v1', 'CronJob', { schedule: '0 2 * * *' }, {}) }, 'Waiting', 'NoRun', 'spec.schedule is 0 2 * * *'],
    ['it is suspended', { job: otherJob('batch/v1', 'CronJob', { schedule: '@daily', suspend: true }, {}) }, 'Suspended', 'Suspended', 'spec.suspend is true'],
  ],
  'no trouble': [
    ['it runs', { job: job({}, { phase: 'Running', ready: '2/2', trainerStatus: { progressPercentage: 40 } }), pods: [running('a'), running('b')], nodes: [node('node-1')] }, 'Running', undefined],
    ['an elastic job runs without a replica', { job: job({}, { phase: 'Running', ready: '1/2' }), pods: [running('a'), unschedulable('b', '0/1 nodes are available: 1 Insufficient cpu.')] }, 'Running', 'Unschedulable', 'Free cpu'],
    ['it has completed', { job: job({}, { phase: 'Completed', conditions: [condition('Succeeded', 'True', 'JobSucceeded')] }) }, 'Succeeded', undefined],
    ['a TrainJob has completed', { job: otherJob('trainer.kubeflow.org/v1alpha1', 'TrainJob', {}, { conditions: [condition('Complete', 'True', 'JobsCompleted')] }) }, 'Succeeded', undefined],
    ['a RayJob has succeeded', { job: otherJob('ray.io/v1', 'RayJob', {}, { jobStatus: 'SUCCEEDED' }) }, 'Succeeded', undefined],
    ['replicas are starting', { pods: [pod('a', { node: 'x', container: waiting('ContainerCreating'), age: 5 })] }, 'Waiting', 'Unknown', 'the replicas are starting'],
    ['there are no pods and no reason', { job: job({}, {}), events: [event({ uid: 'job-uid' }, 'Odd', 'something odd')] }, 'Waiting', 'Unknown', 'no reason was found', 'Event Odd: something odd'],
  ],
};

test('the table has at least 20 situations', () => {
  expect(Object.values(SITUATIONS).flat().length).toBeGreaterThanOrEqual(20);
});

describe.each(Object.entries(SITUATIONS))('%s:', (_topic, table) => {
  test.each(table)('%s', (...situation) => {
    const [, shown, state, cause, ...words] = situation as unknown as Situation;
    const diagnosis = diagnose(snapshot(shown));
    expect({ state: diagnosis.state, cause: diagnosis.causes[0]?.id }).toEqual({ state, cause });
    const text = diagnosisLines(diagnosis, painter(false)).join('\n');
    for (const part of words) {
      expect(text).toContain(part);
    }
    // Every cause says what to do.
    expect(diagnosis.causes.filter(({ fix, what }) => fix === '' || what === '')).toEqual([]);
  });
});

test('the cause that others follow from comes first', () => {
  const { causes } = diagnose(snapshot({
    job: queued(), queue: queue({ clusterQueue: { spec: { stopPolicy: 'Hold' } } }), pods: [unschedulable('a', '0/1 nodes are available: 1 Insufficient cpu.')],
  }));
  expect(causes.map(({ id }) => id)).toEqual(['QueueStopped', 'Unschedulable']);
});

test('what could not be read is told, and taken for nothing', () => {
  const diagnosis = diagnose(snapshot({ unread: ['Nodes could not be read: forbidden.'], pods: [running('a')] }));
  expect(diagnosisLines(diagnosis, painter(false)).at(-1)).toBe('note: Nodes could not be read: forbidden.');
  expect(diagnosis.causes.map(({ id }) => id)).not.toContain('NodeGone');
});

test('the summary says how long and how far', () => {
  const text = (shown: Partial<JobSnapshot>) => diagnose(snapshot(shown)).summary;
  expect(text({})).toBe('Pending for 5 min: 0/2 replicas are running or have succeeded');
  expect(text({ job: job({}, { phase: 'Running', ready: '2/2', conditions: [condition('Running', 'True', 'AllReplicasRunning', '', 7200)], trainerStatus: { progressPercentage: 40 } }) }))
    .toBe('Running for 2 h: 2/2 replicas are running or have succeeded, 40 % done');
  expect(text({ job: job({}, { phase: 'Completed', ready: '2/2', conditions: [condition('Succeeded', 'True', 'JobSucceeded', '', 7200)] }) }))
    .toBe('Completed for 2 h: 2/2 replicas have succeeded');
  expect(text({ job: otherJob('kubeflow.org/v1', 'PyTorchJob', {}, { conditions: [] }), pods: [running('a'), pod('b', {})] })).toBe('Waiting for 5 min: 1 of 2 pods are running');
  expect(NOW).toBeGreaterThan(0);
});
