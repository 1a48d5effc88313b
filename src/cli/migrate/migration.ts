/** Migrates texts to texts and a report. Reads and writes no files, so tests need none. */
import { Document, visit } from 'yaml';
import { fitToEngine } from './fit-engine';
import { fileBaseName, wordsOf, type MigrationInput } from './inputs';
import { writeProgram, type ProgramInclude, type ProgramPart } from '../program/program';
import { readManifestText, type LocatedObject } from '../read-manifests';
import type { EngineDefinition } from '../../manifests/engines/engine';
import { OPERATOR_ENGINE } from '../../manifests/engines/operator';
import type { JsonObject } from '../../manifests/migrate/fields';
import type { MigratedJob, MigrationOptions } from '../../manifests/migrate/job';
import { migrateObjects, type Migrated } from '../../manifests/migrate/migrate';
import type { MigrationNote } from '../../manifests/migrate/notes';
import { withoutNull } from '../../manifests/migrate/values';
import { RAY_JOB } from '../../model/kinds/ray';
import { addTo } from '../../model/lists';
import { findTokens } from '../../model/secrets/find-tokens';
import { isRecord } from '../../model/json-parts';
import { checkShape } from '../../model/shapes';
import { commentLines, printableLines, shownName } from '../../model/text/printable';
import { SPEC_SHAPE } from '../../model/training-job/fields/spec-shape';
import { formatViolation, quoteValue, type Violation } from '../../model/violations';

export type OutputForm = 'typescript' | 'yaml';

export interface MigrationSettings extends MigrationOptions {
  readonly engine: EngineDefinition;
  readonly form: OutputForm;
  /** Whether to write one output for each input. @default - one for all inputs */
  readonly perInput?: boolean;
  /** Name of the output, if there is one for all inputs. @default - that of the first input */
  readonly name?: string;
  /** Id of the program's chart. @default - the name of the output */
  readonly chart?: string;
  /** Folder for objects that cannot be migrated, which the program includes unchanged. @default - such objects are errors */
  readonly includeFolder?: string;
}

export interface MigrationOutput {
  /** File name, without a folder, except for included objects. */
  readonly name: string;
  readonly text: string;
}

/** The result for one object. */
export interface ReportEntry {
  /** File and document. */
  readonly where: string;
  /** `PyTorchJob mnist`. */
  readonly what: string;
  readonly outcome: 'written' | 'part' | 'carried' | 'included' | 'error';
  /** The result, or why the object could not be read. */
  readonly text: string;
  readonly notes: readonly MigrationNote[];
  /** Rules that the written job violates. */
  readonly broken: readonly Violation[];
}

export interface MigrationResult {
  readonly outputs: readonly MigrationOutput[];
  readonly report: readonly ReportEntry[];
  /** Whether something could not be read or written. */
  readonly failed: boolean;
}

interface Item {
  readonly input: MigrationInput;
  readonly located: LocatedObject;
  readonly migrated: Migrated;
}

/** The content of one output. */
interface Parts {
  readonly jobs: ProgramPart[];
  readonly yaml: YamlPart[];
  readonly objects: JsonObject[];
  readonly includes: (ProgramInclude & { readonly object: JsonObject })[];
  /** Names of the included files. */
  readonly includeNames: Set<string>;
}

/** Migrates all inputs together: jobs may use objects of other inputs, such as a runtime. */
export function migrateTexts(inputs: readonly MigrationInput[], settings: MigrationSettings): MigrationResult {
  const read = inputs.map((input) => ({ input, text: readManifestText(input.text, input.name) }));
  const located = read.flatMap(({ input, text }) => text.objects.map((object) => ({ input, located: object })));
  const migrated = migrateObjects(located.map((item) => item.located.object as JsonObject), settings);
  const items = located.map((item, index): Item => ({ ...item, migrated: migrated[index] }));
  const outputs: MigrationOutput[] = [];
  const report: ReportEntry[] = [];
  const groups = settings.perInput ? inputs.map((input) => [input]) : [inputs];
  const names = new Set<string>();
  for (const group of groups) {
    const parts: Parts = { jobs: [], yaml: [], objects: [], includes: [], includeNames: new Set() };
    for (const { input, text } of read.filter((candidate) => group.includes(candidate.input))) {
      const entries = [
        ...text.unreadable.map(({ where, message }) => failure(where, '', message)),
        ...items.filter((item) => item.input === input).map((item) => place(item, settings, parts)),
      ];
      addTo(report, entries.length === 0 ? [failure(input.name, '', 'contains no object.')] : entries.sort(byDocument));
    }
    const name = unused(settings.name ?? fileBaseName(group[0]), names);
    const written = settings.form === 'yaml' ? writeYaml(parts.yaml) : writeTypeScript(settings.chart ?? name, parts, settings.engine);
    if (written !== undefined) {
      outputs.push({ name: `${name}.${settings.form === 'yaml' ? 'yaml' : 'ts'}`, text: written });
    }
    addTo(outputs, parts.includes.map(({ file, comment, object }) => ({ name: file, text: writeYaml([{ objects: [object], comment }])! })));
  }
  return { outputs, report, failed: report.some(({ outcome }) => outcome === 'error') };
}

