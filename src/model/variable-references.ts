/**
 * References to variables in a container's environment. The kubelet reads `$(NAME)` in the value of a variable as the value of another
 * one, and `$$` as a dollar. Text that has to arrive unchanged is escaped for it; who runs containers without a kubelet expands likewise.
 * @see https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
 */

/**
 * Text that the kubelet turns back into `text`. Every dollar is doubled, not only one before a bracket: `$$(A)` and `a$$b` would
 * lose a dollar otherwise.
 */
export function escapeReferences(text: string): string {
  return text.includes('$') ? text.replaceAll('$', '$$$$') : text;
}

/**
 * What the kubelet makes of a value.
 * @param text value as it stands in the container
 * @param lookup value of a variable that was defined before this one; undefined leaves the reference as it was written
 */
export function expandReferences(text: string, lookup: (name: string) => string | undefined): string {
  const parts: string[] = [];
  let from = 0;
  // By hand: an expression would look for the end of each bracket that is never closed, as far as the text goes.
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', at)) {
    if (text[at + 1] === '$') {
      parts.push(text.slice(from, at), '$');
      at += 2;
      from = at;
    } else if (text[at + 1] === '(') {
      const end = text.indexOf(')', at);
      if (end === -1) {
        break;
      }
      parts.push(text.slice(from, at), lookup(text.slice(at + 2, end)) ?? text.slice(at, end + 1));
      at = end + 1;
      from = at;
    } else {
      at++;
    }
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}

/** Whether a shell can hold a variable of the name, and hands it on to what it starts: dash and busybox drop all others. */
export function isShellName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
