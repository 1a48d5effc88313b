/** Quantities in CEL, such as `quantity("1.5Gi")`, exact to a billionth of the unit, as Kubernetes keeps them. */
import { CelScalar, celFunc, celMethod, type CelFunc, type CelMap } from '@bufbuild/cel';
import { OPAQUE, contentOf, notParsed, opaque } from './opaque';

const NANO = 1_000_000_000n;

const SUFFIXES: { readonly [suffix: string]: bigint } = {
  '': NANO, n: 1n, u: 1_000n, m: 1_000_000n,
  k: NANO * 10n ** 3n, M: NANO * 10n ** 6n, G: NANO * 10n ** 9n, T: NANO * 10n ** 12n, P: NANO * 10n ** 15n, E: NANO * 10n ** 18n,
  Ki: NANO << 10n, Mi: NANO << 20n, Gi: NANO << 30n, Ti: NANO << 40n, Pi: NANO << 50n, Ei: NANO << 60n,
};

/** The largest quantity, in billionths of the unit. Kubernetes replaces larger ones by it. */
const LARGEST = NANO * (2n ** 63n - 1n);

/** A number with more digits before the point is larger than that, with any suffix. */
const LARGEST_PLACES = 20;

/** A number with more zeros after the point is less than a billionth, with any suffix. */
const SMALLEST_PLACES = 30;

/** Number of exact digits. Of the rest it only matters whether it is zero. */
const EXACT_DIGITS = 60;

/** Billionths of the unit; undefined for other text. */
function parse(text: string): bigint | undefined {
  const [, sign, whole, fraction = '', rest] = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eE][+-]?\d+)|[numkMGTPE]|[KMGTPE]i)?$/.exec(text) ?? [];
  if (whole === undefined || whole + fraction === '') {
    return undefined;
  }
  const exponent = /^[eE]([+-]?\d+)$/.exec(rest ?? '')?.[1];
  const amount = amountOf((whole + fraction).replace(/^0+/, ''), Number(exponent ?? 0) - fraction.length, exponent === undefined ? SUFFIXES[rest ?? ''] : NANO);
  return sign === '-' ? -amount : amount;
}

/** Digits, times a power of ten and a factor. */
function amountOf(all: string, power: number, factor: bigint): bigint {
  const places = all.length + power;
  if (all === '' || places > LARGEST_PLACES) {
    return all === '' ? 0n : LARGEST;
  }
  // Less than a billionth is rounded away from zero.
  if (places < -SMALLEST_PLACES) {
    return 1n;
  }
  const digits = BigInt(all.slice(0, EXACT_DIGITS)) + (/[1-9]/.test(all.slice(EXACT_DIGITS)) ? 1n : 0n);
  const shift = power + Math.max(0, all.length - EXACT_DIGITS);
  const scaled = digits * factor * 10n ** BigInt(Math.max(shift, 0));
  const divisor = 10n ** BigInt(Math.max(-shift, 0));
  const rounded = (scaled + divisor - 1n) / divisor;
  return rounded > LARGEST ? LARGEST : rounded;
}

function quantity(text: string): Map<string, string> {
  const parsed = parse(text);
  if (parsed === undefined) {
    throw notParsed('quantity', text);
  }
  return opaque('quantity', String(parsed));
}

const valueOf = (value: CelMap) => BigInt(contentOf('quantity', value));
const fromNanos = (nanos: bigint) => opaque('quantity', String(nanos));
const { BOOL, DOUBLE, INT, STRING } = CelScalar;

/**
 * Without isInteger and asInteger, for which 1.5Ki is not an integer: its text is not kept here. A rule with them counts as unchecked.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-quantity-library
 */
export const QUANTITY_FUNCTIONS: readonly CelFunc[] = [
  celFunc('quantity', [STRING], OPAQUE, quantity),
  celFunc('isQuantity', [STRING], BOOL, (text) => parse(text) !== undefined),
  celMethod('asApproximateFloat', OPAQUE, [], DOUBLE, function () {
    return Number(valueOf(this)) / Number(NANO);
  }),
  celFunc('sign', [OPAQUE], INT, (value) => sign(valueOf(value))),
  ...(['add', 'sub'] as const).flatMap((name) => {
    const direction = name === 'add' ? 1n : -1n;
    return [
      celMethod(name, OPAQUE, [OPAQUE], OPAQUE, function (other) {
        return fromNanos(valueOf(this) + direction * valueOf(other));
      }),
      celMethod(name, OPAQUE, [INT], OPAQUE, function (other) {
        return fromNanos(valueOf(this) + direction * other * NANO);
      }),
    ];
  }),
];

/** For the functions that quantities and versions share. */
export function compareQuantities(one: CelMap, other: CelMap): bigint {
  return sign(valueOf(one) - valueOf(other));
}

export function sign(number: bigint): bigint {
  return number > 0n ? 1n : number < 0n ? -1n : 0n;
}
