/** Drift as text, and as annotations of GitHub. */
import path from 'node:path';
import type { Drift, FileDrift } from './drift';
import { comparisonLines } from '../diff/output';
import { workflowCommand } from '../validate/output-text';
import { painter, type Paint } from '../../local/output/colours';
import { shortened } from '../../model/text/printable';
import { count } from '../text';

/** File, object, field, and both values, that of the file first. */
export function driftLines({ files }: Drift, folder: string, paint: Paint): string[] {
  return files.flatMap((drift) => [paint(headingOf(drift, folder), 'yellow'), ...detailLines(drift, paint).map((line) => `  ${line}`), '']).slice(0, -1);
}

/** `2 files differ from what the program writes, 1 is left over; 12 are as written`. */
export function driftSummary({ files, same }: Drift): string {
  const number = (...kinds: readonly FileDrift['kind'][]) => files.filter(({ kind }) => kinds.includes(kind)).length;
  const parts = [
    count(number('edited', 'text', 'unreadable'), 'file differs from what the program writes', 'files differ from what the program writes'),
    count(number('missing'), 'file is missing', 'files are missing'), count(number('left-over'), 'file is left over', 'files are left over'),
  ].filter((part) => !part.startsWith('0 '));
  return parts.length === 0 ? `${count(same, 'file')} as the program writes ${same === 1 ? 'it' : 'them'}` : `${parts.join(', ')}; ${same} as written. Put the change into the program, synthesize, and commit.`;
}

/** One annotation for each file. */
export function driftCommands({ files }: Drift, folder: string): string[] {
  const plain = painter(false);
  return files.map((drift) => workflowCommand('error', { file: placeOf(drift.file, folder), line: drift.kind === 'text' ? drift.line : undefined, title: 'trainyard: drift' },
    [headingOf(drift, folder), ...detailLines(drift, plain)].join('\n')));
}

function headingOf(drift: FileDrift, folder: string): string {
  const place = placeOf(drift.file, folder);
  switch (drift.kind) {
    case 'edited': return `${place} differs from what the program writes (file -> program)`;
    case 'text': return `${place}:${drift.line} differs from what the program writes`;
    case 'unreadable': return `${place} cannot be read`;
    case 'missing': return `${place} is missing`;
    case 'left-over': return `${place} is left over: the program does not write it`;
  }
}

/** Maximum length of a line. */
const LINE_MAX_LENGTH = 1000;

function detailLines(drift: FileDrift, paint: Paint): string[] {
  switch (drift.kind) {
    case 'edited': return comparisonLines(drift.comparison, false, paint);
    case 'text': return drift.lines === undefined ? ['its text differs, with Secrets in it'] : [paint(`-   ${shortened(drift.lines.committed, LINE_MAX_LENGTH)}`, 'red'), paint(`+   ${shortened(drift.lines.written, LINE_MAX_LENGTH)}`, 'green')];
    case 'unreadable': return [drift.why];
    case 'missing': return drift.objects.map((title) => paint(`+ ${title}`, 'green'));
    case 'left-over': return drift.objects.map((title) => paint(`- ${title}`, 'red'));
  }
}

function placeOf(file: string, folder: string): string {
  return path.posix.join(folder.split(path.sep).join('/'), file);
}
