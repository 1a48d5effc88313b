/** Entry point of the operator's process; bundled into one file that a stock Node.js image runs. */
import { readConfig } from './config';
import { runOperator } from './operator';
import { KubeClient } from '../runtime/kube-client';
import { loadConnection } from '../runtime/kubeconfig';
import { Logger } from '../runtime/logger';
import { handleShutdown } from '../runtime/shutdown';

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = Logger.create({ level: config.logLevel });
  const shutdown = handleShutdown({ logger });
  const client = new KubeClient({
    connection: await loadConnection(),
    userAgent: 'trainyard-operator',
    maxConcurrentRequests: config.maxRequests,
    onWarning: (warning, request) => logger.warn('the API server warns', { warning, request }),
  });
  try {
    // Not an orderly end, which would let passes that have begun go on. Exit code 1 makes the kubelet start the container again.
    await runOperator({ client, config, logger, signal: shutdown.signal, onLeadershipLost: () => process.exit(1) });
  } finally {
    client.close();
    shutdown.dispose();
  }
}

main().catch((error: unknown) => {
  // Settings that cannot be read, a cluster that cannot be found: nothing that waiting would mend.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
