/** Where facts come from, with the version that was read. Every entry of the tables and every rule names one of them. */

const AUTOSCALER = 'https://github.com/GoogleCloudPlatform/cluster-autoscaler/blob/7d25050/pkg/cloudprovider/gke';
const TOOLKIT = 'https://github.com/GoogleCloudPlatform/cluster-toolkit/blob/v1.95.0';
const DEVICE_PLUGIN = 'https://github.com/GoogleCloudPlatform/container-engine-accelerators/blob/992db81';
const PLATFORMS = 'https://github.com/GoogleCloudPlatform/accelerated-platforms/blob/9320f3b/platforms/gke/base/core/custom_compute_class/templates/manifests';

/** Short names of sources. */
export const SOURCES = {
  /** GKE's autoscaler, open-sourced by Google, read on 2026-08-21: the best single source. */
  gpuConfig: `${AUTOSCALER}/machinetypes/deprecated_machine_types_gpu_config.go`,
  machineConfig: `${AUTOSCALER}/machinetypes/deprecated_machine_types_config.go`,
  tpuConfig: `${AUTOSCALER}/machinetypes/deprecated_tpu_config.go`,
  gpuSharing: `${AUTOSCALER}/machinetypes/gpu.go`,
  dranet: `${AUTOSCALER}/machinetypes/dranet.go`,
  labels: `${AUTOSCALER}/labels/system_labels.go`,
  injection: 'https://github.com/GoogleCloudPlatform/cluster-autoscaler/tree/7d25050 (injection.go)',
  provisioningPods: 'https://github.com/GoogleCloudPlatform/cluster-autoscaler/tree/7d25050 (provisioningrequests/pods/pods.go)',

  /** GKE's device plugin. */
  pluginMig: `${DEVICE_PLUGIN}/pkg/gpu/nvidia/mig/mig.go`,
  pluginSharing: `${DEVICE_PLUGIN}/pkg/gpu/nvidia/gpusharing/gpusharing.go`,
  pluginManager: `${DEVICE_PLUGIN}/pkg/gpu/nvidia/manager.go`,
  partitionGpu: `${DEVICE_PLUGIN}/partition_gpu/partition_gpu.go`,
  pluginMain: `${DEVICE_PLUGIN}/cmd/nvidia_gpu/nvidia_gpu.go`,

  /** Google's toolkit of Terraform modules, with the preconditions of its node pools. */
  toolkitPool: `${TOOLKIT}/modules/compute/gke-node-pool/main.tf`,
  toolkitDirect: `${TOOLKIT}/modules/compute/gke-node-pool/gpu_direct.tf`,
  toolkitCluster: `${TOOLKIT}/modules/scheduler/gke-cluster/main.tf`,
  toolkitHardware: `${TOOLKIT}/pkg/config/hardware.go`,
  toolkitOrchestrator: `${TOOLKIT}/pkg/orchestrator/gke/gke_job_orchestrator.go`,
  toolkitRdma: `${TOOLKIT}/modules/network/gpu-rdma-vpc/main.tf`,
  toolkitReadme: `${TOOLKIT}/modules/compute/gke-node-pool/README.md`,
  toolkitA4xMax: `${TOOLKIT}/examples/gke-a4x-max-bm/gke-a4x-max-bm.yaml`,
  toolkitG4: `${TOOLKIT}/examples/gke-g4/gke-g4.yaml`,

  xpk: 'https://github.com/AI-Hypercomputer/xpk/blob/367c838/src/xpk/core/system_characteristics.py',
  computeClass: 'https://github.com/GoogleCloudPlatform/compute-class-api/blob/8067eae/api/cloud.google.com/v1/types.go',
  platformsGpu: `${PLATFORMS}/gpu`,
  platformsTpu: `${PLATFORMS}/tpu`,
  nvidiaPlugin: 'https://github.com/NVIDIA/k8s-device-plugin/blob/1b826ac/README.md',
  skypilot: 'https://github.com/skypilot-org/skypilot/blob/master/sky/catalog/gcp_catalog.py',

  mpsDocs: 'https://docs.cloud.google.com/kubernetes-engine/docs/how-to/nvidia-mps-gpus',
  provisioningDocs: 'https://docs.cloud.google.com/kubernetes-engine/docs/concepts/provisioning-model',
  k80Eol: 'https://cloud.google.com/compute/docs/eol/k80-eol',
  memoryTable: 'https://huggingface.co/spaces/Elfsong/gcp_allocator',
  armSeries: 'https://docs.cloud.google.com/compute/docs (Arm machine series)',
  tpuV4Memory: 'https://glennklockwood.com/garden/tpuv4',
  tpuV3Memory: 'https://brendanjameslynskey.github.io',
  tpuV5eDocs: 'https://docs.cloud.google.com/tpu/docs/v5e',
  tpuV5pDocs: 'https://docs.cloud.google.com/tpu/docs/v5p',
  tpuV6eDocs: 'https://docs.cloud.google.com/tpu/docs/v6e',
  tpu7xDocs: 'https://docs.cloud.google.com/tpu/docs/tpu7x',
  ncclGib: 'https://docs.cloud.google.com/ai-hypercomputer/docs/nccl/overview',
  ncclProfile: 'https://github.com/NVIDIA/aicr/pull/422',

  poolName: 'https://gitlab.com/thorchain/devops/cluster-launcher/-/merge_requests/67',
  configConnector: 'https://github.com/GoogleCloudPlatform/k8s-config-connector/blob/0196744/crds/container_v1beta1_containernodepool.yaml',
  terraformNodes: 'https://github.com/hashicorp/terraform-provider-google/blob/00b984c/google/services/container/node_config.go',
  provisioningRequest: 'https://github.com/kubernetes/autoscaler/tree/master/cluster-autoscaler/apis/provisioningrequest/autoscaling.x-k8s.io/v1',
  preferences: 'docs/node-pools.md (capacity in order of preference)',

  filestore: 'https://github.com/kubernetes-sigs/gcp-filestore-csi-driver/blob/2edb466/pkg/csi_driver/controller.go',
  filestoreRounding: 'https://github.com/kubernetes-sigs/gcp-filestore-csi-driver/issues/1119',
  filestoreRegional: 'https://github.com/kubernetes-sigs/gcp-filestore-csi-driver/issues/1325',
  toolkitFilestore: `${TOOLKIT}/modules/file-system/filestore/main.tf`,
  gcsFuse: 'https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver/tree/5fcdc04',
  gcsFuseAuthentication: 'https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver/blob/5fcdc04/docs/authentication.md',
  lustre: 'https://github.com/GoogleCloudPlatform/lustre-csi-driver/tree/89f1eb7',
  pulumiGcp: 'https://www.pulumi.com/registry/packages/gcp/ (9.37.0)',
  workloadIdentity: 'https://github.com/external-secrets/external-secrets/issues/2255',
  identityMembers: 'https://docs.cloud.google.com/iam/docs/principal-identifiers',
  identityTokens: 'https://github.com/argoproj/argo-workflows/issues/12781',
  rayRedis: 'https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/kuberay-gcs-persistent-ft.html',

  /** Threads with the mistakes that people made. */
  a4OnDemand: 'https://github.com/dstackai/dstack/pull/3100',
  a4xDisks: 'https://github.com/NVIDIA/aicr/pull/2338',
  gpuOperator: 'https://github.com/NVIDIA/aicr/pull/1998',
  tpuTotals: 'https://github.com/vllm-project/ci-infra/pull/545',
  tpu7xCompact: 'https://github.com/vllm-project/ci-infra/pull/547',
  onlyGpuPools: 'https://github.com/terraform-google-modules/terraform-google-kubernetes-engine/issues/703',
  defaultMachine: 'https://github.com/terraform-google-modules/terraform-google-kubernetes-engine/issues/2608',
  zonesOfPool: 'https://github.com/terraform-google-modules/terraform-google-kubernetes-engine/issues/263',
  gpuTaint: 'https://github.com/hashicorp/terraform-provider-google/issues/7928',
  resourceLimits: 'https://github.com/hashicorp/terraform-provider-google/issues/11589',
  noDriver: 'https://github.com/GoogleCloudPlatform/container-engine-accelerators/issues/402',
  helperPods: 'https://github.com/vllm-project/aibrix/issues/909',
  queuedVolumes: 'https://github.com/kubernetes-sigs/kueue/issues/2389',
} as const;

/** One of {@link SOURCES}. */
export type SourceName = keyof typeof SOURCES;
