/** Opens a page in the user's browser. */
import { spawn } from 'node:child_process';

/** Program and arguments that open a page, without a shell. `start` of Windows is a shell command, so this is the program behind it. */
export function browserCommand(url: URL, platform: NodeJS.Platform): readonly [program: string, ...args: string[]] {
  switch (platform) {
    case 'darwin': return ['open', url.href];
    case 'win32': return ['rundll32', 'url.dll,FileProtocolHandler', url.href];
    default: return ['xdg-open', url.href];
  }
}

/** Opens a page without waiting. @param onProblem called with a message when the program cannot be started */
export function openInBrowser(url: URL, onProblem: (sentence: string) => void): void {
  const [program, ...args] = browserCommand(url, process.platform);
  spawn(program, args, { stdio: 'ignore', detached: true })
    .once('error', (error) => onProblem(`the browser was not opened: ${program}: ${error.message}. Open the address yourself.`))
    .unref();
}
