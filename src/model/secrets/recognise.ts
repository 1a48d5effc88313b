/** Whether a text is or holds a secret, and what may be shown of it. */
import { SECRET_NAMES, TOKEN_KINDS } from './token-kinds';
import { anyOf, everywhere, quotedPattern } from '../text/expressions';

/** What all of {@link SECRET_NAMES} have in them: most names are none of them, and every name of every job is asked. */
const LIKE_A_SECRET = /key|token|secret|password|pwd|connection/i;

export interface RecognisedToken {
  /** Behind `looks like`. */
  readonly title: string;
  /** What may be shown: enough to find it again, and too little to use it. */
  readonly shown: string;
}

/** Shortest text that any form matches: `a://:abc@b`. */
const SHORTEST_TOKEN = 10;

/** Shortest value that is taken for a secret because of its name: a word such as `none` or `local` is none. */
const SHORTEST_NAMED_SECRET = 8;

/** All markers at once: most texts have none, and every text of every job is asked. */
const ANY_MARKER = anyOf(TOKEN_KINDS.map(({ marker }) => quotedPattern(marker)));

/** What to look for in a whole manifest, and the names of {@link SECRET_NAMES} as variables and as options of a command line. */
const AT_A_GLANCE = anyOf(TOKEN_KINDS.map(({ marker, glance }) => glance?.source ?? quotedPattern(marker)));
const ANY_NAME = anyOf(Object.keys(SECRET_NAMES).map((name) => name.replaceAll('_', '[-_]')), 'i');

/**
 * Whether a secret may be somewhere in a manifest, by a quick look: most hold nothing that looks like the beginning of one.
 * @param json names and values, as JSON
 */
export function mayHoldTokens(json: string): boolean {
  return AT_A_GLANCE.test(json) || (LIKE_A_SECRET.test(json) && ANY_NAME.test(json));
}

/**
 * Looks for a secret in a text.
 * @param name what the text is the value of: a variable, a key, an option of a command line such as `--hf-token`
 * @returns undefined when there is none
 */
export function recogniseToken(text: string, name?: string): RecognisedToken | undefined {
  if (text.length < SHORTEST_NAMED_SECRET) {
    return undefined;
  }
  if (text.length >= SHORTEST_TOKEN && ANY_MARKER.test(text)) {
    const kind = TOKEN_KINDS.find(({ marker, form }) => text.includes(marker) && form.test(text));
    if (kind !== undefined) {
      return { title: kind.title, shown: maskOf(text.match(kind.form)![0], kind.marker) };
    }
  }
  const reader = name === undefined || !LIKE_A_SECRET.test(name) ? undefined : SECRET_NAMES[variableNameOf(name)];
  return reader !== undefined && isLiteral(text) ? { title: `a secret of ${reader}, judging by its name`, shown: maskOf(text, '') } : undefined;
}

/** The text with every secret in it made unreadable. */
export function withoutTokens(text: string): string {
  if (text.length < SHORTEST_TOKEN || !ANY_MARKER.test(text)) {
    return text;
  }
  return TOKEN_KINDS.filter(({ marker }) => text.includes(marker)).reduce((masked, { marker, form }) => (
    masked.replace(everywhere(form), (token) => maskOf(token, marker))
  ), text);
}

/** A value as messages may show it. @param path of the field; its name can indicate a secret */
export function shownValue(path: string, value: unknown): unknown {
  const name = /(?:^|[.'])([^.'[\]]+)(?:'\])?$/.exec(path)?.[1];
  return shown(value, name);
}

function shown(value: unknown, name: string | undefined): unknown {
  if (typeof value === 'string') {
    return recogniseToken(value, name)?.shown ?? value;
  }
  if (Array.isArray(value)) {
    return value.map((entry) => shown(entry, name));
  }
  if (typeof value === 'object' && value !== null) {
    const variable = 'name' in value && typeof value.name === 'string' ? value.name : undefined;
    return Object.fromEntries(Object.entries(value).map(([field, entry]) => [field, shown(entry, field === 'value' ? variable ?? field : field)]));
  }
  return value;
}

/** `hf_... (37 characters)`. */
function maskOf(token: string, marker: string): string {
  const start = token.startsWith(marker) ? marker : '';
  return `${start}... (${token.length} characters)`;
}

/** `--hf-token` and `hf_token` are asked for as HF_TOKEN. */
function variableNameOf(name: string): string {
  return name.replace(/^-+/, '').replaceAll('-', '_').toUpperCase();
}

/** Whether a text is the secret itself, and not a reference, a place-holder, a path or a sentence. */
function isLiteral(text: string): boolean {
  return !/\$[({A-Za-z]|\{\{|^<.*>$|^[./~]|\s|^(?:x+|\*+|changeme|placeholder)$/i.test(text);
}
