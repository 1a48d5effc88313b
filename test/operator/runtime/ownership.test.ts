import { controllerReference, isControlledBy } from '../../../src/operator/runtime/kube-object';

describe('ownership', () => {
  const owner = { apiVersion: 'x/v1', kind: 'Job', metadata: { namespace: 'ns', name: 'job', uid: 'u1' } };
  const owned = { kind: 'Pod', metadata: { namespace: 'ns', name: 'p', ownerReferences: [controllerReference(owner)] } };

  it('is by uid, not by name', () => {
    expect(isControlledBy(owned, owner)).toBe(true);
    expect(isControlledBy(owned, { ...owner, metadata: { ...owner.metadata, uid: 'u2' } })).toBe(false);
    expect(isControlledBy({ metadata: {} }, { metadata: {} })).toBe(false);
  });

  it('needs an owner that exists', () => {
    expect(() => controllerReference({ kind: 'Job', metadata: { name: 'job' } })).toThrow('apiVersion, kind, metadata.name and metadata.uid are all needed');
  });
});
