/**
 * Everything that can be wrong with a cluster or with what a program wants from it: each fault by a snapshot that has it, what is said, and the
 * command that repairs it.
 */
import { spawnSync } from 'node:child_process';
import {
  CODE, NAMESPACE, cluster, controller, deployment, found, gpuNode, jobSet, jobSetKind, kind, namespace, object, operator, operatorPod,
  ownKind, program, reference, trainingJob,
} from './snapshots';
import { NOW, ago, condition, event } from '../explain/snapshots';
import { examine } from '../../../src/cli/doctor/examine';
import { FAULTS, type Fault, type FaultId } from '../../../src/cli/doctor/finding';
import { reportLines } from '../../../src/cli/doctor/output';
import type { ClusterSnapshot, KueueFacts, WebhookFacts } from '../../../src/cli/doctor/snapshot';
import type { AnyObject } from '../../../src/cli/jobs/objects';
import { painter } from '../../../src/local/output/colours';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';

/** What is wrong, what the cluster shows, the fault with its severity, and words of what is said or done. */
type Situation = readonly [what: string, shown: Partial<ClusterSnapshot>, fault: FaultId, severity: Fault['severity'], ...words: string[]];

const withoutProgram = { program: undefined, namespaces: [] };
const waiting = (reason: string, message = '') => ({ phase: 'Pending', containerStatuses: [{ name: 'operator', image: 'node:22', restartCount: 7, state: { waiting: { reason, message } }, lastState: { terminated: { exitCode: 3, reason: 'Error' } } }] });
const lease = (spec: object) => operator({ leases: [{ metadata: { name: 'trainyard-operator', namespace: 'trainyard-system' }, spec: { holderIdentity: 'x', leaseDurationSeconds: 15, ...spec } }] });
const jobSetProgram = (pod: object = {}, metadata: object = {}) => ({
  program: program(jobSet(pod as { [field: string]: unknown }, metadata as { [field: string]: unknown })), kinds: [jobSetKind()], deployments: [controller('jobset-controller-manager')],
});
const labelled = (name: string, queue: string) => jobSetProgram({}, { name, labels: { 'kueue.x-k8s.io/queue-name': queue } });

/** A definition of our own jobs with other fields of the spec. */
function ownDefinition(change: (properties: { [field: string]: unknown }) => void) {
  const crd = structuredClone(constructTrainingJobCrd());
  const [{ schema }] = crd.spec.versions as { schema: { openAPIV3Schema: { properties: { spec: { properties: { [field: string]: unknown } } } } } }[];
  change(schema.openAPIV3Schema.properties.spec.properties);
  return [ownKind({}, crd as unknown as { [field: string]: unknown })];
}

function webhook(more: Partial<WebhookFacts> = {}): WebhookFacts {
  return {
    configuration: 'ValidatingWebhookConfiguration kueue', name: 'vjob.kb.io', failurePolicy: 'Fail', isSelective: false, resource: 'pods',
    service: { namespace: 'kueue-system', name: 'kueue-webhook', service: { found: {} }, endpoints: 0 }, ...more,
  };
}

const queueObject = (kindName: string, name: string, spec: object, status: object = {}): AnyObject => ({ kind: kindName, metadata: { name, ...(kindName === 'LocalQueue' && { namespace: NAMESPACE }) }, spec, status } as AnyObject);
const quotaOf = (gpus: string) => ({ namespaceSelector: {}, resourceGroups: [{ coveredResources: ['cpu', 'memory', 'nvidia.com/gpu'], flavors: [{ name: 'a100', resources: [{ name: 'cpu', nominalQuota: '100' }, { name: 'memory', nominalQuota: '1Ti' }, { name: 'nvidia.com/gpu', nominalQuota: gpus }] }] }] });

/** A job in a queue. */
function queued(more: Partial<KueueFacts> = {}): Partial<ClusterSnapshot> {
  return {
    program: program(trainingJob({ scheduling: { queueName: 'research' } })), deployments: [controller('kueue-controller-manager')],
    kueue: {
      isInstalled: true, localQueues: [queueObject('LocalQueue', 'research', { clusterQueue: 'gpus' })], clusterQueues: [queueObject('ClusterQueue', 'gpus', quotaOf('20'))],
      cohorts: [], flavors: [queueObject('ResourceFlavor', 'a100', {})], ...more,
    },
  };
}

