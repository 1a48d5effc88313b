import { KubeObject } from '../../../../src/operator/runtime/kube-object';
import { Store, StoreChange } from '../../../../src/operator/runtime/watch/store';

function object(name: string, resourceVersion: string, uid = `uid-${name}`, extra: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name, uid, resourceVersion, ...extra } };
}

function bookmark(resourceVersion: string): { type: 'BOOKMARK'; object: KubeObject } {
  return { type: 'BOOKMARK', object: { metadata: { resourceVersion } } };
}

/** A store after a first list. */
function syncedStore(items: KubeObject[] = [], version = '100'): { store: Store<KubeObject>; changes: StoreChange<KubeObject>[] } {
  const store = new Store<KubeObject>({ indexes: { owner: (each) => (each.metadata?.ownerReferences ?? []).map(({ uid }) => uid) } });
  store.commitList(store.beginList(), items, version);
  const changes: StoreChange<KubeObject>[] = [];
  store.onChange((change) => changes.push(change));
  return { store, changes };
}

function version(store: Store<KubeObject>, name: string): string | undefined {
  return store.get(`ns/${name}`)?.metadata?.resourceVersion;
}

describe('a list', () => {
  it('fills the store, and only then it has synced', () => {
    const store = new Store<KubeObject>();
    const begunAt = store.beginList();
    expect(store.hasSynced).toBe(false);
    store.commitList(begunAt, [object('a', '5'), object('b', '7')], '9');
    expect(store.hasSynced).toBe(true);
    expect(store.keys().sort()).toEqual(['ns/a', 'ns/b']);
    expect(store.progress).toBe('9');
  });

  it('removes what it does not contain and reports only what differs', () => {
    const { store, changes } = syncedStore([object('a', '5'), object('b', '6'), object('c', '7')]);
    store.commitList(store.beginList(), [object('a', '5'), object('b', '101')], '110');
    expect(changes.map(({ key, previous, current }) => [key, previous?.metadata?.resourceVersion, current?.metadata?.resourceVersion])).toEqual([
      ['ns/b', '6', '101'],
      ['ns/c', '7', undefined],
    ]);
  });

  it('shows listeners the whole result, never half of it', () => {
    const { store } = syncedStore([object('a', '5')]);
    const seen: string[][] = [];
    store.onChange(() => seen.push(store.keys().sort()));
    store.commitList(store.beginList(), [object('b', '101'), object('c', '102')], '110');
    expect(seen).toEqual([
      ['ns/b', 'ns/c'],
      ['ns/b', 'ns/c'],
      ['ns/b', 'ns/c'],
    ]);
  });

  it('follows an etcd that was restored from a backup, where versions go backwards', () => {
    const { store } = syncedStore([object('a', '90'), object('b', '95')], '100');
    store.commitList(store.beginList(), [object('a', '40')], '50');
    expect(store.list()).toHaveLength(1);
    expect(version(store, 'a')).toBe('40');
    store.applyEvent({ type: 'MODIFIED', object: object('a', '51') });
    expect(version(store, 'a')).toBe('51');
  });
});

describe('the watch', () => {
  it('adds, changes and removes', () => {
    const { store } = syncedStore();
    store.applyEvent({ type: 'ADDED', object: object('a', '101') });
    store.applyEvent({ type: 'MODIFIED', object: object('a', '102') });
    expect(version(store, 'a')).toBe('102');
    store.applyEvent({ type: 'DELETED', object: object('a', '103') });
    expect(store.size).toBe(0);
    expect(store.progress).toBe('103');
  });

  it('compares versions as numbers of any length, not as text or as floating point', () => {
    const { store } = syncedStore([object('a', '99'), object('b', '9007199254740993')], '9007199254740993');
    store.applyWritten(object('b', '9007199254740994'));
    expect(version(store, 'b')).toBe('9007199254740994');
    store.applyEvent({ type: 'MODIFIED', object: object('a', '10000000000000000') });
    expect(version(store, 'a')).toBe('10000000000000000');
  });

  it('moves its progress by bookmarks', () => {
    const { store } = syncedStore();
    store.applyEvent(bookmark('150'));
    expect(store.progress).toBe('150');
  });
});

