/** One environment of a program against its cluster. */
import type { Command } from 'commander';
import type { Comparison } from './comparison';
import { inEnvironment, type ComparedSets } from './environments';
import { compareWithCluster } from './live';
import { CliError } from '../cli-error';
import { withCluster, withClusterOptions, type ClusterFlags } from '../cluster';

/** Adds the options of commands that compare with a cluster. */
export function withLiveOptions(command: Command): Command {
  return withClusterOptions(command.option('-n, --namespace <name>', 'namespace of objects that name none (default: that of the kubeconfig)'))
    .option('--field-manager <name>', 'field manager to apply as (default: the last one of each object, else kubectl)');
}

/** How a cluster is found, and objects are applied. */
export interface LiveFlags extends ClusterFlags {
  readonly namespace?: string;
  readonly fieldManager?: string;
}

/** Compares one environment with its cluster. @throws CliError where the program has several */
export async function compareLive(sets: readonly ComparedSets[], flags: LiveFlags): Promise<Comparison> {
  const given = sets.filter(({ after, before }) => after.length + before.length > 0);
  if (given.length > 1) {
    throw new CliError(`The app has several environments (${given.map(({ environment }) => environment || '.').join(', ')}), but a cluster belongs to one of them. Choose it with --environment.`);
  }
  const [{ environment, before, after }] = given.length === 0 ? sets : given;
  const comparison = await withCluster(flags, async (client) => compareWithCluster(client, after, {
    namespace: flags.namespace ?? client.connection.namespace ?? 'default', fieldManager: flags.fieldManager, earlier: before,
  }));
  return inEnvironment(comparison, environment);
}
