/**
 * How wide a text will be: no font is at hand where a graph is drawn, and whoever looks at it may have another one. Rather too wide than too narrow.
 */

/** Widths of letters as parts of the size, for the widest of the usual sans-serif fonts. */
const WIDTHS: readonly (readonly [letters: string, width: number])[] = [
  ['iljtfI.,:;|!\'()[]/ -', 0.4],
  ['mwMW@%', 0.98],
  ['ABCDEFGHJKLNOPQRSTUVXYZ&', 0.76],
];

const WIDTH_BY_LETTER = new Map(WIDTHS.flatMap(([letters, width]) => [...letters].map((letter) => [letter, width] as const)));

/** Width of all other letters of ASCII, and of everything beyond it. */
const [USUAL, WIDE] = [0.62, 1.05];

/** Width of a text; pixels. */
export function textWidth(text: string, size: number, bold = false): number {
  const width = [...text].reduce((sum, letter) => sum + (WIDTH_BY_LETTER.get(letter) ?? (letter <= '~' ? USUAL : WIDE)), 0);
  return Math.ceil(width * size * (bold ? 1.06 : 1));
}
