/**
 * YAML inside of a manifest: Ray's runtime environment and the configuration of its applications, and Argo CD's customizations, are strings. It is a
 * small writer for plain data that quotes everything that is not clearly a word, because KubeRay's parser reads words such as `yes` differently than
 * current writers.
 */
import { isRecord } from '../model/json-parts';

/** Words that some YAML parsers do not read as strings: an exponent alone is a number to one parser of YAML 1.1. */
const RESERVED = /^(true|false|yes|no|on|off|y|n|null|nan|inf|e[0-9]+)$/i;

/** Strings that need no quotes. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_./-]*(:[A-Za-z_][A-Za-z0-9_./-]*)*(:\/\/[A-Za-z0-9_./-]+)?$/;

/** Characters that JSON does not escape, but that are line breaks or invalid in YAML. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A value as YAML in block style. */
export function yamlText(value: unknown): string {
  return `${lines(value).join('\n')}\n`;
}

function lines(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item) => {
      const [first, ...rest] = lines(item);
      return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  }
  const entries = isRecord(value) ? Object.entries(value).filter(([, item]) => item !== undefined) : [];
  if (entries.length === 0) {
    return [scalar(value)];
  }
  return entries.flatMap(([name, item]) => {
    const block = lines(item);
    return isBlock(item) ? [`${text(name)}:`, ...block.map((line) => `  ${line}`)] : [`${text(name)}: ${block[0]}`];
  });
}

/** Whether a value is on the lines below its name. */
function isBlock(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isRecord(value) && Object.values(value).some((item) => item !== undefined);
}

function scalar(value: unknown): string {
  if (Array.isArray(value)) {
    return '[]';
  }
  if (isRecord(value)) {
    return '{}';
  }
  return typeof value === 'string' ? text(value) : JSON.stringify(value ?? null);
}

function text(written: string): string {
  return PLAIN.test(written) && !RESERVED.test(written) ? written : JSON.stringify(written).replace(UNSAFE, (character) => (
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  ));
}
