/** Numbers, lists, groups and tables in the input and output of commands. */
import { entryFor } from '../model/lists';
import { formatViolation, type Violation } from '../model/violations';

/** `1 pod`, `3 pods`. */
export function count(number: number, word: string, plural = `${word}s`): string {
  return `${number} ${number === 1 ? word : plural}`;
}

/** Parses a number without sign and fraction; undefined for other text. */
export function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** `a`, `a and b`, `a, b, c and 5 more`. */
export function listed(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most);
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}` : shown.join('');
}

/** Groups things by a key, in the order in which the keys first occur. */
export function grouped<Thing>(things: readonly Thing[], keyOf: (thing: Thing) => string): ReadonlyMap<string, readonly Thing[]> {
  const groups = new Map<string, Thing[]>();
  things.forEach((thing) => entryFor(groups, keyOf(thing), () => []).push(thing));
  return groups;
}

/** Pads cells to the width of their column. The last cell of a row is not padded. */
export function inColumns(rows: readonly (readonly string[])[]): string[][] {
  const widths: number[] = [];
  rows.forEach((row) => row.forEach((cell, column) => {
    widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }));
  return rows.map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]))));
}

/** A column of {@link tableLines}. */
export type Column<Row> = readonly [heading: string, cell: (row: Row) => string | undefined];

/** Lines of a table with a heading. A column in which all cells are empty is left out. */
export function tableLines<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[] {
  const all = columns.map(([heading, cell]) => ({ heading, cells: rows.map((row) => cell(row) ?? '') }));
  const shown = all.filter(({ cells }) => cells.some((cell) => cell !== ''));
  const lines = [shown.map(({ heading }) => heading), ...rows.map((_row, index) => shown.map(({ cells }) => cells[index] || '-'))];
  return inColumns(lines).map((cells) => cells.join('   ').trimEnd());
}

/** `/spec/env/0`, as a JSON patch has it. */
export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** One line for each violation. */
export function indentedViolations(violations: readonly Violation[]): string {
  return violations.map((violation) => `  ${formatViolation(violation)}`).join('\n');
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
