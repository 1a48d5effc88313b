import { withLiveVariables } from '../../../../src/manifests/engines/indexed/engine-pods';

test('a variable named as what objects inherit keeps its value', () => {
  const env = [{ name: 'constructor', value: 'x' }, { name: 'POD', value: 'y' }];
  expect(withLiveVariables([{ name: 'training', image: 'i', env }], { POD: 'metadata.name' })).toEqual([{
    name: 'training', image: 'i', env: [env[0], { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
  }]);
});
