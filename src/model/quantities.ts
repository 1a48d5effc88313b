/**
 * Kubernetes quantities ("16Gi", "500m", "1e3"): parsing, comparing and the arithmetic that the model needs.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
import { expressionOf } from './text/expressions';

const MULTIPLIERS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Divided by, because a product with 0.001 is not exact: 3000m are three, not a little more. */
const DIVISORS: Readonly<Record<string, number>> = { n: 1e9, u: 1e6, m: 1e3 };

/**
 * The quantity grammar as a regular expression, for the CRD schema and for checks. The sign is left out on purpose: no resource of a
 * training job can be negative.
 */
export const QUANTITY_PATTERN = '^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(([KMGTPE]i)|[numkMGTPE]|([eE][+-]?[0-9]+))?$';

const QUANTITY = expressionOf(QUANTITY_PATTERN);

/** Whether `text` is a non-negative Kubernetes quantity. */
export function isQuantity(text: string): boolean {
  return QUANTITY.test(text);
}

/**
 * The number that a quantity stands for (bytes for memory, cores for CPU); `undefined` when it is not a quantity.
 * Doubles are exact to 2^53, far beyond what a comparison of sizes needs.
 */
export function tryParseQuantity(text: string): number | undefined {
  const match = QUANTITY.exec(text);
  if (!match) {
    return undefined;
  }
  const [, digits, _fraction, suffix = ''] = match;
  if (/^[eE][+-]?[0-9]+$/.test(suffix)) {
    return Number(`${digits}${suffix}`);
  }
  return suffix in DIVISORS ? Number(digits) / DIVISORS[suffix] : Number(digits) * MULTIPLIERS[suffix];
}

/**
 * Whole CPUs of a replica, at least 1: the number that launchers count processes by when there is no GPU. Part of a CPU counts as one,
 * as in Trainer v2.
 */
export function wholeCpus(resources: { readonly cpu?: string }): number {
  return Math.max(1, Math.ceil(tryParseQuantity(resources.cpu ?? '') ?? 1));
}

/** Suffixes of decimal quantities by their power of 1000, from nano on. */
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/** Suffixes of binary quantities by their power of 1024. */
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Units of a billionth: the finest step of a quantity. */
const NANO = 1_000_000_000n;

/**
 * A quantity in the canonical form in which Kubernetes' Go types write it: the largest suffix that leaves a whole number, in the same family (binary,
 * decimal, or with an exponent). `0.5` is `500m`, `2048Mi` is `2Gi`, `1.5Gi` is `1536Mi`. A controller that reads an object and writes it back leaves
 * this form behind, so an object that is applied with another one differs from then on. Text that is not a quantity stays as it is.
 * @see https://github.com/kubernetes/apimachinery/blob/v0.36.0/pkg/api/resource/quantity.go
 */
export function canonicalQuantity(text: string): string {
  const match = QUANTITY.exec(text);
  // A power of ten beyond these is not a realistic amount, and would be slow.
  if (!match || Math.abs(Number(/[eE]([+-]?[0-9]+)$/.exec(text)?.[1] ?? 0)) > 18 || text.length > 40) {
    return text;
  }
  const [, digits, _fraction, suffix = ''] = match;
  const [whole, fraction = ''] = digits.split('.');
  const scale = 10n ** BigInt(fraction.length);
  const exponent = /^[eE][+-]?[0-9]+$/.test(suffix) ? Number(suffix.slice(1)) : undefined;
  const billionths = roundedUp(BigInt(`${whole}${fraction}`) * unitOf(suffix, exponent), scale * (exponent !== undefined && exponent < 0 ? 10n ** BigInt(-exponent) : 1n));
  if (billionths === 0n) {
    return '0';
  }
  // Below 1024, and between whole numbers, a binary quantity is a decimal one.
  if (suffix.endsWith('i') && billionths >= 1024n * NANO && billionths % NANO === 0n) {
    return inSteps(billionths / NANO, 1024n, BINARY_SUFFIXES);
  }
  return exponent === undefined
    ? inSteps(billionths, 1000n, DECIMAL_SUFFIXES)
    : inSteps(billionths, 1000n, DECIMAL_SUFFIXES.map((_suffix, index) => (index === 3 ? '' : `e${(index - 3) * 3}`)));
}

/** What a suffix stands for, in billionths; a negative exponent is the caller's to divide by. */
function unitOf(suffix: string, exponent: number | undefined): bigint {
  if (exponent !== undefined) {
    return NANO * (exponent > 0 ? 10n ** BigInt(exponent) : 1n);
  }
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  return binary > 0 ? NANO * 1024n ** BigInt(binary) : 1000n ** BigInt(DECIMAL_SUFFIXES.indexOf(suffix));
}

/** A quotient, rounded up: Kubernetes never gives less than what was asked for. */
function roundedUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

function inSteps(amount: bigint, step: bigint, suffixes: readonly string[]): string {
  let left = amount;
  let index = 0;
  while (left % step === 0n && index < suffixes.length - 1) {
    left /= step;
    index += 1;
  }
  return `${left}${suffixes[index]}`;
}