const claim = (spec: object) => program(object('v1', 'PersistentVolumeClaim', 'data', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec } }));
const quota = (hard: object, used: object = {}) => namespace({ quotas: [{ kind: 'ResourceQuota', metadata: { name: 'team', namespace: NAMESPACE }, spec: { hard }, status: { hard, used } } as AnyObject] });
const right = (verb: string, resource = 'mltrainingjobs', group = 'ml.collabnix.io') => [{ verb, group, resource, namespace: NAMESPACE, isAllowed: false }];
const onGke = { 'cloud.google.com/gke-nodepool': 'pool' };
const pull = (registries: readonly string[] | undefined, type = 'kubernetes.io/dockerconfigjson') => (
  [reference('Secret', 'registry', found({ kind: 'Secret', type, ...(registries && { registries }) }), { isPullSecret: true })]);

const SITUATIONS: { readonly [topic in keyof typeof FAULTS]: readonly Situation[] } = {
  cluster: [
    ['an old Kubernetes', { kubernetes: 'v1.28.3-gke.100' }, 'KubernetesTooOld', 'error', 'v1.28.3-gke.100', '1.29 or later', 'gcloud container clusters upgrade'],
    ['one without admission policies', { kubernetes: 'v1.29.4' }, 'NoAdmissionPolicies', 'warning', 'admissionPolicy: false', 'kubeadm upgrade plan'],
    ['a clock that is late', { serverNow: NOW + 60_000 }, 'ClockSkew', 'warning', '60 s behind', 'chronyc makestep'],
    ['a clock that is far off', { serverNow: NOW - 3_600_000 }, 'ClockSkew', 'error', '60 min ahead of'],
  ],
  operator: [
    ['nothing is installed', { ...withoutProgram, operator: operator({ deployments: [], leases: [] }) }, 'OperatorMissing', 'error', 'node -e', 'TrainingOperator', 'kubectl apply --server-side'],
    ['it is scaled to zero', { operator: operator({ deployments: [deployment({ replicas: 0, ready: 0 })] }) }, 'OperatorNotReady', 'error', 'scaled to 0', 'scale deployment trainyard-operator --replicas=2'],
    ['no replica is ready', { operator: operator({ deployments: [deployment({ ready: 0 })] }) }, 'OperatorNotReady', 'error', '0 of 2 replicas are ready', 'rollout restart'],
    ['a replica is not ready', { operator: operator({ deployments: [deployment({ ready: 1 })] }) }, 'OperatorNotReady', 'warning', '1 of 2 replicas are ready'],
    ['its pods crash', {
      operator: operator({ deployments: [deployment({ ready: 0 })], pods: [operatorPod(waiting('CrashLoopBackOff'))], logs: [{ pod: 'trainyard-operator-x', container: 'operator', text: 'Error: no permission\n' }] }),
    }, 'OperatorCrashLoop', 'error', '7 times', 'exit code 3', '| Error: no permission', 'logs trainyard-operator-x --previous'],
    ['its image cannot be pulled', { operator: operator({ deployments: [deployment({ ready: 0 })], pods: [operatorPod(waiting('ImagePullBackOff', 'Back-off pulling image "node:22"'))] }) },
      'OperatorPodsFail', 'error', 'node:22', 'describe pod trainyard-operator-x'],
    ['there are two', { operator: operator({ deployments: [deployment(), deployment({ namespace: 'other', watchNamespaces: [NAMESPACE] })] }) }, 'SeveralOperators', 'error', 'Deployment other/trainyard-operator watches ml', 'kubectl -n other scale'],
    ['there is no Lease', { operator: operator({ leases: [] }) }, 'NoLeader', 'error', 'There is no Lease trainyard-system/trainyard-operator', 'rollout restart'],
    ['nobody holds the Lease', { operator: lease({ holderIdentity: '', renewTime: ago(1) }) }, 'NoLeader', 'error', 'has no holder'],
    ['the Lease is old', { operator: lease({ renewTime: ago(300) }) }, 'LeaseStale', 'error', 'for 5 min', 'rollout restart'],
    ['the Lease is of the future', { operator: lease({ renewTime: ago(-120) }) }, 'OperatorClockSkew', 'warning', '2 min ahead'],
    ['it has other code', { operator: operator({ deployments: [deployment({ hash: '999999999999' })] }) }, 'OperatorOtherVersion', 'warning', '999999999999', CODE],
    ['its image is older', { operator: operator({ deployments: [deployment({ image: 'registry.example/operator:0.9.0' })] }) }, 'OperatorOtherVersion', 'warning', 'operator:0.9.0'],
    ['it watches other namespaces', { operator: operator({ deployments: [deployment({ watchNamespaces: ['team-a'] })] }) }, 'NamespaceNotWatched', 'error', 'does not watch ml', '"watchNamespaces":["team-a","ml"]'],
    ['its binding is gone', { operator: operator({ clusterRoleBinding: 'missing' }) }, 'OperatorRightsMissing', 'error', 'no ClusterRoleBinding'],
    ['its role lacks something', { operator: operator({ clusterRole: { found: { kind: 'ClusterRole', rules: [] } as AnyObject } }) }, 'OperatorRightsMissing', 'error', 'The ClusterRole lacks: get mltrainingjobs.ml.collabnix.io'],
    ['Kubernetes warns about its pods', { operator: operator({ events: [event({ kind: 'Pod', name: 'trainyard-operator-x' }, 'FailedMount', 'configmap "code" not found')] }) }, 'OperatorWarnings', 'warning', 'FailedMount: configmap "code" not found'],
  ],
  definitions: [
    ['the definition of our own jobs is missing', { kinds: [ownKind({ isServed: false, servedVersions: [], definition: 'missing' })] }, 'DefinitionMissing', 'error', 'no MLTrainingJob of ml.collabnix.io/v1alpha1', 'TrainingOperator'],
    ['that of another kind is missing', { ...jobSetProgram(), kinds: [jobSetKind({ isServed: false, servedVersions: [], definition: 'missing' })] }, 'DefinitionMissing', 'error',
      'helm upgrade --install jobset oci://registry.k8s.io/jobset/charts/jobset --version 0.12.0 --namespace jobset-system --create-namespace'],
    ['that of a kind that nobody knows is missing', { kinds: [kind('example.com/v1', 'Thing', 'things', { isServed: false, servedVersions: [], definition: 'missing' })] }, 'DefinitionMissing', 'error', 'kubectl api-resources --api-group example.com'],
    ['its group is served without it', { ...jobSetProgram(), kinds: [jobSetKind({ isServed: false, servedVersions: ['v1alpha2'], definition: 'unreadable' })] }, 'DefinitionMissing', 'error', 'without this kind'],
    ['another version is served', { ...jobSetProgram(), kinds: [jobSetKind({ isServed: false, servedVersions: ['v1alpha1'], definition: 'unreadable' })] }, 'VersionNotServed', 'error', 'v1alpha1'],
    ['its names are taken', { kinds: [ownKind({ isServed: false }, { status: { conditions: [condition('NamesAccepted', 'False', 'ShortNamesConflict', '"mltj" is already in use')] } })] }, 'DefinitionNamesRefused', 'error', '"mltj" is already in use'],
    ['it is not established', { kinds: [ownKind({ isServed: false }, { status: { conditions: [condition('Established', 'False', 'Installing', 'not yet')] } })] }, 'DefinitionNotEstablished', 'error', 'kubectl wait --for=condition=Established crd/mltrainingjobs.ml.collabnix.io'],
    ['it is older, and nothing needs what it lacks', { kinds: ownDefinition((properties) => delete properties.elastic) }, 'DefinitionOlder', 'warning', 'spec.elastic'],
    ['it is older, and the program needs what it lacks', { kinds: ownDefinition((properties) => delete properties.resources) }, 'DefinitionOlder', 'error', 'spec.resources.gpu'],
    ['it is newer', { kinds: ownDefinition((properties) => Object.assign(properties, { magic: { type: 'string' } })) }, 'DefinitionNewer', 'warning', 'spec.magic', 'npm install trainyard@latest'],
    ['nobody converts it', { ...jobSetProgram(), kinds: [jobSetKind({ conversion: { namespace: 'jobset-system', name: 'webhook', service: 'missing' } })] }, 'ConversionWebhookDown', 'error', 'no Service jobset-system/webhook'],
  ],
  controllers: [
    ['there is no controller', { ...jobSetProgram(), deployments: [] }, 'ControllerMissing', 'error', 'No controller acts on JobSet', 'helm upgrade --install jobset'],
    ['it may run outside of a cluster of Google', { ...jobSetProgram(), deployments: [], nodes: [gpuNode('n', { labels: onGke })] }, 'ControllerMissing', 'warning'],
    ['the controller is down', { ...jobSetProgram(), deployments: [controller('jobset-controller-manager', 0, 'jobset-system')] }, 'ControllerNotReady', 'error', '0 of 1 replicas', 'kubectl -n jobset-system rollout restart deployment/jobset-controller-manager'],
    ['the gang scheduler is not there', { program: program(trainingJob({ scheduling: { gang: { scheduler: 'Volcano' } } })) }, 'SchedulerMissing', 'error', 'Volcano', 'helm upgrade --install volcano'],
    ['Kubernetes is too old for it', {
      program: program(object('trainer.kubeflow.org/v1alpha1', 'TrainJob', 'x', { spec: { trainer: { numNodes: 2 }, runtimeRef: { name: 'torch' } } })),
      kinds: [kind('trainer.kubeflow.org/v1alpha1', 'TrainJob', 'trainjobs')], deployments: [controller('kubeflow-trainer-controller-manager')], kubernetes: 'v1.30.0',
    }, 'KubernetesTooOldForController', 'warning', 'needs Kubernetes 1.31'],
  ],
  admission: [
    ['the service of a webhook is gone', { webhooks: [webhook({ service: { namespace: 'kueue-system', name: 'kueue-webhook', service: 'missing', endpoints: 0 } })] }, 'WebhookServiceMissing', 'error',
      'requests to create pods are rejected', 'kubectl delete validatingwebhookconfiguration kueue'],
    ['nobody answers for a webhook', { webhooks: [webhook()] }, 'WebhookNoEndpoints', 'error', 'No pod of the Service kueue-system/kueue-webhook is ready'],
    ['nobody answers for one that may be ignored', { webhooks: [webhook({ failurePolicy: 'Ignore' })] }, 'WebhookNoEndpoints', 'warning', 'without what it adds or checks'],
    ['nothing binds our policy', { policies: [{ metadata: { name: 'trainyard-job-creators' } }] }, 'PolicyBindingMissing', 'warning', 'no ValidatingAdmissionPolicyBinding'],
    ['our policy is gone', { policyBindings: [{ metadata: { name: 'x' }, spec: { policyName: 'trainyard-job-creators' } }] }, 'PolicyMissing', 'warning', 'a binding names it'],
  ],
  nodes: [
    ['no node is ready', { nodes: [{ ...gpuNode(), status: { conditions: [condition('Ready', 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.')] } }] }, 'NoReadyNode', 'error', 'Kubelet stopped'],
    ['there are no nodes', { nodes: [] }, 'NoReadyNode', 'error', 'no nodes'],
    ['a node is not ready', { nodes: [gpuNode(), { ...gpuNode('node-2'), status: { conditions: [condition('Ready', 'False', 'KubeletNotReady', 'cni')] } }] }, 'NodeNotReady', 'warning', 'node-2: KubeletNotReady: cni', 'kubectl describe node node-2'],
    ['a node is short of disk', { nodes: [gpuNode('node-1', { conditions: [condition('DiskPressure', 'True', 'KubeletHasDiskPressure', 'low')] })] }, 'NodePressure', 'warning', 'DiskPressure'],
    ['a node has GPUs that pods cannot use', { nodes: [gpuNode(), gpuNode('node-2', { labels: { 'nvidia.com/gpu.present': 'true' }, allocatable: { 'nvidia.com/gpu': '0' } })] }, 'DevicePluginMissing', 'error', 'node-2', 'helm upgrade --install gpu-operator'],
    ['a node has GPUs that pods cannot use, and no job asks for them', { program: program(trainingJob({ resources: { cpu: '1' } })), nodes: [gpuNode('node-2', { labels: { 'nvidia.com/gpu.present': 'true' }, allocatable: { 'nvidia.com/gpu': '0' } })] }, 'DevicePluginMissing', 'warning'],
    ['the device plugin is down', { daemonSets: [{ kind: 'DaemonSet', metadata: { name: 'nvidia-device-plugin-daemonset', namespace: 'gpu-operator' }, status: { desiredNumberScheduled: 4, numberReady: 0 } }] },
      'DevicePluginNotReady', 'error', '0 of 4 nodes', 'rollout restart daemonset/nvidia-device-plugin-daemonset'],
  ],
  placement: [
    ['there are no GPUs', { nodes: [gpuNode('node-1', { allocatable: { 'nvidia.com/gpu': '0' } })] }, 'NoAccelerators', 'error', '1 nvidia.com/gpu for each pod', 'nothing but CPU'],
    ['there are none, and nobody may know of an autoscaler', { isAutoscaled: undefined, nodes: [gpuNode('node-1', { allocatable: { 'nvidia.com/gpu': '0' } })] }, 'NoAccelerators', 'warning', 'You may not see'],
    ['there are none yet', { isAutoscaled: true, nodes: [gpuNode('node-1', { allocatable: { 'nvidia.com/gpu': '0' } })] }, 'NoAccelerators', 'warning', 'autoscaler'],
    ['the resource has another name', jobSetProgram({ containers: [{ name: 'main', image: 'x', resources: { limits: { 'nvidia.com/mig-1g.5gb': '1' } } }] }), 'ResourceOnNoNode', 'error', 'nvidia.com/mig-1g.5gb', 'Nodes offer nvidia.com/gpu'],
    ['no node has the label', jobSetProgram({ nodeSelector: { 'nvidia.com/gpu.product': 'H200' } }), 'SelectorMatchesNoNode', 'error', 'nvidia.com/gpu.product=H200', 'No node has the label nvidia.com/gpu.product', 'kubectl get nodes -L nvidia.com/gpu.product'],
    ['no node has the value', {
      ...jobSetProgram({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['b', 'c'] }] }] } } } }),
      nodes: [gpuNode('node-1', { labels: { zone: 'a' } })],
    }, 'SelectorMatchesNoNode', 'error', 'zone=b|c', 'Nodes have zone=a'],
    ['the taint is not tolerated', { nodes: [gpuNode('node-1', { taints: [{ key: 'team', value: 'other', effect: 'NoSchedule' }] })] }, 'TaintNotTolerated', 'error', 'team=other:NoSchedule', 'kubectl taint nodes node-1 team:NoSchedule-'],
    ['a replica is too large', { program: program(trainingJob({ resources: { cpu: '2', memory: '8Gi', gpu: 16 } })) }, 'NodeTooSmall', 'error', '16 are requested, and the largest node has 8'],
    ['the job is too large', { program: program(trainingJob({ replicas: 20 })) }, 'TooFewNodes', 'warning', '20 are requested together, and all nodes have 8'],
  ],
  queues: [
    ['Kueue is not there', queued({ isInstalled: false }), 'KueueMissing', 'error', 'uses the queue research', 'helm upgrade --install kueue'],
    ['there is no such queue', queued({ localQueues: [queueObject('LocalQueue', 'reserch', { clusterQueue: 'gpus' })] }), 'QueueNotFound', 'error', 'Its queues: reserch', '"kind":"LocalQueue"', '"clusterQueue":"gpus"'],
    ['its ClusterQueue is gone', queued({ clusterQueues: [] }), 'ClusterQueueMissing', 'error', 'gpus, which does not exist'],
    ['it is stopped', queued({ clusterQueues: [queueObject('ClusterQueue', 'gpus', { ...quotaOf('20'), stopPolicy: 'Hold' })] }), 'QueueStopped', 'error', 'kubectl patch clusterqueue gpus', '"stopPolicy":"None"'],
    ['it is not active', queued({ clusterQueues: [queueObject('ClusterQueue', 'gpus', quotaOf('20'), { conditions: [condition('Active', 'False', 'CheckNotFound', 'no check x')] })] }), 'QueueInactive', 'error', 'CheckNotFound: no check x'],
    ['a flavor is gone', queued({ flavors: [] }), 'FlavorMissing', 'error', 'ResourceFlavor a100', 'kubectl apply -f -'],
    ['the quota is never enough', queued({ clusterQueues: [queueObject('ClusterQueue', 'gpus', quotaOf('1'))] }), 'QuotaTooSmall', 'error', 'wait forever', 'kubectl edit clusterqueue gpus'],
    ['the quota is in use', queued({ clusterQueues: [queueObject('ClusterQueue', 'gpus', quotaOf('2'), { flavorsReservation: [{ name: 'a100', resources: [{ name: 'nvidia.com/gpu', total: '1' }] }] })] }), 'QuotaInUse', 'warning', 'of which 1 are in use'],
    ['a job of another kind is in no queue', { ...labelled('set', 'x'), kueue: { ...queued().kueue!, localQueues: [] } }, 'QueueNotFound', 'error', 'no LocalQueue x'],
  ],
  storage: [
    ['no such class', { program: claim({ storageClassName: 'fast' }) }, 'StorageClassMissing', 'error', 'fast, which does not exist', 'StorageClasses: standard'],
    ['no default class', { program: claim({}), storageClasses: [{ kind: 'StorageClass', metadata: { name: 'slow' } }] }, 'NoDefaultStorageClass', 'error', 'kubectl annotate storageclass slow storageclass.kubernetes.io/is-default-class=true'],
    ['a disk that nobody can share', { program: claim({ accessModes: ['ReadWriteMany'] }) }, 'NoSharedStorage', 'error', 'pd.csi.storage.gke.io'],
    ['no such claim', { references: [reference('PersistentVolumeClaim', 'data', 'missing')] }, 'ClaimMissing', 'error', 'the claim data', '"accessModes":["ReadWriteOnce"]', 'kubectl apply -f -'],
    ['a claim without a volume', { references: [reference('PersistentVolumeClaim', 'data', found({ spec: { storageClassName: 'gone' }, status: { phase: 'Pending' } }))] }, 'ClaimPending', 'error', 'gone, which does not exist', 'describe persistentvolumeclaim data'],
    ['a claim of one node for many pods', {
      ...jobSetProgram({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }),
      references: [reference('PersistentVolumeClaim', 'data', found({ spec: { accessModes: ['ReadWriteOnce'] }, status: { phase: 'Bound' } }))],
    }, 'ClaimSingleNode', 'error', '2 pods of JobSet ml/set', 'ReadWriteOnce'],
  ],
  references: [
    ['no such Secret', { references: [reference('Secret', 'token', 'missing', { key: 'hf' })] }, 'SecretMissing', 'error', 'kubectl -n ml create secret generic token --from-literal=hf="$VALUE"'],
    ['no such pull secret', { references: [reference('Secret', 'registry', 'missing', { isPullSecret: true })] }, 'SecretMissing', 'error', 'create secret docker-registry registry'],
    ['no such ConfigMap', { references: [reference('ConfigMap', 'settings', 'missing')] }, 'ConfigMapMissing', 'error', 'create configmap settings'],
    ['no such key', { references: [reference('Secret', 'token', found({ kind: 'Secret', keys: ['hf_token'] }), { key: 'hf-token' })] }, 'KeyMissing', 'error', "Did you mean 'hf_token'?", 'kubectl -n ml edit secret token'],
    ['no such account', { references: [reference('ServiceAccount', 'trainer', 'missing')] }, 'ServiceAccountMissing', 'error', 'kubectl -n ml create serviceaccount trainer'],
    ['no such priority', { references: [reference('PriorityClass', 'high', 'missing', { group: 'scheduling.k8s.io', namespace: undefined })] }, 'PriorityClassMissing', 'error', 'kubectl create priorityclass high --value=1000'],
    ['no such runtime class', { references: [reference('RuntimeClass', 'nvidia', 'missing', { group: 'node.k8s.io', namespace: undefined })] }, 'RuntimeClassMissing', 'error', 'There is no RuntimeClass nvidia.'],
    ['no such runtime of Trainer', { references: [reference('ClusterTrainingRuntime', 'torch', 'unknown-kind', { group: 'trainer.kubeflow.org' })] }, 'ReferenceMissing', 'error', 'no kind ClusterTrainingRuntime'],
    ['a pull secret that is none', { references: pull(undefined, 'Opaque') }, 'PullSecretType', 'error', 'Its type is Opaque'],
    ['a pull secret for another registry', { ...jobSetProgram({ imagePullSecrets: [{ name: 'registry' }] }), references: pull(['https://index.docker.io/v1/']) }, 'PullSecretRegistry', 'warning', 'no credentials for ghcr.io', '--docker-server=ghcr.io'],
    ['a bucket and an account that is not linked', { program: program(trainingJob({ checkpointPath: 'gs://bucket/train' })), nodes: [gpuNode('n', { labels: onGke })] }, 'WorkloadIdentityMissing', 'warning', 'gs://bucket', 'kubectl -n ml annotate serviceaccount default iam.gke.io/gcp-service-account="$GOOGLE_ACCOUNT"'],
  ],
  namespace: [
    ['it does not exist', { namespaces: [namespace({ namespace: 'missing' })] }, 'NamespaceMissing', 'error', 'kubectl create namespace ml'],
    ['it is being deleted', { namespaces: [namespace({ namespace: { found: { metadata: { name: NAMESPACE, deletionTimestamp: ago(600) }, status: { phase: 'Terminating', conditions: [condition('NamespaceFinalizersRemaining', 'True', 'x', 'kueue has it')] } } } })] },
      'NamespaceTerminating', 'error', 'since 10 min', 'kueue has it'],
    ['the quota is too small', { namespaces: [quota({ 'requests.nvidia.com/gpu': '1' })] }, 'NamespaceQuotaTooSmall', 'error', 'the program asks for 2; 0 of 1 are in use', '"requests.nvidia.com/gpu":"2"'],
    ['the quota is in use', { namespaces: [quota({ pods: '10' }, { pods: '9' })] }, 'NamespaceQuotaInUse', 'warning', '9 of 10 are in use'],
    ['a container is too large', { namespaces: [namespace({ limits: [{ metadata: { name: 'limits', namespace: NAMESPACE }, spec: { limits: [{ type: 'Container', max: { memory: '4Gi' } }] } }] })] }, 'LimitRangeExceeded', 'error', 'asks for 8Gi memory, and at most 4Gi'],
    ['the pods are not hardened', { ...jobSetProgram(), namespaces: [namespace({}, { 'pod-security.kubernetes.io/enforce': 'restricted' })] }, 'PodSecurityRejects', 'error', 'Pod Security Standard restricted', 'enforce=baseline'],
    ['the pods of our own job are not hardened', { namespaces: [namespace({}, { 'pod-security.kubernetes.io/enforce': 'restricted' })] }, 'PodSecurityRejects', 'error', 'trainyard submit job.yaml --job train --set spec.security.restricted=true'],
    ['the pods are privileged', { ...jobSetProgram({ hostNetwork: true }), namespaces: [namespace({}, { 'pod-security.kubernetes.io/enforce': 'baseline' })] }, 'PodSecurityRejects', 'error', 'spec.hostNetwork', 'enforce=privileged'],
    ['nothing may reach the pods', { ...jobSetProgram(), namespaces: [namespace({ networkPolicies: [{ metadata: { name: 'deny' }, spec: { podSelector: {}, policyTypes: ['Ingress'] } }] })] }, 'NetworkPolicyBlocks', 'warning', 'deny', 'allow-same-namespace'],
  ],
  rights: [
    ['jobs', { rights: right('create') }, 'NoRightToCreate', 'error', 'create mltrainingjobs.ml.collabnix.io in the namespace ml', 'kubectl -n ml create rolebinding', '--user=ann'],
    ['what is to be done with them', { rights: right('delete'), user: 'system:serviceaccount:ci:robot' }, 'NoRightToManage', 'warning', '--serviceaccount=ci:robot'],
    ['logs', { rights: right('get', 'pods/log', '') }, 'NoRightToLogs', 'warning', '--resource=pods/log'],
    ['commands', { rights: right('create', 'pods/exec', '') }, 'NoRightToExec', 'warning', '--verb=create'],
  ],
  program: [['it breaks rules', { program: program(trainingJob({ replicas: -1 })) }, 'ProgramInvalid', 'error', 'spec.replicas', 'trainyard validate job.yaml']],
};

