/** Everything that training on GKE needs, as one component: cluster, pools, buckets, images, identities, and the charts that run on it. */
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { didYouMean, type Violation } from '../../model/violations';
import { ChartDeployment, type ChartDeploymentArgs } from '../charts/chart-deployment';
import { GkeCluster } from '../cluster/gke-cluster';
import type { GkeClusterArgs } from '../cluster/gke-cluster-args';
import { WorkloadIdentityBinding, type GrantArgs, type WorkloadIdentityBindingArgs } from '../identity/workload-identity-binding';
import { ArtifactRegistry, type ArtifactRegistryArgs } from '../images/artifact-registry';
import { GpuNodePool, type GpuNodePoolArgs } from '../node-pool/gpu-node-pool';
import { CheckpointBucket, type CheckpointBucketArgs } from '../storage/checkpoint-bucket';
import { regionOf } from '../support/context';
import type { InputsOf } from '../support/inputs';
import { refuse } from '../support/validated';

/** Pods that train, and what they may do. */
export interface TrainerIdentity extends Pick<WorkloadIdentityBindingArgs, 'namespace' | 'account' | 'projectNumber' | 'googleServiceAccount'> {
  /** Buckets of this stack that the pods read and write. @default - all of them */
  readonly buckets?: readonly string[];
  /** What they may do beside that. @default - nothing */
  readonly grants?: readonly GrantArgs[];
}

/** A chart, with those that have to be there before it. */
export interface StackChart extends ChartDeploymentArgs {
  /** Names of charts that are applied before. @default - none */
  readonly after?: readonly string[];
}

/** Arguments of {@link TrainingStack}. Names of pools, buckets, identities and charts are names in the program. */
export interface TrainingStackArgs {
  /** Id of the project. @default - `gcp:project` of the configuration */
  readonly project?: pulumi.Input<string>;
  /** Region or zone of everything. */
  readonly location: pulumi.Input<string>;
  readonly cluster?: Omit<GkeClusterArgs, 'project' | 'location' | 'labels'>;
  readonly pools?: { readonly [name: string]: Omit<GpuNodePoolArgs, 'cluster'> };
  readonly buckets?: { readonly [name: string]: Omit<CheckpointBucketArgs, 'project' | 'location' | 'labels'> };
  /** @default - no repository of images */
  readonly registry?: Omit<ArtifactRegistryArgs, 'project' | 'location' | 'labels'>;
  readonly identities?: { readonly [name: string]: TrainerIdentity };
  /** What is applied to the cluster: the operator, queues, jobs. @default - nothing */
  readonly charts?: { readonly [name: string]: StackChart };
  /** Labels of all resources. */
  readonly labels?: InputsOf<{ readonly [name: string]: string }>;
}

/**
 * Cluster, pools, stores, identities and charts that fit each other. Nodes pull from the registry; pods of the identities read and write the
 * buckets.
 */
export class TrainingStack extends pulumi.ComponentResource {
  public readonly cluster: GkeCluster;
  public readonly pools: ReadonlyMap<string, GpuNodePool>;
  public readonly buckets: ReadonlyMap<string, CheckpointBucket>;
  public readonly registry?: ArtifactRegistry;
  public readonly identities: ReadonlyMap<string, WorkloadIdentityBinding>;
  public readonly charts: ReadonlyMap<string, ChartDeployment>;
  /** Provider of the cluster, for resources beside the charts. */
  public readonly provider: kubernetes.Provider;

  /**
   * @param name name in the program, and the beginning of the names of all parts
   * @param args what the parts are like
   * @param opts options of Pulumi
   * @throws InvalidArgsError of the first part that cannot be made, with everything that is wrong with it
   */
  public constructor(name: string, args: TrainingStackArgs, opts?: pulumi.ComponentResourceOptions) {
    const { project, location, labels } = args;
    refuse({ type: 'TrainingStack', name }, checkNames(args));
    super('trainyard:stacks:TrainingStack', name, {}, opts);
    const child: pulumi.ComponentResourceOptions = { parent: this };
    const region = typeof location === 'string' ? regionOf(location) : pulumi.output(location).apply(regionOf);

    this.cluster = new GkeCluster(name, { ...args.cluster, project, location, labels }, child);
    this.pools = makeAll(args.pools, (pool, each) => new GpuNodePool(`${name}-${each}`, {
      ...pool, poolName: pool.poolName ?? each, cluster: this.cluster, resourceLabels: bothLabels(labels, pool.resourceLabels as Labels | undefined),
    }, child));
    this.buckets = makeAll(args.buckets, (bucket, each) => new CheckpointBucket(`${name}-${each}`, { ...bucket, project, labels, location: region }, child));
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
      // The kubeconfig changes with each rotation of certificates, and is still that of the same cluster.
      clusterIdentifier: this.cluster.name,
    }, { ...child, dependsOn: [this.cluster.systemPool] });
    const made = new Map<string, ChartDeployment>();
    for (const each of inOrder(args.charts ?? {})) {
      const { after = [], ...chart } = args.charts![each];
      made.set(each, new ChartDeployment(`${name}-${each}`, chart, { ...child, provider: this.provider, dependsOn: after.map((other) => made.get(other)!) }));
    }
    this.charts = made;
    this.registerOutputs({ cluster: this.cluster.name, kubeconfig: this.cluster.kubeconfig, registry: this.registry?.url });
  }
}

type Labels = InputsOf<{ readonly [name: string]: string }>;

/** Labels of the stack, and before them those of a part. */
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

/** Names that parts call each other by. */
function checkNames({ buckets = {}, identities = {}, charts = {} }: TrainingStackArgs): Violation[] {
  const unknown = (path: string, name: string, known: readonly string[], what: string): Violation[] => (known.includes(name) ? [] : [{
    path, value: name, message: `is no ${what} of this stack.${didYouMean(name, known) || (known.length > 0 ? ` There is ${known.join(', ')}.` : '')}`,
  }]);
  const circle = circleOf(charts);
  return [
    ...Object.entries(identities).flatMap(([name, identity]) => (identity.buckets ?? [])
      .flatMap((bucket, index) => unknown(`identities.${name}.buckets[${index}]`, bucket, Object.keys(buckets), 'bucket'))),
    ...Object.entries(charts).flatMap(([name, { after = [] }]) => after
      .flatMap((other, index) => unknown(`charts.${name}.after[${index}]`, other, Object.keys(charts), 'chart'))),
    ...(circle === undefined ? [] : [{ path: 'charts', value: circle.join(' -> '), message: 'wait for each other. Remove one of the names from after.' }]),
  ];
}

/** Charts that come after themselves; undefined where there are none. */
function circleOf(charts: { readonly [name: string]: StackChart }): string[] | undefined {
  const follow = (name: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(name)) {
      return [...way.slice(way.indexOf(name)), name];
    }
    for (const other of charts[name]?.after ?? []) {
      const circle = follow(other, [...way, name]);
      if (circle !== undefined) {
        return circle;
      }
    }
    return undefined;
  };
  return Object.keys(charts).map((name) => follow(name, [])).find((circle) => circle !== undefined);
}

/** Names of charts, each after those that it waits for. */
function inOrder(charts: { readonly [name: string]: StackChart }): string[] {
  const order: string[] = [];
  const visit = (name: string): void => {
    if (!order.includes(name)) {
      (charts[name].after ?? []).forEach(visit);
      order.push(name);
    }
  };
  Object.keys(charts).forEach(visit);
  return order;
}
