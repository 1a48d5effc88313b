/** Differences as a comment of a pull request or a merge request. */
import type { Comparison } from './comparison';
import { comparisonLines, comparisonSummary } from './output';
import { DIFF_COMMENT_MARKER } from '../../manifests/ci/commands';
import { painter } from '../../local/output/colours';

/** Maximum number of characters: GitHub allows 65,536 in a comment. */
const MAX_LENGTH = 60_000;

/** The text starts with a marker, by which the next run finds the comment. */
export function comparisonMarkdown(comparison: Comparison, full: boolean): string {
  const heading = `${DIFF_COMMENT_MARKER}\n### What this changes in the manifests\n\n`;
  if (comparison.changes.length === 0) {
    return `${heading}Nothing: ${comparisonSummary(comparison)}.\n`;
  }
  const { text, left } = shortened(comparisonLines(comparison, full, painter(false)));
  // A manifest may contain a fence.
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const rest = left === 0 ? '' : `\n${left} more lines are left out: \`trainyard diff\` has them all.\n`;
  return `${heading}${comparisonSummary(comparison)}\n\n${fence}diff\n${text}\n${fence}\n${rest}`;
}

function shortened(lines: readonly string[]): { readonly text: string; readonly left: number } {
  let length = 0;
  const kept = lines.findIndex((line) => {
    length += line.length + 1;
    return length > MAX_LENGTH;
  });
  return kept < 0 ? { text: lines.join('\n'), left: 0 } : { text: lines.slice(0, kept).join('\n'), left: lines.length - kept };
}