const faultsOf = (shown: Partial<ClusterSnapshot>) => examine(cluster(shown)).findings.filter((finding): finding is Fault => finding.severity !== 'ok');

describe.each(Object.entries(SITUATIONS))('%s', (_topic, situations) => {
  test.each(situations.map((situation) => [situation[0], situation] as const))('%s', (_name, [, shown, id, severity, ...words]) => {
    const faults = faultsOf(shown).filter((fault) => fault.id === id);
    expect(faultsOf(shown).map((fault) => fault.id)).toContain(id);
    expect(faults.map((fault) => fault.severity)).toContain(severity);
    const said = faults.map((fault) => [fault.what, ...fault.evidence, fault.fix].join('\n')).join('\n');
    words.forEach((word) => expect(said).toContain(word));
    faults.forEach(({ fix }) => expect(fix).toMatch(/^(?:kubectl|helm|trainyard|node|npm|gcloud|eksctl|kubeadm|sudo chronyc|printf) /));
  });
});

test('every fault is provoked, but for the cluster that does not answer, and there are more than 25', () => {
  const provoked = new Set(Object.values(SITUATIONS).flat().map(([,, id]) => id));
  const known = Object.values(FAULTS).flat().filter((id) => id !== 'ClusterUnreachable');
  expect(known.filter((id) => !provoked.has(id))).toEqual([]);
  expect(provoked.size).toBeGreaterThanOrEqual(25);
  expect(new Set(known).size).toBe(known.length);
});

