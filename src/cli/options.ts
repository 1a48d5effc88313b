/** Options of several commands, and parsers of their values. */
import { InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from './text';

/** `-o, --output FORMAT`; the first format is the default. */
export function outputOption(...formats: readonly string[]): Option {
  return new Option('-o, --output <format>', 'output format').choices(formats).default(formats[0]);
}

/** Parser of an option that can be repeated. */
export function appended(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `10m`, `1h30m`. @returns milliseconds */
export function parseDuration(text: string): number {
  const parts = [...text.slice(0, 40).matchAll(/(\d{1,9})(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new InvalidArgumentError('It must be a duration such as 90s, 10m, 1h30m or 2d.');
  }
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit], 0);
}

/** A whole number, 0 or more. */
export function parseCount(text: string): number {
  const number = wholeNumber(text);
  if (number === undefined) {
    throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  }
  return number;
}
