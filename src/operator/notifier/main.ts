/** The process of the notifier: settings, health, the Lease, and an orderly end. */
import { hostname } from 'node:os';
import { Notifier } from './notifier';
import { readSettings } from './settings';
import { NOTIFIER_NAME } from '../../manifests/notifications/settings';
import { loadConnection } from '../runtime/credentials/kubeconfig';
import { HealthServer } from '../runtime/http/health-server';
import { KubeClient } from '../runtime/kube-client';
import { Logger } from '../runtime/process/logger';
import { handleShutdown } from '../runtime/process/shutdown';
import { Leadership } from '../training/leadership';

/** How long another process waits for this one's Lease, in seconds. */
const LEASE_SECONDS = 15;

async function main(): Promise<void> {
  const logger = Logger.create();
  const shutdown = handleShutdown({ logger });
  const { guard, cluster, healthPort, healthHost, namespace } = readSettings(process.env);
  const client = new KubeClient({ connection: await loadConnection(), userAgent: NOTIFIER_NAME });
  const leadership = new Leadership({
    client, logger, config: { leaderElect: true, leaseSeconds: LEASE_SECONDS, identity: `${hostname()}_${process.pid}`, namespace }, lease: { name: NOTIFIER_NAME },
    // Another process may act already. Exit code 1 makes the kubelet start the container again.
    onLost: () => process.exit(1),
  });
  const notifier = new Notifier({ client: leadership.client, guard, cluster, logger });
  const missing = (state: 'alive' | 'synced') => notifier.watches.map(({ health }) => health).find((health) => !health[state])?.resource;
  const health = new HealthServer({
    logger, port: healthPort, host: healthHost,
    liveness: { watches: () => missing('alive') && `${missing('alive')} hangs` },
    readiness: { caches: () => missing('synced') && `${missing('synced')} not listed yet` },
  });
  logger.info('the notifier starts', { healthPort: await health.listen() });
  const end = new AbortController();
  const following = notifier.follow(end.signal);
  try {
    await leadership.run(async () => notifier.run(shutdown.signal), shutdown.signal);
  } finally {
    end.abort();
    await following;
    await health.close();
    client.close();
    shutdown.dispose();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
