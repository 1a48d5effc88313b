/**
 * `$(NAME)` in environment values, commands and arguments, as the kubelet expands it: `$$` stands for `$`, so that `$$(NAME)` is the text
 * `$(NAME)`; a name that is not known and a bracket that is not closed stay as they are written.
 * @see https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
 */

/**
 * Expands the references in a text.
 * @param lookup value of a variable; undefined when there is none
 */
export function expandVariables(text: string, lookup: (name: string) => string | undefined): string {
  let expanded = '';
  let at = 0;
  while (at < text.length) {
    const dollar = text.indexOf('$', at);
    if (dollar < 0 || dollar === text.length - 1) {
      break;
    }
    expanded += text.slice(at, dollar);
    const next = text[dollar + 1];
    const close = next === '(' ? text.indexOf(')', dollar + 2) : -1;
    if (close >= 0) {
      expanded += lookup(text.slice(dollar + 2, close)) ?? text.slice(dollar, close + 1);
      at = close + 1;
    } else {
      // `$$` is one dollar; before anything else a dollar means itself.
      expanded += next === '$' ? '$' : `$${next}`;
      at = dollar + 2;
    }
  }
  return expanded + text.slice(at);
}
