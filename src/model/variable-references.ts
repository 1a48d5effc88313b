/**
 * References to variables in a container's environment. The kubelet reads `$(NAME)` in the value of a variable as the value of another
 * one, and `$$` as a dollar. Text that has to arrive unchanged is escaped for it; who runs containers without a kubelet expands likewise.
 * @see https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
 */
import type { ViolationCollector } from './violations';

/**
 * Text that the kubelet turns back into `text`. Every dollar is doubled, not only one before a bracket: `$$(A)` and `a$$b` would
 * lose a dollar otherwise.
 */
export function escapeReferences(text: string): string {
  return text.includes('$') ? text.replaceAll('$', '$$$$') : text;
}

/** A variable whose value is passed on unchanged: `$(NAME)` in it is text for the script, and the kubelet must not expand it. */
export function literal(name: string, value: string): { readonly name: string; readonly value: string } {
  return { name, value: escapeReferences(value) };
}

/**
 * What the kubelet makes of a value.
 * @param text value as it is in the container
 * @param lookup value of a variable that was defined before this one; undefined leaves the reference as it was written
 */
export function expandReferences(text: string, lookup: (name: string) => string | undefined): string {
  return text.includes('$') ? referencePieces(text).map(({ written, name }) => (
    written === '$$' ? '$' : name === undefined ? written : lookup(name) ?? written
  )).join('') : text;
}

/** A piece of a value: text, `$$`, or a reference with the name that it refers to. */
export interface ReferencePiece {
  readonly written: string;
  readonly name?: string;
}

/** The pieces of a value; together they are the value. */
export function referencePieces(text: string): ReferencePiece[] {
  const pieces: ReferencePiece[] = [];
  // By hand: an expression would look for the end of each bracket that is never closed, as far as the text goes.
  const lastEnd = text.lastIndexOf(')');
  let from = 0;
  const add = (at: number, end: number, name?: string) => {
    pieces.push(...(at > from ? [{ written: text.slice(from, at) }] : []), { written: text.slice(at, end), name });
    from = end;
  };
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', at)) {
    if (text[at + 1] === '$') {
      add(at, at + 2);
      at = from;
    } else if (text[at + 1] === '(' && at < lastEnd) {
      const end = text.indexOf(')', at);
      add(at, end + 1, text.slice(at + 2, end));
      at = from;
    } else {
      at++;
    }
  }
  return from < text.length ? [...pieces, { written: text.slice(from) }] : pieces;
}

/** Whether a shell can hold a variable of the name, and hands it on to what it starts: dash and busybox drop all others. */
export function isShellName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** Whether a shell would change a word. References to variables count, because the kubelet may put anything in their place. */
export function shellNeedsQuotes(word: string): boolean {
  return !/^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/.test(word);
}

/** A word that a shell gives back as it was, in single quotes where it needs them. */
export function shellWord(word: string): string {
  return shellNeedsQuotes(word) ? `'${word.replaceAll("'", "'\\''")}'` : word;
}

interface Variable {
  readonly name: string;
  readonly value?: string;
}

/** Records variables that are not the author's to set. @param path of the variables */
export function checkTaken(
  env: readonly Variable[] = [], taken: readonly string[], path: string, message: string, violations: ViolationCollector,
): void {
  for (const { name, value } of env.filter((variable) => taken.includes(variable.name))) {
    violations.add(`${path}['${name}']`, value, message);
  }
}
