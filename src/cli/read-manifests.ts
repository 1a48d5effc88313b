/** Kubernetes objects from YAML or JSON text: several documents, lists taken apart, each with the place where it stands. */
import { CliError } from './cli-error';
import type { PathStep } from './manifests/field-position';
import { parseYaml, type Position, type YamlSource } from './manifests/yaml-documents';
import { quoteValue } from '../model/violations';

/** An object and where it was found. */
export interface LocatedObject {
  readonly object: ManifestObject;
  /** File and document, for messages: `jobs.yaml, document 2`. */
  readonly where: string;
  /** File, as messages call it. */
  readonly file: string;
  /** The text that the object stands in. */
  readonly source: YamlSource;
  /** Steps from the document to the object: none, unless it is an item of a list. */
  readonly base: readonly PathStep[];
}

/** What every manifest has; the rest is not looked at here. */
export interface ManifestObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** A document that holds no objects. */
export interface UnreadableDocument extends Position {
  readonly where: string;
  readonly message: string;
}

/** All that a text holds. */
export interface ManifestText {
  readonly objects: readonly LocatedObject[];
  readonly unreadable: readonly UnreadableDocument[];
}

/**
 * Reads all objects of a text.
 * @param name how messages call it: the file's name
 * @throws CliError for text that is no YAML, with the line, and for documents that are no objects
 */
export function readManifests(text: string, name: string): LocatedObject[] {
  const { objects, unreadable: [first] } = readManifestText(text, name);
  if (first !== undefined) {
    throw new CliError(`Reading ${first.where}: ${first.message}`);
  }
  return [...objects];
}

/**
 * Reads all objects of a text for commands that tell objects apart by their kinds and names.
 * @throws CliError as {@link readManifests} does, and for an object whose kind or name is no text
 */
export function readNamedManifests(text: string, name: string): LocatedObject[] {
  const objects = readManifests(text, name);
  objects.forEach(requireNames);
  return objects;
}

/** @throws CliError for an object whose kind or name is no text, as somebody may have written by mistake */
export function requireNames({ object, where }: LocatedObject): void {
  const { apiVersion, kind, metadata } = object as { readonly [field: string]: unknown };
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    throw new CliError(`${where}: metadata: ${quoteValue(metadata)}: must be an object with a name.`);
  }
  for (const [path, value] of Object.entries({ apiVersion, kind, 'metadata.name': metadata?.name as unknown, 'metadata.namespace': metadata?.namespace as unknown })) {
    // An empty namespace is none: templates write it so.
    if (value !== undefined && typeof value !== 'string' && !(value === null && path === 'metadata.namespace')) {
      throw new CliError(`${where}: ${path}: ${quoteValue(value)}: must be text. ${value === null ? 'Write one, or leave the field out' : 'Put it in quotes'}.`);
    }
  }
}

/** Reads what can be read of a text. */
export function readManifestText(text: string, name: string): ManifestText {
  const { documents, problems, count } = parseYaml(text);
  const placeOf = (index: number) => (count > 1 ? `${name}, document ${index + 1}` : name);
  const objects: LocatedObject[] = [];
  const unreadable: (UnreadableDocument & { readonly index: number })[] = problems.map(({ index, line, column, message }) => ({
    index, line, column, where: placeOf(index), message: `line ${line} is no YAML: ${message}`,
  }));
  for (const { index, value, source } of documents) {
    if (value === null || value === undefined) {
      continue;
    }
    for (const { where, base, value: candidate } of flattened(value, placeOf(index), [])) {
      if (isObject(candidate)) {
        objects.push({ object: candidate, where, file: name, source, base });
      } else {
        const { line, col } = source.lines.linePos(source.document.contents?.range[0] ?? 0);
        unreadable.push({ index, line, column: col, where, message: `this is ${Array.isArray(candidate) ? 'a list' : `the ${typeof candidate} ${JSON.stringify(candidate)}`}, `
          + 'and no Kubernetes object with apiVersion, kind and metadata.' });
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
  if (isObject(value) && value.kind?.endsWith?.('List') && Array.isArray(value.items)) {
    return value.items.flatMap((item, index) => flattened(item, `${where}, items[${index}]`, [...base, 'items', index]));
  }
  return [{ where, base, value }];
}

function isObject(value: unknown): value is ManifestObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
