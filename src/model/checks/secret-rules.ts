/** Tokens, keys and passwords in objects. */
import { CHECK_RULES } from './rule-list';
import { FindingCollector, type Finding } from '../findings';
import { jsonText, record } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';
import { findTokens } from '../secrets/find-tokens';
import { mayHoldTokens } from '../secrets/recognise';
import { fieldPath } from '../shapes';

/** Definitions describe fields and hold no values. */
const NO_VALUES = ['CustomResourceDefinition'];

/**
 * Checks an object: in a Secret, whose purpose it is, a token is a warning, because the program may be the only place that has it.
 * @param text the object as JSON
 */
export function checkTokens(object: ManifestObject, text: string): Finding[] {
  const findings = new FindingCollector();
  const { kind, status: _status, ...fields } = object as ManifestObject & { readonly status?: unknown };
  if (NO_VALUES.includes(jsonText(kind)) || (kind !== 'Secret' && !mayHoldTokens(text))) {
    return [];
  }
  const found = findTokens(fields, '');
  if (kind !== 'Secret') {
    found.forEach(({ path, value, message }) => findings.error(CHECK_RULES.token, path, value, message));
    return findings.findings;
  }
  for (const { path, value, message } of [...found, ...encodedTokens(object)]) {
    findings.warn(CHECK_RULES.tokenInSecret, path, value, `${message.slice(0, message.indexOf(','))}. Anyone who can read the repository can read a committed Secret: let External Secrets or Secret Manager create it (docs/credentials.md), or acknowledge this if the manifest is never committed.`);
  }
  return findings.findings;
}

/** Values of a Secret's `data` are base64. */
function encodedTokens({ metadata, data }: ManifestObject & { readonly data?: unknown }): ReturnType<typeof findTokens> {
  const decoded = Object.entries(record(data)).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')] as const);
  return findTokens({ metadata: { annotations: metadata?.annotations }, data: Object.fromEntries(decoded) }, '')
    .filter(({ path }) => decoded.some(([name]) => path === fieldPath('data', name)));
}
