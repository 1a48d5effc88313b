/** Length of the used-up front from which on it is cut off. */
const COMPACT_FROM = 1024;

/** First in, first out, each step in constant time: `Array.shift` copies the rest of a long array. */
export class Fifo<V> {
  private items: (V | undefined)[] = [];
  private head = 0;

  /** How many wait. */
  public get size(): number {
    return this.items.length - this.head;
  }

  /** Adds at the end. */
  public push(value: V): void {
    this.items.push(value);
  }

  /** Takes from the front; undefined when there is nothing. */
  public shift(): V | undefined {
    if (this.head === this.items.length) {
      return undefined;
    }
    const value = this.items[this.head];
    this.items[this.head++] = undefined;
    if (this.head === this.items.length) {
      this.clear();
    } else if (this.head >= COMPACT_FROM && this.head * 2 >= this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return value;
  }

  /** Drops everything. */
  public clear(): void {
    this.items = [];
    this.head = 0;
  }
}
