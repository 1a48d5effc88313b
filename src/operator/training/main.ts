/** Entry point of the operator's process; bundled into one file that a stock Node.js image runs. */
import v8 from 'node:v8';
import { readConfig } from './config';
import { OperatorMetrics } from './metrics/operator-metrics';
import { runOperator } from './operator';
import { KubeClient } from '../runtime/kube-client';
import { loadConnection } from '../runtime/credentials/kubeconfig';
import { Logger } from '../runtime/process/logger';
import { handleShutdown } from '../runtime/process/shutdown';

/**
 * How much the heap may grow before it is collected, percent of what is in use. V8 lets it double and more, which after the first list of ten
 * thousand jobs is a hundred megabytes that stay; collecting more often costs a list of that size nothing that can be measured.
 */
const HEAP_GROWTH_PERCENT = 20;

async function main(): Promise<void> {
  v8.setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const config = readConfig(process.env);
  const logger = Logger.create({ level: config.logLevel });
  const shutdown = handleShutdown({ logger });
  const metrics = new OperatorMetrics({ process: true, v1Names: config.v1MetricNames });
  const client = new KubeClient({
    connection: await loadConnection(),
    userAgent: 'trainyard-operator',
    maxConcurrentRequests: config.maxRequests,
    onRequest: metrics.request,
    onWarning: (warning, request) => logger.warn('warning from the API server', { warning, request }),
  });
  // Imported only where it is wanted: the packages behind it cost memory.
  const traces = config.traces ? (await import('./tracing/otlp')).startOtlp(config.identity, logger) : undefined;
  try {
    // Not an orderly end, which would let passes that have begun go on. Exit code 1 makes the kubelet start the container again.
    await runOperator({ client, config, logger, metrics, spans: traces, signal: shutdown.signal, onLeadershipLost: () => process.exit(1) });
  } finally {
    await traces?.close();
    client.close();
    shutdown.dispose();
  }
}

main().catch((error: unknown) => {
  // Settings that cannot be read, a cluster that cannot be found: nothing that waiting would mend.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
