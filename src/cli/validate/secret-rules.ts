/** Tokens, keys and passwords in objects. */
import type { ManifestObject } from '../../model/objects/manifest-object';
import { findTokens } from '../../model/secrets/find-tokens';
import { fieldPath } from '../../model/shapes';
import type { Violation } from '../../model/violations';

/** What was found. */
export interface SecretFindings {
  readonly mistakes: readonly Violation[];

  /** In Secrets, whose purpose it is: they may be written by a program and never be committed. */
  readonly warnings: readonly Violation[];
}

/** Definitions describe fields and hold no values. */
const NO_VALUES = ['CustomResourceDefinition'];

/** Looks through an object. */
export function secretsIn(object: ManifestObject): SecretFindings {
  const { kind, status: _status, ...fields } = object as ManifestObject & { readonly status?: unknown };
  if (NO_VALUES.includes(String(kind))) {
    return { mistakes: [], warnings: [] };
  }
  const found = findTokens(fields, '');
  return kind === 'Secret' ? { mistakes: [], warnings: [...found, ...encodedTokens(object)].map(asWarning) } : { mistakes: found, warnings: [] };
}

/** Values of a Secret's `data` are base64. */
function encodedTokens({ metadata, data }: ManifestObject & { readonly data?: unknown }): Violation[] {
  const entries = typeof data === 'object' && data !== null ? Object.entries(data) : [];
  const decoded = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')] as const);
  return findTokens({ metadata: { annotations: metadata?.annotations }, data: Object.fromEntries(decoded) }, '')
    .filter(({ path }) => decoded.some(([name]) => path === fieldPath('data', name)));
}

function asWarning({ path, value, message }: Violation): Violation {
  const kind = message.slice(0, message.indexOf(','));
  return { path, value, message: `${kind}. Anyone who can read the repository can read a committed Secret: let External Secrets or Secret Manager create it (docs/credentials.md).` };
}
