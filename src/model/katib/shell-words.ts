/** Words of a program as a POSIX shell reads them. */

/** Whether a shell would change a word. References to variables count, because the kubelet may put anything in their place. */
export function shellNeedsQuotes(word: string): boolean {
  return !/^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/.test(word);
}

/** A word that a shell gives back as it was, in single quotes where it needs them. */
export function shellWord(word: string): string {
  return shellNeedsQuotes(word) ? `'${word.replaceAll("'", "'\\''")}'` : word;
}
