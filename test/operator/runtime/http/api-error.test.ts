import { ApiError } from '../../../../src/operator/runtime/http/api-error';

test.each([
  ['one that is being deleted', 403, { reason: 'Forbidden', details: { kind: 'pods', causes: [{ reason: 'NamespaceTerminating' }] } }, true],
  ['one that is not there any more', 404, { reason: 'NotFound', details: { name: 'ml', kind: 'namespaces' } }, true],
  ['an object that is not there', 404, { reason: 'NotFound', details: { name: 'net', kind: 'pods' } }, false],
  ['a kind that is not there', 404, {}, false],
  ['what a quota refuses', 403, { reason: 'Forbidden', details: { kind: 'pods' } }, false],
])('nothing can be created in a namespace that is gone: %s', (_what, status, body, expected) => {
  expect(new ApiError('create pods "ml/net"', status, body).isNamespaceGone).toBe(expected);
});
