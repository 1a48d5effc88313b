/** Defaults of pods, over which stands what their author has said. */
import type { PodSpec } from '../../../src/manifests/kubernetes';
import { containerWithoutEscalation, withoutEscalation, withPodDefaults } from '../../../src/manifests/pod/pod-defaults';
import { plainObject } from '../../../src/manifests/plain-object';

const containers = [{ name: 'c' }];
const defaults = (spec: Partial<PodSpec>, needsToken?: boolean) => plainObject(withPodDefaults({ containers, ...spec }, needsToken));
const SECCOMP = { seccompProfile: { type: 'RuntimeDefault' } };

test('a pod of which nothing is said has a profile and no token', () => {
  expect(defaults({})).toEqual({ containers, automountServiceAccountToken: false, securityContext: SECCOMP });
});

test.each<[string, Partial<PodSpec>, boolean | undefined, unknown]>([
  ['of a named account', { serviceAccountName: 'a' }, undefined, undefined],
  ['of an account by its old field', { serviceAccount: 'a' }, undefined, undefined],
  ['that its programs need', {}, true, undefined],
  ['that the author asks for', { automountServiceAccountToken: true }, undefined, true],
  ['that the author does not want', { serviceAccountName: 'a', automountServiceAccountToken: false }, true, false],
])('a token %s', (_what, spec, needsToken, automount) => {
  expect(defaults(spec, needsToken).automountServiceAccountToken).toBe(automount);
});

test('the author\'s own context stands', () => {
  expect(defaults({ securityContext: { runAsUser: 5, seccompProfile: { type: 'Unconfined' } } }).securityContext).toEqual({ runAsUser: 5, seccompProfile: { type: 'Unconfined' } });
  expect(defaults({ securityContext: { fsGroup: 5 } }).securityContext).toEqual({ fsGroup: 5, ...SECCOMP });
});

test.each<[string, object | undefined, object | undefined]>([
  ['nothing', undefined, { allowPrivilegeEscalation: false }],
  ['a user', { runAsUser: 1 }, { allowPrivilegeEscalation: false, runAsUser: 1 }],
  ['that they may', { allowPrivilegeEscalation: true }, { allowPrivilegeEscalation: true }],
  ['a capability', { capabilities: { add: ['SYS_PTRACE'] } }, { allowPrivilegeEscalation: false, capabilities: { add: ['SYS_PTRACE'] } }],
  // With these the API server refuses the field.
  ['the rights of the node', { privileged: true }, { privileged: true }],
  ['a capability that is as much', { capabilities: { add: ['SYS_ADMIN'] } }, { capabilities: { add: ['SYS_ADMIN'] } }],
])('programs get no more rights where the author says %s, unless that needs them', (_what, written, expected) => {
  expect(withoutEscalation(written as { readonly [field: string]: unknown } | undefined)).toEqual(expected);
  expect(containerWithoutEscalation({ name: 'c', securityContext: written as never })).toEqual({ name: 'c', securityContext: expected });
});