describe('what is no fault', () => {
  const none: readonly (readonly [string, Partial<ClusterSnapshot>])[] = [
    ['a good cluster', {}],
    ['a good cluster, without a program', withoutProgram],
    ['no operator, for a program that needs none', { ...jobSetProgram(), operator: operator({ deployments: [], leases: [] }) }],
    ['an operator that comes with the program', { program: program(trainingJob(), object('apps/v1', 'Deployment', 'trainyard-operator')), operator: operator({ deployments: [], leases: [] }) }],
    ['an operator that nobody may see', { operator: operator({ isReadable: false, deployments: [], leases: [] }) }],
    ['an operator on a laptop', { operator: operator({ deployments: [] }) }],
    ['two operators with namespaces of their own', {
      operator: operator({
        deployments: [deployment({ watchNamespaces: ['a'] }), deployment({ namespace: 'other', watchNamespaces: [NAMESPACE] })],
        leases: ['trainyard-system', 'other'].map((where) => ({ metadata: { namespace: where }, spec: { holderIdentity: 'x', renewTime: ago(1) } })),
      }),
    }],
    ['lists that nobody may read', { nodes: undefined, deployments: undefined, storageClasses: undefined, daemonSets: undefined, policies: undefined, policyBindings: undefined }],
    ['a job in a queue with room', queued()],
    ['queues that nobody may read', queued({ localQueues: undefined, clusterQueues: undefined, cohorts: undefined, flavors: undefined })],
    ['a queue that comes with the program', { ...queued({ localQueues: [] }), program: program(trainingJob({ scheduling: { queueName: 'research' } }), object('kueue.x-k8s.io/v1beta1', 'LocalQueue', 'research', { spec: { clusterQueue: 'gpus' } })) }],
    ['references that nobody may read', { references: [reference('Secret', 'token', 'unreadable'), reference('PersistentVolumeClaim', 'data', 'unreadable')] }],
    ['a claim that waits for its first pod', {
      references: [reference('PersistentVolumeClaim', 'data', found({ spec: { storageClassName: 'late' }, status: { phase: 'Pending' } }))],
      storageClasses: [{ metadata: { name: 'late' }, volumeBindingMode: 'WaitForFirstConsumer' } as AnyObject],
    }],
    ['a taint that GKE tolerates for pods with GPUs', { nodes: [gpuNode('n', { labels: onGke, taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }] })] }],
    ['a policy that lets pods of the namespace in', {
      ...jobSetProgram(), namespaces: [namespace({ networkPolicies: [{ metadata: { name: 'own' }, spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector: {} }] }] } }] })],
    }],
    ['a webhook that answers', { webhooks: [webhook({ service: { namespace: 'a', name: 'b', service: { found: {} }, endpoints: 2 } })] }],
    ['a pull secret that is for the registry', { ...jobSetProgram({ imagePullSecrets: [{ name: 'registry' }] }), references: pull(['ghcr.io/acme']) }],
    ['old warnings of the operator', { operator: operator({ events: [{ ...event({ kind: 'Pod', name: 'trainyard-operator-x' }, 'FailedMount', 'x'), lastTimestamp: ago(7200) }] }) }],
  ];
  test.each(none)('%s', (_what, shown) => expect(faultsOf(shown)).toEqual([]));
});

