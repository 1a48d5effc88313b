/** Waits in commands that run until Ctrl-C. */
import { watchSignals } from '../../signals';

/** Waits for Ctrl-C or for `ended`, whichever comes first. @returns the exit code: 0 after Ctrl-C, otherwise the value of `ended` */
export async function untilStopped(ended: Promise<number>): Promise<number> {
  let stop!: (code: number) => void;
  const stopped = new Promise<number>((resolve) => {
    stop = resolve;
  });
  const signals = watchSignals({ first: () => stop(0), again: () => process.exit(1) });
  // A pending promise does not keep the process running.
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await Promise.race([stopped, ended]);
  } finally {
    clearInterval(alive);
    signals.stop();
  }
}
