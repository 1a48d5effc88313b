/**
 * What a program in a container finds in its environment: the kubelet's part by our own reading of it, and the rest by really starting the command.
 */
import { spawnSync } from 'node:child_process';
import { containerEnvironment } from '../../../../../src/local/process/pod-fields';
import { MemoryObjectSource } from '../../../../../src/local/process/object-source';
import type { Container, Pod } from '../../../../../src/manifests/kubernetes';
import { expandReferences } from '../../../../../src/model/variable-references';

/** Variables by name. */
export type Variables = { readonly [name: string]: string };

/** Command of a program that says what it finds. */
export const PRINT_ENVIRONMENT: readonly string[] = ['env', '-0'];

/** Variables that a shell makes up, and what is needed to find programs. */
const SHELL_OWN = ['PWD', 'OLDPWD', 'SHLVL', '_', 'PATH'];

/**
 * The environment of a container's program. A shell that stands in front of it is run; then the container's command has to be
 * {@link PRINT_ENVIRONMENT}.
 */
export async function environmentInside(pod: Pod, container: Container): Promise<Variables> {
  const given = Object.fromEntries(await containerEnvironment(pod, container, new MemoryObjectSource()));
  const command = [...(container.command ?? []), ...(container.args ?? [])].map((part) => expandReferences(part, (name) => given[name]));
  if (command[0] !== '/bin/sh' || command[3] !== 'trainyard') {
    return given;
  }
  const { stdout, stderr, status } = spawnSync(command[0], command.slice(1), { env: { ...given, PATH: process.env.PATH }, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}`);
  }
  const entries = stdout.split('\0').filter((entry) => entry !== '').map((entry) => {
    const at = entry.indexOf('=');
    return [entry.slice(0, at), entry.slice(at + 1)] as const;
  });
  return Object.fromEntries(entries.filter(([name]) => !SHELL_OWN.includes(name) || Object.hasOwn(given, name)));
}