test('every command is one that a shell understands', () => {
  const fixes = Object.values(SITUATIONS).flat().flatMap(([, shown]) => faultsOf(shown).map(({ fix }) => fix));
  const { status, stderr } = spawnSync('/bin/sh', ['-n'], { input: [...new Set(fixes)].join('\n'), encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(fixes.filter((fix) => fix.includes('\n'))).toEqual([]);
});

test('nothing of a manifest or a cluster can add words to a command', () => {
  const evil = "x; rm -rf ~ '$(id)'";
  const [fault] = faultsOf({ references: [reference('ServiceAccount', evil, 'missing', { namespace: evil })] });
  const quoted = "'x; rm -rf ~ '\\''$(id)'\\'''";
  expect(fault.fix).toBe(`kubectl -n ${quoted} create serviceaccount ${quoted}`);
});

test('a report for people has what is wrong, what was seen, the command, and what could not be read', () => {
  const report = examine(cluster({ references: [reference('Secret', 'token\u001b[2J\nok', 'missing')], unread: ['You do not have permission to read nodes.'] }));
  const lines = reportLines(report, painter(false));
  expect(lines[0]).toBe('Cluster https://cluster.example/, namespace ml, job.yaml');
  expect(lines).toContain('ok       The cluster runs Kubernetes v1.36.2.');
  expect(lines).toContain('error    There is no Secret token\\u001b[2J\\u000aok in the namespace ml. Create it, or correct the name. (SecretMissing)');
  expect(lines).toContain('note: You do not have permission to read nodes.');
  expect(lines.at(-1)).toBe('1 error, 0 warnings.');
  expect(reportLines(examine(cluster()), painter(false)).at(-1)).toBe('No problems found.');
});
