/**
 * Fake nodes by KWOK: nodes that are always ready, and pods on them that "run" without a container. How those live is in kwok-stages.ts.
 */
import { ApiAccess, apiRequest } from './api-request';

/** Options for fake nodes. */
export interface FakeNodesOptions {
  /** How many; they are called `fake-0`, `fake-1` and so on. */
  readonly count: number;
  /**
   * What each one has.
   *
   * @default 128 cpu, 1Ti memory, 8 nvidia.com/gpu, 1000 pods
   */
  readonly capacity?: Readonly<Record<string, string>>;
  /**
   * Labels of each, in addition to `kubernetes.io/hostname`, `kubernetes.io/os` and `kubernetes.io/arch`.
   *
   * @default none
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Files with further `Stage` objects of KWOK, for instance for slow starts.
   *
   * @default none
   */
  readonly stageFiles?: readonly string[];
}

const DEFAULT_CAPACITY = { 'cpu': '128', 'memory': '1Ti', 'nvidia.com/gpu': '8', 'pods': '1000' };
/** Seconds; KWOK renews the node's Lease well before, so that the node lifecycle controller never takes a fake node for lost. */
const LEASE_SECONDS = 40;
const NODES_AT_ONCE = 16;

/** The Node object of a fake node. */
export function constructFakeNode(index: number, options: FakeNodesOptions): Record<string, unknown> {
  const name = `fake-${index}`;
  const capacity = options.capacity ?? DEFAULT_CAPACITY;
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', ...options.labels };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, status: { capacity, allocatable: capacity } };
}

/**
 * Creates the nodes; those that exist already (a data folder that was used before) stay.
 *
 * @throws Error with the API server's answer when it refuses one
 */
export async function createFakeNodes(access: ApiAccess, options: FakeNodesOptions): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < options.count) {
      const node = constructFakeNode(next++, options);
      const answer = await apiRequest(access, 'POST', '/api/v1/nodes', { body: node });
      if (answer.status !== 201 && answer.status !== 409) {
        throw new Error(`fake node ${JSON.stringify(node.metadata)} was refused: ${answer.body?.message ?? answer.status}`);
      }
    }
  };
  await Promise.all(Array.from({ length: NODES_AT_ONCE }, worker));
}

interface NodeList {
  readonly items: readonly { readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] } }[];
}

/** @returns whether every fake node is ready */
export async function areFakeNodesReady(access: ApiAccess, options: FakeNodesOptions): Promise<boolean> {
  const { status, body } = await apiRequest<NodeList>(access, 'GET', '/api/v1/nodes');
  const isReady = (node: NodeList['items'][number]) => node.status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  return status === 200 && body.items.filter(isReady).length >= options.count;
}

/** Flags of KWOK. Without `--server-address` it serves nothing. */
export function kwokArgs(kubeconfig: string, stagesFile: string, options: FakeNodesOptions): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    ...[stagesFile, ...options.stageFiles ?? []].map((file) => `--config=${file}`),
    '--manage-all-nodes=true',
    `--node-lease-duration-seconds=${LEASE_SECONDS}`,
    '--node-ip=127.0.0.1',
    '--cidr=10.64.0.0/10',
  ];
}