/** Adds a migrated object to the output, and returns its entry in the report. */
function place({ located: { object, where }, migrated }: Item, settings: MigrationSettings, parts: Parts): ReportEntry {
  const what = describe(object as JsonObject);
  const entry = (outcome: ReportEntry['outcome'], text: string): ReportEntry => ({ where, what, outcome, text, notes: [], broken: [] });
  switch (migrated.outcome) {
    case 'error':
      return failed(failure(where, what, migrated.error), object as JsonObject, settings, parts);
    case 'part':
      return entry('part', 'is part of a job');
    case 'carried':
      parts.objects.push(migrated.object);
      parts.yaml.push({ objects: [migrated.object] });
      return { ...entry('carried', 'is not a job: copied unchanged'), notes: secretNotes(migrated.object) };
    default:
      if (isRaysOwn(migrated.job, settings)) {
        parts.objects.push(object as JsonObject);
        parts.yaml.push({ objects: [object as JsonObject] });
        return entry('carried', 'starts a Ray cluster itself, which KubeRay would put inside another one: copied unchanged');
      }
      return placeJob(migrated.job, object as JsonObject, where, settings, parts);
  }
}

/** Includes an object that cannot be migrated unchanged, if the settings have a folder for it. */
function failed({ where, what, text, ...entry }: ReportEntry, object: JsonObject, { includeFolder }: MigrationSettings, parts: Parts): ReportEntry {
  const { apiVersion, kind, metadata } = object;
  if (includeFolder === undefined || typeof apiVersion !== 'string' || typeof kind !== 'string') {
    return { where, what, text, ...entry };
  }
  const name = isRecord(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
  const file = `${includeFolder}/${unused(wordsOf(`${kind} ${name}`) || 'object', parts.includeNames)}.yaml`;
  const reason = text.startsWith(`${what}: `) ? text.slice(what.length + 2) : text;
  const comment = [`Included unchanged, because it cannot be migrated to a training job: ${reason}`, ...entry.broken.map((violation) => `  ${formatViolation(violation)}`)];
  parts.includes.push({ file, id: `${name}-${kind}`, comment, object });
  return { ...entry, where, what, outcome: 'included', text: `is included unchanged, from ${file}: ${reason}`, notes: secretNotes(object) };
}

/** Whether a RayJob stays a RayJob: for other engines, the migrated job starts Ray in its own pods. */
function isRaysOwn({ kind, spec }: MigratedJob, { engine }: MigrationSettings): boolean {
  return kind === RAY_JOB.kind && engine.kindOf(spec.framework).kind === kind;
}

function placeJob(read: MigratedJob, object: JsonObject, where: string, settings: MigrationSettings, parts: Parts): ReportEntry {
  const { engine, form } = settings;
  const what = `${shownName(read.kind)} ${shownName(read.name)}`;
  const { spec, notes, broken } = fitToEngine(engine, read.name, read.spec);
  const secrets = secretNotes({ metadata: { annotations: read.annotations }, spec });
  const job: MigratedJob = { ...read, spec, notes: [...read.notes, ...notes, ...secrets] };
  const isOurs = engine === OPERATOR_ENGINE;
  const cannot = form === 'yaml' ? !isOurs && broken.length > 0 : checkShape(SPEC_SHAPE, job.spec, 'spec').length > 0;
  if (cannot) {
    const target = form === 'yaml' ? `an object of ${engine.title}` : 'a program';
    return failed({ ...failure(where, what, `cannot be written as ${target}:`), notes: job.notes, broken }, object, settings, parts);
  }
  const marks = broken.length === 0 ? [] : ['Not valid yet:', ...broken.map((violation) => `  ${formatViolation(violation)}`)];
  const companions = isOurs ? job.companions : [];
  if (form === 'yaml') {
    parts.yaml.push({ objects: [...companions as readonly unknown[], ...jobObjects(job, engine)] as JsonObject[], comment: marks });
  } else {
    const { name, namespace, labels, annotations } = job;
    addTo(parts.objects, companions as unknown as JsonObject[]);
    parts.jobs.push({ name, namespace, labels, annotations, spec, comment: marks });
  }
  const lost = isOurs ? [] : job.companions.map((companion): MigrationNote => ({
    level: 'lost', path: companion.kind, value: companion, message: `is for jobs of the Trainyard operator, and is left out for ${engine.title}.`,
  }));
  const { kind } = engine.kindOf(job.spec.framework);
  return { where, what, outcome: 'written', text: `is the ${kind} ${shownName(job.name)}`, notes: [...job.notes, ...lost], broken };
}

/** A migration copies tokens, and reports them. */
function secretNotes(object: object): MigrationNote[] {
  return findTokens(object, '').map((found) => ({ level: 'secret', ...found }));
}

function writeTypeScript(chart: string, { jobs, objects, includes }: Parts, engine: EngineDefinition): string | undefined {
  return jobs.length + objects.length + includes.length === 0 ? undefined : writeProgram({
    chart, jobs, objects, includes, engine: engine === OPERATOR_ENGINE ? undefined : engineFactory(engine.name),
  });
}

/** Name of the method of `Engine`. */
export function engineFactory(name: string): string {
  return name === 'jobset' ? 'jobSet' : name.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** The order of entries in their file. */
function byDocument(one: ReportEntry, other: ReportEntry): number {
  const number = ({ where }: ReportEntry) => Number(/, document ([0-9]+)/.exec(where)?.[1] ?? 0);
  return number(one) - number(other);
}

function failure(where: string, what: string, text: string): ReportEntry {
  return { where, what, outcome: 'error', text, notes: [], broken: [] };
}

function describe({ kind, metadata }: JsonObject): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : quoteValue(value));
  return [text(kind ?? 'object'), text((metadata as { readonly name?: unknown } | null | undefined)?.name ?? '')].map(shownName).join(' ').trim();
}

