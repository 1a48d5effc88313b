/**
 * Values of Kubernetes' own types in CEL: quantities, addresses, URLs, versions. The evaluator only has the types of CEL, so such a value is a map
 * with one key that no field can have. Its content is canonical, so equal values have equal maps.
 */
import { CelScalar, mapType, type CelMap } from '@bufbuild/cel';

export const OPAQUE: ReturnType<typeof mapType> = mapType(CelScalar.STRING, CelScalar.DYN);

const TITLES = { quantity: 'a quantity', ip: 'an address', cidr: 'an address range', url: 'a URL', semver: 'a semantic version' };

export type OpaqueKind = keyof typeof TITLES;

/** The error for a text that is not of a kind. */
export function notParsed(kind: OpaqueKind, text: string): Error {
  return new Error(`${JSON.stringify(text)} is not ${TITLES[kind]}`);
}

/** Whether a message is that of {@link notParsed}. */
export function isNotParsed(message: string): boolean {
  return Object.values(TITLES).some((title) => message.endsWith(`" is not ${title}`));
}

export function opaque(kind: OpaqueKind, content: string): Map<string, string> {
  return new Map([[keyOf(kind), content]]);
}

/** The content of a value. @throws Error for a value of another kind */
export function contentOf(kind: OpaqueKind, value: CelMap): string {
  const content = value.get(keyOf(kind));
  if (typeof content !== 'string') {
    throw new Error(`found no matching overload: this is not a ${kind}`);
  }
  return content;
}

export function isOpaque(kind: OpaqueKind, value: CelMap): boolean {
  return value.has(keyOf(kind));
}

function keyOf(kind: OpaqueKind): string {
  return `\0${kind}`;
}
