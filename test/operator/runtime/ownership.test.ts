import { assertControlledBy, controllerReference, ForeignOwnerError, isControlledBy } from '../../../src/operator/runtime/kube-object';

describe('ownership', () => {
  const owner = { apiVersion: 'x/v1', kind: 'Job', metadata: { namespace: 'ns', name: 'job', uid: 'u1' } };
  const owned = { kind: 'Pod', metadata: { namespace: 'ns', name: 'p', ownerReferences: [controllerReference(owner)] } };

  it('is by uid, not by name', () => {
    expect(isControlledBy(owned, owner)).toBe(true);
    expect(isControlledBy(owned, { ...owner, metadata: { ...owner.metadata, uid: 'u2' } })).toBe(false);
    expect(isControlledBy({ metadata: {} }, { metadata: {} })).toBe(false);
  });

  it('of somebody else is refused, and says whose it is', () => {
    const other = { ...owner, metadata: { ...owner.metadata, name: 'other', uid: 'u2' } };
    expect(() => assertControlledBy(owned, other)).toThrow(ForeignOwnerError);
    expect(() => assertControlledBy(owned, other)).toThrow('Pod "ns/p" is controlled by Job "job" (uid u1), so Job "ns/other" (uid u2) must not take it over');
    expect(() => assertControlledBy({ kind: 'Pod', metadata: { name: 'p' } }, other)).toThrow('Pod "p" has no controller');
  });

  it('needs an owner that exists', () => {
    expect(() => controllerReference({ kind: 'Job', metadata: { name: 'job' } })).toThrow('apiVersion, kind, metadata.name and metadata.uid are all needed');
  });
});
