/** Reads the training container: the parts for which the job has fields, and the rest, for the pod template. */
import { readCompute } from './compute';
import { type Fields, type JsonObject, MigrationError } from './fields';
import type { Notes } from './notes';
import type { EnvVarSpec, ResourcesSpec } from '../../model/training-job/spec';
import { isRecord } from '../../model/json-parts';

/** Which container of a pod trains. */
export interface ContainerChoice {
  /** Name that the kind requires, such as `pytorch`; undefined if the first container trains. */
  readonly name?: string;
  /** Name of the rendezvous port, such as `pytorchjob-port`. */
  readonly portName?: string;
  /** The kind in messages, such as `PyTorchJob`. */
  readonly kind: string;
}

export interface ReadContainer {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env: readonly EnvVarSpec[];
  readonly resources?: ResourcesSpec;
  /** Port with the choice's name. */
  readonly port?: number;
  /** All other fields. */
  readonly rest: JsonObject;
}

/** Finds the training container. @throws MigrationError if there is none, or several without the name */
export function chooseContainer(pod: Fields, { name, kind }: ContainerChoice): Fields {
  const containers = pod.list('containers');
  const chosen = name === undefined ? containers[0] : containers.find((container) => container.peek('name') === name);
  if (chosen !== undefined) {
    return chosen;
  }
  const names = containers.map((container) => container.peek('name'));
  if (containers.length !== 1) {
    throw new MigrationError(pod.at('containers'), names, containers.length === 0
      ? 'has no container. Add the training container.'
      : `has no container ${name}, which is the training container of a ${kind}. Rename it, or remove the others.`);
  }
  return containers[0];
}

/** Reads the training container. */
export function readContainer(container: Fields, choice: ContainerChoice, notes: Notes): ReadContainer {
  const name = container.text('name');
  const image = container.text('image');
  const command = container.texts('command');
  const args = container.texts('args');
  const workingDir = container.text('workingDir');
  const env = readEnv(container, notes);
  const compute = readCompute(readResources(container), container.at('resources'), notes);
  const { port, ports } = readPorts(container, choice.portName);
  if (name !== undefined && name !== 'training') {
    notes.changed(container.at('name'), name, 'the training container is named training here: use kubectl logs and exec with -c training.');
  }
  const rest = { ...container.takeRest(), ...(ports.length > 0 && { ports }), ...(compute.rest && { resources: compute.rest }) };
  return { image, command, args, workingDir, env, resources: compute.resources, port, rest };
}

function readResources(container: Fields): JsonObject | undefined {
  const value = container.take('resources');
  if (value !== undefined && !isRecord(value)) {
    throw new MigrationError(container.at('resources'), value, 'must be an object with requests and limits.');
  }
  return value;
}

/** Variables, each name once: the last one wins, as in the container. */
export function readEnv(container: Fields, notes: Notes): EnvVarSpec[] {
  const variables = new Map<string, EnvVarSpec>();
  for (const entry of container.list('env')) {
    const name = entry.requiredText('name', 'the name of the variable');
    if (variables.has(name)) {
      notes.changed(entry.path, name, 'is listed twice; the later one wins and is kept.');
      variables.delete(name);
    }
    variables.set(name, { name, ...readValue(entry, notes) });
  }
  return [...variables.values()];
}

function readValue(entry: Fields, notes: Notes): { readonly value?: string; readonly valueFrom?: JsonObject } {
  const value = entry.take('value');
  const valueFrom = entry.take('valueFrom');
  if (valueFrom !== undefined) {
    if (!isRecord(valueFrom)) {
      throw new MigrationError(entry.at('valueFrom'), valueFrom, 'must be an object, such as a secretKeyRef.');
    }
    if (value !== undefined && value !== '') {
      throw new MigrationError(entry.at('value'), value, 'conflicts with valueFrom. Remove one of the two.');
    }
    return { valueFrom };
  }
  if (value !== undefined && typeof value !== 'string') {
    notes.changed(entry.at('value'), value, 'is a string now, in quotes: Kubernetes accepts only strings.');
  }
  return { value: value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value) };
}

function readPorts(container: Fields, portName: string | undefined): { readonly port?: number; readonly ports: readonly JsonObject[] } {
  let port: number | undefined;
  const ports: JsonObject[] = [];
  for (const entry of container.list('ports')) {
    if (portName !== undefined && entry.peek('name') === portName) {
      port = entry.count('containerPort');
      ['name', 'protocol'].forEach((field) => entry.take(field));
    } else {
      ports.push(entry.takeRest());
    }
  }
  return { port, ports };
}
