/**
 * Scheduler and kubelet of `trainyard dev` in one: every pod is bound to the one node there is, and runs as processes of this machine.
 *
 * The loop reads the cache of pods and never the events: what is to be done about a pod follows from the pod and from whether its processes run
 * here. A pod that is said to run but does not (an earlier `trainyard dev` ran it) is reported as lost with its node, a disruption.
 */
import { KubeletPod, type KubeletPodContext } from './kubelet-pod';
import { LOCAL_NODE_NAME } from './local-node';
import type { Pod } from '../../manifests/kubernetes';
import { isApiError } from '../../operator/runtime/http/api-error';
import { keyOf, objectKey, type KubeObject } from '../../operator/runtime/kube-object';
import { ListWatch } from '../../operator/runtime/watch/list-watch';
import type { Logger } from '../../operator/runtime/process/logger';
import { PODS } from '../../operator/runtime/resource-kind';
import { Store, type StoreChange } from '../../operator/runtime/watch/store';

type PodObject = KubeObject & Pod;

/** What the kubelet works with. */
export interface ProcessKubeletOptions extends KubeletPodContext {
  readonly logger: Logger;
}

export class ProcessKubelet {
  private readonly store = new Store<PodObject>();
  private readonly watch: ListWatch<PodObject>;
  /** Pods whose processes were started here, by uid. */
  private readonly pods = new Map<string, KubeletPod>();
  /** Uids of pods with a binding or a deletion on its way. */
  private readonly busy = new Set<string>();
  private stopping = false;

  public constructor(private readonly options: ProcessKubeletOptions) {
    this.watch = new ListWatch<PodObject>({ client: options.client, kind: PODS, store: this.store, logger: options.logger });
    this.store.onChange((change) => this.onChange(change));
  }

  /** Runs until the signal aborts, then leaves the processes to {@link stop}. */
  public async run(signal: AbortSignal): Promise<void> {
    await this.watch.run(signal);
  }

  /** The pod of a name, if its processes were started here; for its logs. */
  public find(namespace: string, name: string): { readonly pod: Pod; readonly process: KubeletPod } | undefined {
    const pod = this.store.get(keyOf(namespace, name));
    const process = this.pods.get(pod?.metadata?.uid ?? '');
    return pod && process && { pod, process };
  }

  /**
   * Ends all processes, as when a node is shut down.
   * @param graceSeconds 0 kills at once; default: what the pods say
   */
  public async stop(graceSeconds?: number): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.pods.values()].map((pod) => pod.shutDown(graceSeconds)));
  }

  private onChange({ previous, current }: StoreChange<PodObject>): void {
    const gone = previous?.metadata?.uid;
    if (gone !== undefined && gone !== current?.metadata?.uid) {
      // Deleted without waiting for us: force-deleted, or with its namespace.
      void this.pods.get(gone)?.stop(0);
      this.pods.delete(gone);
    }
    if (current && !this.stopping) {
      this.sync(current);
    }
  }

  private sync(pod: PodObject): void {
    const uid = pod.metadata!.uid!;
    const known = this.pods.get(uid);
    const phase = pod.status?.phase;
    if (!pod.spec?.nodeName) {
      if (pod.metadata!.deletionTimestamp === undefined) {
        this.once(uid, () => this.bind(pod));
      }
    } else if (pod.spec.nodeName !== LOCAL_NODE_NAME) {
      return;
    } else if (pod.metadata!.deletionTimestamp !== undefined) {
      this.once(uid, () => this.remove(pod, known));
    } else if (known === undefined && (phase === undefined || phase === 'Pending')) {
      this.pods.set(uid, new KubeletPod(pod, this.options));
    } else if (known === undefined && phase === 'Running') {
      this.once(uid, () => this.reportLost(pod));
    }
  }

  /** Runs `work` for a pod unless it is running already. A failure is reported; the next change of the pod retries. */
  private once(uid: string, work: () => Promise<unknown>): void {
    if (!this.busy.has(uid)) {
      this.busy.add(uid);
      work()
        .catch((error: Error) => {
          if (!isApiError(error, 'isNotFound') && !this.stopping) {
            this.options.warn(error.message);
          }
        })
        .finally(() => this.busy.delete(uid));
    }
  }

  private async bind(pod: PodObject): Promise<void> {
    const { name, namespace, uid } = pod.metadata!;
    const binding = {
      apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, uid }, target: { apiVersion: 'v1', kind: 'Node', name: LOCAL_NODE_NAME },
    };
    await this.options.client.create<KubeObject>(PODS, binding, { subresource: 'binding' });
  }

  private async remove(pod: PodObject, known: KubeletPod | undefined): Promise<void> {
    const { name, namespace, uid, deletionGracePeriodSeconds } = pod.metadata!;
    await known?.stop(deletionGracePeriodSeconds);
    await this.options.client.delete(PODS, { namespace, name: name! }, { gracePeriodSeconds: 0, preconditions: { uid } });
  }

  private async reportLost(pod: PodObject): Promise<void> {
    const { name, namespace, uid } = pod.metadata!;
    const status = { phase: 'Failed', reason: 'NodeLost', message: `${objectKey(pod)} ended when the trainyard dev process that ran it was stopped` };
    await this.options.client.patch(PODS, { namespace, name: name! }, { metadata: { uid }, status }, { subresource: 'status' });
  }
}
