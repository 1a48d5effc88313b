/** Why a program of a container did not start on this machine. */
import fs from 'node:fs';

export function whyNotStarted(error: Error, command: string, workingDir: string): string {
  const code = (error as NodeJS.ErrnoException).code;
  // ENOENT may also be a missing folder.
  if (code === 'ENOENT' && !fs.existsSync(workingDir)) {
    return `cannot start '${command}': its working directory ${workingDir} does not exist.`;
  }
  if (code === 'ENOENT') {
    return command.includes('/')
      ? `cannot start '${command}': there is no such file on this machine. Paths of the image do not exist here: use the name of the program, such as 'python3'.`
      : `cannot start '${command}': no program of that name is on PATH. Install it, or activate the environment that has it.`;
  }
  return `cannot start '${command}': ${error.message}`;
}
