/**
 * The rule that a manifest contains no secret: variables, arguments, annotations and everything else that is text. It is asked by constructs at
 * synth, by `trainyard validate` of every object and by `trainyard migrate`; the operator does not ask it, because a job that is in the cluster has
 * shown its secret already, and refusing to run it would not take that back.
 */
import { mayHoldTokens, recogniseToken } from './recognise';
import { LAST_APPLIED_ANNOTATION, NOT_SECRET_ANNOTATION } from '../labels';
import { fieldPath } from '../shapes';
import type { Violation } from '../violations';
import { isRecord } from '../json-parts';

/** Copies of the whole object, which would be reported twice. */
const COPIES = [LAST_APPLIED_ANNOTATION, NOT_SECRET_ANNOTATION];

/** What a server adds, and what is not text although it is written as such. */
const LEFT_OUT = ['managedFields', 'binaryData', 'caBundle'];

/** Before the annotation of what is none. */
const DECLARATION = ' If it is not a secret, declare that in the annotation';

interface Fields { readonly [field: string]: unknown }

/**
 * Looks for secrets in an object or in a part of one.
 * @param root JSON: a manifest, or a spec
 * @param path where the root stands; an empty text for a whole manifest
 */
export function findTokens(root: unknown, path: string): Violation[] {
  const found: Violation[] = [];
  // Paths are built only where something is reported, which is rare.
  if (mayHoldTokens(JSON.stringify(root) ?? '')) {
    visit(root, path, undefined, new Set(), found);
  }
  return found;
}

/** The same in what has no annotations that could declare that something is not a secret. */
export function findUndeclaredTokens(root: unknown, path: string): Violation[] {
  return findTokens(root, path).map((violation) => ({ ...violation, message: violation.message.split(DECLARATION)[0] }));
}

/** @param name the name of the value: its variable, its key, its option */
function visit(value: unknown, path: string, name: string | undefined, declared: ReadonlySet<string>, found: Violation[]): void {
  if (typeof value === 'string') {
    check(value, path, name, declared, found);
  } else if (Array.isArray(value)) {
    visitList(value, path, name, declared, found);
  } else if (isRecord(value)) {
    visitFields(value, path, declared, found);
  }
}

function visitFields(fields: Fields, path: string, declared: ReadonlySet<string>, found: Violation[]): void {
  const names = withAnnotation(fields, declared);
  for (const field in fields) {
    if (!LEFT_OUT.includes(field) && !COPIES.includes(field)) {
      visit(fields[field], path === '' ? field : fieldPath(path, field), field, names, found);
    }
  }
}

function visitList(list: readonly unknown[], path: string, name: string | undefined, declared: ReadonlySet<string>, found: Violation[]): void {
  list.forEach((entry, index) => {
    if (isVariable(entry)) {
      check(entry.value, `${path}['${entry.name}']`, entry.name, declared, found);
    } else if (typeof entry === 'string') {
      const option = optionOf(list, index);
      const value = option?.value ?? entry;
      check(value, `${path}[${index}]`, option?.name ?? name, declared, found);
    } else {
      visit(entry, `${path}[${index}]`, name, declared, found);
    }
  });
}

function check(text: string, path: string, name: string | undefined, declared: ReadonlySet<string>, found: Violation[]): void {
  const token = recogniseToken(text, name);
  if (token === undefined || (name !== undefined && declared.has(name))) {
    return;
  }
  const declaration = name === undefined ? '' : `${DECLARATION} ${NOT_SECRET_ANNOTATION}: ${name}`;
  found.push({
    path,
    value: token.shown,
    message: `looks like ${token.title}, and anyone who can read the manifest can read it. Keep it in a Secret and refer to it with Credentials or a secretKeyRef; if it was `
      + `committed, rotate it.${declaration}`,
  });
}

/** `--token=VALUE`, or VALUE behind `--token`: the option says what its value is. */
function optionOf(list: readonly unknown[], index: number): { readonly name: string; readonly value: string } | undefined {
  const text = list[index] as string;
  const [, name, value] = /^(-{1,2}[A-Za-z][\w.-]*)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined) {
    return { name, value };
  }
  const before = list[index - 1];
  return typeof before === 'string' && /^-{1,2}[A-Za-z][\w.-]*$/.test(before) && !text.startsWith('-') ? { name: before, value: text } : undefined;
}

/** What the annotation of an object names, and that of a pod template, is known to be no secret in it. */
function withAnnotation({ metadata, template }: Fields, declared: ReadonlySet<string>): ReadonlySet<string> {
  const names = [metadata, isRecord(template) ? template.metadata : undefined].flatMap(namesIn);
  return names.length === 0 ? declared : new Set([...declared, ...names]);
}

function namesIn(metadata: unknown): string[] {
  const annotations = isRecord(metadata) ? metadata.annotations : undefined;
  const written = isRecord(annotations) ? annotations[NOT_SECRET_ANNOTATION] : undefined;
  return typeof written === 'string' ? written.split(/[\s,]+/).filter((name) => name !== '') : [];
}

function isVariable(value: unknown): value is { readonly name: string; readonly value: string } {
  return isRecord(value) && typeof value.name === 'string' && typeof value.value === 'string';
}
