/**
 * What was made of large things, for as long as it was used lately: a bounded number of bytes, whoever asks for how many of them in a row. (A weak
 * reference is no bound: it keeps what it has shown until the turn of the event loop is over, and a loop over all jobs is one turn.)
 */
export class RecentlyUsed<K extends object, V> {
  private readonly entries = new Map<K, { readonly value: V; readonly size: number }>();
  private total = 0;

  /** @param limit of the sizes of all entries together; the newest one stays, whatever its size */
  public constructor(private readonly limit: number) {}

  /** The value, which is the most recently used one from now on. */
  public get(key: K): V | undefined {
    const found = this.entries.get(key);
    if (found !== undefined) {
      this.entries.delete(key);
      this.entries.set(key, found);
    }
    return found?.value;
  }

  /** Keeps a value, and forgets those that were not used for longest. */
  public set(key: K, value: V, size: number): void {
    this.total -= this.entries.get(key)?.size ?? 0;
    this.entries.delete(key);
    this.entries.set(key, { value, size });
    this.total += size;
    for (const [oldest, { size: its }] of this.entries) {
      if (this.total <= this.limit || oldest === key) {
        return;
      }
      this.entries.delete(oldest);
      this.total -= its;
    }
  }
}