describe('our own writes', () => {
  it('are seen at once, before the watch tells of them', () => {
    const { store, changes } = syncedStore();
    store.applyWritten(object('a', '101'));
    expect(version(store, 'a')).toBe('101');
    expect(changes.map(({ origin }) => origin)).toEqual(['write']);
  });

  it('are not reported again when the watch echoes them', () => {
    const { store, changes } = syncedStore();
    store.applyWritten(object('a', '101'));
    store.applyEvent({ type: 'ADDED', object: object('a', '101') });
    expect(changes).toHaveLength(1);
  });

  it('are not rolled back by an older event that arrives late', () => {
    const { store } = syncedStore([object('a', '90')]);
    store.applyWritten(object('a', '105'));
    store.applyEvent({ type: 'MODIFIED', object: object('a', '103') });
    expect(version(store, 'a')).toBe('105');
  });

  it('are not rolled back by the deletion of a predecessor of the same name', () => {
    const { store } = syncedStore([object('a', '90', 'first')]);
    store.applyWritten(object('a', '105', 'second'));
    store.applyEvent({ type: 'DELETED', object: object('a', '104', 'first') });
    expect(store.get('ns/a')?.metadata?.uid).toBe('second');
  });

  it('do not resurrect an object whose deletion the watch told before the answer was processed', () => {
    const { store } = syncedStore();
    store.applyEvent({ type: 'ADDED', object: object('a', '101') });
    store.applyEvent({ type: 'DELETED', object: object('a', '103') });
    // The answer of our create (101) or patch (102) comes last.
    store.applyWritten(object('a', '101'));
    store.applyWritten(object('a', '102'));
    expect(store.size).toBe(0);
  });

  it('do not resurrect an object that appeared and went while only bookmarks told of the time', () => {
    const { store } = syncedStore();
    store.applyEvent(bookmark('120'));
    store.applyWritten(object('a', '110'));
    expect(store.size).toBe(0);
  });

  it('do not replace something newer', () => {
    const { store } = syncedStore();
    store.applyWritten(object('a', '105'));
    store.applyWritten(object('a', '102'));
    expect(version(store, 'a')).toBe('105');
  });

  it('survive a list that was on its way when they happened', () => {
    const { store } = syncedStore();
    const begunAt = store.beginList();
    store.applyWritten(object('new', '130'));
    store.commitList(begunAt, [object('old', '90')], '120');
    expect(store.keys().sort()).toEqual(['ns/new', 'ns/old']);
  });

  it('of a version that a list already covers do not survive a list that lacks them: somebody deleted the object', () => {
    const { store } = syncedStore();
    const begunAt = store.beginList();
    store.applyWritten(object('new', '110'));
    store.commitList(begunAt, [], '120');
    expect(store.size).toBe(0);
  });

  it('are not rolled back by an older version in a list that was on its way', () => {
    const { store } = syncedStore([object('a', '90')]);
    const begunAt = store.beginList();
    store.applyWritten(object('a', '130'));
    store.commitList(begunAt, [object('a', '90')], '120');
    expect(version(store, 'a')).toBe('130');
    store.applyEvent({ type: 'MODIFIED', object: object('a', '130') });
    store.applyEvent({ type: 'DELETED', object: object('a', '131') });
    expect(store.size).toBe(0);
  });

  it('are gone when they are missing from a list that began later', () => {
    const { store } = syncedStore();
    store.applyWritten(object('a', '130'));
    store.commitList(store.beginList(), [], '140');
    expect(store.size).toBe(0);
  });

  it('before the first list are kept until the list decides', () => {
    const store = new Store<KubeObject>();
    store.applyWritten(object('early', '50'));
    const begunAt = store.beginList();
    store.applyWritten(object('late', '70'));
    store.commitList(begunAt, [], '60');
    expect(store.keys()).toEqual(['ns/late']);
  });

  it('that take an object out of the selection remove it, and never put it back', () => {
    const store = new Store<KubeObject>({ selects: (each) => each.metadata?.labels?.mine === 'yes' });
    store.commitList(store.beginList(), [object('a', '90', 'u', { labels: { mine: 'yes' } })], '100');
    store.applyWritten(object('a', '101', 'u', { labels: {} }));
    expect(store.size).toBe(0);
    store.applyWritten(object('b', '102', 'v', { labels: {} }));
    expect(store.size).toBe(0);
  });
});

