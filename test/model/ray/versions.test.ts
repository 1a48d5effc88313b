import fc from 'fast-check';
import { isBefore, rayVersionOfImage, rayVersionText, tryParseRayVersion, type RayVersion } from '../../../src/model/ray/versions';

const version: fc.Arbitrary<RayVersion> = fc.tuple(fc.nat(9), fc.nat(99), fc.nat(99));

test('a version is read as it is written', () => {
  fc.assert(fc.property(version, (written) => {
    expect(tryParseRayVersion(rayVersionText(written))).toEqual(written);
  }));
});

test('of two versions exactly one is before the other, unless they are the same', () => {
  fc.assert(fc.property(version, version, (one, other) => {
    const same = rayVersionText(one) === rayVersionText(other);
    expect([isBefore(one, other), isBefore(other, one)].filter(Boolean)).toHaveLength(same ? 0 : 1);
  }));
});

test('minor versions are numbers and not texts', () => {
  expect(isBefore([2, 9, 3], [2, 10, 0])).toBe(true);
});

test.each([['2.52', [2, 52, 0]], ['v2.52.1', [2, 52, 1]], ['2.52.0-py311-gpu', [2, 52, 0]], ['3.0.0.dev0', undefined], ['latest', undefined], [undefined, undefined]])(
  'of %s is read %j', (text, expected) => {
    expect(tryParseRayVersion(text)).toEqual(expected);
  });

test.each([
  ['rayproject/ray:2.54.0', '2.54.0'],
  ['docker.io/rayproject/ray-llm:2.54.0-py311-cu128', '2.54.0'],
  ['rayproject/ray:2.54.0@sha256:abc', '2.54.0'],
  ['rayproject/ray:nightly', undefined],
  ['rayproject/ray', undefined],
  ['registry.example/train:2.54.0', undefined],
  ['registry.example/myrayproject/ray:2.54.0', undefined],
])('of the image %s is known %s', (image, expected) => {
  expect(rayVersionOfImage(image)).toBe(expected);
});
