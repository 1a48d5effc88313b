/**
 * Jobs and the queues that they are held against: which of them fit, and what is said of those that never do. A unit test asks the model; a test of
 * the cluster asks Kueue itself, as far as Kueue can know what the model knows.
 */
import type { PodSetDemand } from '../../../src/model/queues/flavor-match';
import type { ClusterQueueSpec, CohortSpec, FlavorSpec, QuotaSpec } from '../../../src/model/queues/spec';

/** The resource that most cases are about. */
export const GPU = 'nvidia.com/gpu';

const TI = 2 ** 40;

/** `['h100', { 'nvidia.com/gpu': '64' }]`; a quota may have limits: `'64 borrow 32 lend 8'`. */
type Quotas = { readonly [flavor: string]: { readonly [resource: string]: string } };

function group(quotas: Quotas) {
  return {
    flavors: Object.entries(quotas).map(([flavor, resources]) => ({
      flavor,
      quotas: Object.entries(resources).map(([resource, text]): QuotaSpec => ({
        resource, nominal: text.split(' ')[0], borrowingLimit: / borrow (\S+)/.exec(text)?.[1], lendingLimit: / lend (\S+)/.exec(text)?.[1],
      })),
    })),
  };
}

/** The queue that the job is in. */
export function queueOf(quotas: Quotas, more: Partial<ClusterQueueSpec> = {}): ClusterQueueSpec {
  return { name: 'research', resourceGroups: [group(quotas)], ...more };
}

function flavor(name: string, more: Partial<FlavorSpec> = {}): FlavorSpec {
  return { name, nodeLabels: {}, nodeTaints: [], tolerations: [], ...more };
}

/** The pods of one role. */
export function pods(count: number, requests: { readonly [resource: string]: number }, more: Partial<PodSetDemand> = {}): PodSetDemand {
  return { name: 'worker', count, requests, nodeSelector: {}, affinity: [], tolerations: [], ...more };
}

/** Queues of a cluster. */
export interface World {
  /** The one that the job is in. */
  readonly queue: ClusterQueueSpec;
  readonly others?: readonly ClusterQueueSpec[];
  readonly cohorts?: readonly CohortSpec[];
  readonly flavors?: readonly FlavorSpec[];
}

const plain: World = { queue: queueOf({ h100: { [GPU]: '64' } }) };
const two: World = { queue: queueOf({ h100: { [GPU]: '64' }, a100: { [GPU]: '16' } }) };
const all: CohortSpec = { name: 'all', resourceGroups: [] };
const lending = (nominal: string): ClusterQueueSpec => ({ name: 'other', cohort: 'all', resourceGroups: [group({ h100: { [GPU]: nominal } })] });
const inCohort = (nominal: string) => queueOf({ h100: { [GPU]: nominal } }, { cohort: 'all' });
const nodes = (count: number | undefined, gpus: number) => [flavor('h100', { nodes: { count, perNode: { [GPU]: gpus } } })];
const HOST = 'kubernetes.io/hostname';
const BLOCK = 'cloud.google.com/gce-topology-block';
const topology = { name: 'gke', levels: [BLOCK, HOST] };

/** A job that fits: what it shows, the queues, its roles. */
export type FitCase = readonly [what: string, world: World, podSets: readonly PodSetDemand[]];

