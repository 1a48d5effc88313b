/** Ctrl-C and its kin: the first asks to end, the next one insists. */
import os from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm and npx pass on a Ctrl-C that the terminal has sent us already: what follows this soon, in milliseconds, is the same one. */
const ECHO_MS = 500;

/** What to do about signals. */
export interface SignalHandlers {
  readonly first: (signal: NodeJS.Signals) => void;
  readonly again: () => void;
}

/** Signals that are being watched. */
export interface WatchedSignals {
  /** 128 and the number of the first signal, as shells have it; undefined while there was none. */
  readonly exitCode: number | undefined;
  /** Gives the signals back their own effect. */
  stop(): void;
}

/** Watches the signals that end a command. */
export function watchSignals({ first, again }: SignalHandlers): WatchedSignals {
  let exitCode: number | undefined;
  let firstAt = 0;
  const listener = (signal: NodeJS.Signals) => {
    if (exitCode === undefined) {
      exitCode = 128 + os.constants.signals[signal];
      firstAt = performance.now();
      first(signal);
    } else if (performance.now() - firstAt > ECHO_MS) {
      again();
    }
  };
  SIGNALS.forEach((signal) => process.on(signal, listener));
  return {
    get exitCode() {
      return exitCode;
    },
    stop: () => SIGNALS.forEach((signal) => process.off(signal, listener)),
  };
}
