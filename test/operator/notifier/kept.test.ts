/** What the notifier keeps of jobs and rules, whoever wrote them. */
import { NOTIFY_ANNOTATION } from '../../../src/model/notifications/rule';
import { keptJob, keptRule, type RuleObject } from '../../../src/operator/notifier/kept';

const metadata = { name: 'net', namespace: 'a', uid: 'u', resourceVersion: '1' };
const map = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`example.com/${index}`, 'x'.repeat(60)]));

test('of a job with a megabyte of labels and annotations a few are kept', () => {
  const kept = keptJob({ metadata: { ...metadata, labels: map(10_000), annotations: { [NOTIFY_ANNOTATION]: 'a,'.repeat(120_000) } } });
  expect(JSON.stringify(kept).length).toBeLessThan(10_000);
  expect(kept.metadata?.annotations).toBeUndefined();
});

test('labels and the names of rules are kept', () => {
  const job = { metadata: { ...metadata, labels: map(20), annotations: { [NOTIFY_ANNOTATION]: 'one,two' } } };
  expect(keptJob(job)).toMatchObject(job);
});

test('of a rule neither labels nor annotations are kept', () => {
  const spec = { events: ['Failed'], receivers: [{ name: 'k', kubernetesEvent: {} }] } as const;
  const rule = { metadata: { ...metadata, labels: map(10_000), annotations: map(3_000) }, spec } as unknown as RuleObject;
  expect(JSON.parse(JSON.stringify(keptRule(rule)))).toEqual({ metadata, spec });
});