describe('our own deletions', () => {
  it('are seen at once and are not undone by older events', () => {
    const { store } = syncedStore([object('a', '90')]);
    store.markDeleted({ namespace: 'ns', name: 'a', uid: 'uid-a' });
    expect(store.size).toBe(0);
    store.applyEvent({ type: 'MODIFIED', object: object('a', '101') });
    store.applyEvent({ type: 'MODIFIED', object: object('a', '102') });
    store.applyEvent({ type: 'DELETED', object: object('a', '103') });
    expect(store.size).toBe(0);
  });

  it('are not undone by the late answer of another write', () => {
    const { store } = syncedStore([object('a', '90')]);
    store.markDeleted({ namespace: 'ns', name: 'a' });
    store.applyWritten(object('a', '104'));
    expect(store.size).toBe(0);
  });

  it('are not undone by a list that was on its way', () => {
    const { store } = syncedStore([object('a', '90')]);
    const begunAt = store.beginList();
    store.markDeleted({ namespace: 'ns', name: 'a', uid: 'uid-a' });
    store.commitList(begunAt, [object('a', '90')], '120');
    expect(store.size).toBe(0);
    store.applyEvent({ type: 'MODIFIED', object: object('a', '121') });
    expect(store.size).toBe(0);
  });

  it('are undone by a list that began later, should they have been a mistake', () => {
    const { store } = syncedStore([object('a', '90')]);
    store.markDeleted({ namespace: 'ns', name: 'a', uid: 'uid-a' });
    store.commitList(store.beginList(), [object('a', '90')], '120');
    expect(version(store, 'a')).toBe('90');
  });

  it('leave the name to a successor, made by us or by others', () => {
    const { store } = syncedStore([object('a', '90', 'first'), object('b', '91', 'first-b')]);
    store.markDeleted({ namespace: 'ns', name: 'a', uid: 'first' });
    store.applyWritten(object('a', '105', 'second'));
    expect(store.get('ns/a')?.metadata?.uid).toBe('second');
    store.markDeleted({ namespace: 'ns', name: 'b', uid: 'first-b' });
    store.applyEvent({ type: 'ADDED', object: object('b', '106', 'second-b') });
    expect(store.get('ns/b')?.metadata?.uid).toBe('second-b');
  });

  it('of a uid do not touch a successor that has the name already', () => {
    const { store } = syncedStore([object('a', '105', 'second')], '110');
    store.markDeleted({ namespace: 'ns', name: 'a', uid: 'first' });
    expect(store.get('ns/a')?.metadata?.uid).toBe('second');
  });

  it('of a successor do not let events of the predecessor in', () => {
    const { store } = syncedStore([object('a', '90', 'first')]);
    store.markDeleted({ namespace: 'ns', name: 'a', uid: 'first' });
    store.applyWritten(object('a', '105', 'second'));
    store.markDeleted({ namespace: 'ns', name: 'a', uid: 'second' });
    store.applyEvent({ type: 'MODIFIED', object: object('a', '103', 'first') });
    store.applyEvent({ type: 'DELETED', object: object('a', '104', 'first') });
    store.applyEvent({ type: 'ADDED', object: object('a', '105', 'second') });
    expect(store.size).toBe(0);
    store.applyEvent({ type: 'DELETED', object: object('a', '106', 'second') });
    store.applyEvent({ type: 'ADDED', object: object('a', '107', 'third') });
    expect(store.get('ns/a')?.metadata?.uid).toBe('third');
  });

  it('count for an object that had left the selection, and came back', () => {
    const { store } = syncedStore([object('a', '90')]);
    store.applyEvent({ type: 'DELETED', object: object('a', '101') });
    store.applyEvent({ type: 'ADDED', object: object('a', '102') });
    store.markDeleted({ namespace: 'ns', name: 'a', uid: 'uid-a' });
    expect(store.size).toBe(0);
    store.applyEvent({ type: 'MODIFIED', object: object('a', '103') });
    expect(store.size).toBe(0);
  });

  it('that the watch told before the answer leave nothing behind that could swallow later news', () => {
    const { store } = syncedStore([object('a', '90')]);
    store.applyEvent({ type: 'DELETED', object: object('a', '101') });
    store.markDeleted({ namespace: 'ns', name: 'a', uid: 'uid-a' });
    store.applyEvent({ type: 'ADDED', object: object('a', '102') });
    expect(version(store, 'a')).toBe('102');
  });

  it('prove, with the late answer of the creation, that a predecessor which the watch still tells of is gone', () => {
    const { store } = syncedStore();
    // Others made and deleted "first" (101, 102); we made "second" (103) and deleted it, and the answers come in the wrong order.
    store.markDeleted({ namespace: 'ns', name: 'a', uid: 'second' });
    store.applyEvent({ type: 'ADDED', object: object('a', '101', 'first') });
    store.applyWritten(object('a', '103', 'second'));
    expect(store.size).toBe(0);
    store.applyEvent({ type: 'DELETED', object: object('a', '102', 'first') });
    store.applyEvent({ type: 'ADDED', object: object('a', '103', 'second') });
    expect(store.size).toBe(0);
    store.applyEvent({ type: 'DELETED', object: object('a', '104', 'second') });
    store.applyEvent({ type: 'ADDED', object: object('a', '105', 'third') });
    expect(store.get('ns/a')?.metadata?.uid).toBe('third');
  });

  it('that the server only begins (grace period, finalizers) keep the object', () => {
    const { store } = syncedStore([object('a', '90'), object('b', '91'), object('c', '92'), object('d', '93')]);
    const now = '2030-01-01T00:00:00Z';
    store.applyDeleteResponse({ namespace: 'ns', name: 'a' }, object('a', '101', 'uid-a', { deletionTimestamp: now, deletionGracePeriodSeconds: 30 }));
    store.applyDeleteResponse({ namespace: 'ns', name: 'b' }, object('b', '102', 'uid-b', { deletionTimestamp: now, finalizers: ['x/y'] }));
    store.applyDeleteResponse({ namespace: 'ns', name: 'c' }, object('c', '103', 'uid-c', { deletionTimestamp: now, deletionGracePeriodSeconds: 0 }));
    store.applyDeleteResponse({ namespace: 'ns', name: 'd' }, { kind: 'Status' });
    expect(store.keys().sort()).toEqual(['ns/a', 'ns/b']);
    expect(version(store, 'a')).toBe('101');
  });
});

