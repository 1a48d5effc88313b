/**
 * Texts of users as messages, terminals and generated files may show them. A manifest, a log or a report can hold anything: control characters
 * that a terminal obeys, characters that turn the direction of writing, line ends that only some programs know.
 */

/** Controls (Cc), formats such as bidirectional marks (Cf), both line separators (Zl, Zp), and halves of a character (Cs). */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** What a line of a terminal may not hold: the same but for line ends and tabs. */
// eslint-disable-next-line no-control-regex
const UNSEEN_IN_LINES = /[\x00-\x08\x0b-\x1f\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** Colours and such of a terminal, which do nothing but colour. */
// eslint-disable-next-line no-control-regex
const COLOUR = /(\x1b\[[\d;]{0,20}m)/;

/** All line ends that some language, format or terminal takes for one. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;

/** Whether something in the text cannot be seen, or would end its line. */
export function hasUnseen(text: string): boolean {
  return text.search(UNSEEN) !== -1;
}

/** The text on one line that shows everything: what cannot be seen is written as `\u001b`. */
export function printable(text: string): string {
  return text.replace(UNSEEN, escaped);
}

/** The same for a text of several lines, whose line ends and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(UNSEEN_IN_LINES, escaped);
}

/** The same for what a program wrote for a terminal: its colours stay too. */
export function printableColouredLines(text: string): string {
  return text.split(COLOUR).map((part, index) => (index % 2 === 1 ? part : printableLines(part))).join('');
}

/** The lines of a text, whichever line ends it has. */
export function linesOf(text: string): string[] {
  return text.split(LINE_END);
}

/**
 * Comments of a generated file, one for each line of the text: nothing of the text stands outside of them.
 * @param mark what begins a comment, `//` or `#`
 */
export function commentLines(mark: '//' | '#', text: string): string[] {
  return linesOf(text).map((line) => `${mark} ${printable(line)}`.trimEnd());
}

/** A text that is not longer than `max`: of a longer one the beginning and the end, which say what it is about. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) {
    return text;
  }
  const kept = max - ELLIPSIS.length;
  return `${text.slice(0, Math.ceil(kept / 2))}${ELLIPSIS}${text.slice(text.length - Math.floor(kept / 2))}`;
}

const ELLIPSIS = ' ... ';

/** Longest name of an object in Kubernetes. */
export const NAME_MAX_LENGTH = 253;

/** A kind, namespace or name as titles, pictures and reports show it: no valid one is shortened. */
export function shownName(name: string): string {
  return shortened(name, NAME_MAX_LENGTH);
}

/** What was written for a character: a text can hold millions of one. There are about three thousand of them. */
const ESCAPED = new Map<string, string>();

/** Characters as JSON, YAML and JavaScript read them. A megabyte of one of them takes no longer than a megabyte of letters. */
function escaped(run: string): string {
  let written = '';
  for (let from = 0; from < run.length;) {
    const character = String.fromCodePoint(run.codePointAt(from)!);
    let to = from + character.length;
    while (run.startsWith(character, to)) {
      to += character.length;
    }
    written += escapedOne(character).repeat((to - from) / character.length);
    from = to;
  }
  return written;
}

function escapedOne(character: string): string {
  let written = ESCAPED.get(character);
  if (written === undefined) {
    written = Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
    ESCAPED.set(character, written);
  }
  return written;
}
