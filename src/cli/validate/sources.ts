/** Reads the arguments of `trainyard validate`: files, folders of files, standard input, apps. */
import fs from 'node:fs';
import path from 'node:path';
import type { Diagnostic } from './diagnostic';
import { CliError } from '../cli-error';
import { requireFile, readStandardInput } from '../input';
import { readManifestText, type LocatedObject } from '../read-manifests';
import { SynthError, constructKey, isApp, synthesizeWithWarnings, isManifest } from '../synth-app';
import { grouped } from '../text';

export interface SourceObject {
  readonly located: LocatedObject;
  readonly file: string;
  /** The argument: a file, a folder, an app. */
  readonly place: string;
  /** Whether the user wrote its text, so that messages can have line numbers. */
  readonly hasText: boolean;
  /** The construct of an app, if it is known. */
  readonly construct?: string;
  /** Folder of its environment, for programs with several environments. */
  readonly environment?: string;
}

export interface Sources {
  readonly objects: readonly SourceObject[];
  readonly diagnostics: readonly Diagnostic[];
  /** Warnings of constructs. */
  readonly warnings: readonly Diagnostic[];
}

/** Reads all places. @throws CliError for a place that does not exist, and for apps that cannot be started */
export function readSources(places: readonly string[], readInput = readStandardInput): Sources {
  return joined(places.map((place) => readPlace(place, readInput)));
}

function joined(parts: readonly Sources[]): Sources {
  return {
    objects: parts.flatMap(({ objects }) => objects),
    diagnostics: parts.flatMap(({ diagnostics }) => diagnostics),
    warnings: parts.flatMap(({ warnings }) => warnings),
  };
}

function readPlace(place: string, readInput: () => string): Sources {
  if (place === '-') {
    return readText(readInput(), '-', place);
  }
  requireFile(place);
  if (isManifestFolder(place)) {
    const names = fs.readdirSync(place).filter(isManifest).sort();
    if (names.length === 0) {
      throw new CliError(`${place} is a folder without manifests (*.yaml, *.json) and without a cdk8s.yaml. Name a file, an app, or another folder.`);
    }
    return joined(names.map((name) => path.join(place, name)).map((file) => readText(fs.readFileSync(file, 'utf8'), file, place)));
  }
  return isApp(place) ? readApp(place) : readText(fs.readFileSync(place, 'utf8'), place, place);
}

function isManifestFolder(place: string): boolean {
  return fs.statSync(place).isDirectory() && !fs.existsSync(path.join(place, 'cdk8s.yaml'));
}

function readText(text: string, file: string, place: string): Sources {
  const { objects, unreadable } = readManifestText(text, file);
  return {
    objects: objects.map((located) => ({ located, file, place, hasText: true })),
    diagnostics: unreadable.map(({ line, column, message }) => ({ rule: 'yaml', file, position: { line, column }, message })),
    warnings: [],
  };
}

function readApp(app: string): Sources {
  try {
    const { files, constructs, warnings } = synthesizeWithWarnings(app);
    const placed = files.flatMap(({ environment, objects }) => objects.map((located) => ({ located, environment, key: constructKey(environment, located.object.metadata?.name ?? '') })));
    const byKey = grouped(placed, ({ key }) => key);
    return {
      objects: placed.map(({ located, environment, key }) => ({
        located, file: app, place: app, hasText: false, construct: byKey.get(key)!.length === 1 ? constructs.get(key) : undefined, ...(environment !== '' && { environment }),
      })),
      diagnostics: [],
      warnings: warnings.map(({ construct, subject, finding }) => {
        const [, kind, name] = /^(\S+) '(.*)'$/s.exec(subject) ?? [];
        const { rule: id, path: field, value, message, source } = finding;
        return { rule: 'synth', id, file: app, construct, object: { kind, name }, path: field, value, message, ...(source !== undefined && { source }) };
      }),
    };
  } catch (error) {
    if (!(error instanceof SynthError)) {
      throw error;
    }
    const diagnostics = synthDiagnostics(error.output, app);
    if (diagnostics.length === 0) {
      throw new CliError(`${error.message}\n${error.output.trimEnd()}`);
    }
    return { objects: [], diagnostics, warnings: [] };
  }
}

/** The line that cdk8s writes before the errors of constructs. */
const HEADING = /Validation failed with the following errors:\n/;

/** An error of a construct: `  [chart/Job] spec.replicas: 0: must be ...`. It can have several lines. */
const REPORT = /^ {2}\[([^\]\n\r\u2028\u2029]*)\] (.*(?:\n(?! {2}\[| {4}at |\n|\}).*)*)/gm;

/** A frame of a stack trace. */
const FRAME = /^ {4}at (?:.* \()?(?:file:\/\/)?(\/[^():\n\r\u2028\u2029]+):(\d+):(\d+)\)?$/gm;

/**
 * The errors of the app.
 * @param output standard error of the app
 * @param app the program or folder
 */
function synthDiagnostics(output: string, app: string): Diagnostic[] {
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

/** Errors of our constructs have the form `TrainingJob 'NAME': PATH: VALUE: MESSAGE`; those of other constructs can have any form. */
function violationOf(text: string): Pick<Diagnostic, 'object' | 'path' | 'value' | 'message'> {
  const [, kind, name, field, rest] = /^(?:([A-Z]\w+) '([^']*)': )?((?:spec|metadata)(?:[.[][^\s:]*)?): (.*)$/s.exec(text) ?? [];
  return field === undefined ? { message: text } : { ...(kind !== undefined && { object: { kind, name } }), ...valueAndMessage(field, rest) };
}

function valueAndMessage(field: string, rest: string): Pick<Diagnostic, 'path' | 'value' | 'message'> {
  for (let end = rest.indexOf(': '); end >= 0; end = rest.indexOf(': ', end + 1)) {
    try {
      return { path: field, value: JSON.parse(rest.slice(0, end)) as unknown, message: rest.slice(end + 2) };
    } catch {
      // The value contains this colon.
    }
  }
  return { path: field, message: rest };
}
