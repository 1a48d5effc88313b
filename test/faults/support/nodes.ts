/**
 * Nodes that take pods by themselves, each step after a moment: a pod is bound, runs, ends as its script says, and goes when its deletion is asked
 * for. No step is lost when the API server is away.
 */
import type { SeededRandom } from './random';
import { ATTEMPT_LABEL, REPLICA_INDEX_LABEL, ROLE_LABEL } from '../../../src/model/labels';
import { evicted, now, podStatusPatch, terminated } from '../../cluster/support/kubelet';
import type { TestApi } from '../../cluster/support/test-api';
import type { TestObject } from '../../cluster/support/cluster';

/** One run of a replica. */
export interface Run {
  readonly job: string;
  readonly role: string;
  readonly index: number;
  readonly attempt: number;
  /** How many pods this replica had before. */
  readonly earlierPods: number;
}

/** What becomes of a run. */
export interface Fate {
  readonly afterMs: number;
  readonly exitCode: number | 'evicted';
}

const NODES = 4;

/** See the top of this file. */
export class TestNodes {
  private readonly seen = new Set<string>();
  private readonly leaving = new Set<string>();
  private readonly podsOf = new Map<string, number>();
  private closed = false;

  /** @param fateOf undefined for a run that goes on until it is stopped */
  public constructor(private readonly api: TestApi, private readonly random: SeededRandom, private readonly fateOf: (run: Run) => Fate | undefined) {}

  /** To be told of every state of every pod. */
  public observe(pod: TestObject, isGone: boolean): void {
    const uid = pod.metadata.uid!;
    if (isGone) {
      return;
    }
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (!this.leaving.has(uid)) {
        this.leaving.add(uid);
        void this.after(20, 300, async () => this.remove(pod));
      }
    } else if (!this.seen.has(uid)) {
      this.seen.add(uid);
      void this.live(pod);
    }
  }

  /** No further step is begun. */
  public close(): void {
    this.closed = true;
  }

  private async live(pod: TestObject): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    const labels = pod.metadata.labels as { [label: string]: string };
    const slot = `${(pod.metadata.ownerReferences as { uid: string }[])[0].uid}/${labels[ROLE_LABEL]}/${labels[REPLICA_INDEX_LABEL]}`;
    const earlierPods = this.podsOf.get(slot) ?? 0;
    this.podsOf.set(slot, earlierPods + 1);
    const node = `node-${Math.floor(this.random.next() * NODES)}`;
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, uid }, target: { apiVersion: 'v1', kind: 'Node', name: node } };
    await this.after(10, 100, async () => this.api.create('pods', namespace, binding, name, 'binding'));
    await this.after(20, 200, async () => this.setStatus(pod, 'Running', { running: { startedAt: now() } }));
    const fate = this.fateOf({
      job: labels.job,
      role: labels[ROLE_LABEL],
      index: Number(labels[REPLICA_INDEX_LABEL]),
      attempt: Number(labels[ATTEMPT_LABEL]),
      earlierPods,
    });
    if (fate === undefined) {
      return;
    }
    const { exitCode } = fate;
    await this.after(fate.afterMs, fate.afterMs + 100, async () => (exitCode === 'evicted'
      ? this.setStatus(pod, 'Failed', { terminated: terminated({ exitCode: 137 }) }, evicted())
      : this.setStatus(pod, exitCode === 0 ? 'Succeeded' : 'Failed', { terminated: terminated({ exitCode }) })));
  }

  private async setStatus(pod: TestObject, phase: string, state: object, more: object = {}): Promise<void> {
    await this.api.patch('pods', pod.metadata.namespace!, pod.metadata.name, podStatusPatch(pod, phase, () => state, more), 'status');
  }

  private async remove(pod: TestObject): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    await this.api.remove('pods', namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } });
  }

  /** Does a step after a while, and again until the API server has answered. */
  private async after(lowMs: number, highMs: number, step: () => Promise<unknown>): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.random.between(lowMs, highMs)));
    while (!this.closed) {
      try {
        await step();
        return;
      } catch (error) {
        if (/answered (404|409|422)/.test((error as Error).message)) {
          // The pod has gone, or another one bears its name.
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}
