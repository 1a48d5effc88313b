/** What the recorder keeps of jobs, whoever wrote them. */
import { keptJob } from '../../../../src/cli/ui/history/kept-job';
import { redact } from '../../../../src/cli/ui/history/redact';
import type { AnyObject } from '../../../../src/cli/jobs/objects';

const metadata = { name: 'net', namespace: 'a', uid: 'u', resourceVersion: '1' };
const map = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`example.com/${index}`, 'x'.repeat(60)]));

test('an ordinary job is kept as it is, without what kubectl keeps in it', () => {
  const job = { metadata: { ...metadata, labels: map(3), annotations: { note: 'n' } }, spec: { image: 'i' }, status: { phase: 'Running' } };
  const applied = { 'note': 'n', 'kubectl.kubernetes.io/last-applied-configuration': 'x'.repeat(100_000) };
  expect(JSON.parse(JSON.stringify(keptJob({ ...job, metadata: { ...job.metadata, annotations: applied } })))).toEqual(job);
});

test('labels, annotations and owners of a megabyte are left out', () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x'.repeat(1_000_000), uid: 'o' };
  const kept = keptJob({ metadata: { ...metadata, labels: map(10_000), annotations: map(10_000), ownerReferences: [owner] }, spec: { image: 'i' } });
  expect(JSON.stringify(kept).length).toBeLessThan(1_000);
});

test('a spec of a megabyte is kept compressed, and reads as before', () => {
  const spec = { image: 'i', env: Array.from({ length: 1000 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(1000) })) };
  const kept = keptJob({ metadata, spec });
  expect(Object.getOwnPropertyDescriptor(kept.spec, 'env')?.get).toBeDefined();
  expect(kept.spec).toEqual(spec);
});

test('a spec with thousands of levels can be written', () => {
  const spec = { image: 'i', template: JSON.parse('{"a":'.repeat(9_000) + '1' + '}'.repeat(9_000)) as unknown };
  const kept = keptJob({ metadata, spec } as AnyObject);
  expect(JSON.parse(JSON.stringify(redact(kept).value)).spec).toEqual({ image: 'i' });
});
