/**
 * Bounds the memory of passes over large jobs. A pass holds its spec, the job that it resolves to, and pods of both, for as long as its requests
 * take; with all workers on large jobs that is more than an operator has. So large jobs share a few places by their size. One that finds none gives
 * its worker back, and is queued again when its turn has come: jobs of ordinary size never wait for large ones.
 */
import { LARGE_AT_ONCE } from './plan/resolve-once';

/** See the top of this file. */
export class LargePasses {
  private used = 0;
  private readonly waiting = new Map<string, number>();
  /** Keys that have their places and are queued. */
  private readonly granted = new Map<string, number>();

  /** @param wake queues a key whose turn has come; it has its place until a pass over it has ended, also if its job is gone by then */
  public constructor(private readonly wake: (key: string) => void, private readonly limit = LARGE_AT_ONCE) {}

  /** Large jobs that wait for their turn. */
  public get waitingCount(): number {
    return this.waiting.size;
  }

  /**
   * Does a pass now, or leaves it until there is room.
   * @param size of the job's spec; 0 of one that needs no place
   * @returns what the pass returns; undefined if it is left for later
   */
  public async run<T>(key: string, size: number, pass: () => Promise<T>): Promise<T | undefined> {
    const place = this.granted.get(key) ?? size;
    if (!this.granted.delete(key)) {
      if (size === 0) {
        this.waiting.delete(key);
        return pass();
      }
      if (!this.hasRoomFor(size) || this.waiting.size > 0) {
        this.waiting.set(key, size);
        return undefined;
      }
      this.used += size;
    }
    try {
      return await pass();
    } finally {
      this.used -= place;
      this.next();
    }
  }

  private hasRoomFor(size: number): boolean {
    return this.used === 0 || this.used + size <= this.limit;
  }

  private next(): void {
    for (const [key, size] of this.waiting) {
      if (!this.hasRoomFor(size)) {
        return;
      }
      this.waiting.delete(key);
      this.used += size;
      this.granted.set(key, size);
      this.wake(key);
    }
  }
}
