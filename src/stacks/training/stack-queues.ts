/** Queues of a stack: quotas for teams in its pools, as Kueue objects. */
import * as pulumi from '@pulumi/pulumi';
import { KUEUE_GROUP, KUEUE_VERSION } from '../../model/kueue-names';
import { constructClusterQueueSpec, constructLocalQueueSpec } from '../../manifests/kueue/queues';
import { constructResourceFlavorSpec } from '../../manifests/node-pools/kueue';
import { NODE_LABELS } from '../../model/accelerators/labels';
import { validateClusterQueue, validateLandscape } from '../../model/queues/rules';
import type { ClusterQueueSpec, QueuePreemptionSpec } from '../../model/queues/spec';
import { didYouMean, type Violation } from '../../model/violations';
import type { GkeCluster } from '../cluster/gke-cluster';
import type { GpuNodePool } from '../node-pool/gpu-node-pool';

/** Name of the system pool, which every cluster has. */
const SYSTEM_POOL = 'system';

/** The quota of a team: a queue in its namespace. */
export interface StackQueue {
  /** Namespace of the jobs that use the queue. It must exist, for example through a chart of the stack. */
  readonly namespace: string;
  /**
   * Quotas by pool and resource, in order of preference, such as `{ h100: { cpu: '1600', memory: '12Ti', 'nvidia.com/gpu': '64' } }`. All pools must
   * have quotas for the same resources: those that pods request. `system` is the pool without accelerators.
   */
  readonly quotas: { readonly [pool: string]: { readonly [resource: string]: string } };
  /** Cohort: queues that lend each other their unused quota. @default - all queues of the stack */
  readonly cohort?: string;
  /** Weight of the queue when it borrows from others. @default 1 */
  readonly fairWeight?: number;
  /** Preemption. @default - lent quota is reclaimed immediately, and jobs preempt jobs with lower priority in their queue */
  readonly preemption?: QueuePreemptionSpec;
}

/** Queues by name, which jobs set as `queueName`. */
export interface StackQueues {
  readonly [name: string]: StackQueue;
}

const DEFAULT_PREEMPTION: QueuePreemptionSpec = { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' };

/** Checks queues against the pools of the stack, and against Kueue's rules. */
export function checkQueues(queues: StackQueues, pools: readonly string[]): Violation[] {
  const known = [...pools, SYSTEM_POOL];
  const found = Object.entries(queues).flatMap(([name, queue]) => {
    const at = `queues.${name}`;
    const unknown = Object.keys(queue.quotas).filter((pool) => !known.includes(pool)).map((pool): Violation => ({
      path: `${at}.quotas.${pool}`, value: pool, message: `is not a pool of this stack.${didYouMean(pool, known) || ` Use one of: ${known.join(', ')}.`}`,
    }));
    const ofKueue = validateClusterQueue(clusterQueue(name, queue, '')).map((violation) => ({ ...violation, path: `${at}: ${violation.path}` }));
    const noNamespace = queue.namespace === undefined || queue.namespace === '' ? [{ path: `${at}.namespace`, value: queue.namespace, message: 'is required: the namespace of the jobs.' }] : [];
    return [...noNamespace, ...unknown, ...ofKueue];
  });
  const landscape = { clusterQueues: Object.entries(queues).map(([name, queue]) => clusterQueue(name, queue, 'stack')), cohorts: [], flavors: [] };
  return found.length > 0 ? found : validateLandscape(landscape).map((violation) => ({ ...violation, path: `queues: ${violation.path}` }));
}

/** Objects of the queues: a ResourceFlavor for each pool in use, and a ClusterQueue and a LocalQueue for each queue. */
export function queueObjects(
  stack: string, queues: StackQueues, pools: ReadonlyMap<string, GpuNodePool>, cluster: GkeCluster,
): object[] {
  const used = [...new Set(Object.values(queues).flatMap(({ quotas }) => Object.keys(quotas)))];
  return [
    ...used.map((pool) => object('ResourceFlavor', { name: pool }, flavorSpec(pools.get(pool) ?? cluster))),
    ...Object.entries(queues).flatMap(([name, queue]) => [
      object('ClusterQueue', { name }, constructClusterQueueSpec(clusterQueue(name, queue, stack))),
      object('LocalQueue', { name, namespace: queue.namespace }, constructLocalQueueSpec({ clusterQueue: name })),
    ]),
  ];
}

function object(kind: string, metadata: { readonly name: string; readonly namespace?: string }, spec: unknown): object {
  return { apiVersion: `${KUEUE_GROUP}/${KUEUE_VERSION}`, kind, metadata, spec };
}

function clusterQueue(name: string, queue: StackQueue, stack: string): ClusterQueueSpec {
  const { namespace, quotas, cohort, fairWeight, preemption = DEFAULT_PREEMPTION } = queue;
  return {
    name,
    cohort: cohort ?? (stack === '' ? 'stack' : stack),
    namespaces: [namespace],
    preemption,
    ...(fairWeight !== undefined && { fairWeight }),
    resourceGroups: [{
      flavors: Object.entries(quotas).map(([flavor, amounts]) => ({
        flavor, quotas: Object.entries(amounts).map(([resource, nominal]) => ({ resource, nominal })),
      })),
    }],
  };
}

/** Selects nodes by the name of their pool in Google Cloud, and tolerates their taints. */
function flavorSpec(pool: GpuNodePool | GkeCluster): pulumi.Output<unknown> {
  const onPool = (name: pulumi.Input<string>) => pulumi.output(name).apply((text) => ({ [NODE_LABELS.nodePool]: text }));
  return 'systemPool' in pool
    ? pulumi.output({ nodeLabels: onPool(pool.systemPool.name) })
    : pulumi.all([pool.spec, onPool(pool.name)]).apply(([spec, nodeLabels]) => ({ ...constructResourceFlavorSpec(spec), nodeLabels }));
}
