/**
 * Brings a cache that has been warm for a while up to this moment. A standby follows the watch, and a watch may be behind: what the last
 * leader did just before it lost the lease may still be on its way. A new leader that planned from that would see finished jobs as running
 * and leaving pods as lost. So it reads everything once more before it acts; the watch goes on meanwhile, and whichever of the two knows
 * an object's newer version wins.
 */
import type { SelectOptions } from '../http/call-options';
import type { KubeClient } from '../kube-client';
import type { KubeObject } from '../kube-object';
import { readPages } from './list-pages';
import type { ResourceKind } from '../resource-kind';
import { isAtMost } from './resource-version';
import type { Store } from './store';

/**
 * Reads all objects of a kind and takes them into a store that a list/watch feeds at the same time. To be called by a process that does not
 * write to these objects yet: a list beside own writes is `Store.commitList`'s work.
 * @throws ApiError or TransportError when the list fails; calling again is safe
 */
export async function catchUp<T extends KubeObject>(
  client: Pick<KubeClient, 'listPage'>, kind: ResourceKind, store: Store<T>, select: SelectOptions = {},
): Promise<void> {
  const listed = new Set<string | undefined>();
  const resourceVersion = await readPages<T>(client, kind, select, {
    take: (items) => {
      for (const item of items) {
        listed.add(item.metadata?.uid);
        store.applyWritten(item);
      }
    },
    restart: () => listed.clear(),
  });
  for (const { metadata } of store.list()) {
    // Newer than the list means made after it, as the watch has told.
    if (!listed.has(metadata?.uid) && isAtMost(metadata?.resourceVersion ?? '', resourceVersion)) {
      store.markDeleted({ namespace: metadata?.namespace, name: metadata!.name!, uid: metadata?.uid });
    }
  }
}
