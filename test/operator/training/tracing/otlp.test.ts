import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { OtlpCollector } from '../support/otlp-collector';

const PROGRAM = path.join(__dirname, '..', 'support', 'send-spans.ts');

/** Sends the two spans of `send-spans.ts`. @returns what the sender logged */
async function send(endpoint: string, env: { readonly [name: string]: string } = {}): Promise<string> {
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', PROGRAM], {
    env: { PATH: process.env.PATH, NODE_ENV: 'test', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env },
  });
  return stderr;
}

let collector: OtlpCollector;
let endpoint: string;
beforeEach(async () => {
  collector = new OtlpCollector();
  endpoint = await collector.start();
});
afterEach(async () => collector.stop());

test('spans arrive at a collector by OTLP over HTTP, as JSON, with the ids, times and attributes that they have', async () => {
  expect(await send(endpoint, { OTEL_RESOURCE_ATTRIBUTES: 'k8s.cluster.name=lab,service.name=mine' })).toBe('');
  expect(collector.requests.map(({ path: url, contentType }) => [url, contentType])).toEqual([['/v1/traces', 'application/json']]);
  const attributes = (list: readonly { key: string; value: object }[]) =>
    Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
  expect(attributes(collector.requests[0].body.resourceSpans[0].resource.attributes))
    .toEqual({ 'service.name': 'mine', 'service.instance.id': 'operator-0', 'k8s.cluster.name': 'lab' });
  const [attempt, job] = collector.spans;
  expect(attempt).toMatchObject({
    traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentSpanId: 'a7ad6b7169203331', name: 'attempt 0',
    startTimeUnixNano: '1000000000', endTimeUnixNano: '3500000000', status: { code: 2, message: 'net-worker-0: Error' },
  });
  expect(attributes(attempt.attributes)).toEqual({ 'trainyard.attempt': 0, 'trainyard.job.name': 'net' });
  expect(job).toMatchObject({ traceId: attempt.traceId, spanId: 'a7ad6b7169203331', status: { code: 0 } });
  expect(job.parentSpanId).toBeUndefined();
});

test('a sampler by trace id takes the whole trace of a job or nothing of it', async () => {
  expect(await send(endpoint, { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' })).toBe('');
  expect(collector.spans).toEqual([]);
  await send(endpoint, { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1' });
  expect(collector.spans).toHaveLength(2);
});

test('a collector that is away is a warning in the log, and nothing else', async () => {
  await collector.stop();
  const log = await send(endpoint, { OTEL_EXPORTER_OTLP_TIMEOUT: '500' });
  expect(log).toContain('"level":"warn"');
  expect(log).toContain('ECONNREFUSED');
  expect(log).not.toContain('"level":"error"');
});
