import { compareVersions, isWithin, minorOf, tryParseVersion } from '../../../src/model/catalogue/versions';

test.each([
  ['v1.21.1', '1.21.1', 0], ['1.9', '1.10', -1], ['26.03', '26.3', 0], ['2.0', '2', 0], ['2.0.1', '2', 1], ['v0.20.0', 'v0.19.9', 1], ['1.34.2-gke.100', '1.34.2', 0],
  ['latest', '0.1', -1],
])('%s beside %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
  expect(Math.sign(compareVersions(b, a))).toBe(sign === 0 ? 0 : -sign);
});

test('a range has its beginning and not its end', () => {
  expect(isWithin('1.0', { from: '1.0', before: '2.0' })).toBe(true);
  expect(isWithin('2.0', { from: '1.0', before: '2.0' })).toBe(false);
  expect(isWithin('0.9', { from: '1.0' })).toBe(false);
  expect(isWithin('7', {})).toBe(true);
});

test('a release of Kubernetes is major and minor', () => {
  expect(['v1.34.2-gke.100', '1.36', '1', 'stable'].map(minorOf)).toEqual(['1.34', '1.36', undefined, undefined]);
  expect(tryParseVersion('v26.03')).toEqual([26, 3]);
});
