import { OtlpCollector, type WireSpan } from '../../operator/training/support/otlp-collector';
import { eventually } from '../support/cluster';
import { describeOperator } from '../support/operator-suite';

const collector = new OtlpCollector();
const env: { [name: string]: string } = { OTEL_BSP_SCHEDULE_DELAY: '100' };

beforeAll(async () => {
  env.OTEL_EXPORTER_OTLP_ENDPOINT = await collector.start();
});
afterAll(async () => collector.stop());

const suite = describeOperator(env);

const attribute = (span: WireSpan, key: string) => Object.values(span.attributes.find((candidate) => candidate.key === key)?.value ?? {})[0];

test('a job that was disrupted once is a trace of two attempts', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('net', { framework: 'jax', replicas: 1 });
  await jobs.until('net', 'pending in its status', (status) => status.phase === 'Pending');
  await kubelet.runAll('net', 1);
  await jobs.untilCondition('net', 'Running');
  await kubelet.evict('net-worker-0');
  await jobs.until('net', 'waiting for the next pod', (status) => status.attempt === 1 && (status.workerStatuses?.[0].pending ?? 0) > 0);
  await kubelet.run('net-worker-0');
  await jobs.untilCondition('net', 'Running');
  await kubelet.end('net-worker-0');
  const { metadata } = await jobs.untilCondition('net', 'Succeeded');

  const mine = () => collector.spans.filter((span) => attribute(span, 'trainyard.job.uid') === metadata.uid);
  const spans = await eventually('the span of the job', async () => mine().some(({ name }) => name === 'training job') && mine());
  const root = spans.find(({ name }) => name === 'training job')!;
  expect(attribute(root, 'trainyard.outcome')).toBe('succeeded');
  expect(attribute(root, 'trainyard.disruptions')).toBe(1);
  const attempts = spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
  expect(attempts.map(({ name }) => name)).toEqual(['attempt 0', 'attempt 1']);
  expect(attribute(attempts[0], 'trainyard.failure.reason')).toBe('Evicted');
  const phases = attempts.map(({ spanId }) => spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name));
  expect(phases).toEqual([['pending', 'running'], ['restarting', 'running']]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(collector.spans.some((span) => span.name === 'reconcile' && attribute(span, 'trainyard.job') === `${suite.namespace}/net`)).toBe(true);
});
