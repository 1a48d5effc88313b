/**
 * Writes `src/constructs/training-job/generated`: interfaces and enumerations of the construct's properties, from the tables of the job's fields
 * (`src/model/training-job`). Part of `npm run props`.
 */
import path from 'node:path';
import { ROOT } from './public-api';
import { ARRAY } from '../src/model/training-job/array';
import { AUTO_TUNING, BUDGET, IDLE, PARAMETER, PREFLIGHT } from '../src/model/training-job/fields/features';
import { HOOK, HOOKS } from '../src/model/training-job/hooks';
import { RUN_POLICY } from '../src/model/training-job/run-policy';
import { SCHEDULING } from '../src/model/training-job/scheduling';
import { MAX_INTEGER, propertyOf, type Field, type Words } from '../src/model/training-job/schema/field';
import { SECURITY } from '../src/model/training-job/security';

/** Where the files are. */
export const PROPERTIES = path.join(ROOT, 'src', 'constructs', 'training-job', 'generated');

/** Files, and the blocks that each of them has, with all that is in them. */
const FILES: { readonly [file: string]: readonly Field[] } = {
  'auto-tuning.ts': [AUTO_TUNING, BUDGET, PARAMETER],
  'health.ts': [PREFLIGHT, IDLE],
  'hooks.ts': [HOOK, HOOKS],
  'job-array.ts': [ARRAY],
  'run-policy.ts': [RUN_POLICY],
  'scheduling.ts': [SCHEDULING],
  'security.ts': [SECURITY],
};

/** Types that are written by hand, and where. */
const WRITTEN: { readonly [type: string]: string } = {
  Duration: 'cdk8s', EnvValue: 'cdk8s-plus-28', Gang: '../gang', Toleration: '../pods/toleration', TrainingResources: '../pods/resources', TuningAlgorithm: '../search-space', TuningParameter: '../search-space',
};

const HEADER = '// Generated from the tables of src/model/training-job: run `npm run props` after a change there.\n';

/** Texts of the files, by their names. */
export function jobProperties(): { readonly [file: string]: string } {
  return Object.fromEntries(Object.entries(FILES).map(([file, blocks]) => [file, fileOf(blocks)]));
}

function fileOf(blocks: readonly Field[]): string {
  const declarations = new Map<string, string>();
  blocks.forEach((block) => declare(block, declarations));
  const text = [...declarations.values()].join('\n\n');
  const modules = new Map<string, string[]>();
  for (const [type, module] of Object.entries(WRITTEN)) {
    if (new RegExp(`\\b${type}\\b[^'\`.]*;$`, 'm').test(text)) {
      modules.set(module, [...modules.get(module) ?? [], type]);
    }
  }
  const imports = [...modules].map(([module, types]) => `import type { ${types.join(', ')} } from '${module}';\n`).join('');
  return `${HEADER}${imports}\n${text}\n`;
}

/** Declares what a block needs before the block. */
function declare(block: Field, declarations: Map<string, string>): void {
  const { notes: { struct }, sentence, fields = {} } = block;
  for (const [name, field] of Object.entries(fields)) {
    if (propertyOf(name, field) !== undefined && field.notes.type === undefined) {
      if (field.words !== undefined) {
        declarations.set(field.words.name, enumeration(field.words));
      }
      declare(field, declarations);
    }
  }
  if (struct !== undefined && !declarations.has(struct)) {
    const properties = Object.entries(fields).flatMap(([name, field]) => {
      const property = propertyOf(name, field);
      return property === undefined ? [] : [propertyText(property, field, struct)];
    });
    declarations.set(struct, `${comment([sentence], '')}\nexport interface ${struct} {\n${membersText(properties)}\n}`);
  }
}

function propertyText(property: string, field: Field, struct: string): string {
  const { isRequired, sentence, notes: { otherwise } } = field;
  const preset = defaultOf(field);
  if (!isRequired && preset === undefined && otherwise === undefined) {
    throw new Error(`${struct}.${property}: the field says neither a default nor 'otherwise', what happens without it. Add one to its notes.`);
  }
  const lines = [`${sentence}${boundsOf(field)}`, ...(isRequired ? [] : [`@default ${preset ?? `- ${otherwise}`}`])];
  return `${comment(lines, '  ')}\n  readonly ${property}${isRequired ? '' : '?'}: ${typeOf(field)};`;
}

function typeOf(field: Field): string {
  const { notes: { type, struct }, conversion, words, schema, entry } = field;
  if (type !== undefined || struct !== undefined) {
    return (type ?? struct)!;
  }
  if (conversion === 'duration') {
    return 'Duration';
  }
  if (words !== undefined) {
    return words.name;
  }
  switch (schema.type) {
    case 'array': return `${typeOf(entry!)}[]`;
    case 'object': return `{ readonly [name: string]: ${typeOf(entry!)} }`;
    case 'integer': return 'number';
    default: return schema.type!;
  }
}

/** A default that is one value, as the construct writes it. */
function defaultOf({ notes: { default: value, type }, conversion, words }: Field): string | undefined {
  if (value === undefined || typeof value === 'object') {
    return undefined;
  }
  if (type !== undefined) {
    return `- ${String(value)}`;
  }
  if (conversion === 'duration') {
    const total = Number(value);
    const [unit, size] = total % 3600 === 0 ? ['hours', 3600] : total % 60 === 0 && total > 60 ? ['minutes', 60] : ['seconds', 1];
    return `Duration.${unit}(${total / Number(size)})`;
  }
  return words === undefined ? String(value) : `${words.name}.${memberOf(String(value))}`;
}

function boundsOf({ schema: { type, minimum, maximum }, conversion }: Field): string {
  if (type !== 'integer' || conversion === 'duration') {
    return '';
  }
  const thousands = (value: number) => value.toLocaleString('en-US');
  return maximum !== undefined && maximum < MAX_INTEGER ? ` From ${minimum} to ${thousands(maximum)}.` : minimum === 1 ? ' At least 1.' : '';
}

function enumeration({ name, sentence, meanings }: Words<string>): string {
  const members = Object.entries(meanings).map(([word, meaning]) => `  /** ${meaning} */\n  ${memberOf(word)} = '${word}',`);
  return `${comment([sentence], '')}\nexport enum ${name} {\n${membersText(members)}\n}`;
}

/** `OnFailure` as `ON_FAILURE`. */
function memberOf(word: string): string {
  return word.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

/** Without empty lines between them where each has a docstring of one line. */
function membersText(members: readonly string[]): string {
  return members.join(members.every((member) => member.split('\n').length === 2) ? '\n' : '\n\n');
}

/** Longest line of the files. */
const WIDTH = 150;

/** Longest docstring of one line. */
const ONE_LINE = 120;

function comment(lines: readonly string[], indent: string): string {
  const short = `${indent}/** ${lines.join(' ')} */`;
  if (short.length <= ONE_LINE) {
    return short;
  }
  const wrapped = lines.flatMap((line) => wrap(line, WIDTH - indent.length - 3));
  return [`${indent}/**`, ...wrapped.map((line) => `${indent} * ${line}`), `${indent} */`].join('\n');
}

function wrap(line: string, width: number): string[] {
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines[lines.length - 1];
    if (last !== '' && last.length + 1 + word.length > width) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
    }
  }
  return lines;
}
