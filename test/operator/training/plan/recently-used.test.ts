import { RecentlyUsed } from '../../../../src/operator/training/plan/recently-used';

const [A, B, C] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

/** Which of the keys are known. */
const known = (cache: RecentlyUsed<object, string>) => [A, B, C].map((key) => cache.get(key)).filter((value) => value !== undefined);

test('what was not used for longest is forgotten', () => {
  const cache = new RecentlyUsed<object, string>(10);
  cache.set(A, 'a', 5);
  cache.set(B, 'b', 5);
  expect(cache.get(A)).toBe('a');
  cache.set(C, 'c', 5);
  expect(known(cache)).toEqual(['a', 'c']);
});

test('the newest stays, whatever its size, and goes with the next', () => {
  const cache = new RecentlyUsed<object, string>(10);
  cache.set(A, 'a', 1);
  cache.set(B, 'b', 100);
  expect(known(cache)).toEqual(['b']);
  cache.set(C, 'c', 1);
  expect(known(cache)).toEqual(['c']);
});

test('a value that is set again counts once', () => {
  const cache = new RecentlyUsed<object, string>(10);
  cache.set(A, 'a', 5);
  cache.set(A, 'A', 5);
  cache.set(B, 'b', 5);
  expect(known(cache)).toEqual(['A', 'b']);
});