describe('versions that are no numbers', () => {
  it('let the watch win, and keep creations of ours', () => {
    const { store } = syncedStore([object('a', 'x1')], 'x9');
    store.applyEvent({ type: 'MODIFIED', object: object('a', 'x3') });
    expect(version(store, 'a')).toBe('x3');
    store.applyWritten(object('b', 'y1'));
    expect(version(store, 'b')).toBe('y1');
    store.applyWritten(object('a', 'x2'));
    expect(version(store, 'a')).toBe('x3');
  });

  it('do not resurrect what the watch has seen go', () => {
    const { store } = syncedStore([], 'x9');
    store.applyEvent({ type: 'ADDED', object: object('a', 'x10') });
    store.applyEvent({ type: 'DELETED', object: object('a', 'x11') });
    store.applyWritten(object('a', 'x10'));
    expect(store.size).toBe(0);
  });

  it('keep a successor of ours through the last events of its predecessor', () => {
    const { store } = syncedStore([object('a', 'x1', 'first')], 'x9');
    store.markDeleted({ namespace: 'ns', name: 'a', uid: 'first' });
    store.applyWritten(object('a', 'x12', 'second'));
    store.applyEvent({ type: 'MODIFIED', object: object('a', 'x10', 'first') });
    expect(store.get('ns/a')?.metadata?.uid).toBe('second');
    store.applyEvent({ type: 'DELETED', object: object('a', 'x11', 'first') });
    expect(store.get('ns/a')?.metadata?.uid).toBe('second');
    store.applyEvent({ type: 'ADDED', object: object('a', 'x12', 'second') });
    store.applyEvent({ type: 'DELETED', object: object('a', 'x13', 'second') });
    expect(store.size).toBe(0);
  });
});

describe('indexes', () => {
  const owned = (name: string, resourceVersion: string, owner: string): KubeObject =>
    object(name, resourceVersion, `uid-${name}`, { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner }] });

  it('find objects by a value, and follow changes and removals', () => {
    const { store } = syncedStore([owned('a', '1', 'job1'), owned('b', '2', 'job1'), owned('c', '3', 'job2')]);
    expect(store.byIndex('owner', 'job1').map(({ metadata }) => metadata!.name)).toEqual(['a', 'b']);
    store.applyEvent({ type: 'MODIFIED', object: owned('a', '101', 'job2') });
    store.applyEvent({ type: 'DELETED', object: owned('c', '102', 'job2') });
    expect(store.byIndex('owner', 'job1').map(({ metadata }) => metadata!.name)).toEqual(['b']);
    expect(store.byIndex('owner', 'job2').map(({ metadata }) => metadata!.name)).toEqual(['a']);
    expect(store.byIndex('owner', 'nobody')).toEqual([]);
  });

  it('that do not exist are named in the error, with those that do', () => {
    expect(() => syncedStore().store.byIndex('job', 'x')).toThrow('Reading index "job" of a store: it does not exist; the store has: owner.');
  });
});

describe('trimming', () => {
  it('applies to writes and events, and leaves the argument alone', () => {
    const store = new Store<KubeObject>({ transform: ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, annotations: undefined } }) });
    store.commitList(store.beginList(), [], '1');
    const written = object('a', '2', 'u', { annotations: { big: 'x' } });
    store.applyWritten(written);
    store.applyEvent({ type: 'ADDED', object: object('b', '3', 'v', { annotations: { big: 'x' } }) });
    expect(store.list().map(({ metadata }) => metadata!.annotations)).toEqual([undefined, undefined]);
    expect(written.metadata!.annotations).toEqual({ big: 'x' });
  });
});

it('refuses an object without uid or version, and says which', () => {
  const { store } = syncedStore();
  expect(() => store.applyWritten({ kind: 'Pod', metadata: { name: 'a', namespace: 'ns' } })).toThrow(
    'Storing Pod "ns/a": metadata.uid or metadata.resourceVersion is missing',
  );
});
