/**
 * Kinds of the systems around training, by which a slip in `kind` or `apiVersion` is told from a custom resource that is not known here. A cluster
 * may have newer or older ones: definitions that are given count first.
 */
import type { BuiltinKind } from './builtin-kinds';

/** Kinds by their group, the versions that have them in front; those after the bar are cluster-scoped. */
const KINDS: { readonly [group: string]: readonly string[] } = {
  'argoproj.io': [
    'v1alpha1: AnalysisRun AnalysisTemplate AppProject Application ApplicationSet CronWorkflow EventBus EventSource Experiment Rollout Sensor Workflow '
      + 'WorkflowTemplate | ClusterAnalysisTemplate ClusterWorkflowTemplate',
  ],
  'autoscaling.x-k8s.io': ['v1 v1beta1: ProvisioningRequest'],
  'batch.volcano.sh': ['v1alpha1: CronJob Job'],
  'cert-manager.io': ['v1: Certificate CertificateRequest Issuer | ClusterIssuer'],
  'cloud.google.com': ['v1: | ComputeClass', 'v1 v1beta1: BackendConfig'],
  'container.cnrm.cloud.google.com': ['v1beta1: ContainerCluster ContainerNodePool'],
  'eventing.knative.dev': ['v1: Broker Trigger', 'v1beta1 v1beta2 v1beta3: EventType'],
  'external-secrets.io': [
    'v1 v1beta1: ExternalSecret SecretStore | ClusterExternalSecret ClusterSecretStore', 'v1alpha1: PushSecret | ClusterPushSecret',
  ],
  'extensions.istio.io': ['v1alpha1: WasmPlugin'],
  'gateway.networking.k8s.io': [
    'v1 v1alpha2 v1beta1: Gateway HTTPRoute ReferenceGrant | GatewayClass', 'v1: GRPCRoute ListenerSet', 'v1 v1alpha2: TCPRoute UDPRoute',
    'v1 v1alpha2 v1alpha3: TLSRoute', 'v1 v1alpha3: BackendTLSPolicy',
  ],
  'helm.toolkit.fluxcd.io': ['v2 v2beta1 v2beta2: HelmRelease'],
  'jobset.x-k8s.io': ['v1alpha2: JobSet'],
  'keda.sh': ['v1alpha1: ScaledJob ScaledObject TriggerAuthentication | ClusterTriggerAuthentication'],
  'kubeflow.org': [
    'v1: JAXJob MPIJob MXJob PaddleJob PyTorchJob TFJob XGBoostJob', 'v2beta1: MPIJob', 'v1beta1: Experiment ScheduledWorkflow Suggestion Trial Viewer',
    'v1 v1alpha1 v1beta1: Notebook', 'v1 v1beta1: | Profile', 'v1alpha1: PodDefault',
  ],
  'kueue.x-k8s.io': [
    'v1beta1 v1beta2: LocalQueue Workload | AdmissionCheck ClusterQueue Cohort MultiKueueCluster MultiKueueConfig ProvisioningRequestConfig '
      + 'ResourceFlavor Topology WorkloadPriorityClass',
    'v1alpha1: | Cohort Topology',
  ],
  'kustomize.toolkit.fluxcd.io': ['v1 v1beta1 v1beta2: Kustomization'],
  'leaderworkerset.x-k8s.io': ['v1: LeaderWorkerSet'],
  'monitoring.coreos.com': [
    'v1: Alertmanager PodMonitor Probe Prometheus PrometheusRule ServiceMonitor ThanosRuler', 'v1alpha1: PrometheusAgent ScrapeConfig',
    'v1alpha1 v1beta1: AlertmanagerConfig',
  ],
  'monitoring.googleapis.com': ['v1: PodMonitoring Rules | ClusterNodeMonitoring ClusterPodMonitoring ClusterRules GlobalRules'],
  'networking.istio.io': [
    'v1 v1alpha3 v1beta1: DestinationRule Gateway ServiceEntry Sidecar VirtualService WorkloadEntry WorkloadGroup', 'v1alpha3: EnvoyFilter',
    'v1beta1: ProxyConfig',
  ],
  'nfd.k8s-sigs.io': ['v1alpha1: NodeFeature NodeFeatureGroup | NodeFeatureRule'],
  'nvidia.com': ['v1: | ClusterPolicy', 'v1alpha1: | GPUCluster NVIDIADriver'],
  'pipelines.kubeflow.org': ['v2beta1: Pipeline PipelineVersion'],
  'ray.io': ['v1: RayCluster RayCronJob RayJob RayService'],
  'resource.nvidia.com': ['v1beta1: ComputeDomain ComputeDomainClique'],
  'scheduling.run.ai': ['v2: | Queue', 'v2alpha2: PodGroup'],
  'scheduling.volcano.sh': ['v1beta1: PodGroup | Queue'],
  'scheduling.x-k8s.io': ['v1alpha1: ElasticQuota PodGroup'],
  'secrets-store.csi.x-k8s.io': ['v1 v1alpha1: SecretProviderClass SecretProviderClassPodStatus'],
  'security.istio.io': ['v1 v1beta1: AuthorizationPolicy PeerAuthentication RequestAuthentication'],
  'serving.knative.dev': ['v1: Configuration Revision Route Service', 'v1beta1: DomainMapping'],
  'serving.kserve.io': [
    'v1beta1: InferenceService', 'v1alpha1 v1alpha2: LLMInferenceService LLMInferenceServiceConfig',
    'v1alpha1: InferenceGraph LocalModelNamespaceCache ServingRuntime TrainedModel | ClusterServingRuntime ClusterStorageContainer LocalModelCache '
      + 'LocalModelNode LocalModelNodeGroup',
  ],
  'source.toolkit.fluxcd.io': ['v1 v1beta1 v1beta2: Bucket GitRepository HelmChart HelmRepository', 'v1 v1beta2: OCIRepository', 'v1: ExternalArtifact'],
  'sparkoperator.k8s.io': ['v1beta2: ScheduledSparkApplication SparkApplication', 'v1alpha1: SparkConnect'],
  'telemetry.istio.io': ['v1 v1alpha1: Telemetry'],
  'tensorboard.kubeflow.org': ['v1alpha1: Tensorboard'],
  'trainer.kubeflow.org': ['v1alpha1: TrainJob TrainingRuntime | ClusterTrainingRuntime'],
};

