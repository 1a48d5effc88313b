/** Semantic versions in CEL. */
import { CelScalar, celFunc, celMethod, type CelFunc, type CelMap } from '@bufbuild/cel';
import { OPAQUE, contentOf, notParsed, opaque, isOpaque } from './opaque';
import { compareQuantities, sign } from './quantities';

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

const { BOOL, INT, STRING } = CelScalar;

function numberAt(value: CelMap, index: number): bigint {
  return BigInt(VERSION.exec(contentOf('semver', value))![index]);
}

/** A pre-release is less than its release. Build data after a plus does not count. */
function compareVersions(one: CelMap, other: CelMap): bigint {
  for (const index of [1, 2, 3]) {
    const difference = numberAt(one, index) - numberAt(other, index);
    if (difference !== 0n) {
      return sign(difference);
    }
  }
  const [first, second] = [one, other].map((value) => VERSION.exec(contentOf('semver', value))![4]?.split('.'));
  if (first === undefined || second === undefined) {
    return first === second ? 0n : first === undefined ? 1n : -1n;
  }
  for (let index = 0; index < Math.max(first.length, second.length); index++) {
    const order = compareIdentifiers(first[index], second[index]);
    if (order !== 0) {
      return BigInt(order);
    }
  }
  return 0n;
}

function compareIdentifiers(one: string | undefined, other: string | undefined): number {
  if (one === other) {
    return 0;
  }
  if (one === undefined || other === undefined) {
    return one === undefined ? -1 : 1;
  }
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber && isOtherNumber) {
    return Math.sign(Number(one) - Number(other));
  }
  return isNumber !== isOtherNumber ? (isNumber ? -1 : 1) : one < other ? -1 : 1;
}

function compare(one: CelMap, other: CelMap): bigint {
  return isOpaque('semver', one) ? compareVersions(one, other) : compareQuantities(one, other);
}

/** @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-semver-library */
export const VERSION_FUNCTIONS: readonly CelFunc[] = [
  celFunc('semver', [STRING], OPAQUE, (text) => {
    if (!VERSION.test(text)) {
      throw notParsed('semver', text);
    }
    return opaque('semver', text);
  }),
  celFunc('isSemver', [STRING], BOOL, (text) => VERSION.test(text)),
  ...['major', 'minor', 'patch'].map((name, index) => celMethod(name, OPAQUE, [], INT, function () {
    return numberAt(this, index + 1);
  })),
  // Quantities are compared by functions of the same names.
  celMethod('compareTo', OPAQUE, [OPAQUE], INT, function (other) {
    return compare(this, other);
  }),
  celMethod('isGreaterThan', OPAQUE, [OPAQUE], BOOL, function (other) {
    return compare(this, other) > 0n;
  }),
  celMethod('isLessThan', OPAQUE, [OPAQUE], BOOL, function (other) {
    return compare(this, other) < 0n;
  }),
];
