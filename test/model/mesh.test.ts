/** What pods say of a mesh's sidecars: what their author said, else that they want none. */
import { labelsWithoutSidecar, meshLabels, type LabelledMetadata } from '../../src/model/mesh';

const INJECT = 'sidecar.istio.io/inject';
const REVISION = 'istio.io/rev';

test.each<[string, LabelledMetadata | undefined, object]>([
  ['nothing', undefined, { [INJECT]: 'false' }],
  ['something else', { labels: { a: 'b' }, annotations: { c: 'd' } }, { a: 'b', [INJECT]: 'false' }],
  ['a label', { labels: { [INJECT]: 'true' } }, { [INJECT]: 'true' }],
  ['the annotation of old', { annotations: { [INJECT]: 'true' } }, { [INJECT]: 'true' }],
  ['both, of which the label counts', { labels: { [INJECT]: 'false' }, annotations: { [INJECT]: 'true' } }, { [INJECT]: 'false' }],
  ['a revision', { labels: { [REVISION]: 'canary' } }, { [INJECT]: 'true', [REVISION]: 'canary' }],
])('of an author who says %s', (_what, metadata, labels) => {
  expect(labelsWithoutSidecar(metadata)).toEqual(labels);
});

test('an author who says nothing has said nothing', () => {
  expect([meshLabels(), meshLabels({ labels: { a: 'b' } })]).toEqual([{}, {}]);
});
