/** The part of a page that a bench writes: what stands between two marks. */
import fs from 'node:fs';

/** Lines of a page between which it is written by a program. */
export type Marks = readonly [begin: string, end: string];

/** Replaces what stands between the marks. @throws Error when the page has not both of them, in this order */
export function writeBetween(file: string, marks: Marks, text: string): void {
  const page = fs.readFileSync(file, 'utf8');
  const [begin, end] = marks.map((mark) => page.indexOf(mark));
  if (begin < 0 || end < begin) {
    throw new Error(`writing ${file}: it has to have the lines ${marks.join(' and ')}, in this order`);
  }
  fs.writeFileSync(file, `${page.slice(0, begin + marks[0].length)}\n\n${text}\n\n${page.slice(end)}`);
}

/** A table of Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
