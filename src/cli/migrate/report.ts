/** The report of a migration as text. */
import type { MigrationResult, ReportEntry } from './migration';
import type { Colour, Paint } from '../../local/output/colours';
import type { MigrationNote, NoteLevel } from '../../manifests/migrate/notes';
import { shownValue, withoutTokens } from '../../model/secrets/recognise';
import { printable, printableLines } from '../../model/text/printable';
import { formatViolation, quoteValue } from '../../model/violations';
import { count, grouped } from '../text';

type Level = NoteLevel | 'broken' | 'error';

const COLOURS: { readonly [level in Level]: Colour } = { changed: 'grey', differs: 'yellow', lost: 'red', secret: 'red', broken: 'red', error: 'red' };

/** Lines of the report: each object with its notes, then a summary. */
export function reportLines({ report }: MigrationResult, paint: Paint): string[] {
  const lines = report.flatMap((entry) => [...entryLines(entry, paint), '']);
  return [...lines, summary(report)];
}

function entryLines({ where, what, outcome, text, notes, broken }: ReportEntry, paint: Paint): string[] {
  const level = (word: Level) => paint(word.padEnd(7), COLOURS[word]);
  // An error of a reader starts with the object, which this line already names.
  const said = outcome === 'error' && text.startsWith(`${what}: `) ? text.slice(what.length + 2) : text;
  const names = [where, ...(what === '' ? [] : [what])].map(printable).join(': ');
  return [
    outcome === 'error' ? `${paint('error', COLOURS.error)}: ${names}: ${printableLines(said)}` : `${names} ${printableLines(said)}`,
    ...mergedNotes(notes).map((note) => `  ${level(note.level)}  ${printable(note.text)}`),
    ...broken.map((violation) => `  ${level('broken')}  ${formatViolation(violation)}`),
  ];
}

/** Equal notes about several fields are one line. */
function mergedNotes(notes: readonly MigrationNote[]): { readonly level: NoteLevel; readonly text: string }[] {
  const groups = grouped(notes, ({ level, message, value }) => JSON.stringify([level, message, value]));
  const order: readonly NoteLevel[] = ['secret', 'lost', 'differs', 'changed'];
  return [...groups.values()].sort(([one], [other]) => order.indexOf(one.level) - order.indexOf(other.level)).map((group) => {
    const [{ level, path, value, message }] = group;
    const shown = shownValue(path, value);
    // A lost value is shown in full, because it is nowhere else.
    const text = value === undefined ? '' : ` ${level === 'lost' ? withoutTokens(JSON.stringify(shown)) : quoteValue(shown)}:`;
    return { level, text: `${group.map((note) => note.path).join(', ')}:${text} ${message}` };
  });
}

function summary(report: readonly ReportEntry[]): string {
  const written = report.filter(({ outcome }) => outcome === 'written');
  const all = written.flatMap(({ notes }) => mergedNotes(notes));
  const notesOf = (level: NoteLevel) => all.filter((note) => note.level === level).length;
  const broken = written.filter((entry) => entry.broken.length > 0).length;
  const secrets = report.flatMap(({ notes }) => notes).filter(({ level }) => level === 'secret').length;
  const errors = report.filter(({ outcome }) => outcome === 'error').length;
  return [
    `${count(written.length, 'job')} written: ${notesOf('lost')} lost, ${notesOf('differs')} differ, ${notesOf('changed')} changed.`,
    ...(broken > 0 ? [`${broken} of them ${broken === 1 ? 'violates' : 'violate'} a rule, and ${broken === 1 ? 'is' : 'are'} marked.`] : []),
    ...(secrets > 0 ? [`${count(secrets, 'value looks', 'values look')} like a secret: replace ${secrets === 1 ? 'it' : 'them'}.`] : []),
    ...(errors > 0 ? [`${errors} could not be migrated.`] : []),
  ].join(' ');
}
