/** Opens a page in the browser of the user. */
import { spawn } from 'node:child_process';

/** Program and arguments for a page. No shell sees the address; `start` of Windows is a part of one, so the program behind it is called. */
export function browserCommand(url: URL, platform: NodeJS.Platform): readonly [program: string, ...args: string[]] {
  switch (platform) {
    case 'darwin': return ['open', url.href];
    case 'win32': return ['rundll32', 'url.dll,FileProtocolHandler', url.href];
    default: return ['xdg-open', url.href];
  }
}

/** Opens it, and does not wait. @param onProblem called with a sentence when there is no such program */
export function openInBrowser(url: URL, onProblem: (sentence: string) => void): void {
  const [program, ...args] = browserCommand(url, process.platform);
  spawn(program, args, { stdio: 'ignore', detached: true })
    .once('error', (error) => onProblem(`the browser was not opened: ${program}: ${error.message}. Open the address yourself.`))
    .unref();
}
