/** A node pool with accelerators. Uses the same description as the node pools of Config Connector and ComputeClasses. */
import type * as compute from '@pulumi/gcp/compute';
import * as container from '@pulumi/gcp/container';
import * as pulumi from '@pulumi/pulumi';
import { fillPlaceholders, hasPlaceholder, tryPlaceholders } from './placeholders';
import { WORKLOAD_POLICY, WORKLOAD_POLICY_RULE, createWorkloadPolicy, type WorkloadPolicyArgs } from './workload-policy';
import { pulumiNodePool, type PulumiNodePoolInputs } from '../../manifests/node-pools/pulumi-node-pool';
import { labelsOfPool, taintsOfKind, writtenLabels } from '../../model/node-pools/nodes';
import type { ClusterFacts, NodePoolSpec, PoolTaint } from '../../model/node-pools/spec';
import { checkNodePools } from '../../model/node-pools/validate-node-pool';
import { GkeCluster } from '../cluster/gke-cluster';
import { commonLabels } from '../support/context';
import { isPending, throwErrors, validated, type Found, type Subject } from '../support/validated';
import { ANYTHING, type InputsOf } from '../support/inputs';
import { required } from '../../model/shapes';

/** A cluster that this program does not create. */
export interface ClusterReference {
  readonly name: pulumi.Input<string>;
  readonly location: pulumi.Input<string>;
  /** @default - the project of the provider */
  readonly project?: pulumi.Input<string>;
  /** Facts for the rules, such as its other pools. @default - none */
  readonly facts?: Partial<ClusterFacts>;
}

/** Arguments of {@link GpuNodePool}: the model's node pool, in which each value can be an output. */
export type GpuNodePoolArgs = { readonly [field in keyof Omit<NodePoolSpec, 'name'>]: InputsOf<NodePoolSpec[field]> } & {
  readonly cluster: GkeCluster | ClusterReference;
  /** Name in Google Cloud. @default - the name in the program */
  readonly poolName?: pulumi.Input<string>;
  /** The policy for the placement of A4X nodes and TPU7x slices, created with the pool. @default - none, or the one in `placement.policyName` */
  readonly workloadPolicy?: WorkloadPolicyArgs;
};

/** A pool without its cluster. */
export type PoolArgs = Omit<GpuNodePoolArgs, 'cluster'>;

/** The result of `NodePoolDescription.of(props)` of `trainyard`, with the props of Config Connector node pools and ComputeClasses. */
export interface PoolDescription {
  /** Descriptions of the choices that cost more than the maximum price. */
  readonly leftOut: readonly string[];
  /** The pools in the model's terms, in order of preference. */
  _toSpecs(): readonly NodePoolSpec[];
}

/** The cluster for the pools of a description, and fields that replace those of the description. */
export type DescribedPoolsArgs = Pick<GpuNodePoolArgs, 'cluster'> & Partial<Omit<GpuNodePoolArgs, 'cluster' | 'poolName'>>;

/** Fields of the model's pool, which `validateNodePool` checks. */
const POOL_FIELDS: { readonly [field in keyof Required<Omit<NodePoolSpec, 'name'>>]: typeof ANYTHING } = {
  machineType: ANYTHING, gpus: ANYTHING, tpus: ANYTHING, capacity: ANYTHING, size: ANYTHING, placement: ANYTHING, network: ANYTHING, zones: ANYTHING,
  bootDiskType: ANYTHING, bootDiskGiB: ANYTHING, secondaryBootDisks: ANYTHING, localSsdEphemeral: ANYTHING, localSsdBlock: ANYTHING,
  attachedDiskTypes: ANYTHING,
  imageType: ANYTHING, labels: ANYTHING, taints: ANYTHING, computeClass: ANYTHING, autoRepair: ANYTHING, autoUpgrade: ANYTHING, upgrade: ANYTHING,
  maxPodsPerNode: ANYTHING, imageStreaming: ANYTHING, serviceAccount: ANYTHING, resourceLabels: ANYTHING, tags: ANYTHING, secureBoot: ANYTHING,
  gpuOperator: ANYTHING, workloadMetadata: ANYTHING, confidentialNodeType: ANYTHING, blueGreen: ANYTHING,
};

/**
 * A pool of nodes with GPUs or TPUs.
 *
 * The rules of the model run before anything is created, or, if a field that they depend on is an output, when it resolves.
 * A change that requires a new pool deletes the old one first, unless `blueGreen` is true.
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/gpus
 */
