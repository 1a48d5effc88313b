/**
 * Random numbers that follow from a seed: sfc32, seeded by a hash of any texts and numbers. A search that is planned again after a restart of the
 * operator has to make the same choices, so nothing in this folder asks `Math.random`.
 *
 * Random points, grids, and the evenly spread points that a model starts from. All follow from the seed and the trial's number.
 * @see https://pracrand.sourceforge.net/RNG_engines.txt
 */
import type { Search } from './search';
import type { Point, SearchSpace } from './search-space';

/** A stream of random numbers. Streams of different seeds are independent for all that a search needs. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /** @param seeds what the stream follows from, in this order */
  public constructor(...seeds: readonly (number | string)[]) {
    const text = seeds.join('\u0000');
    [this.a, this.b, this.c] = [hash32(text, 0x9e3779b9), hash32(text, 0x243f6a88), hash32(text, 0xb7e15162)];
    for (let round = 0; round < 12; round++) {
      this.next();
    }
  }

  /** Uniform in [0, 1). */
  public next(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `below - 1`. */
  public integer(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** Normal with mean 0 and variance 1 (Box and Muller). */
  public normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}

/** 32 bits that every character of the text has moved (FNV-1a with a final mix). */
export function hash32(text: string, basis = 0x811c9dc5): number {
  let hash = basis;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * The place of `index` in a random order of `0 .. size - 1`, without holding the order: a Feistel network over the next power of four, walked until
 * it lands within the size. Every index has another place.
 */
export function shuffledIndex(index: number, size: number, seed: number | string): number {
  const half = Math.max(1, Math.ceil(Math.log2(size) / 2));
  const mask = 2 ** half - 1;
  let place = index;
  do {
    let left = Math.floor(place / 2 ** half);
    let right = place % 2 ** half;
    for (let round = 0; round < 4; round++) {
      [left, right] = [right, (left ^ (hash32(`${seed}/${round}/${right}`) & mask)) >>> 0];
    }
    place = left * 2 ** half + right;
  } while (place >= size);
  return place;
}

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
 * 20th dimension on its bases are so large that the first points would lie on a line; the seed's own random numbers are used there.
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
