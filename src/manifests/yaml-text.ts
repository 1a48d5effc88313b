/**
 * YAML inside of a manifest: Ray reads its runtime environment and the configuration of its applications from a text, Argo CD what it knows of
 * kinds. A small writer, because what is written is plain data, and the reader in KubeRay takes words such as `yes` for something else than the
 * writers of today do: whatever is not clearly a word is quoted.
 */
import { isRecord } from '../model/json-parts';

/** Words that some reader of YAML takes for something else than a text: an exponent alone is a number to one reader of YAML 1.1. */
const RESERVED = /^(true|false|yes|no|on|off|y|n|null|nan|inf|e[0-9]+)$/i;

/** Texts that need no quotes. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_./-]*(:[A-Za-z_][A-Za-z0-9_./-]*)*(:\/\/[A-Za-z0-9_./-]+)?$/;

/** Characters that JSON leaves as they are, and YAML takes for line breaks or refuses. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A value as YAML, in blocks. */
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

/** Whether a value stands below its name and not behind it. */
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
