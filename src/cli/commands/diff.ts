/** `trainyard diff`: what an app would change, against its last synth or a live cluster. */
import { Command } from 'commander';
import { compareAll, compareLive, readLastSynth, setsByEnvironment, withLiveOptions, type LiveFlags } from '../diff/environments';
import { comparisonExitCode, writeComparison } from '../diff/output';
import { comparisonMarkdown } from '../diff/output-markdown';
import { readObjects } from '../manifests/read-objects';
import { requireFile } from '../input';
import { Terminal } from '../../local/output/terminal';
import { outputOption } from '../options';

interface DiffFlags extends LiveFlags {
  readonly against?: string;
  readonly live?: boolean;
  readonly full?: boolean;
  readonly environment?: string;
  readonly output: 'text' | 'json' | 'markdown';
}

const DETAILS = `
APP is a cdk8s app (main.ts, .js, .mjs), the folder of one, or a manifest or folder of manifests.

A program with environments is compared folder by folder, each environment with its own.

With --live the cluster's API server reports what applying would change, with a server-side dry run: nothing is changed, and
server defaults do not count as differences. Secret values are never shown. The exit code is that of diff: 0 when nothing differs,
1 when something does, 2 when the comparison failed or the server rejects an object.`;

export function diffCommand(): Command {
  const command = new Command('diff')
    .description('show what an app would change')
    .argument('<app>', 'cdk8s app or manifests')
    .option('-a, --against <folder>', 'manifests to compare with (default: the last synth)')
    .option('-e, --environment <name>', 'one environment of the program (default: all)')
    .option('-l, --live', 'compare with a cluster, with a dry run of its API server');
  return withLiveOptions(command)
    .option('--full', 'write added and removed objects in full')
    .addOption(outputOption('text', 'json', 'markdown'))
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
  const objects = readObjects([app]).map(({ located, environment }) => ({ object: located.object, environment }));
  const sets = setsByEnvironment(earlier, objects, flags.environment);
  const comparison = flags.live ? await compareLive(sets, flags) : compareAll(sets);
  if (flags.output === 'markdown') {
    new Terminal().line(comparisonMarkdown(comparison, flags.full ?? false).trimEnd());
  } else {
    writeComparison(comparison, flags.output, flags.full);
  }
  return comparisonExitCode(comparison);
}
