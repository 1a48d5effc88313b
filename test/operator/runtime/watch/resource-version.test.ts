import { compareResourceVersions } from '../../../../src/operator/runtime/watch/resource-version';

describe('resource versions', () => {
  it.each([
    ['9', '10', -1],
    ['10', '9', 1],
    ['10', '10', 0],
    ['9007199254740993', '9007199254740992', 1],
    ['18446744073709551615', '9', 1],
    ['abc', 'abc', 0],
    ['abc', '10', undefined],
    ['', '10', undefined],
    ['0', '10', undefined],
    ['010', '9', undefined],
    ['-1', '9', undefined],
  ])('%s against %s', (left, right, expected) => {
    const order = compareResourceVersions(left, right);
    expect(order === undefined ? undefined : Math.sign(order)).toBe(expected);
  });
});
