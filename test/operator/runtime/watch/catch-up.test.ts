import fc from 'fast-check';
import { catchUp } from '../../../../src/operator/runtime/watch/list-pages';
import type { KubeList, KubeObject, WatchEvent } from '../../../../src/operator/runtime/kube-object';
import type { ListOptions } from '../../../../src/operator/runtime/http/call-options';
import { PODS, type ResourceKind, type ResourceRef } from '../../../../src/operator/runtime/resource-kind';
import { Store } from '../../../../src/operator/runtime/watch/store';

const pod = (name: string, uid: string, resourceVersion: number): KubeObject => (
  { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name, uid, resourceVersion: String(resourceVersion) } });

/** A store whose watch has told everything up to `version`. */
function warmStore(version: number, ...objects: KubeObject[]): Store<KubeObject> {
  const store = new Store<KubeObject>();
  store.commitList(store.beginList(), objects, String(version));
  return store;
}

/** A server with these objects, which may have changed when they are read one by one; it takes note of requests. */
function server(version: number, items: readonly KubeObject[], later = items) {
  const requests: string[] = [];
  return {
    requests,
    listPage: async <T extends KubeObject>(_kind: ResourceKind, { metadataOnly }: ListOptions = {}): Promise<KubeList<T>> => {
      requests.push(metadataOnly ? 'list versions' : 'list');
      return { items: (metadataOnly ? items.map(({ metadata }) => ({ metadata })) : items) as T[], resourceVersion: String(version) };
    },
    tryGet: async <T extends KubeObject>(_kind: ResourceKind, { name }: ResourceRef): Promise<T | undefined> => {
      requests.push(`get ${name}`);
      return later.find(({ metadata }) => metadata?.name === name) as T | undefined;
    },
  };
}

const shown = (store: Store<KubeObject>) => store.list().map(({ metadata }) => `${metadata?.uid}@${metadata?.resourceVersion}`).sort();

describe('catching up', () => {
  test('shows what was created and changed while the watch was behind', async () => {
    const store = warmStore(10, pod('a', 'a1', 5));
    await catchUp(server(20, [pod('a', 'a1', 15), pod('b', 'b1', 12)]), PODS, store);
    expect(shown(store)).toEqual(['a1@15', 'b1@12']);
  });

  test('drops what was deleted while the watch was behind, and what bears its name now is another object', async () => {
    const store = warmStore(10, pod('a', 'a1', 5), pod('b', 'b1', 6));
    await catchUp(server(20, [pod('b', 'b2', 18)]), PODS, store);
    expect(shown(store)).toEqual(['b2@18']);
  });

  test('keeps what the watch told after the list was taken', async () => {
    const store = warmStore(10, pod('a', 'a1', 5));
    store.applyEvent({ type: 'ADDED', object: pod('c', 'c1', 30) });
    store.applyEvent({ type: 'MODIFIED', object: pod('a', 'a1', 31) });
    await catchUp(server(20, [pod('a', 'a1', 15)]), PODS, store);
    expect(shown(store)).toEqual(['a1@31', 'c1@30']);
  });

  test('does not bring back what the watch told to be gone after the list was taken', async () => {
    const store = warmStore(10, pod('a', 'a1', 5));
    store.applyEvent({ type: 'DELETED', object: pod('a', 'a1', 30) });
    await catchUp(server(20, [pod('a', 'a1', 15)]), PODS, store);
    expect(shown(store)).toEqual([]);
  });

  test('reads nothing but what it does not know, and all at once when that is much', async () => {
    const store = warmStore(10, pod('a', 'a1', 5), pod('b', 'b1', 6));
    store.applyWritten(pod('b', 'b1', 14));
    const few = server(20, [pod('a', 'a1', 5), pod('b', 'b1', 14), pod('c', 'c1', 15)]);
    await catchUp(few, PODS, store);
    expect(few.requests).toEqual(['list versions', 'get c']);
    expect(shown(store)).toEqual(['a1@5', 'b1@14', 'c1@15']);

    const many = server(300, Array.from({ length: 201 }, (_, index) => pod(`p${index}`, `p${index}`, 21 + index)));
    await catchUp(many, PODS, store);
    expect(many.requests).toEqual(['list versions', 'list']);
    expect(store.size).toBe(201);
  });

  test('drops what was changed while the watch was behind, and was deleted before it could be read', async () => {
    const store = warmStore(10, pod('a', 'a1', 5));
    await catchUp(server(20, [pod('a', 'a1', 15)], []), PODS, store);
    expect(shown(store)).toEqual([]);
  });

  test('takes whole objects from a server that does not send their metadata alone', async () => {
    const store = warmStore(10);
    const old = server(20, [pod('a', 'a1', 15)]);
    await catchUp({ ...old, listPage: async (kind) => old.listPage(kind) }, PODS, store);
    expect(shown(store)).toEqual(['a1@15']);
  });

  test('passes a failed list on, and the store is as before', async () => {
    const store = warmStore(10, pod('a', 'a1', 5));
    await expect(catchUp({ ...server(20, []), listPage: () => Promise.reject(new Error('away')) }, PODS, store)).rejects.toThrow('away');
    expect(shown(store)).toEqual(['a1@5']);
  });

  test('ends with the server\'s state, wherever watch and list stand in a history of changes, once the watch has told the rest', async () => {
    const change = fc.record({ name: fc.constantFrom('a', 'b', 'c'), deletes: fc.boolean() });
    const moment = fc.nat(12);
    await fc.assert(fc.asyncProperty(fc.array(change, { maxLength: 12 }), moment, moment, moment, async (changes, watchAt, listAt, readAt) => {
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
      const read = Math.max(listed, Math.min(readAt, changes.length));
      await catchUp(server(listed, [...states[listed].values()], [...states[read].values()]), PODS, store);
      if (read === listed) {
        expect(shown(store)).toEqual(sorted(states[Math.max(watched, listed)]));
      }
      events.filter((event) => event.version > watched).forEach((event) => store.applyEvent(event));
      expect(shown(store)).toEqual(sorted(states[changes.length]));
    }), { numRuns: 500 });
  });
});

function sorted(state: Map<string, KubeObject>): string[] {
  return [...state.values()].map(({ metadata }) => `${metadata?.uid}@${metadata?.resourceVersion}`).sort();
}
