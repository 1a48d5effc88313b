/** Pulumi components for training on GKE: `import { GkeCluster } from 'trainyard/stacks'`. */
import './installed';

export { ChartDeployment, type ChartDeploymentArgs, type ChartLike } from './charts/chart-deployment';
export type { IgnoredFields, ObjectSelector, WaitCondition } from './charts/chart-objects';
export { GkeCluster } from './cluster/gke-cluster';
export type {
  AuthorizedNetwork, AutoProvisioning, ClusterAddons, ClusterAddresses, ControlPlaneAccess, ExistingNetwork, GkeClusterArgs, MaintenanceWindow,
  SystemPool,
} from './cluster/gke-cluster-args';
export { RedisForRay, type RedisForRayArgs } from './data/redis-for-ray';
export type { GrantArgs, WorkloadIdentityBindingArgs } from './identity/workload-identity-binding';
export { WorkloadIdentityBinding } from './identity/workload-identity-binding';
export { ArtifactRegistry, type ArtifactRegistryArgs } from './images/artifact-registry';
export { GpuNetwork, type AdditionalNetwork, type GpuNetworkArgs } from './network/gpu-network';
export { GpuNodePool, type ClusterReference, type GpuNodePoolArgs } from './node-pool/gpu-node-pool';
export { CheckpointBucket, type BucketRetention, type CheckpointBucketArgs } from './storage/checkpoint-bucket';
export { FilestoreStore, type FilestoreStoreArgs, type FilestoreVolume } from './storage/filestore-store';
export { InvalidArgsError } from './support/validated';
export { TrainingStack, type StackChart, type TrainerIdentity, type TrainingStackArgs } from './training/training-stack';
