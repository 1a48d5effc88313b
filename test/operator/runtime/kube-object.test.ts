import { keyOf, objectKey, splitKey } from '../../../src/operator/runtime/kube-object';

describe('keys', () => {
  it('join and split namespace and name', () => {
    expect([keyOf('ns', 'a'), keyOf(undefined, 'n')]).toEqual(['ns/a', 'n']);
    expect([splitKey('ns/a'), splitKey('n')]).toEqual([{ namespace: 'ns', name: 'a' }, { name: 'n' }]);
    expect(() => objectKey({ kind: 'Pod', metadata: {} })).toThrow('Reading the key of a Pod: metadata.name is missing');
  });
});
