/** Settings of the dashboard, from the variables that `TrainyardDashboard` sets. */
import { readFileSync } from 'node:fs';
import { SessionSeals } from './sessions';
import { DASHBOARD_HEALTH_PORT, DASHBOARD_PORT, DASHBOARD_SESSION_SECONDS, DASHBOARD_VARIABLES, RECORDER_TOKEN_FOLDER } from '../../../manifests/dashboard/settings';
import { parsePrices } from '../../../model/cost/parse-prices';
import type { PriceTable } from '../../../model/cost/prices';
import { formatViolations } from '../../../model/violations';

export interface DashboardSettings {
  readonly port: number;
  readonly healthPort: number;
  readonly hosts: readonly string[];
  /** Ends with a slash. */
  readonly basePath: string;
  readonly allowChanges: boolean;
  readonly frameAncestors: readonly string[];
  readonly namespace: string;
  readonly cluster?: string;
  /** Address of the recorder, and the file with the token for it. @default - there is no history */
  readonly recorder?: { readonly origin: string; readonly tokenFile: string };
  /** For the page Cost. @default - the page shows only hours */
  readonly prices?: PriceTable;
  readonly auth: TokenSettings | HeaderSettings;
}

interface TokenSettings {
  readonly kind: 'token';
  readonly seals: SessionSeals;
  readonly sessionSeconds: number;
}

interface HeaderSettings {
  readonly kind: 'headers';
  readonly userHeader: string;
  readonly headerPrefix: string;
  readonly userPrefix: string;
  readonly groupsHeader?: string;
  readonly groupPrefix: string;
}

/** @throws Error that names the variable, its value and the rule */
export function readSettings(env: NodeJS.ProcessEnv): DashboardSettings {
  const names = DASHBOARD_VARIABLES;
  const basePath = env[names.path] ?? '/';
  if (!basePath.startsWith('/') || !basePath.endsWith('/')) {
    throw wrong(names.path, basePath, 'begin and end with a slash');
  }
  return {
    port: whole(env, names.port, DASHBOARD_PORT),
    healthPort: whole(env, names.healthPort, DASHBOARD_HEALTH_PORT),
    hosts: listIn(env[names.hosts], ',').map((host) => host.toLowerCase()),
    basePath,
    allowChanges: env[names.allowChanges] === 'true',
    frameAncestors: listIn(env[names.frameAncestors], ' '),
    namespace: env[names.namespace] ?? 'default',
    cluster: env[names.cluster],
    recorder: readRecorder(env),
    prices: readPrices(env),
    auth: readAuth(env),
  };
}

function readRecorder({ [DASHBOARD_VARIABLES.recorder]: origin, [DASHBOARD_VARIABLES.recorderToken]: file }: NodeJS.ProcessEnv): DashboardSettings['recorder'] {
  return origin === undefined ? undefined : { origin, tokenFile: file ?? `${RECORDER_TOKEN_FOLDER}/token` };
}

/** The construct has checked the table, but the ConfigMap may have been edited. */
function readPrices({ [DASHBOARD_VARIABLES.prices]: file }: NodeJS.ProcessEnv): PriceTable | undefined {
  if (file === undefined) {
    return undefined;
  }
  const { table, violations } = parsePrices(JSON.parse(readFileSync(file, 'utf8')));
  if (table === undefined) {
    throw wrong(DASHBOARD_VARIABLES.prices, file, `name a price table: ${formatViolations(violations)}`);
  }
  return table;
}

function readAuth(env: NodeJS.ProcessEnv): TokenSettings | HeaderSettings {
  const names = DASHBOARD_VARIABLES;
  const auth = env[names.auth] ?? 'token';
  if (auth === 'token') {
    const folder = env[names.keyFolder];
    return {
      kind: 'token', seals: folder === undefined ? SessionSeals.ofProcess() : SessionSeals.ofFolder(folder),
      sessionSeconds: whole(env, names.sessionSeconds, DASHBOARD_SESSION_SECONDS),
    };
  }
  if (auth !== 'headers') {
    throw wrong(names.auth, auth, "be 'token' or 'headers'");
  }
  const userHeader = env[names.userHeader] ?? '';
  if (userHeader === '') {
    throw wrong(names.userHeader, userHeader, 'be the name of the header with the user');
  }
  return {
    kind: 'headers', userHeader: userHeader.toLowerCase(), headerPrefix: env[names.headerPrefix] ?? '', userPrefix: env[names.userPrefix] ?? '',
    groupsHeader: env[names.groupsHeader]?.toLowerCase(), groupPrefix: env[names.groupPrefix] ?? '',
  };
}

/** A variable with a whole number. */
export function whole(env: NodeJS.ProcessEnv, name: string, standard: number): number {
  const text = env[name] ?? String(standard);
  if (!/^\d{1,9}$/.test(text)) {
    throw wrong(name, text, 'be a whole number');
  }
  return Number(text);
}

function listIn(text = '', separator: string): readonly string[] {
  return text.split(separator).map((part) => part.trim()).filter((part) => part !== '');
}

function wrong(name: string, value: string, rule: string): Error {
  return new Error(`Reading the settings of the dashboard: the variable ${name} is '${value}' and must ${rule}.`);
}
