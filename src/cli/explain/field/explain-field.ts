/** The output of `trainyard explain FIELD`. */
import { fieldsBelow, nameOf, type FieldNode } from './field-tree';
import type { Paint } from '../../../local/output/colours';
import type { Support } from '../../../manifests/engines/capabilities';
import { engines } from '../../../manifests/engines/registry';
import { FIELD_PATHS, type FieldPath } from '../../../model/training-job/fields/field-paths';
import { TEXT_MAX_LENGTH, type JsonSchema, type ValidationRule } from '../../../model/training-job/schema/json-schema';

/** Maximum length of a line. */
const WIDTH = 110;

export function fieldLines(node: FieldNode, paint: Paint): string[] {
  const { schema } = node;
  const below = fieldsBelow(node);
  return [
    paint(node.path, 'cyan'),
    ...wrapped(schema.description ?? '', '  '),
    '',
    ...facts(node).map(([name, value]) => `${paint(name.padEnd(10), 'grey')}${value}`),
    ...section('Rules', rulesOf(node).flatMap((rule) => wrapped(rule, '    ', '  - ')), paint),
    ...section('Engines', supportLines(engineSupport(node.path), paint), paint),
    ...section('Fields', fieldTable(below, paint), paint),
  ];
}

/** Lines for several fields with the same name. */
export function severalLines(written: string, nodes: readonly FieldNode[], paint: Paint): string[] {
  return [`There are ${nodes.length} fields '${written}':`, ...nodes.map(({ path, schema }) => `  ${paint(path, 'cyan')}  ${firstSentence(schema.description ?? '')}`)];
}

function facts({ path, schema, required }: FieldNode): (readonly [string, string])[] {
  const isSpec = path.startsWith('spec');
  return [
    ['Type', typeOf(schema)],
    ...(isSpec ? [['Default', schema.default === undefined ? (required ? 'none: it is required' : 'none') : JSON.stringify(schema.default)] as const] : []),
    ...(path.startsWith('status') ? [['Set by', 'the operator'] as const] : []),
  ];
}

/** The type and its bounds. */
function typeOf(schema: JsonSchema): string {
  if (schema['x-kubernetes-int-or-string']) {
    return 'whole number or text';
  }
  if (schema.enum !== undefined) {
    return `one of ${schema.enum.join(', ')}`;
  }
  switch (schema.type) {
    case 'integer':
    case 'number': return `${schema.type === 'integer' ? 'whole number' : 'number'}${rangeOf(schema)}`;
    case 'string': return `text${[schema.format === 'date-time' ? ', a time' : '', lengthOf(schema)].join('')}`;
    case 'boolean': return 'true or false';
    case 'array': return `list of ${plural(schema.items)}${schema.maxItems === undefined ? '' : `, at most ${schema.maxItems}`}`;
    default: return schema.additionalProperties !== undefined ? `names and values, each ${typeOf(schema.additionalProperties)}` : 'object';
  }
}

function plural(schema: JsonSchema | undefined): string {
  const type = schema === undefined ? 'values' : typeOf(schema);
  return { object: 'objects', text: 'texts' }[type] ?? type.replace(/^text\b/, 'texts').replace(/^whole number\b/, 'whole numbers');
}

