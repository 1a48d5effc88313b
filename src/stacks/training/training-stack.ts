/** Everything for training on GKE as one component: a cluster with pools, buckets, images, identities, and charts. */
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { checkQueues, queueObjects, type StackQueues } from './stack-queues';
import type { Violation } from '../../model/violations';
import type { ChartDeployment } from '../charts/chart-deployment';
import { checkCharts, comesAfter, deployCharts, unknownName, type StackCharts } from '../charts/ordered-charts';
import { GkeCluster } from '../cluster/gke-cluster';
import type { GkeClusterArgs } from '../cluster/gke-cluster-args';
import { WorkloadIdentityBinding, type GrantArgs, type TypedGrant, type WorkloadIdentityBindingArgs } from '../identity/workload-identity-binding';
import { ArtifactRegistry, type ArtifactRegistryArgs } from '../images/artifact-registry';
import { GpuNodePool, type PoolArgs } from '../node-pool/gpu-node-pool';
import { PlatformDeployment } from '../platform/platform-deployment';
import type { PlatformDeploymentArgs } from '../platform/platform-args';
import { CheckpointBucket, type CheckpointBucketArgs } from '../storage/checkpoint-bucket';
import { FilestoreStore, type FilestoreStoreArgs } from '../storage/filestore-store';
import { regionOf } from '../support/context';
import type { InputsOf } from '../support/inputs';
import { throwErrors } from '../support/validated';

/** Pods that train, and their permissions. */
export interface TrainerIdentity extends Pick<WorkloadIdentityBindingArgs, 'namespace' | 'account' | 'projectNumber' | 'googleServiceAccount'> {
  /** Buckets of this stack that the pods can read and write. @default - all buckets */
  readonly buckets?: readonly string[];
  /** Additional permissions. @default - none */
  readonly grants?: readonly (GrantArgs | TypedGrant)[];
}

/** Name of the queues in the list of charts. */
const QUEUES = 'queues';

/** Arguments of {@link TrainingStack}. Names of pools, buckets, identities and charts are names in the program. */
export interface TrainingStackArgs {
  /** Id of the project. @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** Region or zone of all resources. */
  readonly location: pulumi.Input<string>;
  readonly cluster?: Omit<GkeClusterArgs, 'project' | 'location' | 'labels'>;
  readonly pools?: { readonly [name: string]: PoolArgs };
  readonly buckets?: { readonly [name: string]: Omit<CheckpointBucketArgs, 'project' | 'location' | 'labels'> };
  /** @default - no image repository */
  readonly registry?: Omit<ArtifactRegistryArgs, 'project' | 'location' | 'labels'>;
  readonly identities?: { readonly [name: string]: TrainerIdentity };
  /** File shares in the cluster's network. @default - none */
  readonly files?: { readonly [name: string]: Omit<FilestoreStoreArgs, 'project' | 'network' | 'labels'> };
  /** Components of the catalogue, such as Kueue, which are applied before all charts. @default - none */
  readonly platform?: Omit<PlatformDeploymentArgs, 'environment'>;
  /** Charts for the cluster: the operator, namespaces, jobs. Charts with jobs need `after: ['queues']`. @default - none */
  readonly charts?: StackCharts;
  /** Quotas for teams in the pools, as Kueue queues; applied after the charts that do not wait for them. @default - none */
  readonly queues?: StackQueues;
  /** Labels of all resources. */
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}

/**
 * A cluster with pools, storage, identities and charts that work together. Nodes can pull from the image repository, and the pods of the identities
 * can read and write the buckets.
 */
export class TrainingStack extends pulumi.ComponentResource {
  public readonly cluster: GkeCluster;
  public readonly pools: ReadonlyMap<string, GpuNodePool>;
  public readonly buckets: ReadonlyMap<string, CheckpointBucket>;
  public readonly registry?: ArtifactRegistry;
  public readonly identities: ReadonlyMap<string, WorkloadIdentityBinding>;
  public readonly files: ReadonlyMap<string, FilestoreStore>;
  public readonly platform?: PlatformDeployment;
  /** Charts by name, including `queues`. */
  public readonly charts: ReadonlyMap<string, ChartDeployment>;
  /** Provider for the cluster, for additional resources. */
  public readonly provider: kubernetes.Provider;

