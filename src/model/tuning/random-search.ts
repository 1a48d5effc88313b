/** Random points, grids, and the evenly spread points that a model starts from. All follow from the seed and the trial's number. */
import { Random, hash32, shuffledIndex } from './random';
import type { Search } from './search';
import type { Point, SearchSpace } from './search-space';

/** A random point; of a countable space every point once before any comes again. */
export function shuffledPoint({ space, seed }: Pick<Search, 'space' | 'seed'>, number: number): Point {
  if (Number.isSafeInteger(space.size) && space.size <= 2 ** 30) {
    const round = Math.floor((number - 1) / space.size);
    return space.pointNumber(shuffledIndex((number - 1) % space.size, space.size, `${seed}/order/${round}`));
  }
  const random = new Random(seed, 'random', number);
  return space.pointAt(space.dimensions.map(() => random.next()));
}

/** Point number `number` (from 1) of a grid. */
export function gridPoint(space: SearchSpace, number: number): Point {
  return space.pointNumber(number - 1);
}

/**
 * Number `number` (from 1) of a sequence that covers the unit cube more evenly than chance: Halton's, each dimension shifted by the seed. From the
 * 20th dimension on its bases are so large that the first points would lie on a line; the seed's own random numbers stand in there.
 */
export function spreadPoint(space: SearchSpace, seed: string, number: number): Point {
  const random = new Random(seed, 'spread', number);
  return space.pointAt(space.dimensions.map((_dimension, index) => {
    const shift = hash32(`${seed}/shift/${index}`) / 2 ** 32;
    return index < PRIMES.length ? (radicalInverse(number, PRIMES[index]) + shift) % 1 : random.next();
  }));
}

const PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71];

function radicalInverse(number: number, base: number): number {
  let [inverse, digit] = [0, 1 / base];
  for (let rest = number; rest > 0; rest = Math.floor(rest / base), digit /= base) {
    inverse += rest % base * digit;
  }
  return inverse;
}