export class GpuNodePool extends pulumi.ComponentResource {
  /**
   * Creates the pools of a description, one for each of its choices, in order of preference. Their names in the program and in Google Cloud are
   * those of the description.
   * @param description `NodePoolDescription.of(props)`
   * @param args the cluster, and fields that replace those of the description
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors of the first pool that cannot be created
   */
  public static fromDescription(description: PoolDescription, args: DescribedPoolsArgs, opts?: pulumi.ComponentResourceOptions): GpuNodePool[] {
    return Object.entries(GpuNodePool.argsOf(description)).map(([name, pool]) => new GpuNodePool(name, { ...pool, ...args }, opts));
  }

  /**
   * The arguments of the pools of a description by name, for `pools` of a `TrainingStack`. Logs the choices that are left out because of their
   * price.
   * @param description `NodePoolDescription.of(props)`
   */
  public static argsOf(description: PoolDescription): { readonly [poolName: string]: PoolArgs } {
    for (const choice of description.leftOut) {
      void pulumi.log.info(`GpuNodePool: left out because of its price: ${choice}`);
    }
    return Object.fromEntries(description._toSpecs().map(({ name, ...fields }): [string, PoolArgs] => [name, { ...fields, poolName: name }]));
  }

  /** Name in Google Cloud. */
  public readonly name: pulumi.Output<string>;
  /** The pool itself. */
  public readonly pool: container.NodePool;
  /** Node labels for the node selectors of pods. */
  public readonly nodeLabels: pulumi.Output<{ readonly [name: string]: string }>;
  /** Taints that pods on these nodes must tolerate. */
  public readonly taints: pulumi.Output<readonly PoolTaint[]>;
  /** The pool in the model's terms. */
  public readonly spec: pulumi.Output<NodePoolSpec>;
  /** The placement policy, if the pool creates one. */
  public readonly workloadPolicy?: compute.ResourcePolicy;

  /**
   * @param name name in the program
   * @param args the options of the pool
   * @param opts Pulumi options
   * @throws InvalidArgsError with all errors
   */
  public constructor(name: string, args: GpuNodePoolArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject: Subject = { type: 'GpuNodePool', name };
    const { cluster, poolName, workloadPolicy, ...fields } = validated<GpuNodePoolArgs>(subject, args, {
      fields: {
        ...POOL_FIELDS, cluster: required(ANYTHING, 'is required: a GkeCluster, or { name, location } of one that exists.'), poolName: ANYTHING, workloadPolicy: WORKLOAD_POLICY,
      },
      across: [WORKLOAD_POLICY_RULE],
    });
    // The rules run before anything is created, including the policy, whose name is set below.
    const [policyName, resolvePolicyName] = pulumi.deferredOutput<string>();
    const placement = workloadPolicy === undefined ? fields.placement : withPolicy(fields.placement, policyName);
    const given = Object.fromEntries(Object.entries({ ...fields, placement }).filter(([, value]) => value !== undefined));
    const inputs = resolvedPool(subject, { name: poolName ?? name, ...given }, factsOf(cluster));
    super('trainyard:stacks:GpuNodePool', name, {}, opts);
    const own = cluster instanceof GkeCluster ? cluster : undefined;
    const { rendered, spec } = inputs;
    if (workloadPolicy !== undefined) {
      this.workloadPolicy = createWorkloadPolicy(name, workloadPolicy, cluster, fields, { parent: this });
      resolvePolicyName(this.workloadPolicy.name);
    }
    const serviceAccount = fields.serviceAccount ?? own?.nodeServiceAccount;
    this.pool = new container.NodePool(name, {
      ...fieldsOf(rendered),
      cluster: cluster.name,
      location: cluster.location,
      project: cluster.project,
      nodeConfig: withDefaults(rendered, serviceAccount),
    }, {
      parent: this,
      // The system pool comes first: see GkeCluster.systemPool.
      dependsOn: own === undefined ? [] : [own.systemPool],
      // The autoscaler changes it, and a new number would replace the pool.
      ignoreChanges: ['initialNodeCount'],
      deleteBeforeReplace: args.blueGreen !== true,
    });
    this.name = this.pool.name;
    this.spec = spec;
    this.nodeLabels = spec.apply((pool) => ({ ...labelsOfPool({ ...pool, name: pulumiNodePool(pool).name }), ...writtenLabels(pool) }));
    this.taints = spec.apply((pool) => [...taintsOfKind(pool), ...pool.taints ?? []]);
    this.registerOutputs({ name: this.name, nodeLabels: this.nodeLabels, taints: this.taints });
  }
}

