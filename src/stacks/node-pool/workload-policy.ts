/** The workload policy of a pool, which places A4X nodes and TPU7x slices within reach of their fast interconnect. */
import * as compute from '@pulumi/gcp/compute';
import * as pulumi from '@pulumi/pulumi';
import { findGpu, findTpu } from '../../model/accelerators/catalogue';
import type { PoolGpus, PoolPlacement, PoolTpus } from '../../model/node-pools/spec';
import { oneOf, pattern, record, required, type Shape } from '../../model/shapes';
import { regionOf } from '../support/context';
import type { AcrossRule, Found } from '../support/validated';

/**
 * A workload policy that the pool creates. For an existing policy, use `placement.policyName` instead.
 * @see https://www.pulumi.com/registry/packages/gcp/api-docs/compute/resourcepolicy/
 */
export interface WorkloadPolicyArgs {
  /** `HIGH_THROUGHPUT`. */
  readonly type: 'HIGH_THROUGHPUT';
  /** How the accelerators are connected. @default - `1x72` for A4X, the topology of the slice for TPU7x */
  readonly acceleratorTopology?: pulumi.Input<string>;
}

export const WORKLOAD_POLICY: Shape = record<keyof WorkloadPolicyArgs>('a workload policy', {
  type: required(oneOf(['HIGH_THROUGHPUT']), 'is required: HIGH_THROUGHPUT.'),
  acceleratorTopology: pattern(/^[1-9]\d*(?:x[1-9]\d*){1,2}$/, 'must be a topology, such as 1x72 or 4x4x4.'),
});

/** Accelerators of a pool. */
interface PoolAccelerators {
  readonly gpus?: PoolGpus;
  readonly tpus?: PoolTpus;
}

/** The topology of the policy for these accelerators, or undefined if they have no policy. */
function topologyOf({ gpus, tpus }: PoolAccelerators): string | undefined {
  if (tpus !== undefined) {
    return findTpu(tpus.type)?.workloadPolicy ? tpus.topology : undefined;
  }
  return findGpu(gpus?.type ?? '')?.nvlinkTopology;
}

/** Rules for the policy together with the rest of the pool. */
export const WORKLOAD_POLICY_RULE: AcrossRule = {
  fields: ['workloadPolicy', 'placement', 'gpus', 'tpus'],
  check: ({ workloadPolicy, placement, gpus, tpus }) => (workloadPolicy === undefined ? [] : checkPolicy(
    workloadPolicy as { readonly acceleratorTopology?: string }, (placement ?? {}) as PoolPlacement, { gpus, tpus } as PoolAccelerators,
  )),
};

function checkPolicy(
  { acceleratorTopology }: { readonly acceleratorTopology?: string }, { policyName }: PoolPlacement, pool: PoolAccelerators,
): Found[] {
  if (policyName !== undefined) {
    return [{ path: 'placement.policyName', value: policyName, message: 'is an existing policy, but workloadPolicy creates one: a pool can have only one. Remove one of the two.' }];
  }
  const topology = topologyOf(pool);
  const type = (pool.tpus ?? pool.gpus)?.type;
  if (topology === undefined) {
    return [{ path: 'workloadPolicy', value: type, message: 'is for A4X and TPU7x, which need one for placement. Remove it, or set your own policy in placement.policyName.' }];
  }
  return acceleratorTopology === undefined || acceleratorTopology === topology ? [] : [{
    path: 'workloadPolicy.acceleratorTopology', value: acceleratorTopology, message: `is not the topology of ${type} in this pool, ${topology}. Use ${topology}, or remove it.`,
  }];
}

/**
 * Creates the policy. Its name is generated, because a policy cannot be changed: a change creates a new one before the pool moves to it.
 * @param cluster the cluster of the pool
 * @param pool the accelerators of the pool; each value can be an output
 */
export function createWorkloadPolicy(
  name: string, { type, acceleratorTopology }: WorkloadPolicyArgs,
  cluster: { readonly location: pulumi.Input<string>; readonly project?: pulumi.Input<string> },
  pool: { readonly gpus?: unknown; readonly tpus?: unknown }, opts: pulumi.CustomResourceOptions,
): compute.ResourcePolicy {
  return new compute.ResourcePolicy(`${name}-workload`, {
    project: cluster.project,
    region: pulumi.output(cluster.location).apply(regionOf),
    workloadPolicy: {
      type,
      acceleratorTopology: acceleratorTopology ?? (pulumi.output({ gpus: pool.gpus, tpus: pool.tpus }) as pulumi.Output<unknown>)
        .apply((known) => topologyOf(known as PoolAccelerators)!),
    },
  }, opts);
}
