/** Ranges of a VPC that Google's own services, such as databases, get their addresses from. */
import { FindingCollector, rule, type Finding, type Rule } from '../findings';

/** Rules on the ranges that Google's own services have addresses from. */
export const PRIVATE_SERVICES_RULES = {
  size: rule('private-services-size', 'privateServices', 'A range for Google\'s services is a /24 or larger, and a /16 or larger if more than one service uses it.'),
  range: rule('private-services-range', 'privateServices', 'A range begins at its first address.'),
} as const satisfies { readonly [name: string]: Rule };

export interface PrivateServicesSpec {
  /** Size of the range, such as 16. */
  readonly prefixLength: number;
  readonly address?: string;
}

/** Size where none is said: room for several databases. */
export const DEFAULT_PREFIX_LENGTH = 16;

const SMALLEST = 24;
const RECOMMENDED = 20;

export function checkPrivateServices({ prefixLength, address }: PrivateServicesSpec, path = 'services'): Finding[] {
  const findings = new FindingCollector();
  const below = (field: string) => (path === '' ? field : `${path}.${field}`);
  if (prefixLength > SMALLEST || prefixLength < 8) {
    findings.error(PRIVATE_SERVICES_RULES.size, below('prefixLength'), prefixLength, `is not from 8 to ${SMALLEST}. Use ${DEFAULT_PREFIX_LENGTH}.`);
  } else if (prefixLength > RECOMMENDED) {
    findings.warn(PRIVATE_SERVICES_RULES.size, below('prefixLength'), prefixLength, `has room for one service in one region, which uses a /${SMALLEST} by itself. Use ${DEFAULT_PREFIX_LENGTH}.`);
  }
  if (address !== undefined && !beginsRange(address, prefixLength)) {
    findings.error(PRIVATE_SERVICES_RULES.range, below('address'), address, `is not the first address of a /${prefixLength}. Use one such as 10.96.0.0.`);
  }
  return findings.findings;
}

function beginsRange(address: string, prefixLength: number): boolean {
  const bytes = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number);
  if (bytes === undefined || bytes.some((byte) => byte > 255)) {
    return false;
  }
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0) % 2 ** (32 - prefixLength) === 0;
}
