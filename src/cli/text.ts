/** Numbers, lists and tables in the output of commands. */

/** `1 pod`, `3 pods`. */
export function count(number: number, word: string, plural = `${word}s`): string {
  return `${number} ${number === 1 ? word : plural}`;
}

/** `a`, `a and b`, `a, b, c and 5 more`. */
export function listed(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most);
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}` : shown.join('');
}

/** Pads cells to the width of their column. The last cell of a row is not padded. */
export function inColumns(rows: readonly (readonly string[])[]): string[][] {
  const widths: number[] = [];
  rows.forEach((row) => row.forEach((cell, column) => {
    widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }));
  return rows.map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]))));
}

/** Lines of a table with a heading. A column in which all cells are empty is left out. */
export function tableLines(columns: readonly (readonly [heading: string, cells: readonly (string | undefined)[]])[]): string[] {
  const shown = columns.filter(([, cells]) => cells.some((cell) => cell !== undefined && cell !== ''));
  const size = shown[0]?.[1].length ?? 0;
  const rows = [shown.map(([heading]) => heading), ...Array.from({ length: size }, (_, row) => shown.map(([, cells]) => cells[row] || '-'))];
  return inColumns(rows).map((cells) => cells.join('   ').trimEnd());
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** `3.2 GiB`. */
export function byteText(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 2 ** (10 * unit);
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[unit]}`;
}

/** `1.93`, `12`. */
export function coreText(cores: number): string {
  return cores >= 10 ? String(Math.round(cores)) : String(Number(cores.toFixed(2)));
}
