/** `trainyard cp`: copies files and folders of a replica, such as checkpoints, to this machine. */
import os from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import type { ClusterFlags } from '../../cluster';
import { CliError } from '../../cli-error';
import { watchSignals } from '../../signals';
import { parseCount } from '../../options';
import type { ReplicaFlags } from '../replicas';
import { checkIsFree, checkIsLocal, parseRemotePath, targetOf, type RemotePath } from '../copy/places';
import { Staging } from '../copy/staging';
import { exec, explainRefusal, Kept } from '../streams/exec';
import { containerOf, oneReplica, replicaTitle } from '../streams/one-replica';
import { withJob, withJobOptions, type Target } from '../target';
import { byteText, count } from '../../text';
import { Terminal } from '../../../local/output/terminal';
import type { CommandEnd } from '../../../operator/runtime/http/stream-channels';

interface CopyFlags extends ClusterFlags, ReplicaFlags {
  readonly container?: string;
  readonly force?: boolean;
}

const DETAILS = `PATH is a file or folder in the container, which must have the program tar. If DEST is a folder, the copy is created in it, otherwise as DEST.
Nothing is overwritten without --force, and an interrupted copy leaves nothing behind. Links inside of PATH are skipped.`;

export function cpCommand(): Command {
  return withJobOptions(new Command('cp')
    .description('copy a file or folder out of a replica of a job')
    .argument('<job:path>', 'file or folder in the replica')
    .argument('<dest>', 'local file or folder')
    .option('-r, --rank <number>', 'rank of the replica (default: 0)', parseCount)
    .option('--role <name>', 'role of the replica')
    .option('-c, --container <name>', 'container (default: the one that trains)')
    .option('-f, --force', 'overwrite files of the same names'), DETAILS)
    .action(async (source: string, destination: string, flags: CopyFlags) => {
      checkIsLocal(destination);
      const remote = parseRemotePath(source);
      const target = targetOf(destination, remote.name);
      checkIsFree(target, flags.force ?? false);
      await withJob(remote.job, flags, async (job) => copy(job, remote, target, flags));
    });
}

async function copy(target: Target, remote: RemotePath, to: string, flags: CopyFlags): Promise<void> {
  const terminal = new Terminal();
  const replica = await oneReplica(target, flags, 'copy files');
  const container = containerOf(replica, flags.container);
  const where = `Copying ${remote.path} of ${replicaTitle(target, replica)}`;
  const request = { namespace: target.namespace, pod: replica.name, container };
  try {
    // First try PATH as a folder. This also works when PATH is a link to a folder.
    const asFolder = await receive(target, { ...request, command: ['tar', 'cf', '-', '-C', remote.path, '.'] }, to, terminal);
    if (asFolder.end.kind === 'failed' || asFolder.end.exitCode === 0 || !asFolder.staging.isEmpty) {
      return finish(asFolder, false);
    }
    asFolder.staging.discard();
    const command = ['tar', 'chf', '-', '-C', path.posix.dirname(remote.path), `./${remote.name}`];
    finish(await receive(target, { ...request, command }, to, terminal), true);
  } catch (error) {
    throw explainRefusal(error, 'run commands in pods', 'pods/exec');
  }

  function finish({ staging, end, err }: Received, isFile: boolean): void {
    try {
      if (end.kind === 'failed') {
        throw new CliError(`${where}: tar did not run in container ${container}: ${end.message} The container must have the program tar. Use -c to choose another container.`);
      }
      if (end.exitCode !== 0) {
        throw new CliError(`${where}: tar ended with exit code ${end.exitCode}: ${err.trim() || 'it wrote no error message'}`);
      }
      staging.finish();
      checkIsFree(to, flags.force ?? false);
      staging.move(isFile ? remote.name : undefined);
      const { files, bytes, skipped, skippedCount } = staging.totals;
      terminal.line(`Copied ${count(files, 'file')}, ${byteText(bytes)}, to ${to}.`);
      if (skippedCount > 0) {
        terminal.warn(`skipped ${skippedCount} links or devices: ${skipped.join(', ')}${skippedCount > skipped.length ? ', ...' : ''}`);
      }
    } finally {
      staging.discard();
    }
  }
}

interface Received {
  readonly staging: Staging;
  readonly end: CommandEnd;
  readonly err: string;
}

/** Runs tar in the replica and unpacks its output. */
async function receive(target: Target, request: Parameters<typeof exec>[1], to: string, terminal: Terminal): Promise<Received> {
  const staging = new Staging(to);
  const err = new Kept(4096);
  const stop = new AbortController();
  const showTotals = setInterval(() => {
    const { files, bytes } = staging.totals;
    terminal.setLive(`copied ${files} files, ${byteText(bytes)}`);
  }, 500);
  const signals = watchSignals({
    first: (signal) => {
      staging.discard();
      process.exit(128 + os.constants.signals[signal]);
    },
    again: () => undefined,
  });
  try {
    const end = await exec(target.client, request, {
      stderr: err,
      signal: stop.signal,
      stdout: {
        write: (chunk) => {
          if (staging.failure !== undefined) {
            stop.abort();
            return true;
          }
          return staging.parser.write(chunk);
        },
        once: (event, listener) => staging.parser.once(event, listener),
        off: (event, listener) => staging.parser.off(event, listener),
      },
    });
    return { staging, end, err: err.text };
  } catch (error) {
    const failure = staging.failure;
    staging.discard();
    throw failure ?? error;
  } finally {
    signals.stop();
    clearInterval(showTotals);
    terminal.setLive('');
  }
}
