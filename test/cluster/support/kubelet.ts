import type { TestApi } from './test-api';
import { eventually, type TestObject } from './cluster';

/** How a container ends. */
export interface ContainerEnd {
  /** @default 0 */
  readonly exitCode?: number;
  /** @default - Completed or Error, by the exit code */
  readonly reason?: string;
  /** Where the container runtime puts the last lines of the log. */
  readonly message?: string;
  /** When it ended, as Kubernetes writes times. @default - now */
  readonly finishedAt?: string;
}

/** Plays the kubelet of all nodes: there is none on the test's control plane, so pods are what this says they are. */
export class TestKubelet {
  public constructor(private readonly api: TestApi, private readonly namespace: string) {}

  /** Puts a pod on a node. From then on its deletion takes two steps: {@link remove} is the second. */
  public async bind(pod: string, node = 'node-0'): Promise<void> {
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: pod }, target: { apiVersion: 'v1', kind: 'Node', name: node } };
    await this.api.create('pods', this.namespace, binding, pod, 'binding');
  }

  /** All containers of the pods run. */
  public async run(...pods: string[]): Promise<void> {
    await Promise.all(pods.map(async (pod) => this.setStatus(pod, 'Running', () => ({ running: { startedAt: now() } }))));
  }

  /** All containers of the pod end in the same way, and with them the pod. */
  public async end(pod: string, end: ContainerEnd = {}): Promise<void> {
    const exitCode = end.exitCode ?? 0;
    await this.setStatus(pod, exitCode === 0 ? 'Succeeded' : 'Failed', () => ({ terminated: terminated(end) }));
  }

  /** One container ends while the others run on. */
  public async endContainer(pod: string, container: string, end: ContainerEnd = {}): Promise<void> {
    await this.setStatus(pod, 'Running', (name) => (name === container ? { terminated: terminated(end) } : { running: { startedAt: now() } }));
  }

  /** The cluster takes the pod away: it is marked, and its container killed. */
  public async evict(pod: string): Promise<void> {
    await this.setStatus(pod, 'Failed', () => ({ terminated: terminated({ exitCode: 137 }) }), evicted());
  }

  /** A container cannot start. */
  public async wait(pod: string, reason: string, message: string): Promise<void> {
    await this.setStatus(pod, 'Pending', () => ({ waiting: { reason, message } }));
  }

  /** The scheduler finds no node for a pod. */
  public async findNoNode(...pods: string[]): Promise<void> {
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available', lastTransitionTime: now() };
    await Promise.all(pods.map(async (pod) => this.api.patch('pods', this.namespace, pod, { status: { conditions: [condition] } }, 'status')));
  }

  /** The pod's processes have ended after its deletion was asked for. */
  public async remove(pod: string): Promise<void> {
    await this.api.remove('pods', this.namespace, pod, { gracePeriodSeconds: 0 });
  }

  /** Waits until a job has exactly this many pods, and returns them. */
  public async pods(job: string, count: number): Promise<TestObject[]> {
    return eventually(`${count} pods of job ${job}`, async () => {
      const pods = await this.api.list('pods', this.namespace, `job=${job}`);
      return pods.length === count && pods;
    });
  }

  /** Waits for the pods of a job and lets all of them run. */
  public async runAll(job: string, count: number): Promise<string[]> {
    const names = (await this.pods(job, count)).map(({ metadata }) => metadata.name);
    await this.run(...names);
    return names;
  }

  private async setStatus(name: string, phase: string, stateOf: (container: string) => object, more: object = {}): Promise<void> {
    const pod = await this.api.get('pods', this.namespace, name);
    await this.api.patch('pods', this.namespace, name, podStatusPatch(pod, phase, stateOf, more), 'status');
  }
}

/** A patch of a pod's status; refused when another pod bears the name by then. */
export function podStatusPatch(pod: TestObject, phase: string, stateOf: (container: string) => object, more: object = {}): object {
  const containerStatuses = (pod.spec.containers as { name: string; image: string }[]).map((container) => {
    const state = stateOf(container.name);
    const started = 'running' in state;
    return { name: container.name, image: container.image, imageID: '', restartCount: 0, ready: started, started, state };
  });
  return { metadata: { uid: pod.metadata.uid }, status: { phase, startTime: pod.status?.startTime ?? now(), containerStatuses, ...more } };
}

/** The status of a pod that the node threw out. */
export function evicted(): object {
  return {
    reason: 'Evicted',
    message: 'The node was low on resource: memory.',
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: 'low on memory', lastTransitionTime: now() }],
  };
}

/** State of a container that has ended. */
export function terminated({ exitCode = 0, reason, message, finishedAt = now() }: ContainerEnd): object {
  return { exitCode, reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'), message, startedAt: finishedAt, finishedAt };
}

/** RFC 3339 in whole seconds, as Kubernetes writes times. */
export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
