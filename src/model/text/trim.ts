/** Ends of texts. An expression such as `-+$` takes quadratic time for a text with many such characters that are not at its end. */

/** The text without any of the characters at its end. */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) {
    end--;
  }
  return text.slice(0, end);
}

/** The text without any of the characters at its beginning and its end. */
export function trimmed(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text[start])) {
    start++;
  }
  return trimmedEnd(text.slice(start), characters);
}
