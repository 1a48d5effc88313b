/**
 * Workflow commands, which GitHub shows beside the lines of a pull request.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
import { describeObject, type Diagnostic, type ValidationResult } from './diagnostic';
import { fieldText } from './output-text';
import { painter } from '../../local/output/colours';

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
