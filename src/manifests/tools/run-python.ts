/** Commands that run Python in any image. */
import { programText } from '../../programs/program-text';

/**
 * The command that runs the image's Python.
 * @param name name of the shell's process
 * @param hint message if the image has no Python
 */
export function runPython(name: string, hint: string, ...args: readonly string[]): string[] {
  return ['/bin/sh', '-c', programText('tools/run-python.sh'), name, hint, ...args];
}
