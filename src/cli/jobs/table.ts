/** Columns for people. */

/** Lines of a table: a heading, and cells as wide as the widest of their column. A column without any cell is left out. */
export function tableLines(columns: readonly (readonly [heading: string, cells: readonly (string | undefined)[]])[]): string[] {
  const shown = columns.filter(([, cells]) => cells.some((cell) => cell !== undefined && cell !== ''));
  const count = shown[0]?.[1].length ?? 0;
  const widths = shown.map(([heading, cells]) => cells.reduce((width: number, cell) => Math.max(width, cell?.length ?? 0), heading.length));
  const line = (cells: readonly string[]) => cells.map((cell, index) => (index === cells.length - 1 ? cell : cell.padEnd(widths[index]))).join('   ').trimEnd();
  return [
    line(shown.map(([heading]) => heading)),
    ...Array.from({ length: count }, (_, row) => line(shown.map(([, cells]) => cells[row] || '-'))),
  ];
}
