/** The process of the dashboard in a cluster, or of its recorder: settings, health, and shutdown. */
import { setTimeout as delay } from 'node:timers/promises';
import { Dashboard } from './dashboard';
import { readSettings } from './settings';
import { runRecorder } from '../history/run-recorder';
import { pagesOf } from '../server/answers';
import { DASHBOARD_VARIABLES } from '../../../manifests/dashboard/settings';
import { loadConnection } from '../../../operator/runtime/credentials/kubeconfig';
import { HealthServer } from '../../../operator/runtime/http/health-server';
import { Logger } from '../../../operator/runtime/process/logger';
import { handleShutdown } from '../../../operator/runtime/process/shutdown';

/** Inserted by the bundler: the files of the pages by their names, and the version. */
declare const DASHBOARD_PAGES: { readonly [name: string]: string };
declare const DASHBOARD_VERSION: string;

/** How long requests are served after SIGTERM, until Services send no new ones; milliseconds. */
const LEAVING_MS = 3_000;

async function main(): Promise<void> {
  const logger = Logger.create();
  const shutdown = handleShutdown({ logger });
  const settings = readSettings(process.env);
  const connection = await loadConnection();
  const health = new HealthServer({
    logger, port: settings.healthPort, readiness: { shutdown: () => (shutdown.signal.aborted ? 'the process is about to end' : undefined) },
  });
  const dashboard = await Dashboard.start({ settings, connection, pages: pagesOf(DASHBOARD_PAGES), version: DASHBOARD_VERSION, logger });
  await health.listen();
  logger.info('the dashboard serves', { port: settings.port, auth: settings.auth.kind, allowChanges: settings.allowChanges, hosts: settings.hosts });
  await new Promise((resolve) => shutdown.signal.addEventListener('abort', resolve, { once: true }));
  await delay(LEAVING_MS);
  dashboard.close();
  await health.close();
  shutdown.dispose();
}

const program = process.env[DASHBOARD_VARIABLES.program] === 'recorder' ? runRecorder : main;

program().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
