import { KubeObject } from '../kube-object';

const NONE: ReadonlySet<string> = new Set();

/** Finds keys of objects by a value derived from them, such as the uid of the owner. */
export class ObjectIndex<T extends KubeObject> {
  private readonly keysByValue = new Map<string, Set<string>>();

  public constructor(private readonly valuesOf: (object: T) => readonly string[]) {}

  /** Keys of the objects that have this value. */
  public keys(value: string): string[] {
    return [...(this.keysByValue.get(value) ?? NONE)];
  }

  /** Takes `previous` (if any) out of the index under `key` and puts `current` (if any) in. */
  public replace(key: string, previous: T | undefined, current: T | undefined): void {
    const before = previous === undefined ? [] : this.valuesOf(previous);
    const after = current === undefined ? [] : this.valuesOf(current);
    for (const value of before) {
      if (!after.includes(value)) {
        this.drop(value, key);
      }
    }
    for (const value of after) {
      const keys = this.keysByValue.get(value);
      if (keys === undefined) {
        this.keysByValue.set(value, new Set([key]));
      } else {
        keys.add(key);
      }
    }
  }

  private drop(value: string, key: string): void {
    const keys = this.keysByValue.get(value);
    keys?.delete(key);
    // Empty sets would pile up: one per job that ever existed.
    if (keys?.size === 0) {
      this.keysByValue.delete(value);
    }
  }
}
