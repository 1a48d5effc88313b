import fc from 'fast-check';
import { QUANTITY_PATTERN, canonicalQuantity, isQuantity, tryParseQuantity, wholeCpus } from '../../src/model/quantities';

describe('parsing a quantity', () => {
  test.each([
    ['4', 4],
    ['0', 0],
    ['0.5', 0.5],
    ['.5', 0.5],
    ['2.', 2],
    ['500m', 0.5],
    ['1500m', 1.5],
    ['250u', 0.00025],
    ['1n', 1e-9],
    ['1k', 1000],
    ['16M', 16e6],
    ['1G', 1e9],
    ['1T', 1e12],
    ['1P', 1e15],
    ['1E', 1e18],
    ['1Ki', 1024],
    ['64Mi', 67_108_864],
    ['16Gi', 17_179_869_184],
    ['1.5Gi', 1_610_612_736],
    ['2Ti', 2_199_023_255_552],
    ['1Pi', 2 ** 50],
    ['1Ei', 2 ** 60],
    ['1e3', 1000],
    ['1.5E2', 150],
    ['2e-1', 0.2],
    ['1e+2', 100],
  ])('reads %s as %d', (text, value) => {
    expect(tryParseQuantity(text)).toBe(value);
    expect(isQuantity(text)).toBe(true);
  });

  test.each(['', ' ', '4 Gi', ' 4', '16GB', '16gi', '16Gib', 'Gi', '.', '-1', '+1', '1e', '1e3Gi', '0x10', '1,5', '١', 'NaN', 'Infinity', '1\n'])(
    'refuses %j', (text) => {
      expect(tryParseQuantity(text)).toBeUndefined();
      expect(isQuantity(text)).toBe(false);
    });

  test('reads what it accepts, and only that, as a number that is finite and not negative', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{0,12}\.?[0-9]{0,6}[numkKMGTPEi]{0,2}$/)), (text) => {
      const value = tryParseQuantity(text);
      expect(isQuantity(text)).toBe(value !== undefined);
      expect(value === undefined || (Number.isFinite(value) && value >= 0)).toBe(true);
    }));
  });

  test('gives the same for the same size in different units', () => {
    fc.assert(fc.property(fc.nat(1_000_000), (n) => {
      expect(tryParseQuantity(`${n}000m`)).toBe(n);
      expect(tryParseQuantity(`${n}000000u`)).toBe(n);
      expect(tryParseQuantity(`${n}k`)).toBe(tryParseQuantity(`${n}000`));
      expect(tryParseQuantity(`${n}Gi`)).toBe(tryParseQuantity(`${n * 1024}Mi`));
      expect(tryParseQuantity(`${n}e3`)).toBe(tryParseQuantity(`${n}k`));
    }));
  });

  test('keeps the order of sizes', () => {
    fc.assert(fc.property(fc.nat(2 ** 40), fc.nat(2 ** 40), fc.constantFrom('', 'm', 'k', 'Ki', 'Mi', 'Gi'), (a, b, unit) => {
      expect(Math.sign(tryParseQuantity(`${a}${unit}`)! - tryParseQuantity(`${b}${unit}`)!)).toBe(Math.sign(a - b));
    }));
  });
});

test('the pattern is anchored, so that a schema can use it as it is', () => {
  expect(QUANTITY_PATTERN).toMatch(/^\^.*\$$/);
  expect(new RegExp(QUANTITY_PATTERN).test('x4')).toBe(false);
});

describe('the canonical form', () => {
  // What Go's resource.Quantity marshals, asked once.
  test.each([
    ['0', '0'], ['0Gi', '0'], ['0.5', '500m'], ['.5', '500m'], ['1000m', '1'], ['1500m', '1500m'], ['1.5', '1500m'], ['100.5m', '100500u'], ['1000', '1k'], ['1001', '1001'],
    ['512Mi', '512Mi'], ['1024Mi', '1Gi'], ['2048Mi', '2Gi'], ['1.5Gi', '1536Mi'], ['1024Gi', '1Ti'], ['0.5Gi', '512Mi'], ['0.5Ki', '512'], ['1Ki', '1Ki'], ['3.3Gi', '3543348019200m'],
    ['1024', '1024'], ['64000000000', '64G'], ['128000M', '128G'], ['1e3', '1e3'], ['12e6', '12e6'], ['1.5e3', '1500'], ['15e-1', '1500e-3'], ['1E', '1E'], ['0.0000000001', '1n'],
  ])('of %s is %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  test.each(['', 'lots', '1e999999999', '${Token[TOKEN.1]}'])('of %j, which is no amount of anything, is the same text', (text) => {
    expect(canonicalQuantity(text)).toBe(text);
  });

  test('is canonical itself, and as much as before', () => {
    const digits = fc.tuple(fc.integer({ min: 0, max: 999999 }), fc.option(fc.integer({ min: 0, max: 999 }), { nil: undefined }));
    fc.assert(fc.property(digits, fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'Ti', 'e3'), ([whole, fraction], suffix) => {
      const text = `${whole}${fraction === undefined ? '' : `.${fraction}`}${suffix}`;
      const canonical = canonicalQuantity(text);
      expect(canonicalQuantity(canonical)).toBe(canonical);
      const [before, after] = [tryParseQuantity(text)!, tryParseQuantity(canonical)!];
      expect(Math.abs(after - before)).toBeLessThanOrEqual(1e-9 * Math.max(1, before));
    }));
  });
});

describe('whole CPUs', () => {
  test.each([
    [undefined, 1],
    ['0', 1],
    ['100m', 1],
    ['1', 1],
    ['1500m', 2],
    ['4', 4],
    ['4000m', 4],
    ['3.5', 4],
    ['nonsense', 1],
  ])('of %s are %d: part of a CPU counts as one, as upstream', (cpu, count) => {
    expect(wholeCpus({ cpu })).toBe(count);
  });

  test('are exact for thousandths', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 10_000 }), (cpus) => {
      expect(wholeCpus({ cpu: `${cpus * 1000}m` })).toBe(cpus);
      expect(wholeCpus({ cpu: `${cpus * 1000 + 1}m` })).toBe(cpus + 1);
    }));
  });
});
