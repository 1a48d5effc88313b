/** Removes values that look like secrets, by their form, like `trainyard validate`, and by the name of their field or variable. */
import { isRecord } from '../../../model/json-parts';
import { LAST_APPLIED_ANNOTATION } from '../../../model/labels';
import { recogniseToken, withoutTokens } from '../../../model/secrets/recognise';

/** Replaces a removed value. */
export const REDACTED = '[redacted]';

/** Names of secrets end like this: `DB_PASSWORD`, `--api-key`. Not `max_tokens`. */
const SECRET_NAME = /(?:token|passw(?:or)?d|pwd|passphrase|secret|credentials?|(?:api|access|private|secret|account)[-_]?key)$/i;

/** Fields of Kubernetes objects are in camel case and refer to Secrets: `tokenSecret`. */
const FIELD_OF_OBJECT = /^[a-z]+(?:[A-Z][a-z]+)+$/;

/** Fields with copies of the object, and bookkeeping of the API server. */
const LEFT_OUT = ['managedFields', LAST_APPLIED_ANNOTATION];

/** Longest name that is checked. */
const MAX_NAME = 256;

/** Copies a JSON value without secrets. `paths` are the fields of the removed ones. */
export function redact<T>(value: T): { readonly value: T; readonly paths: readonly string[] } {
  const paths: string[] = [];
  return { value: copy(value, '', undefined, paths) as T, paths };
}

function copy(value: unknown, path: string, name: string | undefined, paths: string[]): unknown {
  if (typeof value === 'string') {
    const kept = isSecret(name, value) ? REDACTED : redactText(value);
    if (kept !== value) {
      paths.push(path);
    }
    return kept;
  }
  if (Array.isArray(value)) {
    // `--token VALUE` is two entries of a list.
    return value.map((entry, index) => copy(entry, `${path}[${index}]`, optionIn(value[index - 1]), paths));
  }
  if (!isRecord(value)) {
    return value;
  }
  const variable = typeof value.name === 'string' ? value.name : undefined;
  return Object.fromEntries(Object.entries(value).filter(([field]) => !LEFT_OUT.includes(field))
    .map(([field, entry]) => [field, copy(entry, path === '' ? field : `${path}.${field}`, field === 'value' ? variable ?? field : field, paths)]));
}

/** A text without secrets, such as a line of a log or of a shell script. */
function redactText(text: string): string {
  const words = withoutTokens(text).split(' ');
  return words.map((word, index) => {
    const equals = word.indexOf('=');
    if (equals > 0 && isSecret(nameOf(word.slice(0, equals)), word.slice(equals + 1))) {
      return `${word.slice(0, equals)}=${REDACTED}`;
    }
    const before = words[index - 1] ?? '';
    const name = before.endsWith(':') ? before.slice(0, -1) : optionIn(before);
    return name !== undefined && isSecret(nameOf(name), word) ? REDACTED : word;
  }).join(' ');
}

function optionIn(word: unknown): string | undefined {
  return typeof word === 'string' && word.startsWith('--') && !word.includes('=') && word.length < MAX_NAME ? word : undefined;
}

/** The end of a name without quotes, such as of `{"PASSWORD"`. */
function nameOf(word: string): string {
  return word.slice(-MAX_NAME).replaceAll('"', '').replaceAll("'", '');
}

function isSecret(name: string | undefined, value: string): boolean {
  if (name === undefined || value === '' || value.startsWith('$') || value.startsWith('<') || value.startsWith('/')) {
    return false;
  }
  return (SECRET_NAME.test(name) && !FIELD_OF_OBJECT.test(name)) || recogniseToken(value, name) !== undefined;
}
