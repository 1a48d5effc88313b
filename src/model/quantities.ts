/**
 * Kubernetes quantities ("16Gi", "500m", "1e3"): parsing, comparing and the arithmetic that the model needs.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */

const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
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

/**
 * The quantity grammar as a regular expression, for the CRD schema and for checks. The sign is left out on purpose: no resource of a
 * training job can be negative.
 */
export const QUANTITY_PATTERN = '^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(([KMGTPE]i)|[numkMGTPE]|([eE][+-]?[0-9]+))?$';

const QUANTITY = new RegExp(QUANTITY_PATTERN);

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
  const [, digits, suffix = ''] = match;
  if (/^[eE][+-]?[0-9]+$/.test(suffix)) {
    return Number(`${digits}${suffix}`);
  }
  return Number(digits) * SUFFIXES[suffix];
}

/** Whole CPUs of a replica, at least 1: the number that launchers count processes by when there is no GPU. */
export function wholeCpus(resources: { readonly cpu?: string }): number {
  return Math.max(1, Math.floor(tryParseQuantity(resources.cpu ?? '') ?? 1));
}
