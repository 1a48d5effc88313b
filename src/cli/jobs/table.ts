/** Columns for people. */
import { inColumns } from '../columns';

/** Lines of a table: a heading, and cells as wide as the widest of their column. A column without any cell is left out. */
export function tableLines(columns: readonly (readonly [heading: string, cells: readonly (string | undefined)[]])[]): string[] {
  const shown = columns.filter(([, cells]) => cells.some((cell) => cell !== undefined && cell !== ''));
  const count = shown[0]?.[1].length ?? 0;
  const rows = [shown.map(([heading]) => heading), ...Array.from({ length: count }, (_, row) => shown.map(([, cells]) => cells[row] || '-'))];
  return inColumns(rows).map((cells) => cells.join('   ').trimEnd());
}
