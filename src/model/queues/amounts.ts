/** Amounts of resources as numbers, and as people read them. */
import { tryParseQuantity } from '../quantities';

/** The number behind a quantity; 0 for none. Rules find what is no quantity. */
export function amountOf(quantity: string | undefined): number {
  return quantity === undefined ? 0 : tryParseQuantity(quantity) ?? 0;
}

/** Sums of thousandths stay thousandths: a tenth of a core ten times is one core, as Kueue counts it. */
export function rounded(amount: number): number {
  return Number.isFinite(amount) ? Math.round(amount * 1000) / 1000 : amount;
}

const BYTE_UNITS: readonly (readonly [string, number])[] = [['Ti', 2 ** 40], ['Gi', 2 ** 30], ['Mi', 2 ** 20], ['Ki', 2 ** 10]];

/** An amount in the largest unit that it has at least one of: `1.5Ti`, `64`, `0.5`. */
export function shownAmount(resource: string, amount: number): string {
  const unit = isBytes(resource) ? BYTE_UNITS.find(([, size]) => amount >= size) : undefined;
  return unit === undefined ? String(rounded(amount)) : `${Math.round(amount / unit[1] * 100) / 100}${unit[0]}`;
}

/** An amount with the name of what it is: `64 nvidia.com/gpu`. */
export function namedAmount(resource: string, amount: number): string {
  return `${shownAmount(resource, amount)} ${resource}`;
}

function isBytes(resource: string): boolean {
  return resource === 'memory' || resource.endsWith('storage') || resource.startsWith('hugepages-');
}
