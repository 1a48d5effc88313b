/** Snapshots of jobs, put together from what the API would show. */
import type { JobSnapshot, NodeObject, QueueView } from '../../../src/cli/explain/job/snapshot';
import type { AnyObject, EventObject, PodObject } from '../../../src/cli/jobs/objects';
import type { ContainerStatus } from '../../../src/manifests/kubernetes';

/** The moment of all snapshots. */
export const NOW = Date.parse('2026-03-01T12:00:00Z');

/** A time before that. */
export const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString().replace('.000Z', 'Z');

type Fields = { readonly [field: string]: unknown };

/** A condition. */
export const condition = (type: string, status: 'True' | 'False' | 'Unknown', reason: string, message = '', seconds = 60) => (
  { type, status, reason, message, lastTransitionTime: ago(seconds) });

/** An MLTrainingJob of two replicas that the operator has seen. */
export function job(spec: Fields = {}, status: Fields = {}, metadata: Fields = {}): AnyObject {
  return {
    apiVersion: 'ml.collabnix.io/v1alpha1',
    kind: 'MLTrainingJob',
    metadata: { name: 'train', namespace: 'ml', uid: 'job-uid', generation: 1, creationTimestamp: ago(300), ...metadata },
    spec: { framework: 'jax', image: 'image', replicas: 2, ...spec },
    status: { phase: 'Pending', observedGeneration: 1, ready: '0/2', conditions: [condition('Created', 'True', 'JobCreated')], ...status },
  } as AnyObject;
}

/** A job of another kind. */
export function otherJob(apiVersion: string, kind: string, spec: Fields = {}, status?: Fields, metadata: Fields = {}): AnyObject {
  return { apiVersion, kind, metadata: { name: 'train', namespace: 'ml', uid: 'job-uid', creationTimestamp: ago(300), ...metadata }, spec, status } as AnyObject;
}

/** How a pod is. */
export interface PodState {
  readonly node?: string;
  readonly status?: Fields;
  readonly spec?: Fields;
  /** What the kubelet says of its container. */
  readonly container?: Partial<ContainerStatus>;
  /** Seconds. */
  readonly age?: number;
}

/** A pod. */
export function pod(name: string, state: PodState): PodObject {
  const { node, status = {}, spec = {}, container, age = 240 } = state;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'ml', uid: `${name}-uid`, creationTimestamp: ago(age) },
    spec: { containers: [{ name: 'training', resources: { limits: { 'nvidia.com/gpu': '8', 'memory': '64Gi' } } }], nodeName: node, ...spec },
    status: { phase: 'Pending', ...(container && { containerStatuses: [{ name: 'training', image: 'registry.example/train:1', ...container }] }), ...status },
  } as PodObject;
}

/** A pod that no node takes. */
export const unschedulable = (name: string, message: string, spec: Fields = {}) => (
  pod(name, { spec, status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] } }));

/** A pod that runs. */
export const running = (name: string, node = 'node-1') => pod(name, { node, status: { phase: 'Running' }, container: { state: { running: {} } } });

/** An event. */
export const event = (about: { readonly uid?: string; readonly kind?: string; readonly name?: string }, reason: string, message: string, type = 'Warning'): EventObject => (
  { metadata: { name: `event-${reason}` }, type, reason, message, lastTimestamp: ago(30), involvedObject: about });

/** A node. */
export function node(name: string, ready: 'True' | 'False' | 'Unknown' = 'True', allocatable: { readonly [resource: string]: string } = {}): NodeObject {
  return { metadata: { name }, status: { allocatable, conditions: [condition('Ready', ready, 'NodeStatusUnknown', 'Kubelet stopped posting node status.', 90)] } } as NodeObject;
}

/** A queue with a job of 16 GPUs in it. */
export function queue(more: { readonly workload?: Fields; readonly localQueue?: AnyObject; readonly clusterQueue?: Fields } & Partial<Omit<QueueView, 'workload' | 'localQueue' | 'clusterQueue'>> = {}): QueueView {
  const { workload, clusterQueue, ...rest } = more;
  return {
    installed: true,
    localQueues: ['research'],
    localQueue: { kind: 'LocalQueue', metadata: { name: 'research', namespace: 'ml' }, spec: { clusterQueue: 'gpus' } },
    clusterQueue: {
      kind: 'ClusterQueue',
      metadata: { name: 'gpus' },
      spec: { resourceGroups: [{ flavors: [{ name: 'a100', resources: [{ name: 'nvidia.com/gpu', nominalQuota: '20' }] }] }] },
      status: { flavorsReservation: [{ name: 'a100', resources: [{ name: 'nvidia.com/gpu', total: '12' }] }] },
      ...clusterQueue,
    },
    workload: {
      kind: 'Workload',
      metadata: { name: 'mltj-train', namespace: 'ml', uid: 'workload-uid' },
      spec: {
        queueName: 'research',
        podSets: [{ name: 'worker', count: 2, template: { spec: { containers: [{ name: 'training', resources: { limits: { 'nvidia.com/gpu': '8' } } }] } } }],
        ...(workload?.spec as Fields | undefined),
      },
      status: { conditions: [condition('QuotaReserved', 'False', 'Pending', 'couldn\'t assign flavors to pod set worker: insufficient unused quota for nvidia.com/gpu in flavor a100, 8 more needed')], ...(workload?.status as Fields | undefined) },
    } as unknown as QueueView['workload'],
    ...rest,
  };
}

/** A snapshot. */
export function snapshot(more: Partial<JobSnapshot>): JobSnapshot {
  return { now: NOW, job: job(), owned: [], pods: [], events: [], podGroups: [], logs: [], unread: [], ...more };
}
