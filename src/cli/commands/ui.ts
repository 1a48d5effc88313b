/** `trainyard ui`: the jobs of a cluster in a browser. */
import path from 'node:path';
import { Command } from 'commander';
import { namespaceOf, withCluster, withClusterOptions, type ClusterFlags } from '../cluster';
import { PRICES_VARIABLE, readPrices } from '../cost/read-prices';
import { parseCount } from '../options';
import { watchSignals } from '../signals';
import { clusterSource } from '../ui/cluster-source';
import { readPages } from '../ui/server/answers';
import { LocalAccess } from '../ui/server/local-access';
import { UiServer } from '../ui/server/server';
import { PACKAGE_FOLDER } from '../version';
import { Terminal } from '../../local/output/terminal';

interface UiFlags extends ClusterFlags {
  readonly port?: number;
  readonly allowChanges?: boolean;
  readonly prices?: string;
}

const DETAILS = `
Serves pages on 127.0.0.1 for whoever has the address that is printed, and reads the cluster with your own permissions: jobs and services of all
engines, live, with progress, replicas, metrics, failures, events and logs. Nothing is installed in the cluster. Press Ctrl-C to end it.`;

export function uiCommand(): Command {
  return withClusterOptions(new Command('ui')
    .description('show the jobs of a cluster in a browser, on this machine')
    .option('-n, --namespace <name>', 'namespace to show first (default: that of the kubeconfig)')
    .option('--port <number>', 'port on 127.0.0.1 (default: a free one)', parseCount)
    .option('--allow-changes', 'let the pages suspend, resume, rerun and delete jobs')
    .option('-p, --prices <file>', `price table for the page Cost, as for trainyard cost (default: $${PRICES_VARIABLE})`))
    .addHelpText('after', DETAILS)
    .action(async (flags: UiFlags) => {
      process.exitCode = await ui(flags);
    });
}

async function ui(flags: UiFlags): Promise<number> {
  const terminal = new Terminal();
  const prices = readPrices(flags.prices);
  return withCluster(flags, async (client) => {
    // Reports mistakes of the kubeconfig before the server starts.
    await client.raw('GET', '/version');
    const source = clusterSource(client, {
      namespace: namespaceOf(client, flags), canChange: flags.allowChanges ?? false, howToChange: 'Start it with trainyard ui --allow-changes to change jobs.',
    }, { prices });
    const access = new LocalAccess(source);
    const server = await UiServer.start({ access, pages: readPages(path.join(PACKAGE_FOLDER, 'assets', 'ui')), port: flags.port });
    terminal.line(access.address(server.origin));
    terminal.note(`Shows ${source.session.cluster} (${source.session.origin})${flags.allowChanges ? '' : ', read-only'}. Press Ctrl-C to end.`);
    return new Promise<number>((resolve) => {
      const signals = watchSignals({
        first: () => {
          server.close();
          signals.stop();
          resolve(signals.exitCode ?? 0);
        },
        again: () => undefined,
      });
    });
  });
}
