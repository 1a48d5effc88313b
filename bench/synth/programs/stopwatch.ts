/** Time of a part of a program. */
export interface Elapsed {
  readonly wallMs: number;

  /** CPU of the whole process, user and system: what a busy machine changes least. */
  readonly cpuMs: number;
}

/** Starts. @returns a function that tells what has passed since */
export function stopwatch(): () => Elapsed {
  const cpuAtStart = process.cpuUsage();
  const startedAt = performance.now();
  return () => {
    const wallMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpuAtStart);
    return { wallMs, cpuMs: (user + system) / 1000 };
  };
}
