/** Cells as wide as the widest of their column; what is last in its row has no end to fill. */
export function inColumns(rows: readonly (readonly string[])[]): string[][] {
  const widths: number[] = [];
  rows.forEach((row) => row.forEach((cell, column) => {
    widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }));
  return rows.map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]))));
}
