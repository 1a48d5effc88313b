/** Sends two spans of a job and ends, for `otlp.test.ts`: a process of its own, because jest cannot load the exporter, which imports lazily. */
import { Logger } from '../../../../src/operator/runtime/process/logger';
import { startOtlp } from '../../../../src/operator/training/tracing/otlp';

const SPAN = {
  traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: 'a7ad6b7169203331', name: 'attempt 0', start: 1_000, end: 3_500,
  attributes: { 'trainyard.attempt': 0, 'trainyard.job.name': 'net', 'trainyard.reason': undefined }, error: 'net-worker-0: Error',
};

async function main(): Promise<void> {
  const spans = startOtlp('operator-0', Logger.create({ level: 'info', format: 'json' }));
  spans.emit(SPAN);
  spans.emit({ ...SPAN, spanId: 'a7ad6b7169203331', parentId: undefined, name: 'training job', error: undefined });
  await spans.close();
}

void main();
