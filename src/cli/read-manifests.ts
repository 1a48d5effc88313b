/** Kubernetes objects from YAML or JSON text: from several documents and lists, each with its position. */
import { CliError } from './cli-error';
import type { PathStep } from '../model/shapes';
import { parseYaml, type Position, type YamlSource } from './manifests/yaml-documents';
import type { ManifestObject } from '../model/objects/manifest-object';
import { quoteValue } from '../model/violations';
import { isRecord, type JsonRecord } from '../model/json-parts';

/** An object and where it was found. */
export interface LocatedObject {
  readonly object: ManifestObject;
  /** File and document, for messages: `jobs.yaml, document 2`. */
  readonly where: string;
  /** Name of the file in messages. */
  readonly file: string;
  /** The text that contains the object. */
  readonly source: YamlSource;
  /** Steps from the document to the object: none, unless it is an item of a list. */
  readonly base: readonly PathStep[];
}

/** A document that holds no objects. */
export interface UnreadableDocument extends Position {
  readonly where: string;
  readonly message: string;
}

export interface ManifestText {
  readonly objects: readonly LocatedObject[];
  readonly unreadable: readonly UnreadableDocument[];
}

/**
 * Reads all objects of a text.
 * @param name name of the file in messages
 * @throws CliError for text that is not valid YAML, with the line, and for documents that are not objects
 */
export function readManifests(text: string, name: string): LocatedObject[] {
  const { objects, unreadable: [first] } = readManifestText(text, name);
  if (first !== undefined) {
    throw new CliError(`Reading ${first.where}: ${first.message}`);
  }
  return [...objects];
}

/**
 * Reads all objects of a text for commands that identify objects by kind and name.
 * @throws CliError as {@link readManifests} does, and for an object whose kind or name is not a string
 */
export function readNamedManifests(text: string, name: string): LocatedObject[] {
  const objects = readManifests(text, name);
  objects.forEach(requireNames);
  return objects;
}

/** @throws CliError for an object whose kind or name is not a string */
export function requireNames({ object, where }: LocatedObject): void {
  const { apiVersion, kind, metadata } = object as JsonRecord;
  if (metadata !== undefined && metadata !== null && !isRecord(metadata)) {
    throw new CliError(`${where}: metadata: ${quoteValue(metadata)}: must be an object with a name.`);
  }
  for (const [path, value] of Object.entries({ apiVersion, kind, 'metadata.name': metadata?.name as unknown, 'metadata.namespace': metadata?.namespace as unknown })) {
    // Templates write an empty namespace.
    if (value !== undefined && typeof value !== 'string' && !(value === null && path === 'metadata.namespace')) {
      throw new CliError(`${where}: ${path}: ${quoteValue(value)}: must be a string. ${value === null ? 'Write one, or leave the field out' : 'Put it in quotes'}.`);
    }
  }
}

const LOST_INDENTATION = 'the indentation is missing: fields of metadata are next to it. Indent the fields of metadata and spec.';

export function readManifestText(text: string, name: string): ManifestText {
  const { documents, problems, count } = parseYaml(text);
  const placeOf = (index: number) => (count > 1 ? `${name}, document ${index + 1}` : name);
  const objects: LocatedObject[] = [];
  const unreadable: (UnreadableDocument & { readonly index: number })[] = problems.map(({ index, line, column, message, isFlat }) => ({
    index, line, column, where: placeOf(index), message: isFlat ? LOST_INDENTATION : `line ${line} is not valid YAML: ${message}`,
  }));
  for (const { index, value, source, isFlat } of documents) {
    if (value === null || value === undefined) {
      continue;
    }
    if (isFlat) {
      const { line, col } = source.lines.linePos(source.document.contents?.range[0] ?? 0);
      unreadable.push({ index, line, column: col, where: placeOf(index), message: LOST_INDENTATION });
      continue;
    }
    for (const { where, base, value: candidate } of flattened(value, placeOf(index), [])) {
      if (isRecord(candidate)) {
        objects.push({ object: candidate, where, file: name, source, base });
      } else {
        const { line, col } = source.lines.linePos(source.document.contents?.range[0] ?? 0);
        unreadable.push({ index, line, column: col, where, message: `this is ${Array.isArray(candidate) ? 'a list' : `the ${typeof candidate} ${JSON.stringify(candidate)}`}, `
          + 'not a Kubernetes object with apiVersion, kind and metadata.' });
      }
    }
  }
  return { objects, unreadable: unreadable.sort((one, other) => one.index - other.index) };
}

interface Candidate {
  readonly where: string;
  readonly base: readonly PathStep[];
  readonly value: unknown;
}

function flattened(value: unknown, where: string, base: readonly PathStep[]): Candidate[] {
  if (isRecord(value) && typeof value.kind === 'string' && value.kind.endsWith('List') && Array.isArray(value.items)) {
    return value.items.flatMap((item, index) => flattened(item, `${where}, items[${index}]`, [...base, 'items', index]));
  }
  return [{ where, base, value }];
}
