/** For commands that go on until Ctrl-C. */
import { watchSignals } from '../../signals';

/** Waits for Ctrl-C, or for `ended`, whichever comes first. @returns the exit code: 0 after Ctrl-C, else what `ended` gives */
export async function untilStopped(ended: Promise<number>): Promise<number> {
  let stop!: (code: number) => void;
  const stopped = new Promise<number>((resolve) => {
    stop = resolve;
  });
  const signals = watchSignals({ first: () => stop(0), again: () => process.exit(1) });
  // The wait alone does not keep the process, nor do signals.
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await Promise.race([stopped, ended]);
  } finally {
    clearInterval(alive);
    signals.stop();
  }
}
