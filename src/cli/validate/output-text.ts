/**
 * Lines with `FILE:LINE:COLUMN`, which editors recognize, and workflow commands, which GitHub shows next to the lines of a pull request.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
import { describeObject, uncheckedText, type Diagnostic, type Unchecked, type ValidationResult } from './diagnostic';
import { painter, type Paint } from '../../local/output/colours';
import { quoteValue } from '../../model/violations';
import { count, grouped } from '../text';

/** Lines for standard output, and a summary for standard error. */
export function textReport(
  { diagnostics, warnings, unchecked, objects }: ValidationResult, paint: Paint,
): { readonly lines: readonly string[]; readonly summary: string } {
  const notes = groupedNotes(unchecked);
  const mistakes = diagnostics.length === 0 ? paint('valid', 'green') : paint(count(diagnostics.length, 'mistake'), 'red');
  const warned = warnings.length === 0 ? '' : `, ${count(warnings.length, 'warning')}`;
  return {
    lines: [
      ...diagnostics.map((diagnostic) => diagnosticLine(diagnostic, paint)),
      ...warnings.map(({ message, ...warning }) => diagnosticLine({ ...warning, message: `${paint('warning', 'yellow')}: ${message}` }, paint)),
      ...notes.map((note) => paint(`note: ${note}`, 'grey')),
    ],
    summary: `${count(objects, 'object')}: ${mistakes}${warned}${notes.length === 0 ? '' : ', not everything was checked (notes)'}`,
  };
}

/** `FILE:LINE:COLUMN: KIND NAME: PATH: VALUE: MESSAGE`. */
export function diagnosticLine(diagnostic: Diagnostic, paint: Paint): string {
  const { object, message } = diagnostic;
  const subject = object?.kind === undefined && object?.name === undefined ? '' : `${describeObject(object)}: `;
  return `${placeOf(diagnostic)}: ${subject}${fieldText(diagnostic, paint)}${message}${diagnostic.id === undefined ? '' : ` [${diagnostic.id}]`}`;
}

/** `PATH: VALUE: `, or only one of them, or none. */
export function fieldText({ path, value }: Pick<Diagnostic, 'path' | 'value'>, paint: Paint): string {
  return path === undefined ? '' : `${paint(path, 'cyan')}: ${value === undefined ? '' : `${quoteValue(value)}: `}`;
}

function placeOf({ file, position, construct }: Diagnostic): string {
  const line = position === undefined ? '' : `:${position.line}:${position.column}`;
  return `${file === '-' ? 'standard input' : file}${line}${construct === undefined ? '' : ` (${construct})`}`;
}

/** Equal notes about several objects are one note. */
function groupedNotes(unchecked: readonly Unchecked[]): string[] {
  const kinds = [...new Set(unchecked.filter(({ what }) => what === 'definition').map(({ object }) => object?.kind ?? ''))].sort();
  const subject = ({ object, path }: Unchecked) => `${object === undefined ? 'an object' : describeObject(object)}${path === undefined ? '' : ` ${path}`}`;
  const byMessage = grouped(unchecked.filter(({ what }) => what !== 'definition'), ({ message }) => message);
  return [
    ...[...byMessage].map(([message, notes]) => `${listed([...new Set(notes.map(subject))], 3)}: ${message}`),
    ...(kinds.length === 0 ? [] : [`fields of these kinds were not checked, because no definition was given (--crds): ${listed(kinds, 8)}`]),
  ];
}

function listed(words: readonly string[], most: number): string {
  return `${words.slice(0, most).join(', ')}${words.length > most ? ` and ${words.length - most} more` : ''}`;
}

/** The result as workflow commands. */
export function githubLines({ diagnostics, warnings, unchecked }: ValidationResult): string[] {
  return [
    ...diagnostics.map((diagnostic) => diagnosticCommand('error', diagnostic)),
    ...warnings.map((warning) => diagnosticCommand('warning', warning)),
    ...unchecked.map((each) => workflowCommand('notice', { file: each.file === '-' ? undefined : each.file, title: 'trainyard: not checked' }, uncheckedText(each))),
  ];
}

function diagnosticCommand(name: 'error' | 'warning', diagnostic: Diagnostic): string {
  const { rule, file, position, construct, object, message } = diagnostic;
  const properties = { file: file === '-' ? undefined : file, line: position?.line, col: position?.column, title: `trainyard: ${rule}` };
  const subject = [construct, object === undefined ? undefined : describeObject(object)].filter((part) => part !== undefined).join(', ');
  return workflowCommand(name, properties, `${fieldText(diagnostic, painter(false))}${message}${subject === '' ? '' : ` (${subject})`}`);
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
