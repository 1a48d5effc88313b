import { compareSets } from '../../../src/cli/diff/comparison';
import { comparisonMarkdown } from '../../../src/cli/diff/output-markdown';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';
import { DIFF_COMMENT_MARKER } from '../../../src/manifests/ci/commands';

const config = (name: string, data: object): ManifestObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const text = (before: readonly ManifestObject[], after: readonly ManifestObject[]) => comparisonMarkdown(compareSets(before, after), false);

test('it begins with the mark by which it is found again', () => {
  expect(text([config('a', { x: '1' })], [config('a', { x: '2' })])).toBe(
    `${DIFF_COMMENT_MARKER}\n### What this changes in the manifests\n\n1 to change\n\n\`\`\`diff\n~ ConfigMap a\n~   data.x: "1" -> "2"\n\`\`\`\n`);
});

test('no change is said, too', () => {
  expect(text([config('a', {})], [config('a', {})])).toBe(`${DIFF_COMMENT_MARKER}\n### What this changes in the manifests\n\nNothing: 1 the same.\n`);
});

test('what looks like the end of a block does not end it', () => {
  const shown = text([config('a', { x: '1\n' })], [config('a', { x: '1\n````\n# not a heading\n' })]);
  const [, fence] = /^(`+)diff$/m.exec(shown)!;
  expect(fence).toBe('`````');
  expect(shown.endsWith(`\n${fence}\n`)).toBe(true);
});

test('as much as a comment holds is shown, and the rest counted', () => {
  const many = Array.from({ length: 4000 }, (_, index) => config(`settings-${index}`, {}));
  const shown = text([], many);
  expect(shown.length).toBeLessThan(65_536);
  const left = Number(/\n(\d+) more lines are left out: `trainyard diff` has them all\.\n$/.exec(shown)![1]);
  expect(shown.match(/^(\+ .*)?$/gm)!.length).toBeGreaterThan(1000);
  expect(left).toBeGreaterThan(1000);
});
