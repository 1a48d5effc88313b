/** `trainyard diff`: what an app would change, against its last synth or a live cluster. */
import { Command, Option } from 'commander';
import { USAGE_EXIT_CODE } from './cli-error';
import { withCluster, type ClusterFlags } from './cluster';
import { compareSets, type Comparison } from './diff/comparison';
import { readLastSynth } from './diff/last-synth';
import { compareWithCluster } from './diff/live';
import { comparisonLines, comparisonSummary } from './diff/output';
import { readObjects } from './manifests/read-objects';
import { requireFile } from './missing-file';
import type { ManifestObject } from './read-manifests';
import { Terminal } from '../local/output/terminal';

interface DiffFlags extends ClusterFlags {
  readonly against?: string;
  readonly live?: boolean;
  readonly namespace?: string;
  readonly fieldManager?: string;
  readonly full?: boolean;
  readonly output: 'text' | 'json';
}

const DETAILS = `
APP is a cdk8s app (main.ts, .js, .mjs), the folder of one, or a manifest or folder of manifests.

With --live the cluster's API server says what applying would change, by server-side apply as a dry run: nothing is changed, and
defaults of the server are no differences. Values of Secrets are never shown. The exit code is that of diff: 0 when nothing differs,
1 when something does, 2 when it could not be found out, or the server refuses an object.`;

/** The sub-command. */
export function diffCommand(): Command {
  return new Command('diff')
    .description('show what an app would change')
    .argument('<app>', 'cdk8s app or manifests')
    .option('-a, --against <folder>', 'manifests to compare with (default: the last synth)')
    .option('-l, --live', 'compare with a cluster, by a dry run of its API server')
    .option('-n, --namespace <name>', 'namespace of objects that name none (default: that of the kubeconfig)')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: as kubectl)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--field-manager <name>', 'who applies (default: whoever applied an object last, else kubectl)')
    .option('--full', 'write added and removed objects whole')
    .addOption(new Option('-o, --output <format>', 'how differences are written').choices(['text', 'json']).default('text'))
    .addHelpText('after', DETAILS)
    .action(async (app: string, flags: DiffFlags) => {
      process.exitCode = await diff(app, flags);
    });
}

async function diff(app: string, flags: DiffFlags): Promise<number> {
  if (app !== '-') {
    requireFile(app);
  }
  // The last synth is read first: an app may write over it.
  const earlier = flags.live && flags.against === undefined ? [] : readLastSynth(app, flags.against);
  const objects = readObjects([app]).map(({ located }) => located.object);
  const comparison = flags.live ? await compareLive(objects, earlier, flags) : compareSets(earlier, objects);
  const terminal = new Terminal();
  if (flags.output === 'json') {
    terminal.line(JSON.stringify(comparison, undefined, 2));
  } else {
    comparisonLines(comparison, flags.full ?? false, terminal.paintOut).forEach((line) => terminal.line(line));
    terminal.note(`trainyard: ${comparisonSummary(comparison)}`);
  }
  return exitCodeOf(comparison);
}

async function compareLive(objects: readonly ManifestObject[], earlier: readonly ManifestObject[], flags: DiffFlags): Promise<Comparison> {
  return withCluster(flags, async (client) => compareWithCluster(client, objects, {
    namespace: flags.namespace ?? client.connection.namespace ?? 'default', fieldManager: flags.fieldManager, earlier,
  }));
}

function exitCodeOf({ changes }: Comparison): number {
  return changes.some(({ kind }) => kind === 'refused') ? USAGE_EXIT_CODE : changes.length > 0 ? 1 : 0;
}