/** The placement with the policy that the pool creates. */
function withPolicy(placement: GpuNodePoolArgs['placement'], policyName: pulumi.Output<string>): GpuNodePoolArgs['placement'] {
  return pulumi.Output.isInstance(placement) || placement instanceof Promise
    ? pulumi.all([placement, policyName]).apply(([rest, name]) => ({ ...rest, policyName: name })) : { ...placement, policyName };
}

interface ResolvedPool {
  /** Inputs of the pool, as plain values if nothing is an output. */
  readonly rendered: PulumiNodePoolInputs | pulumi.Output<PulumiNodePoolInputs>;
  readonly spec: pulumi.Output<NodePoolSpec>;
}

/** Checks the known values of the pool, and renders it. */
function resolvedPool(subject: Subject, fields: { readonly [field: string]: unknown }, facts: ClusterFacts): ResolvedPool {
  const withDefaultFields = { workloadMetadata: 'GKE_METADATA', ...fields };
  const check = (pool: NodePoolSpec): NodePoolSpec => {
    throwErrors(subject, found(pool, facts));
    return pool;
  };
  if (!isPending(withDefaultFields)) {
    const pool = check(withDefaultFields as unknown as NodePoolSpec);
    return { rendered: pulumiNodePool(pool), spec: pulumi.output(pool) as pulumi.Output<NodePoolSpec> };
  }
  const spec = pulumi.output(withDefaultFields).apply((pool) => check(pool as unknown as NodePoolSpec)) as pulumi.Output<NodePoolSpec>;
  const placeholders = tryPlaceholders(withDefaultFields);
  // With blueGreen, the name is a hash of the fields.
  if (placeholders === undefined || fields.blueGreen === true) {
    return { rendered: spec.apply(pulumiNodePool) as pulumi.Output<PulumiNodePoolInputs>, spec };
  }
  const pool = placeholders.plain as NodePoolSpec;
  throwErrors(subject, found(pool, facts).filter(({ value, message }) => !hasPlaceholder([value, message], placeholders)));
  return { rendered: fillPlaceholders(pulumiNodePool(pool), placeholders, (output) => pulumi.all([output, spec]).apply(([text]) => text)), spec };
}

/** The rules' findings for the pool, given the other pools of the cluster. */
function found(pool: NodePoolSpec, facts: ClusterFacts): Found[] {
  const own = `pools[${facts.pools.length}]`;
  return checkNodePools({ ...facts, pools: [...facts.pools, pool] })
    .filter(({ path }) => path === own || path.startsWith(`${own}.`))
    .map((finding) => ({ ...finding, path: finding.path === own ? 'pool' : finding.path.slice(own.length + 1) }));
}

function factsOf(cluster: GkeCluster | ClusterReference): ClusterFacts {
  const { facts = {} } = cluster;
  // The other pools of an existing cluster are not known, and can have room for system pods.
  return { pools: [{ name: 'others', machineType: 'e2-standard-4' }], ...facts };
}

/** The inputs without nodeConfig, each as its own output. */
function fieldsOf(rendered: ResolvedPool['rendered']): Omit<container.NodePoolArgs, 'cluster' | 'nodeConfig'> {
  const fields = [
    'name', 'nodeCount', 'nodeLocations', 'autoscaling', 'management', 'maxPodsPerNode', 'networkConfig', 'placementPolicy', 'queuedProvisioning', 'upgradeSettings',
  ] as const satisfies readonly (keyof PulumiNodePoolInputs)[];
  const get = (field: keyof PulumiNodePoolInputs): unknown => (
    pulumi.Output.isInstance(rendered) ? rendered.apply((inputs) => inputs[field]) : rendered[field]
  );
  return Object.fromEntries(fields.map((field) => [field, get(field)]));
}

/** The default account and labels of the nodes. */
function withDefaults(rendered: ResolvedPool['rendered'], serviceAccount: unknown): container.NodePoolArgs['nodeConfig'] {
  const labels = commonLabels(undefined);
  const complete = (nodeConfig: PulumiNodePoolInputs['nodeConfig']) => ({
    ...nodeConfig,
    serviceAccount: serviceAccount as pulumi.Input<string>,
    oauthScopes: ['https://www.googleapis.com/auth/cloud-platform'],
    resourceLabels: pulumi.all([labels, nodeConfig.resourceLabels ?? {}])
      .apply(([common, own]) => ({ ...common, ...own as { [name: string]: string } })),
  });
  const inputs = pulumi.Output.isInstance(rendered) ? rendered.apply(({ nodeConfig }) => complete(nodeConfig)) : complete(rendered.nodeConfig);
  return inputs as container.NodePoolArgs['nodeConfig'];
}
