/**
 * Fake nodes of KWOK: nodes that are always ready, and pods that "run" without containers. A pod is Running and Ready as soon as it is on a node.
 * With {@link RUN_FOR_ANNOTATION}, its containers end after that time with the exit code of {@link EXIT_CODE_ANNOTATION}. Deleted pods are removed at
 * once.
 * @see https://kwok.sigs.k8s.io/docs/user/stages-configuration/
 */
import fs from 'node:fs';
import path from 'node:path';
import { ApiAccess, apiRequest } from './api-request';
import { programText } from '../../programs/program-text';

export interface FakeNodesOptions {
  /** Number of nodes. Their names are `fake-0`, `fake-1` and so on. */
  readonly count: number;
  /** Capacity of each. @default 128 cpu, 1Ti memory, 8 nvidia.com/gpu, 1000 pods */
  readonly capacity?: Readonly<Record<string, string>>;
  /**
   * Labels of each, in addition to `kubernetes.io/hostname`, `kubernetes.io/os` and `kubernetes.io/arch`.
   * @default none
   */
  readonly labels?: Readonly<Record<string, string>>;
  /** Files with further `Stage` objects of KWOK, for instance for slow starts. @default none */
  readonly stageFiles?: readonly string[];
}

const DEFAULT_CAPACITY = { 'cpu': '128', 'memory': '1Ti', 'nvidia.com/gpu': '8', 'pods': '1000' };
/** Seconds. KWOK renews the Lease early enough for the node lifecycle controller. */
const LEASE_SECONDS = 40;
const NODES_AT_ONCE = 16;
/**
 * What KWOK does at once. Its own 4 Leases are too few for thousands of nodes on an API server that is busy: nodes then look lost. The rest are its
 * defaults, which it does not set in a configuration that it reads.
 */
const KWOK_OPTIONS = {
  nodeLeaseParallelism: 16,
  nodePlayStageParallelism: 4,
  podPlayStageParallelism: 4,
  podsOnNodeSyncParallelism: 1,
  enablePodsOnNodeSyncListPager: true,
};

export function constructFakeNode(index: number, options: FakeNodesOptions): Record<string, unknown> {
  const name = `fake-${index}`;
  const capacity = options.capacity ?? DEFAULT_CAPACITY;
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', ...options.labels };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, status: { capacity, allocatable: capacity } };
}

/**
 * Creates the nodes. Existing ones, of an earlier start, are kept.
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

/** Set by tests on a pod: how long its containers run, as a Go duration such as `500ms` or `2s`. */
export const RUN_FOR_ANNOTATION = 'fake.trainyard.dev/run-for';
/** Set by tests on a pod with {@link RUN_FOR_ANNOTATION}: the exit code of its containers; without it 0. */
export const EXIT_CODE_ANNOTATION = 'fake.trainyard.dev/exit-code';

/** Writes KWOK's configuration and the stages of nodes and pods into a file. */
export function writeStages(folder: string): string {
  const file = path.join(folder, 'kwok-stages.yaml');
  const stages = [
    stage('node-ready', 'Node', [expression('.status.conditions.[] | select( .type == "Ready" ) | .status', 'NotIn', 'True')], { statusTemplate: programText('kwok/node-ready.yaml.tmpl') }),
    stage('pod-run', 'Pod', [
      expression('.metadata.deletionTimestamp', 'DoesNotExist'),
      expression('.status.phase', 'In', 'Pending'),
    ], { statusTemplate: programText('kwok/pod-running.yaml.tmpl') }),
    stage('pod-end', 'Pod', [
      expression('.metadata.deletionTimestamp', 'DoesNotExist'),
      expression('.status.phase', 'In', 'Running'),
      expression(annotation(RUN_FOR_ANNOTATION), 'Exists'),
    ], { statusTemplate: programText('kwok/pod-ended.yaml.tmpl') }, { durationFrom: { expressionFrom: annotation(RUN_FOR_ANNOTATION) } }),
    // KWOK deletes by name. Before a pod is removed, its grace period changes to 0. A second deletion after that change could delete the pod's
    // replacement.
    stage('pod-remove', 'Pod', [
      expression('.metadata.deletionTimestamp', 'Exists'),
      expression('.metadata.deletionGracePeriodSeconds | tostring', 'NotIn', '0'),
    ], { finalizers: { empty: true }, delete: true }),
  ];
  const configuration = { apiVersion: 'config.kwok.x-k8s.io/v1alpha1', kind: 'KwokConfiguration', options: KWOK_OPTIONS };
  // One JSON document per object: JSON is YAML.
  fs.writeFileSync(file, [configuration, ...stages].map((object) => JSON.stringify(object, null, 2)).join('\n---\n'));
  return file;
}

function annotation(name: string): string {
  return `.metadata.annotations["${name}"]`;
}

function expression(key: string, operator: string, ...values: string[]) {
  return values.length > 0 ? { key, operator, values } : { key, operator };
}

function stage(name: string, kind: string, matchExpressions: unknown[], next: unknown, delay?: unknown) {
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: { resourceRef: { apiGroup: 'v1', kind }, selector: { matchExpressions }, ...delay ? { delay } : {}, next },
  };
}
