/** Ctrl-C and similar signals: the first ends a command gracefully, the next one immediately. */
import os from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm and npx pass on a Ctrl-C that the terminal has sent to us too. A signal within these milliseconds is a repetition. */
const ECHO_MS = 500;

export interface SignalHandlers {
  readonly first: (signal: NodeJS.Signals) => void;
  readonly again: () => void;
}

export interface WatchedSignals {
  /** 128 plus the number of the first signal, as in shells; undefined before the first one. */
  readonly exitCode: number | undefined;
  /** Removes the handlers. */
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
