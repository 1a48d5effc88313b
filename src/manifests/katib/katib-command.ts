/**
 * Programs in a form that survives Katib. Where its collector has to know when a program has ended, the webhook joins command and arguments with
 * spaces, gives the line to `sh -c`, and sends away only what the last program of the line prints. Words with spaces fall apart, and of a script
 * only the last command is seen. So a program is written as one line with each word in quotes: what the webhook adds then stands behind the whole of
 * it.
 * @see https://github.com/kubeflow/katib/blob/v0.19.0/pkg/webhook/v1beta1/pod/utils.go
 */
import type { Container } from '../kubernetes';
import { shellNeedsQuotes, shellWord } from '../../model/katib/shell-words';

/** What starts in a container. */
export interface Program {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

/** The program as one line of a shell; as it is where every word is plain, or where the image's entry point starts it. */
export function katibProgram<P extends Program>(program: P): P {
  const { command, args = [] } = program;
  const words = [...command ?? [], ...args];
  return command === undefined || !words.some(shellNeedsQuotes) ? program : { ...program, command: ['sh', '-c'], args: [words.map(shellWord).join(' ')] };
}

/** Rewrites the containers of a name in all pods of an object. */
export function withKatibPrograms<T>(value: T, container: string): T {
  if (Array.isArray(value)) {
    return value.map((item) => withKatibPrograms(item, container)) as T;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, field === 'containers' && Array.isArray(item)
    ? (item as Container[]).map((entry) => (entry.name === container ? katibProgram(entry) : entry))
    : withKatibPrograms(item, container)])) as T;
}
