/** `trainyard ... | head -1` is not an error. */

/** The exit code that shells give a program that SIGPIPE has ended. */
const BROKEN_PIPE_EXIT_CODE = 128 + 13;

/** Ends the process quietly when its output is closed. Commands that run jobs watch SIGTERM, and end the jobs first. */
export function endOnBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') {
        throw error;
      }
      // Each further write fails as well.
      if (process.listenerCount('SIGTERM') === 0) {
        process.exit(BROKEN_PIPE_EXIT_CODE);
      } else if (!asked) {
        asked = true;
        process.kill(process.pid, 'SIGTERM');
      }
    });
  }
}

let asked = false;