/** Jobs that fit. */
export const FITTING: readonly FitCase[] = [
  ['a job as large as the quota', plain, [pods(8, { [GPU]: 8 })]],
  ['a role that asks for nothing', plain, [pods(1, {}, { name: 'launcher' }), pods(8, { [GPU]: 8 })]],
  ['a resource asked for with 0', plain, [pods(1, { [GPU]: 1, cpu: 0 })]],
  ['the second flavor, where the first is too small', { queue: queueOf({ a100: { [GPU]: '16' }, h100: { [GPU]: '64' } }) }, [pods(8, { [GPU]: 8 })]],
  ['roles that need a flavor each', two, [pods(2, { [GPU]: 8 }, { name: 'evaluator' }), pods(8, { [GPU]: 8 })]],
  ['roles that a greedy choice would not place', two, [pods(2, { [GPU]: 8 }), pods(8, { [GPU]: 8 }, { name: 'late' })]],
  ['what the cohort lends', { queue: inCohort('8'), others: [lending('56')], cohorts: [all] }, [pods(8, { [GPU]: 8 })]],
  ['quota of the cohort itself', { queue: inCohort('8'), cohorts: [{ ...all, resourceGroups: [group({ h100: { [GPU]: '56' } })] }] }, [pods(8, { [GPU]: 8 })]],
  ['quota of a queue two cohorts further', {
    queue: inCohort('8'), cohorts: [{ ...all, parent: 'top' }, { name: 'top', resourceGroups: [] }, { name: 'side', parent: 'top', resourceGroups: [] }],
    others: [{ ...lending('56'), cohort: 'side' }],
  }, [pods(8, { [GPU]: 8 })]],
  ['a cohort that is not in the program', { queue: inCohort('8') }, [pods(100, { [GPU]: 8 })]],
  ['a tolerated taint', { ...plain, flavors: [flavor('h100', { nodeTaints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] })] },
    [pods(1, { [GPU]: 8 }, { tolerations: [{ key: 'team', operator: 'Equal', value: 'a' }] })]],
  ['a taint that the flavor tolerates', { ...plain, flavors: [flavor('h100', { nodeTaints: [{ key: 'spot', effect: 'NoSchedule' }], tolerations: [{ operator: 'Exists' }] })] },
    [pods(1, { [GPU]: 8 })]],
  ['a taint that only prefers', { ...plain, flavors: [flavor('h100', { nodeTaints: [{ key: 'spot', effect: 'PreferNoSchedule' }] })] }, [pods(1, { [GPU]: 8 })]],
  ['a label that the flavor does not select by', { ...plain, flavors: [flavor('h100', { nodeLabels: { pool: 'h100' } })] }, [pods(1, { [GPU]: 8 }, { nodeSelector: { zone: 'b' } })]],
  ['one of the affinity\'s terms', { ...plain, flavors: [flavor('h100', { nodeLabels: { pool: 'h100' } })] },
    [pods(1, { [GPU]: 8 }, { affinity: [[{ key: 'pool', operator: 'In', values: ['a100'] }], [{ key: 'pool', operator: 'Exists' }]] })]],
  ['as many nodes as there are', { ...plain, flavors: nodes(8, 8) }, [pods(8, { [GPU]: 8 })]],
  ['a topology whose level is there', { ...plain, flavors: [flavor('h100', { topology })] }, [pods(2, { [GPU]: 8 }, { topology: { key: BLOCK, required: true } })]],
  ['a queue of topologies without a request', { ...plain, flavors: [flavor('h100', { topology })] }, [pods(2, { [GPU]: 8 })]],
  ['what is not counted', { queue: queueOf({ h100: { [GPU]: '64' } }, { uncountedResources: ['cpu', 'networking.gke.io/'] }) }, [pods(1, { [GPU]: 8, 'cpu': 4, 'networking.gke.io/nic': 1 })]],
  ['tenths of cores that add up to the quota', { queue: queueOf({ cpu: { cpu: '1' } }) }, [pods(10, { cpu: 0.1 })]],
];

