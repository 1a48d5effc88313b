/** Differences as text. */
import { diffLines } from 'diff';
import { stringify } from 'yaml';
import { USAGE_EXIT_CODE } from '../cli-error';
import { Masked, type Comparison, type FieldChange, type ObjectChange } from './comparison';
import type { Paint } from '../../local/output/colours';
import { Terminal } from '../../local/output/terminal';
import { shortened } from '../../model/text/printable';

/** Maximum length of a value. */
const VALUE_MAX_LENGTH = 100;

/** Maximum length of a path, which valid keys do not reach. */
const PATH_MAX_LENGTH = 1000;

/** Maximum lines and edits of texts that are compared by line: the time grows with their product. */
const MOST_LINES = 20_000;
const MOST_EDITS = 2_000;

/** Unchanged lines around a changed one, in texts of several lines. */
const CONTEXT = 2;

/** @param full whether added and removed objects are written in full */
export function comparisonLines({ changes }: Comparison, full: boolean, paint: Paint): string[] {
  return changes.flatMap((change, index) => (index === 0 ? objectLines(change, full, paint) : ['', ...objectLines(change, full, paint)]));
}

/** Writes a comparison with its summary. */
export function writeComparison(comparison: Comparison, output: 'text' | 'json', full = false): void {
  const terminal = new Terminal();
  terminal.result(output, comparison, (paint) => comparisonLines(comparison, full, paint));
  if (output === 'text') {
    terminal.note(`trainyard: ${comparisonSummary(comparison)}`);
  }
}

/** Exit codes of diff: 0 if nothing differs, 1 if something does, 2 if the server rejects an object. */
export function comparisonExitCode({ changes }: Comparison): number {
  return changes.some(({ kind }) => kind === 'refused') ? USAGE_EXIT_CODE : changes.length > 0 ? 1 : 0;
}

/** `2 to add, 1 to change, 12 the same`. */
export function comparisonSummary({ changes, same }: Comparison): string {
  const count = (kind: ObjectChange['kind']) => changes.filter((change) => change.kind === kind).length;
  const parts = [[count('added'), 'to add'], [count('changed'), 'to change'], [count('removed'), 'to remove'], [count('refused'), 'refused'], [same, 'the same']] as const;
  return parts.filter(([number]) => number > 0).map(([number, words]) => `${number} ${words}`).join(', ') || 'nothing to compare';
}

function objectLines(change: ObjectChange, full: boolean, paint: Paint): string[] {
  switch (change.kind) {
    case 'added': return wholeLines(change, full, (line) => paint(`+ ${line}`, 'green'));
    case 'removed': return wholeLines(change, full, (line) => paint(`- ${line}`, 'red'));
    case 'changed': return [
      paint(`~ ${change.title}${noted(change.note)}`, 'yellow'), ...change.fields.flatMap((field) => fieldLines(field, paint)),
      ...(change.replaced ?? []).map((sentence) => paint(`!   ${sentence}`, 'red')),
    ];
    case 'refused': return [paint(`! ${change.title}`, 'red'), `    ${change.why}`];
  }
}

function noted(note: string | undefined): string {
  return note === undefined ? '' : ` (${note})`;
}

/** The second text, if any, has the lines of the whole object: there can be half a million. */
function wholeLines(change: Extract<ObjectChange, { readonly object: unknown }>, full: boolean, signed: (line: string) => string): string[] {
  const { title, note, object } = change;
  // JSON replaces masked values.
  const whole = full ? [stringify(JSON.parse(JSON.stringify(object))).trimEnd().replace(/^.*$/gm, (line) => signed(`  ${line}`))] : [];
  return [signed(`${title}${noted(note)}`), ...whole];
}

function fieldLines(change: FieldChange, paint: Paint): string[] {
  const path = shortened(change.path, PATH_MAX_LENGTH);
  switch (change.kind) {
    case 'added': return [paint(`+   ${path}: ${shown(change.after)}`, 'green')];
    case 'removed': return [paint(`-   ${path}: ${shown(change.before)}`, 'red')];
    case 'changed': return changedLines(path, change.before, change.after, paint);
  }
}

function changedLines(path: string, before: unknown, after: unknown, paint: Paint): string[] {
  if (before instanceof Masked && after instanceof Masked) {
    return [`~   ${path}: (masked, another value)`];
  }
  if (typeof before === 'string' && typeof after === 'string' && (before.includes('\n') || after.includes('\n'))) {
    const lines = textLines(before, after, paint);
    return lines === undefined ? [`~   ${path}: ${sizeOf(before)} -> ${sizeOf(after)}, too different to be shown line by line`] : [`~   ${path}:`, ...lines];
  }
  const [old, fresh] = excerpts(JSON.stringify(before), JSON.stringify(after));
  return [`~   ${path}: ${paint(old, 'red')} -> ${paint(fresh, 'green')}`];
}

/** Lines that differ, with their context; undefined if the comparison would take too long. */
function textLines(before: string, after: string, paint: Paint): string[] | undefined {
  const parts = [before, after].every((text) => lineCount(text) <= MOST_LINES) ? diffLines(before, after, { maxEditLength: MOST_EDITS }) : undefined;
  if (parts === undefined) {
    return undefined;
  }
  return parts.flatMap(({ value, added, removed }, index) => {
    const lines = value.replace(/\n$/, '').split('\n');
    if (added || removed) {
      return lines.map((line) => paint(`${added ? '+' : '-'}     | ${line}`, added ? 'green' : 'red'));
    }
    const head = index === 0 ? [] : lines.slice(0, CONTEXT);
    const tail = index === parts.length - 1 ? [] : lines.slice(-CONTEXT);
    const isWhole = head.length + tail.length >= lines.length;
    const kept = isWhole && index > 0 && index < parts.length - 1 ? lines : [...head, ...(isWhole ? [] : ['...']), ...tail];
    return kept.map((line) => `      | ${line}`);
  });
}

function sizeOf(text: string): string {
  return `a text of ${lineCount(text)} lines`;
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    count++;
  }
  return count;
}

/** Excerpts of both values around the first difference. */
function excerpts(before: string, after: string): [string, string] {
  if (before.length <= VALUE_MAX_LENGTH && after.length <= VALUE_MAX_LENGTH) {
    return [before, after];
  }
  let same = 0;
  while (same < Math.min(before.length, after.length) && before[same] === after[same]) {
    same++;
  }
  const start = Math.max(0, same - VALUE_MAX_LENGTH / 4);
  const cut = (text: string) => `${start > 0 ? '...' : ''}${text.slice(start, start + VALUE_MAX_LENGTH)}${text.length > start + VALUE_MAX_LENGTH ? '...' : ''}`;
  return [cut(before), cut(after)];
}

function shown(value: unknown): string {
  const text = value instanceof Masked ? value.toJSON() : JSON.stringify(value);
  return text.length > VALUE_MAX_LENGTH ? `${text.slice(0, VALUE_MAX_LENGTH)}... (${text.length} characters)` : text;
}
