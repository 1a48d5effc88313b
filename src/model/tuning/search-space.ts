/**
 * The space that a search looks through. A point of it is a list of levels, one a dimension, in the order of the parameters' names: the index of
 * a value, or a step of a range. Ranges without steps have 2^18 levels, finer than any training can distinguish, so that every point is a short
 * text ({@link encodePoint}) from which its values follow exactly: that is what the status of a job remembers of a trial.
 *
 * Algorithms see coordinates between 0 and 1 in which distances mean something: logarithms where the scale is `log`, ranks for lists of numbers.
 */
import type { TuningParameterSpec } from '../training-job/fields/features';

/** Levels of a range without steps. Three characters of base64 hold one. */
export const RANGE_LEVELS = 2 ** 18;

export type Point = readonly number[];

export interface Dimension {
  readonly name: string;
  /** Whether values have no order, so that one is as far from another as from any third. */
  readonly unordered: boolean;
  /** How many different values there are. */
  readonly levels: number;
  /** Whether the levels are those of the parameter, and not of our own making. */
  readonly countable: boolean;
  valueAt(level: number): number | string;
  /** Coordinate of a level, strictly between 0 and 1. */
  coordinateAt(level: number): number;
  /** Level at a coordinate; coordinates that are spread evenly choose every level as often as the scale wants. */
  levelAt(coordinate: number): number;
}

/** All parameters together. */
export class SearchSpace {
  /** In the order of their names. */
  public readonly dimensions: readonly Dimension[];

  /** Number of points; infinite when a parameter is a range without steps. */
  public readonly size: number;

  /** @param parameters valid ones */
  public constructor(parameters: { readonly [name: string]: TuningParameterSpec }) {
    const names = Object.keys(parameters).sort();
    this.dimensions = names.map((name) => dimension(name, parameters[name]));
    this.size = this.dimensions.reduce((size, { levels, countable }) => (countable ? size * levels : Infinity), 1);
  }

  public pointAt(coordinates: readonly number[]): Point {
    return this.dimensions.map((entry, index) => entry.levelAt(coordinates[index]));
  }

  public coordinatesOf(point: Point): number[] {
    return this.dimensions.map((entry, index) => entry.coordinateAt(point[index]));
  }

  /** Point number `index` of a countable space; the last name changes fastest. */
  public pointNumber(index: number): Point {
    const point: number[] = [];
    let rest = index;
    for (const { levels } of [...this.dimensions].reverse()) {
      point.unshift(rest % levels);
      rest = Math.floor(rest / levels);
    }
    return point;
  }

  /** Values of a point by name, as scripts get them. */
  public valuesOf(point: Point): { [name: string]: string } {
    return Object.fromEntries(this.dimensions.map((entry, index) => [entry.name, String(entry.valueAt(point[index]))]));
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A point as text: three characters a dimension. */
export function encodePoint(point: Point): string {
  return point.map((level) => DIGITS[level >> 12] + DIGITS[(level >> 6) & 63] + DIGITS[level & 63]).join('');
}

/** What {@link encodePoint} wrote. */
export function decodePoint(text: string): Point {
  return Array.from({ length: Math.floor(text.length / 3) }, (_entry, index) => [...text.slice(3 * index, 3 * index + 3)]
    .reduce((level, digit) => level * 64 + DIGITS.indexOf(digit), 0));
}

function dimension(name: string, spec: TuningParameterSpec): Dimension {
  return spec.values === undefined ? rangeDimension(name, spec) : listDimension(name, spec.values);
}

function listDimension(name: string, values: readonly (number | string)[]): Dimension {
  const unordered = values.some((value) => typeof value !== 'number');
  // Lists are often powers of something: neighbours are equally far apart, whatever the numbers.
  const order = values.map((_value, index) => index).sort((a, b) => (unordered ? a - b : Number(values[a]) - Number(values[b])));
  const ranks = values.map((_value, index) => order.indexOf(index));
  return {
    name,
    unordered,
    levels: values.length,
    countable: true,
    valueAt: (level) => values[level],
    coordinateAt: (level) => (ranks[level] + 0.5) / values.length,
    levelAt: (coordinate) => order[cell(coordinate, values.length)],
  };
}

function rangeDimension(name: string, spec: TuningParameterSpec): Dimension {
  const [min, max] = [spec.min!, spec.max!];
  const step = spec.step ?? (spec.type === 'int' ? 1 : undefined);
  // Half of a step of slack for what binary fractions make of (1 - 0.1) / 0.1.
  const steps = step === undefined ? Infinity : Math.floor((max - min) / step + 1e-9) + 1;
  const countable = steps <= RANGE_LEVELS;
  const levels = countable ? steps : RANGE_LEVELS;
  const { to, from } = spec.scale === 'log' ? { to: Math.log, from: Math.exp } : { to: (x: number) => x, from: (x: number) => x };
  // As many as distinguish levels; more would only be hard to read. Steps are what they are, without what binary makes of them.
  const digits = step === undefined ? digitsOf(min, max) : 12;
  const round = (value: number) => {
    const stepped = step === undefined ? value : min + Math.round((value - min) / step) * step;
    return Math.min(max, Math.max(min, spec.type === 'int' ? Math.round(stepped) : Number(stepped.toPrecision(digits))));
  };
  if (countable && spec.scale !== 'log') {
    return {
      name, unordered: false, levels, countable,
      valueAt: (level) => round(min + level * step!),
      coordinateAt: (level) => (level + 0.5) / levels,
      levelAt: (coordinate) => cell(coordinate, levels),
    };
  }
  // Half a step beyond both ends, so that the first and the last number are as likely as their neighbours.
  const margin = countable ? step! / 2 : 0;
  const [low, high] = [to(min - margin), to(max + margin)];
  return {
    name, unordered: false, levels, countable,
    valueAt: (level) => (countable ? round(min + level * step!) : round(from(low + (high - low) * level / (levels - 1)))),
    coordinateAt: (level) => inside(countable ? (to(min + level * step!) - low) / (high - low) : level / (levels - 1)),
    levelAt: (coordinate) => (countable
      ? clampLevel(Math.round((from(low + (high - low) * coordinate) - min) / step!), levels)
      : clampLevel(Math.round(coordinate * (levels - 1)), levels)),
  };
}

/** Which of `count` equal parts of the unit interval a coordinate is in. */
function cell(coordinate: number, count: number): number {
  return clampLevel(Math.floor(coordinate * count), count);
}

function clampLevel(level: number, levels: number): number {
  return Math.min(levels - 1, Math.max(0, level));
}

function inside(coordinate: number): number {
  return Math.min(1 - 1e-9, Math.max(1e-9, coordinate));
}

/** Six digits of the difference between the ends. */
function digitsOf(min: number, max: number): number {
  const common = Math.ceil(Math.log10(Math.max(Math.abs(min), Math.abs(max)) / (max - min)));
  return Math.min(15, 6 + Math.max(0, common));
}
