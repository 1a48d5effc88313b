/** The launcher's files. What its programs do is tested in test/programs/events. */
import { filesDigest } from '../../../src/manifests/events/launcher';

test('files have another mark when one of them changes, and when content moves from one to another', () => {
  expect(new Set([filesDigest({ a: '1', b: '2' }), filesDigest({ a: '1', b: '3' }), filesDigest({ a: '12', b: '' }), filesDigest({ b: '2' })]).size).toBe(4);
  expect(filesDigest({ a: '1', b: '2' })).toBe(filesDigest({ b: '2', a: '1' }));
});
