/** Lists and sets in CEL. */
import { CelScalar, celEnv, celFunc, celMethod, listType, parse, plan, type CelFunc, type CelList, type CelValue } from '@bufbuild/cel';

const LIST = listType(CelScalar.DYN);
const { BOOL, DYN, INT } = CelScalar;

/** Equality is CEL's own, also between whole and other numbers. */
const equalityOf = plan(celEnv({ variables: { a: DYN, b: DYN } }), parse('a == b'));

function equal(a: CelValue, b: CelValue): boolean {
  return equalityOf({ a, b }) === true;
}

/** The entries for order and sums. @throws Error if they are not numbers, strings or booleans of one type */
function comparable(list: CelList): (bigint | number | string | boolean)[] {
  const entries = [...list];
  const type = typeof entries[0];
  if (!entries.every((entry) => typeof entry === type && ['bigint', 'number', 'string', 'boolean'].includes(type))) {
    throw new Error('found no matching overload: this list has entries of other types');
  }
  return entries as (bigint | number | string | boolean)[];
}

function extreme(name: string, isBetter: (one: bigint | number | string | boolean, other: bigint | number | string | boolean) => boolean): CelFunc {
  return celMethod(name, LIST, [], DYN, function () {
    const entries = comparable(this);
    if (entries.length === 0) {
      throw new Error(`${name} called on empty list`);
    }
    return entries.reduce((best, entry) => (isBetter(entry, best) ? entry : best));
  });
}

/** @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library */
export const LIST_FUNCTIONS: readonly CelFunc[] = [
  celMethod('isSorted', LIST, [], BOOL, function () {
    return comparable(this).every((entry, index, all) => index === 0 || all[index - 1] <= entry);
  }),
  celMethod('sum', LIST, [], DYN, function () {
    const entries = comparable(this);
    if (entries.length > 0 && typeof entries[0] !== 'bigint' && typeof entries[0] !== 'number') {
      throw new Error('found no matching overload: a sum is of numbers');
    }
    // An empty list of doubles has the sum 0.0, which is the same as 0 to every comparison.
    return typeof entries[0] === 'number' ? (entries as number[]).reduce((sum, entry) => sum + entry, 0) : (entries as bigint[]).reduce((sum, entry) => sum + entry, 0n);
  }),
  extreme('min', (one, other) => one < other),
  extreme('max', (one, other) => one > other),
  celMethod('indexOf', LIST, [DYN], INT, function (wanted) {
    return BigInt([...this].findIndex((entry) => equal(entry, wanted)));
  }),
  celMethod('lastIndexOf', LIST, [DYN], INT, function (wanted) {
    return BigInt([...this].map((entry) => equal(entry, wanted)).lastIndexOf(true));
  }),
  celFunc('sets.contains', [LIST, LIST], BOOL, contains),
  celFunc('sets.equivalent', [LIST, LIST], BOOL, (one, other) => contains(one, other) && contains(other, one)),
  celFunc('sets.intersects', [LIST, LIST], BOOL, (one, other) => [...one].some((entry) => [...other].some((candidate) => equal(entry, candidate)))),
];

function contains(all: CelList, some: CelList): boolean {
  return [...some].every((entry) => [...all].some((candidate) => equal(entry, candidate)));
}

