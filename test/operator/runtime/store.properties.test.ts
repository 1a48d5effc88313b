/**
 * The store against a model of the API server, in random histories: others and we create, change and delete objects under a few
 * names; answers of our writes, watch events and lists each arrive with any delay, the watch in order, a list as of some moment after it
 * was asked for. After every step:
 *   - read your writes: once the answer of a write of ours was taken in, the store never shows an older version of that name,
 *     and never again an object whose deletion was answered;
 *   - no history backwards: what the store shows of a name never gets older;
 *   - nothing invented: it only shows what existed.
 * When everything has arrived, the store equals the server.
 */
import fc from 'fast-check';
import { KubeObject, WatchEvent } from '../../../src/operator/runtime/kube-object';
import { Store } from '../../../src/operator/runtime/watch/store';

const NAMES = ['a', 'b', 'c'];

type Step =
  | { do: 'write'; name: string; ours: boolean }
  | { do: 'delete'; name: string; ours: boolean }
  | { do: 'read'; name: string }
  | { do: 'answer'; index: number }
  | { do: 'event' }
  | { do: 'bookmark' }
  | { do: 'askForList' }
  | { do: 'serveList' }
  | { do: 'takeList' };

const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), name, ours: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), name, ours: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const), name }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('answer' as const), index: fc.nat(5) }) },
  { weight: 8, arbitrary: fc.constant({ do: 'event' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'bookmark' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'askForList' as const }) },
  { weight: 4, arbitrary: fc.constant({ do: 'serveList' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'takeList' as const }) },
);

interface Listing {
  begunAt: number;
  served?: { items: KubeObject[]; revision: number };
}

class World {
  public readonly store = new Store<KubeObject>();
  private revision = 8; // Soon passes 9 -> 10, where text and numbers differ in order.
  private uids = 0;
  private readonly live = new Map<string, KubeObject>();
  /** Every state that ever was, by name and version. */
  private readonly existed = new Set<string>();
  private readonly events: (WatchEvent<KubeObject> & { revision: number })[] = [];
  private delivered = 0;
  private readonly answers: (() => void)[] = [];
  private listing?: Listing;
  /** What our processed answers promise, by name. */
  private readonly promisedVersion = new Map<string, number>();
  private readonly goneUids = new Set<string>();
  private readonly shownVersion = new Map<string, number>();

  public constructor() {
    this.store.commitList(this.store.beginList(), [], String(this.revision));
  }

  public run(next: Step): void {
    switch (next.do) {
      case 'write': {
        const object = this.write(next.name);
        if (next.ours) {
          this.answers.push(() => this.takeObject(object));
        }
        break;
      }
      case 'delete': {
        const gone = this.delete(next.name);
        if (gone !== undefined && next.ours) {
          this.answers.push(() => {
            this.store.markDeleted({ namespace: 'ns', name: next.name, uid: gone.metadata!.uid });
            this.goneUids.add(gone.metadata!.uid!);
          });
        }
        break;
      }
      case 'read': {
        const object = this.live.get(next.name);
        if (object !== undefined) {
          this.answers.push(() => this.takeObject(object));
        }
        break;
      }
      case 'answer':
        // Answers of different connections overtake each other.
        this.answers.splice(next.index % Math.max(1, this.answers.length), 1)[0]?.();
        break;
      case 'event':
        this.deliver();
        break;
      case 'bookmark':
        if (this.listing === undefined && this.delivered === this.events.length) {
          this.store.applyEvent({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.revision) } } });
        }
        break;
      case 'askForList':
        // The watch has ended by then: one loop does both.
        this.listing ??= { begunAt: this.store.beginList() };
        break;
      case 'serveList':
        if (this.listing !== undefined) {
          this.listing.served ??= { items: [...this.live.values()], revision: this.revision };
        }
        break;
      case 'takeList':
        this.takeList();
        break;
    }
    this.check();
  }

  /** Lets everything arrive. */
  public settle(): void {
    if (this.listing !== undefined) {
      this.listing.served ??= { items: [...this.live.values()], revision: this.revision };
      this.takeList();
      this.check();
    }
    while (this.delivered < this.events.length) {
      this.deliver();
      this.check();
    }
    this.answers.splice(0).forEach((answer) => {
      answer();
      this.check();
    });
    const shown = this.store.list().map(identity).sort();
    expect(shown).toEqual([...this.live.values()].map(identity).sort());
  }

  private write(objectName: string): KubeObject {
    const current = this.live.get(objectName);
    const uid = current?.metadata?.uid ?? `uid-${++this.uids}`;
    const object: KubeObject = { kind: 'Pod', metadata: { namespace: 'ns', name: objectName, uid, resourceVersion: String(++this.revision) } };
    this.live.set(objectName, object);
    this.existed.add(identity(object));
    this.events.push({ type: current === undefined ? 'ADDED' : 'MODIFIED', object, revision: this.revision });
    return object;
  }

  private delete(objectName: string): KubeObject | undefined {
    const current = this.live.get(objectName);
    if (current !== undefined) {
      this.live.delete(objectName);
      const object = { ...current, metadata: { ...current.metadata, resourceVersion: String(++this.revision) } };
      this.events.push({ type: 'DELETED', object, revision: this.revision });
    }
    return current;
  }

  private takeObject(object: KubeObject): void {
    this.store.applyWritten(object);
    const { name: objectName, resourceVersion } = object.metadata!;
    this.promisedVersion.set(objectName!, Math.max(this.promisedVersion.get(objectName!) ?? 0, Number(resourceVersion)));
  }

  private deliver(): void {
    if (this.listing === undefined && this.delivered < this.events.length) {
      this.store.applyEvent(this.events[this.delivered++]);
    }
  }

  private takeList(): void {
    const { begunAt, served } = this.listing ?? {};
    if (served !== undefined) {
      this.store.commitList(begunAt!, served.items, String(served.revision));
      this.listing = undefined;
      // The next watch starts from the version of the list.
      this.delivered = this.events.filter(({ revision }) => revision <= served.revision).length;
    }
  }

  private check(): void {
    for (const each of NAMES) {
      const object = this.store.get(`ns/${each}`);
      if (object === undefined) {
        continue;
      }
      const shown = Number(object.metadata!.resourceVersion);
      holds(this.existed.has(identity(object)), `${identity(object)} never existed`);
      holds(!this.goneUids.has(object.metadata!.uid!), `${identity(object)} is back, although its deletion was answered`);
      holds(shown >= (this.promisedVersion.get(each) ?? 0), `${identity(object)} is older than our write ${this.promisedVersion.get(each)}`);
      holds(shown >= (this.shownVersion.get(each) ?? 0), `${identity(object)} is older than ${this.shownVersion.get(each)}, shown before`);
      this.shownVersion.set(each, shown);
    }
    // An object of ours that still exists must be there at all.
    for (const [each, promised] of this.promisedVersion) {
      if (Number(this.live.get(each)?.metadata?.resourceVersion) === promised) {
        holds(this.store.get(`ns/${each}`) !== undefined, `our ${each}@${promised} still exists, and is not shown`);
      }
    }
  }
}

/** Cheaper than `expect`, which takes most of the time of a million checks. */
function holds(condition: boolean, complaint: string): void {
  if (!condition) {
    throw new Error(complaint);
  }
}

function identity({ metadata }: KubeObject): string {
  return `${metadata!.name}@${metadata!.resourceVersion}/${metadata!.uid}`;
}

it('shows our writes, never goes back, and ends up equal to the server, whatever the order in which news arrive', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
      const world = new World();
      steps.forEach((each) => world.run(each));
      world.settle();
    }),
    { numRuns: 5000 },
  );
});
