import { setTimeout as delay } from 'node:timers/promises';

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until a process is gone. The test's own time-out is the limit. */
export async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) {
    await delay(20);
  }
}
