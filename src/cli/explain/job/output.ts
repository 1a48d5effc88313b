/** A diagnosis as text. */
import type { Diagnosis } from './diagnosis';
import { STATE_COLOURS } from '../../jobs/state-colours';
import type { Paint } from '../../../local/output/colours';
import type { WorkloadState } from '../../../model/kinds/standing';

const HEADINGS: { readonly [state in WorkloadState]: string } = {
  Running: 'What is missing:',
  Succeeded: '',
  Failed: 'Why it failed:',
  Suspended: 'Why it is not running:',
  Waiting: 'Why it is not running:',
  Restarting: 'Why it restarts:',
  Deleting: 'Why it still exists:',
};

export function diagnosisLines({ job, state, summary, causes, notes }: Diagnosis, paint: Paint): string[] {
  return [
    `${job}: ${paint(summary, STATE_COLOURS[state])}`,
    ...(causes.length > 0 ? ['', HEADINGS[state]] : []),
    ...causes.flatMap(({ id, what, evidence, fix }, index) => [
      ...(index > 0 ? [''] : []),
      `${`${index + 1}.`.padEnd(3)}${what} ${paint(`(${id})`, 'grey')}`,
      ...evidence.flatMap((text) => text.split('\n')).filter((line) => line !== '').map((line) => `   ${paint(line, 'grey')}`),
      `   ${paint('Fix:', 'green')} ${fix}`,
    ]),
    ...(notes.length > 0 ? ['', ...notes.map((note) => paint(`note: ${note}`, 'grey'))] : []),
  ];
}
