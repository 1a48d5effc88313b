/**
 * A container of a pod turned into something that can be started: command, arguments, environment and working directory with everything resolved.
 *
 * The working directory of a container that names none is the folder of the job's file: where its author's programs are. A path of the image
 * (`/workspace`) that this machine does not have stands for that folder too, in `workingDir` and wherever else the container names it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { containerEnvironment } from './pod-fields';
import type { ObjectSource } from './object-source';
import { PathMapper, type PathMapping } from './local-path';
import { PodConfigError } from './pod-config-error';
import type { VolumeFolders } from './volume-folders';
import type { Container, Pod } from '../../manifests/kubernetes';
import { TERMINATION_MESSAGE_PATH } from '../../manifests/tools/pod-tools';
import { expandReferences } from '../../model/variable-references';

/** What a process is started from. */
export interface PreparedContainer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly env: { readonly [name: string]: string };
  readonly workingDir: string;
  /** A text with the container's paths as they are on this machine. */
  readonly localPaths: (text: string) => string;
  /** What is run before the process is asked to end: its `preStop` hook, where that is a program. @default - nothing */
  readonly preStop?: readonly string[];
  /** Where it may leave what the pod's status is to say of its end. @default - nowhere: the last lines of its output are taken */
  readonly messageFile?: string;
}

/** What {@link prepareContainer} works with. */
export interface PrepareOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly objects: ObjectSource;
  readonly volumes: VolumeFolders;
  /** Further paths that are elsewhere on this machine; those of volumes come first. */
  readonly mappings: readonly PathMapping[];
  /** What the process inherits; the pod's variables win. */
  readonly inherited: { readonly [name: string]: string };
  /** Where a container without a working directory runs. */
  readonly workingDir: string;
  /** What `/dev/termination-log` is here. @default - nothing */
  readonly messageFile?: string;
}

/** Throws {@link PodConfigError} unless the container says what to run. */
export function checkHasCommand(container: Container): void {
  if (!container.command || container.command.length === 0) {
    throw new PodConfigError(`container '${container.name}' has no command: it runs the entry point of image '${container.image}', and the local runner pulls no `
      + `images. Give 'command'${container.args?.length ? ' (its args alone do not say which program to start)' : ''}.`);
  }
}

/** Resolves a container. Throws {@link PodConfigError} when it cannot be started as it is written. */
export async function prepareContainer(options: PrepareOptions): Promise<PreparedContainer> {
  const { pod, container, objects, volumes, inherited } = options;
  checkHasCommand(container);
  const variables = await containerEnvironment(pod, container, objects);
  const { messageFile } = options;
  const messagePath = (container.terminationMessagePath as string | undefined) ?? TERMINATION_MESSAGE_PATH;
  const mounted = [
    ...volumes.mappings(container, variables),
    ...options.mappings,
    ...(messageFile === undefined ? [] : [{ containerPath: messagePath, localPath: messageFile }]),
  ];
  const { workingDir, mapping } = localWorkingDir(container, new PathMapper(mounted), options.workingDir);
  const paths = new PathMapper(mapping ? [...mounted, mapping] : mounted);
  const [command, ...args] = [...container.command!, ...(container.args ?? [])]
    .map((part) => paths.rewrite(expandReferences(part, (name) => variables.get(name))));
  const own = [...variables].map(([name, value]) => [name, paths.rewrite(value)]);
  const lifecycle = container.lifecycle as { readonly preStop?: { readonly exec?: { readonly command?: readonly string[] } } } | undefined;
  const hook = lifecycle?.preStop?.exec?.command;
  // A kubelet does not expand variables in hooks.
  const preStop = hook?.map((part) => paths.rewrite(part));
  const env = { ...inherited, ...Object.fromEntries(own) };
  return { name: container.name, command, args, env, workingDir, localPaths: (text) => paths.rewrite(text), preStop, messageFile };
}

function localWorkingDir(container: Container, paths: PathMapper, fallback: string): { workingDir: string; mapping?: PathMapping } {
  const wanted = container.workingDir;
  if (!wanted) {
    return { workingDir: fallback };
  }
  if (!path.isAbsolute(wanted)) {
    return { workingDir: existing(container, path.resolve(fallback, wanted)) };
  }
  const mapped = paths.tryMap(wanted);
  if (mapped !== undefined) {
    // In a container the runtime makes the folder when it is missing; here that is done only where everything is ours.
    fs.mkdirSync(mapped, { recursive: true });
    return { workingDir: mapped };
  }
  if (fs.existsSync(wanted)) {
    return { workingDir: wanted };
  }
  return { workingDir: fallback, mapping: { containerPath: wanted, localPath: fallback } };
}

function existing(container: Container, folder: string): string {
  if (!fs.existsSync(folder)) {
    throw new PodConfigError(`container '${container.name}': workingDir ${container.workingDir} would be ${folder}, which does not exist.`);
  }
  return folder;
}
