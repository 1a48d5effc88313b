/**
 * Lines for people, and for editors that find `FILE:LINE:COLUMN` in them.
 *
 * Workflow commands, which GitHub shows next to the lines of a pull request.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
import { describeObject, type Diagnostic, type Unchecked, type ValidationResult } from './diagnostic';
import { painter, type Paint } from '../../local/output/colours';
import { quoteValue } from '../../model/violations';

/** A report: what goes to standard output, and the summary that goes to standard error. */
export interface TextReport {
  readonly lines: readonly string[];
  readonly summary: string;
}

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

/** Writes a result as workflow commands. */
export function githubLines({ diagnostics, warnings, unchecked }: ValidationResult): string[] {
  return [
    ...diagnostics.map((diagnostic) => diagnosticCommand('error', diagnostic)),
    ...warnings.map((warning) => diagnosticCommand('warning', warning)),
    ...unchecked.map(({ file, object, path, message }) => workflowCommand('notice', { file: file === '-' ? undefined : file, title: 'trainyard: not checked' },
      `${object === undefined ? '' : `${describeObject(object)}: `}${path === undefined ? '' : `${path}: `}${message}`)),
  ];
}

function diagnosticCommand(name: 'error' | 'warning', diagnostic: Diagnostic): string {
  const { file, position, construct, object, message } = diagnostic;
  const properties = { file: file === '-' ? undefined : file, line: position?.line, col: position?.column, title: titleOf(diagnostic) };
  const subject = [construct, object === undefined ? undefined : describeObject(object)].filter((part) => part !== undefined).join(', ');
  return workflowCommand(name, properties, `${fieldText(diagnostic, painter(false))}${message}${subject === '' ? '' : ` (${subject})`}`);
}

function titleOf({ rule }: Diagnostic): string {
  return `trainyard: ${rule}`;
}

/** One command. @param name error, warning or notice */
export function workflowCommand(name: string, properties: { readonly [name: string]: string | number | undefined }, message: string): string {
  const given = Object.entries(properties).filter(([, value]) => value !== undefined);
  return `::${name} ${given.map(([key, value]) => `${key}=${escapeProperty(String(value))}`).join(',')}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}
