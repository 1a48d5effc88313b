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
 * The number that a quantity stands for (bytes for memory, cores for CPU); `undefined` when it is no quantity.
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
