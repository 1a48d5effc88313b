/** Parses `[LOCAL:]REMOTE`, a local port and a port of a pod. */
import { CliError } from '../../cli-error';
import type { PodObject } from '../objects';
import { didYouMean } from '../../../model/violations';

/** A port to forward. */
export interface PortSpec {
  /** 0 for any free port. @default - the same as the remote port */
  readonly local?: number;
  /** A number or the name of a container port. */
  readonly remote: number | string;
}

/** Port numbers. */
export interface PortPair {
  readonly local: number;
  readonly remote: number;
}

/** Syntax of port names in Kubernetes. */
const NAME = /^(?=.{1,15}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Parses a port. @throws CliError */
export function parsePortSpec(text: string): PortSpec {
  const parts = text.split(':');
  const [local, remote] = parts.length === 1 ? [undefined, parts[0]] : parts;
  const wrong = (what: string) => new CliError(`Port '${text.slice(0, 100)}': ${what} Write REMOTE, LOCAL:REMOTE, or :REMOTE for any free local port, such as 8265, 8080:80 or :tensorboard.`);
  if (parts.length > 2 || remote === '') {
    throw wrong('the remote port is missing, or there are too many colons.');
  }
  const number = numberOf(remote);
  if (number === undefined && (!NAME.test(remote) || /^\d+$/.test(remote))) {
    throw wrong(`'${remote.slice(0, 100)}' is not a port number from 1 to 65535, nor the name of a container port.`);
  }
  if (local !== undefined && local !== '' && numberOf(local) === undefined) {
    throw wrong(`'${local.slice(0, 100)}' is not a local port number from 1 to 65535.`);
  }
  return { local: local === undefined ? undefined : local === '' ? 0 : numberOf(local), remote: number ?? remote };
}

function numberOf(text: string): number | undefined {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= 65_535 ? number : undefined;
}

/** A container port with a name. */
export interface NamedPort {
  readonly name: string;
  readonly port: number;
}

/** Named ports of a pod. Sidecars are init containers. */
export function namedPorts({ spec }: PodObject): readonly NamedPort[] {
  return [...spec?.containers ?? [], ...spec?.initContainers ?? []].flatMap(({ ports = [] }) => (
    ports.flatMap(({ name, containerPort }) => (name === undefined ? [] : [{ name, port: containerPort }]))));
}

/** The number of a port; undefined when no container has a port of that name. */
export function portNumber(pod: PodObject, port: number | string): number | undefined {
  return typeof port === 'number' ? port : namedPorts(pod).find(({ name }) => name === port)?.port;
}

/** Resolves a port name. @throws CliError when no container has it */
export function resolvePort({ local, remote }: PortSpec, pod: PodObject): PortPair {
  const port = portNumber(pod, remote);
  if (port === undefined) {
    const names = namedPorts(pod);
    const known = names.length === 0 ? 'Its containers name no ports. Use a number.' : `It has ${names.map((one) => `${one.name} (${one.port})`).join(', ')}.`;
    throw new CliError(`Port '${remote}': no container of pod ${pod.metadata?.name} has a port of this name. ${known}${didYouMean(String(remote), names.map(({ name }) => name))}`);
  }
  return { local: local ?? port, remote: port };
}
