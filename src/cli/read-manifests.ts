/** Kubernetes objects from YAML or JSON text: several documents, lists taken apart, each with the place where it stands. */
import { LineCounter, parseAllDocuments } from 'yaml';
import { CliError } from './cli-error';

/** An object and where it was found. */
export interface LocatedObject {
  readonly object: ManifestObject;
  /** File and document, for messages: `jobs.yaml, document 2`. */
  readonly where: string;
}

/** What every manifest has; the rest is not looked at here. */
export interface ManifestObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/**
 * Reads all objects of a text.
 * @param name how messages call it: the file's name
 * @throws CliError for text that is no YAML, with the line, and for documents that are no objects
 */
export function readManifests(text: string, name: string): LocatedObject[] {
  const lines = new LineCounter();
  // Anchors are used in manifests to say things once; a file of a user's own needs no guard against their explosion.
  const documents = parseAllDocuments(text, { lineCounter: lines, maxAliasCount: -1 } as Parameters<typeof parseAllDocuments>[1]);
  const found: LocatedObject[] = [];
  if (!Array.isArray(documents)) {
    return found;
  }
  documents.forEach((document, index) => {
    const where = documents.length > 1 ? `${name}, document ${index + 1}` : name;
    const [error] = document.errors;
    if (error) {
      const line = lines.linePos(error.pos[0]).line;
      throw new CliError(`Reading ${where}: line ${line} is no YAML: ${error.message.split('\n')[0]}`);
    }
    const value = document.toJS({ maxAliasCount: -1 }) as unknown;
    if (value !== null && value !== undefined) {
      found.push(...flattened(value, where));
    }
  });
  return found;
}

function flattened(value: unknown, where: string): LocatedObject[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CliError(`Reading ${where}: this is ${Array.isArray(value) ? 'a list' : `the ${typeof value} ${JSON.stringify(value)}`}, `
      + 'and no Kubernetes object with apiVersion, kind and metadata.');
  }
  const object = value as ManifestObject;
  if (object.kind?.endsWith('List') && Array.isArray(object.items)) {
    return object.items.flatMap((item, index) => flattened(item, `${where}, items[${index}]`));
  }
  return [{ object, where }];
}
