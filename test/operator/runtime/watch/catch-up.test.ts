import fc from 'fast-check';
import { catchUp } from '../../../../src/operator/runtime/watch/list-pages';
import type { KubeList, KubeObject, WatchEvent } from '../../../../src/operator/runtime/kube-object';
import { PODS } from '../../../../src/operator/runtime/resource-kind';
import { Store } from '../../../../src/operator/runtime/watch/store';

const pod = (name: string, uid: string, resourceVersion: number): KubeObject => (
  { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name, uid, resourceVersion: String(resourceVersion) } });

/** A store whose watch has told everything up to `version`. */
function warmStore(version: number, ...objects: KubeObject[]): Store<KubeObject> {
  const store = new Store<KubeObject>();
  store.commitList(store.beginList(), objects, String(version));
  return store;
}

const server = (version: number, ...items: KubeObject[]) => ({
  listPage: async <T extends KubeObject>(): Promise<KubeList<T>> => ({ items: items as T[], resourceVersion: String(version) }),
});

const shown = (store: Store<KubeObject>) => store.list().map(({ metadata }) => `${metadata?.uid}@${metadata?.resourceVersion}`).sort();

describe('catching up', () => {
  test('shows what was created and changed while the watch was behind', async () => {
    const store = warmStore(10, pod('a', 'a1', 5));
    await catchUp(server(20, pod('a', 'a1', 15), pod('b', 'b1', 12)), PODS, store);
    expect(shown(store)).toEqual(['a1@15', 'b1@12']);
  });

  test('drops what was deleted while the watch was behind, and what bears its name now is another object', async () => {
    const store = warmStore(10, pod('a', 'a1', 5), pod('b', 'b1', 6));
    await catchUp(server(20, pod('b', 'b2', 18)), PODS, store);
    expect(shown(store)).toEqual(['b2@18']);
  });

  test('keeps what the watch told after the list was taken', async () => {
    const store = warmStore(10, pod('a', 'a1', 5));
    store.applyEvent({ type: 'ADDED', object: pod('c', 'c1', 30) });
    store.applyEvent({ type: 'MODIFIED', object: pod('a', 'a1', 31) });
    await catchUp(server(20, pod('a', 'a1', 15)), PODS, store);
    expect(shown(store)).toEqual(['a1@31', 'c1@30']);
  });

  test('does not bring back what the watch told to be gone after the list was taken', async () => {
    const store = warmStore(10, pod('a', 'a1', 5));
    store.applyEvent({ type: 'DELETED', object: pod('a', 'a1', 30) });
    await catchUp(server(20, pod('a', 'a1', 15)), PODS, store);
    expect(shown(store)).toEqual([]);
  });

  test('passes a failed list on, and the store is as before', async () => {
    const store = warmStore(10, pod('a', 'a1', 5));
    await expect(catchUp({ listPage: () => Promise.reject(new Error('away')) }, PODS, store)).rejects.toThrow('away');
    expect(shown(store)).toEqual(['a1@5']);
  });

  test('ends with the server\'s state, wherever watch and list stand in a history of changes, once the watch has told the rest', async () => {
    const change = fc.record({ name: fc.constantFrom('a', 'b', 'c'), deletes: fc.boolean() });
    await fc.assert(fc.asyncProperty(fc.array(change, { maxLength: 12 }), fc.nat(12), fc.nat(12), async (changes, watchAt, listAt) => {
      // States of the server after each change, and the events that tell of them.
      const states: Map<string, KubeObject>[] = [new Map()];
      const events = changes.flatMap(({ name, deletes }, index): (WatchEvent<KubeObject> & { version: number })[] => {
        const before = states[states.length - 1];
        const state = new Map(before);
        const old = state.get(name);
        const version = index + 1;
        states.push(state);
        if (deletes) {
          state.delete(name);
          return old ? [{ type: 'DELETED', object: pod(name, old.metadata!.uid!, version), version }] : [];
        }
        const object = pod(name, old?.metadata?.uid ?? `${name}${version}`, version);
        state.set(name, object);
        return [{ type: old ? 'MODIFIED' : 'ADDED', object, version }];
      });
      const watched = Math.min(watchAt, changes.length);
      const listed = Math.min(listAt, changes.length);
      const store = warmStore(0);
      events.filter((event) => event.version <= watched).forEach((event) => store.applyEvent(event));
      await catchUp(server(listed, ...states[listed].values()), PODS, store);
      expect(shown(store)).toEqual(sorted(states[Math.max(watched, listed)]));
      events.filter((event) => event.version > watched).forEach((event) => store.applyEvent(event));
      expect(shown(store)).toEqual(sorted(states[changes.length]));
    }), { numRuns: 500 });
  });
});

function sorted(state: Map<string, KubeObject>): string[] {
  return [...state.values()].map(({ metadata }) => `${metadata?.uid}@${metadata?.resourceVersion}`).sort();
}