function rangeOf({ minimum, maximum }: JsonSchema): string {
  const isOpen = maximum === undefined || maximum >= 2 ** 31 - 1;
  return minimum === undefined ? '' : isOpen ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`;
}

function lengthOf({ maxLength, minLength }: JsonSchema): string {
  const most = maxLength === undefined || maxLength === TEXT_MAX_LENGTH ? '' : `, at most ${maxLength} characters`;
  return `${minLength === undefined ? '' : ', not empty'}${most}`;
}

/** Rules of the field, and rules of outer objects about the field. */
function rulesOf({ path, schema, parent }: FieldNode): string[] {
  const own = (schema['x-kubernetes-validations'] ?? []).filter(({ fieldPath }) => fieldPath === undefined);
  const outer = ancestors(parent).flatMap((node) => (node.schema['x-kubernetes-validations'] ?? []).filter(({ fieldPath }) => (
    fieldPath !== undefined && `${node.path}${fieldPath}` === path)));
  const inner = (schema['x-kubernetes-validations'] ?? []).filter(({ fieldPath }) => fieldPath !== undefined)
    .map((rule) => ({ ...rule, message: `${rule.fieldPath!.slice(1)} ${rule.message}` }));
  const pattern = schema.pattern === undefined ? [] : [`must match ${schema.pattern}`];
  return [...new Set([...pattern, ...[...own, ...outer, ...inner].map(sentence)])];
}

function ancestors(node: FieldNode | undefined): FieldNode[] {
  return node === undefined ? [] : [node, ...ancestors(node.parent)];
}

function sentence({ message }: Pick<ValidationRule, 'message'>): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function supportLines(support: readonly EngineSupport[], paint: Paint): string[] {
  const colours = { yes: 'green', no: 'red', partly: 'yellow' } as const;
  const width = Math.max(...support.map(({ engine }) => engine.length));
  return support.flatMap(({ engine, answer, why }) => {
    const head = `  ${engine.padEnd(width)}  `;
    return wrapped(`${answer}${why === undefined ? '' : `: ${why}`}`, ' '.repeat(head.length), head).map((line, index) => (
      index === 0 ? line.replace(answer, paint(answer, colours[answer])) : line));
  });
}

function fieldTable(nodes: readonly FieldNode[], paint: Paint): string[] {
  const width = Math.max(...nodes.map(({ path }) => nameOf(path).length));
  return nodes.flatMap(({ path, schema, required }) => {
    const name = nameOf(path);
    const head = `  ${name.padEnd(width)}  `;
    const text = `${firstSentence(schema.description ?? '')}${required ? ' (required)' : ''}`;
    return wrapped(text, ' '.repeat(head.length), head).map((line, index) => (index === 0 ? line.replace(name, paint(name, 'cyan')) : line));
  });
}

function firstSentence(text: string): string {
  return /^.*?\.(?= [A-Z]|$)/s.exec(text)?.[0] ?? text;
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ['', paint(title, 'grey'), ...lines];
}

/** Wraps a text. The first line starts with `first`, the others with `indent`. */
function wrapped(text: string, indent: string, first = indent): string[] {
  const lines: string[] = [];
  let line = first;
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line.length + word.length > WIDTH && line.trim() !== '' && line !== indent && line !== first) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, ...(line.trim() === '' ? [] : [line.trimEnd()])];
}

/** Whether an engine supports a field. */
interface EngineSupport {
  readonly engine: string;
  readonly answer: 'yes' | 'no' | 'partly';
  /** The reason, or the limits. */
  readonly why?: string;
}

/** Support of a field of the spec by each engine; empty for other fields. */
export function engineSupport(path: string): EngineSupport[] {
  if (path !== 'spec' && !path.startsWith('spec.')) {
    return [];
  }
  const wanted = path.replace(/^spec\.?/, '').replaceAll('.<name>', '');
  // The field itself, the block that contains it, or all fields of the block.
  const asked = FIELD_PATHS.filter((field) => isWithin(wanted, field) || isWithin(field, wanted));
  return asked.length === 0 ? [] : engines().map(({ name, capabilities }) => ({ engine: name, ...answer(capabilities.fields, asked, wanted) }));
}

/** Whether a field is `outer` or below it. */
function isWithin(field: string, outer: string): boolean {
  return outer === '' || field === outer || field.startsWith(`${outer}.`) || field.startsWith(`${outer}[]`);
}

type Answers = { readonly [field in FieldPath]: Support };

function answer(fields: Answers, asked: readonly FieldPath[], wanted: string): Pick<EngineSupport, 'answer' | 'why'> {
  const lacking = asked.filter((field) => fields[field] !== true && 'no' in fields[field]);
  const limited = asked.filter((field) => fields[field] !== true && 'partly' in fields[field]);
  if (lacking.length === 0 && limited.length === 0) {
    return { answer: 'yes' };
  }
  if (lacking.length === asked.length) {
    return { answer: 'no', why: [...new Set(lacking.map((field) => (fields[field] as { readonly no: string }).no))].join('; ') };
  }
  if (asked.length === 1) {
    return { answer: 'partly', why: (fields[asked[0]] as { readonly partly: string }).partly };
  }
  return {
    answer: 'partly',
    why: [
      ...(lacking.length > 0 ? [`without ${shortNames(lacking, asked, wanted).join(', ')}`] : []),
      ...(limited.length > 0 ? [`within limits ${shortNames(limited, asked, wanted).join(', ')}`] : []),
    ].join('; '),
  };
}

/** Names below the block. A block replaces its fields if it has all of them. */
function shortNames(fields: readonly FieldPath[], asked: readonly FieldPath[], block: string): string[] {
  return [...new Set(fields.map((field) => {
    const relative = block === '' ? field : field.slice(block.length).replace(/^(\[\])?\./, '');
    const outer = field.slice(0, field.length - relative.length) + relative.split('.')[0];
    return asked.filter((other) => isWithin(other, outer)).every((other) => fields.includes(other)) ? relative.split('.')[0] : relative;
  }))];
}
