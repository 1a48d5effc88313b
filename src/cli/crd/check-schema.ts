/** Checks types, ranges, enums, patterns and lists of an object that has its defaults. */
import { RE2JS } from '@bufbuild/re2';
import net from 'node:net';
import { below, fieldSchema, type SchemaFinding, type StructuralSchema } from './structural-schema';
import { isRecord, type JsonRecord } from '../../model/json-parts';
import { addTo, entryFor, entryOf } from '../../model/lists';
import { didYouMean, quoteValue } from '../../model/violations';
import { count } from '../text';

/** Checks a value and everything below it. */
export function checkSchema(schema: StructuralSchema, value: unknown, path: string): SchemaFinding[] {
  const found: SchemaFinding[] = [];
  const add: Add = (message, blocking = false, at = { path, value }) => found.push({ rule: 'schema', ...at, message, blocking });
  if (value === null) {
    if (schema.nullable !== true && (schema.type !== undefined || schema['x-kubernetes-int-or-string'])) {
      add(`must be ${typeName(schema)}. It is empty (null): remove the field or give it a value.`, true);
    }
    return found;
  }
  if (!hasType(schema, value)) {
    add(`must be ${typeName(schema)}.${typeHint(schema, value)}`, true);
    return found;
  }
  if (schema.enum !== undefined && !schema.enum.some((word) => JSON.stringify(word) === JSON.stringify(value))) {
    add(`must be one of ${schema.enum.map(String).join(', ')}.${typeof value === 'string' ? didYouMean(value, schema.enum.map(String)) : ''}`);
  }
  if (typeof value === 'string') {
    checkText(schema, value, add);
  } else if (typeof value === 'number') {
    checkNumber(schema, value, add);
  } else if (Array.isArray(value)) {
    checkList(schema, value, path, add);
    value.forEach((entry, index) => schema.items && addTo(found, checkSchema(schema.items, entry, `${path}[${index}]`)));
  } else if (isRecord(value)) {
    checkObject(schema, value, path, add);
    for (const [name, entry] of Object.entries(value)) {
      const field = fieldSchema(schema, name);
      addTo(found, field === undefined ? [] : checkSchema(field, entry, below(path, name)));
    }
  }
  checkCombinations(schema, value, path, found);
  return found;
}

/** Adds a finding, about the value itself or another field. */
type Add = (message: string, blocking?: boolean, at?: { readonly path: string; readonly value: unknown }) => void;

const TYPE_NAMES: { readonly [type: string]: string } = {
  object: 'an object', array: 'a list', string: 'a string', integer: 'a whole number', number: 'a number', boolean: 'true or false',
};

function typeName(schema: StructuralSchema): string {
  return schema['x-kubernetes-int-or-string'] ? 'a whole number or a string' : TYPE_NAMES[schema.type ?? ''] ?? 'given';
}

function hasType(schema: StructuralSchema, value: unknown): boolean {
  if (schema['x-kubernetes-int-or-string']) {
    return typeof value === 'string' || Number.isInteger(value);
  }
  switch (schema.type) {
    case undefined: return true;
    case 'array': return Array.isArray(value);
    case 'object': return isRecord(value);
    case 'integer': return Number.isInteger(value);
    default: return typeof value === schema.type;
  }
}

function typeHint(schema: StructuralSchema, value: unknown): string {
  if (schema.type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) {
    return ` Put it in quotes: "${value}".`;
  }
  if ((schema.type === 'integer' || schema.type === 'number') && typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value))) {
    return ` Write it without quotes: ${value}.`;
  }
  if (schema.type === 'boolean' && (value === 'true' || value === 'false')) {
    return ` Write it without quotes: ${value}.`;
  }
  if (schema.type === 'array' && !Array.isArray(value)) {
    return ' Begin each entry with \'- \'.';
  }
  return ` It is ${Array.isArray(value) ? 'a list' : TYPE_NAMES[typeof value] ?? typeof value}.`;
}