/** Jobs that never do, with words of what is said. */
export const NEVER_FITTING: readonly (readonly [...FitCase, words: readonly string[]])[] = [
  ['more than the quota', plain, [pods(16, { [GPU]: 8 })], [
    "role 'worker' (16 x 8 nvidia.com/gpu) fits in no flavor of ClusterQueue 'research'",
    "flavor 'h100' can have at most 64 nvidia.com/gpu (64 nominal, and no cohort to borrow from), and 128 are requested",
    "At most 8 replicas of the role fit (flavor 'h100'): request fewer, or raise the quota."]],
  ['each of two flavors', two, [pods(16, { [GPU]: 8 })], ["'h100' can have at most 64", "'a100' can have at most 16", 'At most 8 replicas']],
  ['a replica larger than the quota', plain, [pods(1, { [GPU]: 72 })], ['at most 64 nvidia.com/gpu', 'and 72 are requested']],
  ['what the cohort lends at most', { queue: inCohort('8'), others: [lending('40')], cohorts: [all] }, [pods(8, { [GPU]: 8 })],
    ["at most 48 nvidia.com/gpu (8 nominal, and up to 40 borrowed in cohort 'all'), and 64 are requested", 'At most 6 replicas']],
  ['the borrowing limit', { queue: inCohort('32 borrow 16'), others: [lending('128')], cohorts: [all] }, [pods(8, { [GPU]: 8 })],
    ["at most 48 nvidia.com/gpu (32 nominal, and up to 16 borrowed in cohort 'all', borrowing limit 16), and 64 are requested"]],
  ['the lending limit of the other', { queue: inCohort('8'), others: [lending('128 lend 16')], cohorts: [all] }, [pods(8, { [GPU]: 8 })],
    ["at most 24 nvidia.com/gpu (8 nominal, and up to 16 borrowed in cohort 'all')"]],
  ['a cohort that is empty', { queue: inCohort('8'), cohorts: [all] }, [pods(8, { [GPU]: 8 })], ["(8 nominal, and nothing to borrow in cohort 'all'), and 64 are requested", 'At most 1 replicas of the role']],
  ['the borrowing limit of the cohort above', {
    queue: inCohort('8'), others: [{ ...lending('200'), cohort: 'top' }],
    cohorts: [{ name: 'all', parent: 'top', resourceGroups: [group({ h100: { [GPU]: '0 borrow 24' } })] }, { name: 'top', resourceGroups: [] }],
  }, [pods(8, { [GPU]: 8 })], ['at most 32 nvidia.com/gpu', 'and 64 are requested']],
  ['a borrowing limit in a cohort that is not in the program', { queue: inCohort('8 borrow 8') }, [pods(8, { [GPU]: 8 })], ['at most 16 nvidia.com/gpu']],
  ['roles together', plain, [pods(4, { [GPU]: 8 }, { name: 'actor' }), pods(5, { [GPU]: 8 })],
    ["role 'actor' (4 x 8 nvidia.com/gpu) and role 'worker' (5 x 8 nvidia.com/gpu) request 72 nvidia.com/gpu together", "at most 64 in flavor 'h100'"]],
  ['roles that no choice of flavors places', two, [pods(8, { [GPU]: 8 }, { name: 'actor' }), pods(3, { [GPU]: 8 })], ["role 'worker' (3 x 8", 'request 88 nvidia.com/gpu together', "at most 64 in flavor 'h100'"]],
  ['a resource without a quota', plain, [pods(2, { [GPU]: 8, cpu: 4 })],
    ["role 'worker' requests 4 cpu in each replica, and ClusterQueue 'research' has no quota of cpu: it has nvidia.com/gpu", 'uncountedResources']],
  ['a queue without any quota', { queue: { name: 'empty', resourceGroups: [] } }, [pods(1, { cpu: 1 })], ['has no quota of cpu: it has none at all']],
  ['memory', { queue: queueOf({ cpu: { cpu: '64', memory: '1Ti' } }) }, [pods(8, { cpu: 1, memory: TI / 4 })],
    ['(8 x 1 cpu, 256Gi memory)', 'at most 1Ti memory (1Ti nominal', 'and 2Ti are requested', 'At most 4 replicas']],
  ['the scarcest of several resources', { queue: queueOf({ h100: { cpu: '4', [GPU]: '64' } }) }, [pods(8, { [GPU]: 1, cpu: 1 })], ['at most 4 cpu', 'and 8 are requested', 'At most 4 replicas']],
  ['thousandths of cores', { queue: queueOf({ cpu: { cpu: '1500m' } }) }, [pods(4, { cpu: 0.5 })], ['at most 1.5 cpu', 'and 2 are requested', 'At most 3 replicas']],
  ['pods', { queue: queueOf({ h100: { [GPU]: '64', pods: '4' } }) }, [pods(8, { [GPU]: 1 })], ['at most 4 pods', 'and 8 are requested']],
  ['a node of fewer GPUs', { ...plain, flavors: nodes(8, 8) }, [pods(2, { [GPU]: 16 })], ['a replica requests 16 nvidia.com/gpu, and a node has 8', 'Request at most 8 in each of more replicas']],
  ['too few nodes', { ...plain, flavors: nodes(4, 8) }, [pods(6, { [GPU]: 8 })], ['at most 32 nvidia.com/gpu (at most 4 nodes of 8), and 48 are requested', 'At most 4 replicas']],
  ['nodes that the replicas leave a part of', { ...plain, flavors: nodes(4, 8) }, [pods(5, { [GPU]: 6 })], ["flavor 'h100' has at most 4 nodes, with room for 4 of these replicas, and 5 are requested"]],
  ['a taint', { ...plain, flavors: [flavor('h100', { nodeTaints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] })] }, [pods(1, { [GPU]: 8 })],
    ["flavor 'h100' has the taint team=a:NoSchedule, which the pods do not tolerate. Add a toleration"]],
  ['a toleration of another value', { ...plain, flavors: [flavor('h100', { nodeTaints: [{ key: 'team', value: 'a', effect: 'NoExecute' }] })] },
    [pods(1, { [GPU]: 8 }, { tolerations: [{ key: 'team', value: 'b' }] })], ['team=a:NoExecute']],
  ['a label', { ...plain, flavors: [flavor('h100', { nodeLabels: { accelerator: 'h100' } })] }, [pods(1, { [GPU]: 8 }, { nodeSelector: { accelerator: 'a100' } })],
    ['its nodes have accelerator=h100, and the job requires a100']],
  ['a label of the nodes that the flavor does not select by', { ...plain, flavors: [flavor('h100', { nodeLabels: { pool: 'p' }, nodes: { labels: { accelerator: 'l4' } } })] },
    [pods(1, { [GPU]: 8 }, { nodeSelector: { accelerator: 'h100' } })], ['its nodes have accelerator=l4, and the job requires h100']],
  ['the affinity', { ...plain, flavors: [flavor('h100', { nodeLabels: { zone: 'a' } })] },
    [pods(1, { [GPU]: 8 }, { affinity: [[{ key: 'zone', operator: 'NotIn', values: ['a'] }]] })], ['(zone=a) do not match the job\'s node affinity']],
  ['a topology that the flavor has not', { ...plain, flavors: [flavor('h100')] }, [pods(2, { [GPU]: 8 }, { topology: { key: BLOCK, required: true } })],
    [`has no topology, and the job requests '${BLOCK}'`]],
  ['a level that the topology has not', { ...plain, flavors: [flavor('h100', { topology })] }, [pods(2, { [GPU]: 8 }, { topology: { key: 'rack', required: false } })],
    [`the level 'rack' is not in topology 'gke', which has ${BLOCK}, ${HOST}`]],
  ['one node for all', { ...plain, flavors: [flavor('h100', { topology, nodes: { perNode: { [GPU]: 8 } } })] }, [pods(2, { [GPU]: 8 }, { topology: { key: HOST, required: true } })],
    ['all 2 replicas must be on one node, which is 16 nvidia.com/gpu, and a node has 8']],
  ['a flavor of topologies beside one without', { queue: queueOf({ h100: { [GPU]: '64' }, a100: { [GPU]: '0' } }), flavors: [flavor('h100', { topology }), flavor('a100')] },
    [pods(1, { [GPU]: 8 })], ["flavor 'h100' accepts only jobs that request a topology", "flavor 'a100' can have at most 0"]],
];
