/** Lines for people, and for editors that find `FILE:LINE:COLUMN` in them. */
import { describeObject, type Diagnostic, type Unchecked, type ValidationResult } from './diagnostic';
import type { Paint } from '../../local/output/colours';
import { quoteValue } from '../../model/violations';

/** A report: what goes to standard output, and the summary that goes to standard error. */
export interface TextReport {
  readonly lines: readonly string[];
  readonly summary: string;
}

/** Writes a result as text. */
export function textReport({ diagnostics, warnings, unchecked, objects }: ValidationResult, paint: Paint): TextReport {
  const notes = groupedNotes(unchecked);
  const wrong = diagnostics.length === 0 ? paint('valid', 'green') : paint(`${diagnostics.length} ${diagnostics.length === 1 ? 'mistake' : 'mistakes'}`, 'red');
  const told = warnings.length === 0 ? '' : `, ${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}`;
  return {
    lines: [...diagnostics.map((diagnostic) => diagnosticLine(diagnostic, paint)), ...warnings.map((warning) => warningLine(warning, paint)), ...notes.map((note) => paint(`note: ${note}`, 'grey'))],
    summary: `${objects} ${objects === 1 ? 'object' : 'objects'}: ${wrong}${told}${notes.length === 0 ? '' : ', not everything was checked (notes)'}`,
  };
}

/** `FILE:LINE:COLUMN: KIND NAME: PATH: VALUE: MESSAGE`. */
export function diagnosticLine(diagnostic: Diagnostic, paint: Paint): string {
  const { object, message } = diagnostic;
  const subject = object?.kind === undefined && object?.name === undefined ? '' : `${describeObject(object)}: `;
  return `${placeOf(diagnostic)}: ${subject}${fieldText(diagnostic, paint)}${message}${diagnostic.id === undefined ? '' : ` [${diagnostic.id}]`}`;
}

function warningLine({ message, ...warning }: Diagnostic, paint: Paint): string {
  return diagnosticLine({ ...warning, message: `${paint('warning', 'yellow')}: ${message}` }, paint);
}

/** `PATH: VALUE: `, or what there is of it. */
export function fieldText({ path, value }: Pick<Diagnostic, 'path' | 'value'>, paint: Paint): string {
  return path === undefined ? '' : `${paint(path, 'cyan')}: ${value === undefined ? '' : `${quoteValue(value)}: `}`;
}

function placeOf({ file, position, construct }: Diagnostic): string {
  const line = position === undefined ? '' : `:${position.line}:${position.column}`;
  return `${file === '-' ? 'standard input' : file}${line}${construct === undefined ? '' : ` (${construct})`}`;
}

/** The same note about several objects is one. */
function groupedNotes(unchecked: readonly Unchecked[]): string[] {
  const kinds = [...new Set(unchecked.filter(({ what }) => what === 'definition').map(({ object }) => object?.kind ?? ''))].sort();
  const byMessage = new Map<string, string[]>();
  for (const { object, path, message } of unchecked.filter(({ what }) => what !== 'definition')) {
    const subject = `${object === undefined ? 'an object' : describeObject(object)}${path === undefined ? '' : ` ${path}`}`;
    byMessage.set(message, [...byMessage.get(message) ?? [], subject]);
  }
  return [
    ...[...byMessage].map(([message, subjects]) => `${listed([...new Set(subjects)], 3)}: ${message}`),
    ...(kinds.length === 0 ? [] : [`fields of these kinds were not checked, because no definition was given (--crds): ${listed(kinds, 8)}`]),
  ];
}

function listed(words: readonly string[], most: number): string {
  return `${words.slice(0, most).join(', ')}${words.length > most ? ` and ${words.length - most} more` : ''}`;
}
