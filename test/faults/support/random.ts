/** Numbers that look random and follow from a seed, so that a run that failed can be repeated. */
export class SeededRandom {
  private state: number;

  public constructor(public readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** From `TRAINYARD_FAULT_SEED`, else from the clock; printed, because nobody knows beforehand which run will be wanted again. */
  public static forTest(name: string): SeededRandom {
    const seed = Number(process.env.TRAINYARD_FAULT_SEED ?? Date.now() % 1_000_000);
    process.stdout.write(`${name}: TRAINYARD_FAULT_SEED=${seed}\n`);
    return new SeededRandom(seed);
  }

  /** In [0, 1); mulberry32. */
  public next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** In [low, high). */
  public between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }
}
