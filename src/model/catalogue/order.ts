/**
 * Waves of a graph: each node is in the first wave in which everything that it comes after is in an earlier one. Nodes of a circle, and what comes
 * after them, are in none.
 */

/** What was ordered, and what could not be. */
export interface Order {
  /** Names within a wave are sorted, so that the order of a program does not matter. */
  readonly waves: readonly (readonly string[])[];
  /** One circle, from a node back to it; empty without. */
  readonly cycle: readonly string[];
}

/** Orders the nodes of a graph. @param edges what each node comes after; names that are no nodes are left out */
export function orderByWaves(edges: ReadonlyMap<string, readonly string[]>): Order {
  const waiting = new Map([...edges].map(([name, before]) => [name, new Set(before.filter((other) => edges.has(other)))]));
  const waves: string[][] = [];
  while (waiting.size > 0) {
    const wave = [...waiting].filter(([, before]) => before.size === 0).map(([name]) => name).sort();
    if (wave.length === 0) {
      return { waves, cycle: findCycle(waiting) };
    }
    wave.forEach((name) => waiting.delete(name));
    for (const before of waiting.values()) {
      wave.forEach((name) => before.delete(name));
    }
    waves.push(wave);
  }
  return { waves, cycle: [] };
}

/** Every node waits for another one that waits, so that walking on meets a node again. */
function findCycle(waiting: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const path: string[] = [];
  let at = [...waiting.keys()].sort()[0];
  while (!path.includes(at)) {
    path.push(at);
    [at] = [...waiting.get(at)!].sort();
  }
  return [...path.slice(path.indexOf(at)), at];
}
