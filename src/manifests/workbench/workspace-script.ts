/**
 * The program of a workspace: starts the server that people work with, counts the connections to its port, and ends it when there has been none for
 * a while, so that the job completes and releases its accelerators and quota. It needs a POSIX shell and the kernel's `/proc/net/tcp`, which every
 * image has.
 *
 * An editor in a browser tab and an SSH session are connections. A program that runs unattended keeps the workspace by the file
 * `/tmp/workspace-keep`.
 */
import { escapeReferences } from '../../model/variable-references';
import type { WorkspaceServerSpec } from '../../model/workbench/workspace';
import { programText } from '../../programs/program-text';

/** File that keeps an idle workspace. */
const KEEP_FILE = '/tmp/workspace-keep';

/** How often connections are counted, in seconds. */
const STEP_SECONDS = 15;

/** What {@link workspaceCommand} needs to know. */
export interface WorkspaceOptions {
  readonly server: WorkspaceServerSpec;
  /** Seconds without a connection after which the workspace stops; 0 for never. */
  readonly idleSeconds: number;
  /** @default 15 */
  readonly stepSeconds?: number;
  /** @default {@link KEEP_FILE} */
  readonly keepFile?: string;
}

/** Command of the container, in which the kubelet has no variables to replace. */
export function workspaceCommand({ server, idleSeconds, stepSeconds = STEP_SECONDS, keepFile = KEEP_FILE }: WorkspaceOptions): string[] {
  const step = idleSeconds === 0 ? stepSeconds : Math.min(stepSeconds, idleSeconds);
  const settings = [String(server.port), String(idleSeconds), String(step), keepFile, server.hint];
  return ['/bin/sh', '-c', programText('workbench/workspace.sh'), 'workspace', ...settings, ...server.command].map(escapeReferences);
}
