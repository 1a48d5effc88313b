/** A terminal whose keys go to a program elsewhere: nothing is echoed here, and Ctrl-C is a character. */

/** The part of a terminal that is used. */
export interface RawTerminal {
  readonly isRaw?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

/** Does something with a raw terminal, and gives it back as it was, whatever happens. */
export async function withRawTerminal<T>(terminal: RawTerminal, work: () => Promise<T>): Promise<T> {
  const wasRaw = terminal.isRaw ?? false;
  const restore = () => void terminal.setRawMode?.(wasRaw);
  // Signals from elsewhere end this process, and `exit` comes with none of them by itself.
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
