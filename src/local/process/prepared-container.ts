/**
 * Resolves command, arguments, environment and working directory of a container.
 *
 * The default working directory is the folder of the job's file, with its author's programs. It also replaces a working directory of the image
 * (`/workspace`) that this machine does not have, in `workingDir` and all other values.
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

export interface PreparedContainer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly env: { readonly [name: string]: string };
  readonly workingDir: string;
  /** Replaces the container's paths in a text by those of this machine. */
  readonly localPaths: (text: string) => string;
  /** The program of its `preStop` hook. @default - none */
  readonly preStop?: readonly string[];
  /** File for its termination message. @default - the last lines of its output are used */
  readonly messageFile?: string;
}

export interface PrepareOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly objects: ObjectSource;
  readonly volumes: VolumeFolders;
  /** More paths that are mapped to this machine, after those of volumes. */
  readonly mappings: readonly PathMapping[];
  /** Environment that the process inherits. The pod's variables take precedence. */
  readonly inherited: { readonly [name: string]: string };
  /** Folder of containers without a working directory. */
  readonly workingDir: string;
  /** The file for `/dev/termination-log`. @default - none */
  readonly messageFile?: string;
}

/** @throws PodConfigError when the container has no command */
export function checkHasCommand(container: Container): void {
  if (!container.command || container.command.length === 0) {
    throw new PodConfigError(`container '${container.name}' has no command: it runs the entry point of image '${container.image}', and the local runner pulls no `
      + `images. Give 'command'${container.args?.length ? ' (its args alone do not say which program to start)' : ''}.`);
  }
}

/** Resolves a container. @throws PodConfigError when it has a mistake */
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
    // A container runtime creates the folder. Here, this is only done in our own folders.
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