function checkText(schema: StructuralSchema, value: string, add: Add): void {
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    add(`must have at most ${schema.maxLength} characters, and has ${length}. Shorten it.`, true);
  }
  if (schema.minLength !== undefined && length < schema.minLength) {
    add(length === 0 ? 'must not be empty. Remove the field or give it a value.' : `must have at least ${schema.minLength} characters, and has ${length}.`);
  }
  if (schema.pattern !== undefined && isFound(schema.pattern, value) === false) {
    add(`must match ${schema.pattern}.`);
  }
  const format = schema.format === undefined ? undefined : formatObjection(schema.format, value);
  if (format !== undefined) {
    add(`must be ${format}.`);
  }
}

const INTEGER_RANGES: { readonly [format: string]: number } = { int32: 2 ** 31 };

function checkNumber(schema: StructuralSchema, value: number, add: Add): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    add(`must be ${exclusiveMinimum ? `more than ${minimum}` : `${minimum} or more`}.`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    add(`must be ${exclusiveMaximum ? `less than ${maximum}` : `${maximum} or less`}.`);
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
    add(`must be a multiple of ${multipleOf}.`);
  }
  const range = INTEGER_RANGES[schema.format ?? ''];
  if (range !== undefined && schema.type === 'integer' && (value >= range || value < -range)) {
    add(`must be from -${range} to ${range - 1}.`);
  }
}

function checkList(schema: StructuralSchema, value: readonly unknown[], path: string, add: Add): void {
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    add(`must have at most ${schema.maxItems} entries, and has ${value.length}. Remove some.`, true);
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    add(`must have at least ${count(schema.minItems, 'entry', 'entries')}.`);
  }
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const identity = {
    set: (entry: unknown) => JSON.stringify(entry),
    map: (entry: unknown) => JSON.stringify(keys.map((key) => (isRecord(entry) ? entry[key] ?? null : null))),
    atomic: undefined,
  }[schema['x-kubernetes-list-type'] ?? 'atomic'];
  const seen = new Map<string, number>();
  for (const [index, entry] of identity === undefined ? [] : value.entries()) {
    const id = identity!(entry);
    const earlier = seen.get(id);
    if (earlier !== undefined) {
      const shown = schema['x-kubernetes-list-type'] === 'set' ? 'is the same' : `has the same ${keys.join(' and ')}`;
      add(`is listed twice: ${path}[${earlier}] ${shown}. Remove one of the two.`, false, { path: `${path}[${index}]`, value: entry });
    }
    seen.set(id, earlier ?? index);
  }
}

function checkObject(schema: StructuralSchema, value: JsonRecord, path: string, add: Add): void {
  const { length } = Object.keys(value);
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) {
      const about = schema.properties?.[name]?.description;
      add(`is required${about === undefined ? '' : `: ${about.split('\n')[0].replace(/\.$/, '')}`}. Add it.`, true, { path: below(path, name), value: undefined });
    }
  }
  if (schema.maxProperties !== undefined && length > schema.maxProperties) {
    add(`must have at most ${schema.maxProperties} fields, and has ${length}. Remove some.`, true);
  }
  if (schema.minProperties !== undefined && length < schema.minProperties) {
    add(`must have at least ${count(schema.minProperties, 'field')}.`);
  }
}

function checkCombinations(schema: StructuralSchema, value: unknown, path: string, found: SchemaFinding[]): void {
  const passes = (part: StructuralSchema) => checkSchema(part, value, path).length === 0;
  const add = (message: string) => found.push({ rule: 'schema', path, value, message });
  for (const part of schema.allOf ?? []) {
    addTo(found, checkSchema(part, value, path));
  }
  if (schema.anyOf !== undefined && !schema['x-kubernetes-int-or-string'] && !schema.anyOf.some(passes)) {
    add(`must match one of these: ${alternatives(schema.anyOf, value, path)}.`);
  }
  const fitting = schema.oneOf?.filter(passes).length;
  if (fitting === 0) {
    add(`must match one of these: ${alternatives(schema.oneOf!, value, path)}.`);
  } else if (fitting !== undefined && fitting > 1) {
    add(`must match only one of these: ${schema.oneOf!.map(shortForm).join('; ')}. Remove the others.`);
  }
  if (schema.not !== undefined && passes(schema.not)) {
    add(`must not match this: ${shortForm(schema.not)}. Remove it.`);
  }
}

