/** Raw mode: keys go to the remote program unchanged, so nothing is echoed here and Ctrl-C does not end this process. */

/** The part of a terminal that is used. */
export interface RawTerminal {
  readonly isRaw?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

/** Runs a function in raw mode, and always restores the terminal. */
export async function withRawTerminal<T>(terminal: RawTerminal, work: () => Promise<T>): Promise<T> {
  const wasRaw = terminal.isRaw ?? false;
  const restore = () => void terminal.setRawMode?.(wasRaw);
  // These signals would end the process without an `exit` event.
  const onSignal = (signal: NodeJS.Signals) => {
    restore();
    process.removeListener(signal, onSignal);
    process.kill(process.pid, signal);
  };
  const signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP'];
  terminal.setRawMode?.(true);
  process.once('exit', restore);
  signals.forEach((signal) => process.on(signal, onSignal));
  try {
    return await work();
  } finally {
    signals.forEach((signal) => process.off(signal, onSignal));
    process.off('exit', restore);
    restore();
  }
}
