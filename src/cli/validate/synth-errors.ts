/** Takes apart what a cdk8s app says when it refuses to synthesize. */
import path from 'node:path';
import type { Diagnostic } from './diagnostic';

/** What cdk8s writes above the list of everything that constructs report. */
const HEADING = /Validation failed with the following errors:\n/;

/** One report of a construct: `  [chart/Job] spec.replicas: 0: must be ...`, with what follows on further lines. */
const REPORT = /^ {2}\[([^\]\n\r\u2028\u2029]*)\] (.*(?:\n(?! {2}\[| {4}at |\n|\}).*)*)/gm;

/** A place in a program, in a stack trace. */
const FRAME = /^ {4}at (?:.* \()?(?:file:\/\/)?(\/[^():\n\r\u2028\u2029]+):(\d+):(\d+)\)?$/gm;

/**
 * What the app reports.
 * @param output standard error of the app
 * @param app the program or folder, as it was given
 */
export function synthDiagnostics(output: string, app: string): Diagnostic[] {
  const [, list] = output.split(HEADING);
  if (list !== undefined) {
    return [...list.matchAll(REPORT)].map(([, construct, text]) => ({ rule: 'synth', file: app, construct, ...violationOf(text.trim()) }));
  }
  const message = /^(?:[A-Za-z]*Error(?: \[[A-Z_]+\])?: )(.+)$/m.exec(output)?.[1];
  if (message === undefined) {
    return [];
  }
  const frame = [...output.matchAll(FRAME)].find(([, file]) => !file.includes(`${path.sep}node_modules${path.sep}`));
  const place = frame === undefined ? { file: app }
    : { file: path.relative(process.cwd(), frame[1]) || frame[1], position: { line: Number(frame[2]), column: Number(frame[3]) } };
  return [{ rule: 'synth', ...place, message }];
}

/** A report of ours is `TrainingJob 'NAME': PATH: VALUE: MESSAGE`; other constructs write what they like. */
function violationOf(text: string): Pick<Diagnostic, 'object' | 'path' | 'value' | 'message'> {
  const [, kind, name, field, rest] = /^(?:([A-Z]\w+) '([^']*)': )?((?:spec|metadata)(?:[.[][^\s:]*)?): (.*)$/s.exec(text) ?? [];
  return field === undefined ? { message: text } : { ...(kind !== undefined && { object: { kind, name } }), ...valueAndMessage(field, rest) };
}

function valueAndMessage(field: string, rest: string): Pick<Diagnostic, 'path' | 'value' | 'message'> {
  for (let end = rest.indexOf(': '); end >= 0; end = rest.indexOf(': ', end + 1)) {
    try {
      return { path: field, value: JSON.parse(rest.slice(0, end)) as unknown, message: rest.slice(end + 2) };
    } catch {
      // The value goes on.
    }
  }
  return { path: field, message: rest };
}