function unused(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) {
    name = `${wanted}-${count}`;
  }
  taken.add(name);
  return name;
}

/** Related objects, with a comment above the last one. */
interface YamlPart {
  readonly objects: readonly JsonObject[];
  readonly comment?: readonly string[];
}

/** Writes objects as YAML; undefined if there are none. */
export function writeYaml(parts: readonly YamlPart[]): string | undefined {
  const documents = parts.flatMap(({ objects, comment = [] }) => objects.map((object, index) => {
    const marks = index === objects.length - 1 ? comment.flatMap((line) => commentLines('#', line)).map((line) => `${line}\n`).join('') : '';
    return marks + textOf(object);
  }));
  return documents.length === 0 ? undefined : documents.join('---\n');
}

/** Strings with invisible characters are quoted, so that these can be written as escapes. */
function textOf(object: JsonObject): string {
  const document = new Document(withoutNull(object), { aliasDuplicateObjects: false });
  const text = document.toString({ lineWidth: 0 });
  if (printableLines(text) === text) {
    return text;
  }
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && printableLines(node.value) !== node.value) {
        node.type = 'QUOTE_DOUBLE';
      }
    },
  });
  return printableLines(document.toString({ lineWidth: 0 }));
}

/** The engine's objects in the order of their creation. The job has the user's labels and annotations. */
function jobObjects({ name, namespace, labels, annotations, spec }: MigratedJob, engine: EngineDefinition): JsonObject[] {
  const { job, companions } = engine.render({ name, namespace, labels, spec });
  const merged = { labels: { ...labels, ...job.metadata.labels }, annotations: { ...annotations, ...job.metadata.annotations } };
  const given = Object.fromEntries(Object.entries(merged).filter(([, map]) => Object.keys(map).length > 0));
  const { labels: _labels, annotations: _annotations, ...metadata } = job.metadata;
  return [...companions, { ...job, metadata: { ...metadata, ...given } }] as unknown as JsonObject[];
}
