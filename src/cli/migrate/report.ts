/** The report of a migration as text. */
import type { MigrationResult, ReportEntry } from './migration';
import type { Colour, Paint } from '../../local/output/colours';
import type { MigrationNote, NoteLevel } from '../../manifests/migrate/notes';
import { shownValue, withoutTokens } from '../../model/secrets/recognise';
import { printable, printableLines } from '../../model/text/printable';
import { formatViolation, quoteValue } from '../../model/violations';

type Level = NoteLevel | 'broken' | 'error';

const COLOURS: { readonly [level in Level]: Colour } = { changed: 'grey', differs: 'yellow', lost: 'red', secret: 'red', broken: 'red', error: 'red' };

/** Lines of the report: each object, what there is to say of it, and the sum. */
export function reportLines({ report }: MigrationResult, paint: Paint): string[] {
  const lines = report.flatMap((entry) => [...entryLines(entry, paint), '']);
  return [...lines, summary(report)];
}

function entryLines({ where, what, outcome, text, notes, broken }: ReportEntry, paint: Paint): string[] {
  const level = (word: Level) => paint(word.padEnd(7), COLOURS[word]);
  // An error of a reader begins with the object; the first line says it already.
  const said = outcome === 'error' && text.startsWith(`${what}: `) ? text.slice(what.length + 2) : text;
  const names = [where, ...(what === '' ? [] : [what])].map(printable).join(': ');
  return [
    outcome === 'error' ? `${paint('error', COLOURS.error)}: ${names}: ${printableLines(said)}` : `${names} ${printableLines(said)}`,
    ...grouped(notes).map((note) => `  ${level(note.level)}  ${printable(note.text)}`),
    ...broken.map((violation) => `  ${level('broken')}  ${formatViolation(violation)}`),
  ];
}

/** What holds for several places in the same words is said once. */
function grouped(notes: readonly MigrationNote[]): { readonly level: NoteLevel; readonly text: string }[] {
  const groups = new Map<string, { readonly note: MigrationNote; readonly paths: string[] }>();
  for (const note of notes) {
    const key = JSON.stringify([note.level, note.message, note.value]);
    const group = groups.get(key) ?? { note, paths: [] };
    group.paths.push(note.path);
    groups.set(key, group);
  }
  const order: readonly NoteLevel[] = ['secret', 'lost', 'differs', 'changed'];
  return [...groups.values()].sort((one, other) => order.indexOf(one.note.level) - order.indexOf(other.note.level)).map(({ note, paths }) => {
    const shown = shownValue(note.path, note.value);
    // What is lost stands here in full, because it stands nowhere else.
    const value = note.value === undefined ? '' : ` ${note.level === 'lost' ? withoutTokens(JSON.stringify(shown)) : quoteValue(shown)}:`;
    return { level: note.level, text: `${paths.join(', ')}:${value} ${note.message}` };
  });
}

function summary(report: readonly ReportEntry[]): string {
  const written = report.filter(({ outcome }) => outcome === 'written');
  const count = (level: NoteLevel) => written.reduce((sum, entry) => sum + grouped(entry.notes).filter((note) => note.level === level).length, 0);
  const broken = written.filter((entry) => entry.broken.length > 0).length;
  const secrets = report.flatMap(({ notes }) => notes).filter(({ level }) => level === 'secret').length;
  const errors = report.filter(({ outcome }) => outcome === 'error').length;
  const jobs = `${written.length} ${written.length === 1 ? 'job' : 'jobs'} written: ${count('lost')} lost, ${count('differs')} differ, ${count('changed')} changed.`;
  return [
    jobs,
    ...(broken > 0 ? [`${broken} of them ${broken === 1 ? 'violates' : 'violate'} a rule, and ${broken === 1 ? 'is' : 'are'} marked.`] : []),
    ...(secrets > 0 ? [`${secrets} ${secrets === 1 ? 'value looks' : 'values look'} like a secret: replace ${secrets === 1 ? 'it' : 'them'}.`] : []),
    ...(errors > 0 ? [`${errors} could not be migrated.`] : []),
  ].join(' ');
}
