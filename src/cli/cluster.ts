/** Connects to the cluster that kubectl would use. */
import { Option, type Command } from 'commander';
import { CliError } from './cli-error';
import { parseDuration } from './options';
import { requireFile } from './input';
import { ApiError, TransportError } from '../operator/runtime/http/api-error';
import { KubeClient } from '../operator/runtime/kube-client';
import { loadConnection } from '../operator/runtime/credentials/kubeconfig';

/** Time in which the API server must answer, in milliseconds. */
const REQUEST_TIMEOUT_MS = 15_000;

/** Adds the options that select a cluster. */
export function withClusterOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'how to reach the cluster (default: as kubectl)')
    .option('--context <name>', 'context of the kubeconfig')
    .addOption(new Option('--request-timeout <duration>', 'time in which the cluster must answer a request').argParser(parseDuration).default(REQUEST_TIMEOUT_MS, '15s'));
}

/** The values of these options. */
export interface ClusterFlags {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Milliseconds. */
  readonly requestTimeout?: number;
}

/** The namespace as in kubectl: that of the option, else that of the kubeconfig, else `default`. */
export function namespaceOf({ connection }: KubeClient, { namespace }: ClusterFlags): string {
  return namespace ?? connection.namespace ?? 'default';
}

/**
 * Calls `work` with a client of a cluster, and closes the connection.
 * @throws CliError if there is no cluster, it does not answer, or it refuses a request
 */
export async function withCluster<T>({ kubeconfig, context, requestTimeout }: ClusterFlags, work: (client: KubeClient) => Promise<T>): Promise<T> {
  if (kubeconfig !== undefined) {
    requireFile(kubeconfig);
  }
  let client: KubeClient;
  try {
    const connection = await loadConnection({ kubeconfig, context });
    client = new KubeClient({ connection, maxRetries: 1, timeoutMs: requestTimeout ?? REQUEST_TIMEOUT_MS });
  } catch (error) {
    throw new CliError((error as Error).message);
  }
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof TransportError) {
      throw new CliError(`The cluster at ${client.connection.server.href} (${client.connection.origin}) does not answer: ${error.message}.`);
    }
    throw error instanceof ApiError ? new CliError(error.message) : error;
  } finally {
    client.close();
  }
}
