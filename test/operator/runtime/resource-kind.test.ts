import { collectionPath, LEASES, NODES, objectPath, PODS } from '../../../src/operator/runtime/resource-kind';

describe('paths', () => {
  it('follow group, scope and subresource', () => {
    expect(collectionPath(PODS)).toBe('/api/v1/pods');
    expect(objectPath(PODS, { namespace: 'ns', name: 'a' }, 'status')).toBe('/api/v1/namespaces/ns/pods/a/status');
    expect(objectPath(LEASES, { namespace: 'ns', name: 'l' })).toBe('/apis/coordination.k8s.io/v1/namespaces/ns/leases/l');
    expect(objectPath(NODES, { name: 'n' })).toBe('/api/v1/nodes/n');
    expect(objectPath(PODS, { namespace: 'a/b', name: '../x' })).toBe('/api/v1/namespaces/a%2Fb/pods/..%2Fx');
  });

  it('that make no sense are refused', () => {
    expect(() => collectionPath(NODES, 'ns')).toThrow('namespace "ns" was given, but Node is cluster-scoped');
    expect(() => objectPath(PODS, { name: 'a' })).toThrow('Pod is namespaced; set "namespace"');
  });
});