/** The first finding of each alternative. */
function alternatives(parts: readonly StructuralSchema[], value: unknown, path: string): string {
  return [...new Set(parts.map((part) => {
    const [first] = checkSchema(part, value, path);
    return first.path === path ? first.message.replace(/\.$/, '') : `${first.path} ${first.message.replace(/\.$/, '')}`;
  }))].join('; or ');
}

function shortForm(part: StructuralSchema): string {
  return part.required !== undefined ? `with ${part.required.join(' and ')}` : quoteValue(part);
}

const COMPILED = new Map<string, RE2JS | undefined>();

/** Whether a text matches a pattern of RE2, as in the API server; undefined for an invalid pattern. */
function isFound(pattern: string, text: string): boolean | undefined {
  return entryFor(COMPILED, pattern, () => compile(pattern))?.test(text);
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}([.,]\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const GO_DURATION = /^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/;
const WORD_DURATION = /^\s*\d+(\.\d+)?\s*(ns|nano|us|µs|µ|μ|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|wk|week)s?\s*$/i;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MAC = /^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$/;

interface Format {
  readonly test: (text: string) => boolean;
  /** The rest of "must be ...". */
  readonly rule: string;
}

const FORMATS: { readonly [format: string]: Format } = {
  'date': { test: (text) => DATE.test(text), rule: 'a date such as 2026-01-31' },
  'date-time': { test: (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)), rule: 'a time such as 2026-01-31T08:00:00Z' },
  'duration': { test: (text) => GO_DURATION.test(text) || WORD_DURATION.test(text), rule: 'a duration such as 90s, 5m or 1h30m' },
  'uuid': { test: (text) => UUID.test(text), rule: 'a UUID' },
  // Lines may be wrapped, as `base64` does.
  'byte': { test: (text) => BASE64.test(text.replace(/[\r\n]/g, '')), rule: 'base64' },
  'ipv4': { test: (text) => net.isIPv4(text), rule: 'an address such as 10.0.0.1' },
  'ipv6': { test: (text) => net.isIPv6(text), rule: 'an address such as fd00::1' },
  'cidr': { test: isCidr, rule: 'a range of addresses such as 10.8.0.0/16' },
  'mac': { test: (text) => MAC.test(text), rule: 'a hardware address such as 01:23:45:67:89:ab' },
  'email': { test: (text) => /^[^@\s]+@[^@\s]+$/.test(text), rule: 'an e-mail address' },
  'uri': { test: isUri, rule: 'a URI such as https://example.com/path' },
};

/**
 * The rule of a format that a text breaks, as the rest of "must be ..."; undefined if it is valid. The API server ignores other formats. A duration
 * has the syntax of Go's `time.ParseDuration`.
 * @see https://github.com/kubernetes/kube-openapi/tree/master/pkg/validation/strfmt
 */
function formatObjection(format: string, text: string): string | undefined {
  const known = entryOf(FORMATS, format);
  return known?.test(text) ? undefined : known?.rule;
}

function isCidr(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/');
  return rest.length === 0 && /^\d{1,3}$/.test(prefix ?? '') && net.isIP(address) > 0 && Number(prefix) <= (net.isIPv4(address) ? 32 : 128);
}

function isUri(text: string): boolean {
  // As Go's url.ParseRequestURI: absolute, or a path from the root.
  return text.startsWith('/') || /^[a-zA-Z][a-zA-Z0-9+.-]*:./.test(text);
}