/** Fields of an object next to its `spec` and `status`, where a kind has some. */
const FURTHER_FIELDS: { readonly [kind: string]: readonly string[] } = {
  'argoproj.io/Application': ['operation'],
  'kueue.x-k8s.io/WorkloadPriorityClass': ['value', 'description'],
  'resource.nvidia.com/ComputeDomainClique': ['daemons'],
  'serving.kserve.io/ClusterStorageContainer': ['disabled'],
};

const COMMON_FIELDS = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

/** All of them, in all of their versions. */
export const KNOWN_KINDS: readonly BuiltinKind[] = Object.entries(KINDS).flatMap(([group, lines]) => lines.flatMap((line) => {
  const [versions, kinds] = line.split(': ');
  const [namespaced, cluster = []] = kinds.split('|').map((words) => words.split(' ').filter((word) => word !== ''));
  return versions.split(' ').flatMap((version) => [
    ...namespaced.map((kind) => ({ apiVersion: `${group}/${version}`, kind, namespaced: true })),
    ...cluster.map((kind) => ({ apiVersion: `${group}/${version}`, kind, namespaced: false })),
  ]);
}));

/** Fields that an object of a known kind can have. */
export function fieldsOfKnownKind(group: string, kind: string): readonly string[] {
  return [...COMMON_FIELDS, ...FURTHER_FIELDS[`${group}/${kind}`] ?? []];
}

/** Files that look like objects and are not objects of a cluster: the tool that reads them, by the group of their `apiVersion`. */
const CONFIGURATION_FILES: { readonly [group: string]: string } = {
  'kind.x-k8s.io': 'kind (kind create cluster --config FILE)',
  'kustomize.config.k8s.io': 'kustomize (kubectl apply -k FOLDER)',
  'kubeadm.k8s.io': 'kubeadm',
  'kubelet.config.k8s.io': 'the kubelet',
  'kubescheduler.config.k8s.io': 'kube-scheduler',
  'kubeproxy.config.k8s.io': 'kube-proxy',
  'apiserver.config.k8s.io': 'kube-apiserver',
  'audit.k8s.io': 'kube-apiserver (--audit-policy-file)',
  'config.kueue.x-k8s.io': 'Kueue (--config)',
  'client.authentication.k8s.io': 'kubectl',
  'skaffold': 'Skaffold',
};

/** The tool that reads such a file; undefined for an object. */
export function readerOfConfiguration(apiVersion: unknown, kind: unknown): string | undefined {
  if (apiVersion === 'v1' && kind === 'Config') {
    return 'kubectl (KUBECONFIG)';
  }
  return typeof apiVersion === 'string' && apiVersion.includes('/') ? CONFIGURATION_FILES[apiVersion.split('/')[0]] : undefined;
}
