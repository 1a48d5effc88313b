/** The process of the recorder: settings, health, and shutdown. */
import fs from 'node:fs';
import path from 'node:path';
import type { Database } from './database';
import { openPostgresql } from './postgresql';
import { Recorder } from './recorder';
import { startRecorderServer } from './recorder-server';
import { openSqlite } from './sqlite';
import { HistoryStore } from './store';
import { whole } from '../dashboard/settings';
import { DASHBOARD_HEALTH_PORT, DASHBOARD_VARIABLES, HISTORY_FOLDER, RECORDER_PORT, RECORDER_VARIABLES } from '../../../manifests/dashboard/settings';
import { HISTORY_RETENTION } from '../../../model/dashboard/history';
import { loadConnection } from '../../../operator/runtime/credentials/kubeconfig';
import { TokenVerifier } from '../../../operator/runtime/credentials/token-verifier';
import { HealthServer } from '../../../operator/runtime/http/health-server';
import { KubeClient } from '../../../operator/runtime/kube-client';
import { Logger } from '../../../operator/runtime/process/logger';
import { handleShutdown } from '../../../operator/runtime/process/shutdown';

/** Timeout of a request to the API server; milliseconds. */
const REQUEST_TIMEOUT_MS = 15_000;

const DAY_MS = 24 * 3600_000;
const MEBIBYTE = 1024 * 1024;

/** Runs until SIGTERM. @throws CliError if the database cannot be opened */
export async function runRecorder(): Promise<void> {
  const { env } = process;
  const names = RECORDER_VARIABLES;
  const logger = Logger.create();
  const shutdown = handleShutdown({ logger });
  const store = await HistoryStore.open(openDatabase(env));
  const client = new KubeClient({ connection: await loadConnection(), timeoutMs: REQUEST_TIMEOUT_MS, userAgent: 'trainyard-recorder' });
  const recorder = new Recorder({
    client, store, logger,
    retention: {
      maxAgeMs: whole(env, names.days, HISTORY_RETENTION.days) * DAY_MS, maxRuns: whole(env, names.jobs, HISTORY_RETENTION.jobs),
      maxBytes: whole(env, names.mebibytes, HISTORY_RETENTION.mebibytes) * MEBIBYTE,
    },
  });
  const health = new HealthServer({
    logger, port: whole(env, DASHBOARD_VARIABLES.healthPort, DASHBOARD_HEALTH_PORT), readiness: { recording: () => recorder.problem },
  });
  const server = await startRecorderServer({
    store, logger, verifier: new TokenVerifier({ client }), namespace: env[names.namespace] ?? '', port: whole(env, DASHBOARD_VARIABLES.port, RECORDER_PORT),
    problem: () => recorder.problem,
  });
  await health.listen();
  logger.info('the recorder runs', { origin: server.origin });
  await recorder.run(shutdown.signal);
  server.close();
  await health.close();
  await store.close();
  client.close();
  shutdown.dispose();
}

function openDatabase(env: NodeJS.ProcessEnv): Database {
  const folder = env[RECORDER_VARIABLES.database];
  if (folder === undefined) {
    return openSqlite(path.join(env[RECORDER_VARIABLES.folder] ?? HISTORY_FOLDER, 'history.db'));
  }
  const authority = path.join(folder, 'ca.crt');
  return openPostgresql(fs.readFileSync(path.join(folder, 'url'), 'utf8').trim(), fs.existsSync(authority) ? fs.readFileSync(authority, 'utf8') : undefined);
}