  /**
   * @param name name in the program, and the prefix of the names of all parts
   * @param args the options of the parts
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors of the first part that cannot be created
   */
  public constructor(name: string, args: TrainingStackArgs, opts?: pulumi.ComponentResourceOptions) {
    const { project, location, labels } = args;
    throwErrors({ type: 'TrainingStack', name }, checkNames(args));
    super('trainyard:stacks:TrainingStack', name, {}, opts);
    const child: pulumi.ComponentResourceOptions = { parent: this };
    const region = typeof location === 'string' ? regionOf(location) : pulumi.output(location).apply(regionOf);

    this.cluster = new GkeCluster(name, { ...args.cluster, project, location, labels }, child);
    this.pools = makeAll(args.pools, (pool, each) => new GpuNodePool(`${name}-${each}`, {
      ...pool, poolName: pool.poolName ?? each, cluster: this.cluster, resourceLabels: bothLabels(labels, pool.resourceLabels as Labels | undefined),
    }, child));
    this.buckets = makeAll(args.buckets, (bucket, each) => new CheckpointBucket(`${name}-${each}`, { ...bucket, project, labels, location: region }, child));
    this.files = makeAll(args.files, (files, each) => new FilestoreStore(`${name}-${each}`, { ...files, project, labels, network: this.cluster.network }, child));
    this.registry = args.registry && new ArtifactRegistry(`${name}-images`, {
      ...args.registry, project, labels, location: region,
      readers: [pulumi.interpolate`serviceAccount:${this.cluster.nodeServiceAccount}`, ...(args.registry.readers as readonly pulumi.Input<string>[] | undefined) ?? []],
    }, child);
    this.identities = makeAll(args.identities, ({ buckets, grants = [], ...identity }, each) => new WorkloadIdentityBinding(`${name}-${each}`, {
      ...identity, project,
      grants: [...(buckets ?? [...this.buckets.keys()]).map((bucket): GrantArgs => ({
        kind: 'StorageBucket', resource: this.buckets.get(bucket)!.name, role: 'roles/storage.objectUser',
      })), ...grants],
    }, child));

    this.provider = new kubernetes.Provider(`${name}-cluster`, {
      kubeconfig: this.cluster.kubeconfig,
      enableServerSideApply: true,
      // The kubeconfig changes with each rotation of certificates, but the cluster is the same.
      clusterIdentifier: this.cluster.name,
    }, { ...child, dependsOn: [this.cluster.systemPool] });
    this.platform = args.platform && new PlatformDeployment(`${name}-platform`, args.platform, { ...child, provider: this.provider });
    const charts = withQueues(args.charts ?? {}, args.queues, args.queues && queueObjects(name, args.queues, this.pools, this.cluster));
    this.charts = deployCharts(name, charts, this.provider, this.platform === undefined ? [] : [this.platform], child);
    this.registerOutputs({ cluster: this.cluster.name, kubeconfig: this.cluster.kubeconfig, registry: this.registry?.url });
  }
}

type Labels = InputsOf<{ readonly [name: string]: string }>;

/** The labels of the stack, overridden by those of a part. */
function bothLabels(all: Labels = {}, own: Labels = {}): Labels {
  if (pulumi.Output.isInstance(all) || all instanceof Promise || pulumi.Output.isInstance(own) || own instanceof Promise) {
    return pulumi.all([all, own]).apply(([first, second]) => ({ ...first, ...second })) as Labels;
  }
  return { ...all, ...own };
}

function makeAll<Args, Made>(
  args: { readonly [name: string]: Args } | undefined, make: (args: Args, name: string) => Made,
): ReadonlyMap<string, Made> {
  return new Map(Object.entries(args ?? {}).map(([name, each]) => [name, make(each, name)]));
}

/** Checks the names that parts refer to each other by. */
function checkNames({ buckets = {}, files = {}, identities = {}, charts = {}, pools = {}, queues, platform }: TrainingStackArgs): Violation[] {
  const both = Object.keys(files).filter((name) => buckets[name] !== undefined);
  return [
    ...Object.entries(identities).flatMap(([name, identity]) => (identity.buckets ?? [])
      .flatMap((bucket, index) => unknownName(`identities.${name}.buckets[${index}]`, bucket, Object.keys(buckets), 'bucket'))),
    ...both.map((name) => ({ path: `files.${name}`, value: name, message: 'is also the name of a bucket, and parts of a stack are referred to by name. Choose another one.' })),
    ...checkCharts(withQueues(charts, queues)),
    ...(queues === undefined ? [] : checkQueues(queues, Object.keys(pools))),
    ...(queues !== undefined && charts[QUEUES] !== undefined ? [{ path: `charts.${QUEUES}`, value: QUEUES, message: 'is the name of the stack\'s queues. Choose another name.' }] : []),
    ...(queues !== undefined && platform === undefined && Object.keys(charts).length === 0 ? [{
      path: 'queues', value: undefined, message: "are Kueue objects, but nothing here installs Kueue. Add platform: { components: ['kueue'] }, or a chart that installs it.",
    }] : []),
  ];
}

/** The charts with the queues, which come after all charts that do not wait for them, because those can install Kueue and create namespaces. */
function withQueues(charts: StackCharts, queues: StackQueues | undefined, objects: readonly object[] = []): StackCharts {
  const before = Object.keys(charts).filter((name) => !comesAfter(charts, name, QUEUES));
  return queues === undefined ? charts : { ...charts, [QUEUES]: { chart: objects, after: before } };
}
