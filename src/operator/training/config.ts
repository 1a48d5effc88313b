/** The operator's settings, read once from its environment. */
import { hostname } from 'node:os';
import { OPERATOR_HEALTH_PORT, OPERATOR_NAME, OPERATOR_VARIABLES as VARIABLES } from '../../manifests/operator/settings';

/** Settings with their defaults. */
export interface OperatorConfig {
  /** `WATCH_NAMESPACES`, comma-separated: the namespaces whose jobs are run. @default - all namespaces */
  readonly watchNamespaces: readonly string[];
  /** `WORKERS`: jobs that are reconciled at the same time. @default 16 */
  readonly workers: number;
  /** `MAX_REQUESTS`: API requests in flight at the same time. @default 64 */
  readonly maxRequests: number;
  /** `LEADER_ELECT`: wait for the lease before acting. @default true */
  readonly leaderElect: boolean;
  /** `POD_NAMESPACE`: where the lease is. @default - the namespace of the service account or kubeconfig */
  readonly namespace?: string;
  /** `POD_NAME`: name of this replica in the lease. @default - the host name */
  readonly identity: string;
  /** `HEALTH_PORT`. 0 picks a free one. @default 8081 */
  readonly healthPort: number;
  /** `HEALTH_HOST`. @default - all addresses, as the kubelet needs it */
  readonly healthHost?: string;
  /** `LOG_LEVEL`: debug, info, warn or error. @default info */
  readonly logLevel: LogLevel;
  /** `RESYNC_SECONDS`: how often everything is listed and planned again, whatever the watches say. @default 600 */
  readonly resyncSeconds: number;
  /**
   * `TRAINYARD_ADDRESSES`: `pods` gives replicas the host names of pods; `loopback` gives them 127.0.0.1 and a port each, for
   * `trainyard dev`, where pods are processes of one machine. @default pods
   */
  readonly addresses: 'pods' | 'loopback';
}

/** Levels of {@link OperatorConfig.logLevel}. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Name of the lease that replicas of the operator compete for. */
export const LEASE_NAME = OPERATOR_NAME;

/**
 * Reads the settings.
 * @throws Error that names the variable, its value and what it has to be
 */
export function readConfig(env: NodeJS.ProcessEnv): OperatorConfig {
  return {
    watchNamespaces: (env[VARIABLES.watchNamespaces] ?? '').split(',').map((name) => name.trim()).filter(Boolean),
    workers: integer(env, VARIABLES.workers, 16, 1),
    maxRequests: integer(env, 'MAX_REQUESTS', 64, 1),
    leaderElect: choice(env, VARIABLES.leaderElect, ['true', 'false']) === 'true',
    namespace: env[VARIABLES.podNamespace] || undefined,
    identity: env[VARIABLES.podName] || `${hostname()}-${process.pid}`,
    healthPort: integer(env, VARIABLES.healthPort, OPERATOR_HEALTH_PORT, 0),
    healthHost: env.HEALTH_HOST || undefined,
    logLevel: choice(env, VARIABLES.logLevel, ['info', 'debug', 'warn', 'error']),
    resyncSeconds: integer(env, 'RESYNC_SECONDS', 600, 1),
    addresses: choice(env, 'TRAINYARD_ADDRESSES', ['pods', 'loopback']),
  };
}

function integer(env: NodeJS.ProcessEnv, name: string, standard: number, least: number): number {
  const text = env[name];
  if (text === undefined || text === '') {
    return standard;
  }
  const value = Number(text);
  if (!Number.isInteger(value) || value < least) {
    throw new Error(`Reading the operator's settings: ${name} is "${text}", but has to be a whole number of at least ${least}.`);
  }
  return value;
}

/** The first of the allowed values is the default. */
function choice<T extends string>(env: NodeJS.ProcessEnv, name: string, allowed: readonly [T, ...T[]]): T {
  const text = env[name];
  if (text === undefined || text === '') {
    return allowed[0];
  }
  if (!(allowed as readonly string[]).includes(text)) {
    throw new Error(`Reading the operator's settings: ${name} is "${text}", but has to be one of ${allowed.join(', ')}.`);
  }
  return text as T;
}
