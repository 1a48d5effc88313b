/** Pulumi components for training on GKE: `import { GkeCluster } from 'trainyard/stacks'`. */
import './installed';

export { ChartDeployment, type ChartDeploymentArgs, type ChartLike } from './charts/chart-deployment';
export type { IgnoredFields, ObjectSelector, WaitCondition } from './charts/chart-objects';
export { GkeCluster } from './cluster/gke-cluster';
export type {
  AuthorizedNetwork, AutoProvisioning, ClusterAddons, ClusterAddresses, ControlPlaneAccess, ExistingNetwork, GkeClusterArgs, MaintenanceWindow,
  SystemPool,
} from './cluster/gke-cluster-args';
export { AlloyDb } from './data/alloy-db';
export type { AlloyDbArgs, AlloyDbReadPoolArgs } from './data/alloy-db-args';
export { BigQueryDataset, type BigQueryDatasetArgs, type BigQueryTableArgs, type DatasetAccessArgs } from './data/big-query-dataset';
export type { CloudSqlForKubeflowArgs, DatabaseBackups, DatabaseMaintenance } from './data/cloud-sql-args';
export { CloudSqlForKubeflow, type DatabaseCredentials } from './data/cloud-sql-for-kubeflow';
export { PubSubTopic, type PubSubSubscriptionArgs, type PubSubTopicArgs } from './data/pub-sub-topic';
export { RedisForRay, type RedisForRayArgs } from './data/redis-for-ray';
export type { GrantArgs, TypedGrant, WorkloadIdentityBindingArgs } from './identity/workload-identity-binding';
export { WorkloadIdentityBinding } from './identity/workload-identity-binding';
export { ArtifactRegistry, type ArtifactRegistryArgs } from './images/artifact-registry';
export { KubeflowOnGkeStack, type KubeflowOnGkeStackArgs, type KubeflowPlatform } from './kubeflow/kubeflow-on-gke-stack';
export { GpuNetwork, type AdditionalNetwork, type GpuNetworkArgs } from './network/gpu-network';
export { PrivateServiceAccess, type PrivateServiceAccessArgs } from './network/private-service-access';
export {
  GpuNodePool, type ClusterReference, type DescribedPoolsArgs, type GpuNodePoolArgs, type PoolArgs, type PoolDescription,
} from './node-pool/gpu-node-pool';
export type { WorkloadPolicyArgs } from './node-pool/workload-policy';
export { PlatformDeployment } from './platform/platform-deployment';
export type { PlatformDeploymentArgs, PlatformSecret } from './platform/platform-args';
export { CheckpointBucket, type BucketRetention, type CheckpointBucketArgs } from './storage/checkpoint-bucket';
export { FilestoreStore, type FilestoreStoreArgs, type FilestoreVolume } from './storage/filestore-store';
export { InvalidArgsError } from './support/validated';
export type { StackChart, StackCharts } from './charts/ordered-charts';
export type { StackQueue, StackQueues } from './training/stack-queues';
export { TrainingStack, type TrainerIdentity, type TrainingStackArgs } from './training/training-stack';
