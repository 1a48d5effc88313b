/** What exit codes say: a code above 128 is a signal's. */

const SIGNALS: { readonly [number: number]: string } = {
  1: 'SIGHUP', 2: 'SIGINT', 3: 'SIGQUIT', 4: 'SIGILL', 6: 'SIGABRT', 7: 'SIGBUS', 8: 'SIGFPE', 9: 'SIGKILL',
  10: 'SIGUSR1', 11: 'SIGSEGV', 12: 'SIGUSR2', 13: 'SIGPIPE', 14: 'SIGALRM', 15: 'SIGTERM',
};

/**
 * Whether the code is one of those from 128 on, which training-operator v1's `ExitCode` policy retries: the program was ended from outside
 * (137 out of memory or killed, 143 asked to stop), or chose such a code to say so.
 */
export function didExitBySignal(exitCode: number): boolean {
  return exitCode >= 128;
}

/** Name of the signal behind an exit code; undefined when there is none. */
export function signalName(exitCode: number | undefined): string | undefined {
  return exitCode === undefined ? undefined : SIGNALS[exitCode - 128];
}
