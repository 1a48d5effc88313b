/**
 * Makes what looks like a secret unreadable before it is written: by its form, as `trainyard validate` does, and by the name that it is the value
 * of.
 */
import { isRecord } from '../../../model/json-parts';
import { recogniseToken, withoutTokens } from '../../../model/secrets/recognise';

/** What is kept in place of a value. */
export const REDACTED = '[redacted]';

/** Ends of names whose values are secrets: `DB_PASSWORD`, `--api-key`. Not `max_tokens`. */
const SECRET_NAME = /(?:token|passw(?:or)?d|pwd|passphrase|secret|credentials?|(?:api|access|private|secret|account)[-_]?key)$/i;

/** Names of fields in Kubernetes' objects are in camel case and refer to Secrets: `tokenSecret`. */
const FIELD_OF_OBJECT = /^[a-z]+(?:[A-Z][a-z]+)+$/;

/** Copies of the object, and what controllers write for themselves. */
const LEFT_OUT = ['managedFields', 'kubectl.kubernetes.io/last-applied-configuration'];

/** Longest name that is looked at. */
const MAX_NAME = 256;

/** A value without secrets, and where there were some. */
export interface Redacted<T> {
  readonly value: T;
  readonly paths: readonly string[];
}

/** Copies a value of JSON. */
export function redact<T>(value: T): Redacted<T> {
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

/** A text, such as a line of a log or of a shell, without the secrets in it. */
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

/** Of a name in a longer word, such as `{"PASSWORD"`. */
function nameOf(word: string): string {
  return word.slice(-MAX_NAME).replaceAll('"', '').replaceAll("'", '');
}

function isSecret(name: string | undefined, value: string): boolean {
  if (name === undefined || value === '' || value.startsWith('$') || value.startsWith('<') || value.startsWith('/')) {
    return false;
  }
  return (SECRET_NAME.test(name) && !FIELD_OF_OBJECT.test(name)) || recogniseToken(value, name) !== undefined;
}
