/** A report as text. */
import type { DoctorReport, Finding, Severity } from './finding';
import { count } from '../text';
import type { Colour, Paint } from '../../local/output/colours';
import { printable } from '../../model/text/printable';

const COLOURS: { readonly [severity in Severity]: Colour } = { error: 'red', warning: 'yellow', ok: 'green' };

/** Width of the first column. */
const WIDTH = 9;

export function reportLines({ cluster, namespace, file, findings, notes }: DoctorReport, paint: Paint): string[] {
  const number = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  const verdict = number('error') + number('warning') === 0 ? 'No problems found.' : `${count(number('error'), 'error')}, ${count(number('warning'), 'warning')}.`;
  return [
    printable(`Cluster ${cluster}, namespace ${namespace}${file === undefined ? '' : `, ${file}`}`),
    '',
    ...findings.flatMap((finding) => findingLines(finding, paint)),
    ...(notes.length > 0 ? ['', ...notes.map((note) => paint(`note: ${printable(note)}`, 'grey'))] : []),
    '',
    verdict,
  ];
}

function findingLines(finding: Finding, paint: Paint): string[] {
  const { id, severity, what, evidence } = finding;
  const indent = ' '.repeat(WIDTH);
  return [
    `${paint(severity.padEnd(WIDTH), COLOURS[severity])}${printable(what)}${severity === 'ok' ? '' : ` ${paint(`(${id})`, 'grey')}`}`,
    ...evidence.flatMap((text) => text.split('\n')).filter((line) => line !== '').map((line) => `${indent}${paint(line, 'grey')}`),
    ...('fix' in finding ? [`${indent}${paint('Fix:', 'green')} ${printable(finding.fix)}`] : []),
  ];
}
