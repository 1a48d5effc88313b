/** Commands that are Python in whatever image a job has. */
import { programText } from '../../programs/program-text';

/**
 * The command: the image's Python with arguments.
 * @param name of the shell's process
 * @param hint for people who look for Python in the image in vain
 */
export function runPython(name: string, hint: string, ...args: readonly string[]): string[] {
  return ['/bin/sh', '-c', programText('tools/run-python.sh'), name, hint, ...args];
}
