/** Where facts come from, with the version that was read. Every entry of the tables and every rule names one of them. */

const AUTOSCALER = 'https://github.com/GoogleCloudPlatform/cluster-autoscaler/blob/7d25050/pkg/cloudprovider/gke';
const TOOLKIT = 'https://github.com/GoogleCloudPlatform/cluster-toolkit/blob/v1.95.0';
const DEVICE_PLUGIN = 'https://github.com/GoogleCloudPlatform/container-engine-accelerators/blob/992db81';
const PLATFORMS = 'https://github.com/GoogleCloudPlatform/accelerated-platforms/blob/9320f3b/platforms/gke/base/core/custom_compute_class/templates/manifests';

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

  poolName: 'https://gitlab.com/thorchain/devops/cluster-launcher/-/merge_requests/67',
  configConnector: 'https://github.com/GoogleCloudPlatform/k8s-config-connector/blob/v1.155.1/third_party/github.com/hashicorp/terraform-provider-google-beta/google-beta/services/container/node_config.go',
  terraformNodes: 'https://github.com/hashicorp/terraform-provider-google-beta/blob/93c65b2/google-beta/services/container/node_config.go',
  provisioningRequest: 'https://github.com/kubernetes/autoscaler/tree/master/cluster-autoscaler/apis/provisioningrequest/autoscaling.x-k8s.io/v1',
  preferences: 'docs/platform/node-pools.md (capacity in order of preference)',

  filestore: 'https://github.com/kubernetes-sigs/gcp-filestore-csi-driver/blob/2edb466/pkg/csi_driver/controller.go',
  filestoreRounding: 'https://github.com/kubernetes-sigs/gcp-filestore-csi-driver/issues/1119',
  filestoreRegional: 'https://github.com/kubernetes-sigs/gcp-filestore-csi-driver/issues/1325',
  toolkitFilestore: `${TOOLKIT}/modules/file-system/filestore/main.tf`,
  gcsFuse: 'https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver/tree/5fcdc04',
  gcsFuseAuthentication: 'https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver/blob/5fcdc04/docs/authentication.md',
  lustre: 'https://github.com/GoogleCloudPlatform/lustre-csi-driver/tree/89f1eb7',
  filestoreTiers: 'https://cloud.google.com/filestore/docs/service-tiers',
  filestoreSpeed: 'https://cloud.google.com/filestore/docs/performance',
  gcsFuseWebhook: 'https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver/blob/01870a9/pkg/webhook/sidecar_spec.go',
  gcsFuseFlags: 'https://cloud.google.com/storage/docs/cloud-storage-fuse/cli-options (rename-dir-limit)',
  gcsFuseProfiles: 'https://docs.cloud.google.com/kubernetes-engine/docs/how-to/persistent-volumes/gcsfuse-profiles',
  persistentDisk: 'https://github.com/kubernetes-sigs/gcp-compute-persistent-disk-csi-driver/blob/b560165/pkg/gce-pd-csi-driver/controller.go',
  nfsDriver: 'https://github.com/kubernetes-csi/csi-driver-nfs/blob/master/docs/driver-parameters.md',
  cephFsDriver: 'https://docs.ceph.com/en/latest/csi/cephfs/',
  efsDriver: 'https://github.com/kubernetes-sigs/aws-efs-csi-driver/blob/master/docs/README.md',
  azureFiles: 'https://learn.microsoft.com/azure/aks/create-volume-azure-files',
  multiTier: 'https://docs.cloud.google.com/kubernetes-engine/docs/how-to/machine-learning/training/multi-tier-checkpointing',
  multiTierController: 'https://github.com/GoogleCloudPlatform/high-scale-checkpointing-controller/tree/3b9737b',
  volumes: 'https://kubernetes.io/docs/concepts/storage/persistent-volumes/',
  checkpointContract: 'docs/jobs/checkpoints.md (the contract)',
  pulumiGcp: 'https://www.pulumi.com/registry/packages/gcp/ (9.37.0)',
  workloadIdentity: 'https://github.com/external-secrets/external-secrets/issues/2255',
  identityMembers: 'https://docs.cloud.google.com/iam/docs/principal-identifiers',
  identityTokens: 'https://github.com/argoproj/argo-workflows/issues/12781',

  /** Databases, messages and tables of Google Cloud: the inputs of Pulumi's resources with what they say of themselves, and Google's pages. */
  pulumiSql: 'https://www.pulumi.com/registry/packages/gcp/api-docs/sql/databaseinstance/ (9.37.0)',
  pulumiAlloyDb: 'https://www.pulumi.com/registry/packages/gcp/api-docs/alloydb/instance/ (9.37.0)',
  pulumiPubSub: 'https://www.pulumi.com/registry/packages/gcp/api-docs/pubsub/subscription/ (9.37.0)',
  pulumiBigQuery: 'https://www.pulumi.com/registry/packages/gcp/api-docs/bigquery/dataset/ (9.37.0)',
  cloudSqlSettings: 'https://docs.cloud.google.com/sql/docs/mysql/instance-settings',
  cloudSqlFlags: 'https://docs.cloud.google.com/sql/docs/mysql/flags',
  cloudSqlBackups: 'https://docs.cloud.google.com/sql/docs/mysql/backup-recovery/backups',
  cloudSqlIam: 'https://docs.cloud.google.com/sql/docs/mysql/iam-authentication',
  mysqlNames: 'https://dev.mysql.com/doc/refman/8.0/en/identifier-length.html',
  pipelinesDatabase: 'https://www.kubeflow.org/docs/components/pipelines/operator-guides/configure-database/',
  pipelinesMysql: 'https://github.com/google/ml-metadata/issues/178',
  privateServices: 'https://docs.cloud.google.com/vpc/docs/configure-private-services-access',
  alloyDbQuotas: 'https://docs.cloud.google.com/alloydb/quotas',
  alloyDbBackups: 'https://docs.cloud.google.com/alloydb/docs/backup/configure',
  alloyDbIam: 'https://docs.cloud.google.com/alloydb/docs/database-users/manage-iam-auth',
  pubSubNames: 'https://docs.cloud.google.com/pubsub/docs/pubsub-basics#resource_names',
  pubSubDeadLetters: 'https://docs.cloud.google.com/pubsub/docs/dead-letter-topics',
  pubSubOrdering: 'https://docs.cloud.google.com/pubsub/docs/ordering',
  bigQuerySchemas: 'https://docs.cloud.google.com/bigquery/docs/schemas',
  bigQueryPartitions: 'https://docs.cloud.google.com/bigquery/docs/partitioned-tables',
  bigQueryClusters: 'https://docs.cloud.google.com/bigquery/docs/clustered-tables',
  bigQueryTimeTravel: 'https://docs.cloud.google.com/bigquery/docs/time-travel',
  bigQueryAccess: 'https://docs.cloud.google.com/bigquery/docs/access-control',

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
