/**
 * Makes one module of several, for programs that travel as one file: Ray and Spark send a module to other machines by value, and a `python3 -c` has
 * one text. What the parts import of each other, they import relatively, at the start of a line; all else is imported as usual.
 */

/** Joins modules in an order in which each comes after what it uses. @throws Error where an import of another part could not be left out */
export function joinedPython(...parts: readonly string[]): string {
  return parts.map((part) => `${withoutRelativeImports(part).trim()}\n`).join('\n\n');
}

function withoutRelativeImports(part: string): string {
  const kept: string[] = [];
  let isImport = false;
  for (const line of part.split('\n')) {
    const begins = line.startsWith('from .');
    if (!begins && /^\s+from \./.test(line)) {
      throw new Error(`a part of a Python program imports another one where it cannot be joined: ${line.trim()}`);
    }
    const isLeftOut: boolean = isImport || begins;
    isImport = isLeftOut && !line.includes(')') && (isImport || line.includes('('));
    if (!isLeftOut) {
      kept.push(line);
    }
  }
  return kept.join('\n').replace(/\n{4,}/g, '\n\n\n');
}
