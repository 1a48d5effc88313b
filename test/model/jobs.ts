/** Jobs for tests of the model: short ways to write a spec and to read the environment that it leads to. */
import { LoopbackAddressBook, PodAddressBook, type AddressBook } from '../../src/model/frameworks/address-book';
import type { Replica } from '../../src/model/frameworks/contract';
import { replicaEnvironment } from '../../src/model/training-job/environment/environment';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../src/model/training-job/replicas/resolve';
import type { EnvVarSpec, FrameworkName, RoleSpec, TrainingJobSpec } from '../../src/model/training-job/spec';
import { validateTrainingJob } from '../../src/model/training-job/validation/validation';

/** A spec in short form, with one replica unless the fields say otherwise. */
export function shortForm(framework: FrameworkName, replicas = 1, fields: Partial<TrainingJobSpec> = {}): TrainingJobSpec {
  return { framework, image: 'image', replicas, ...fields };
}

/** A spec in long form, its roles as `{ worker: 2 }` or in full. */
export function longForm(
  framework: FrameworkName,
  roles: { [role: string]: number | Partial<RoleSpec> },
  fields: Partial<TrainingJobSpec> = {},
): TrainingJobSpec {
  return {
    framework,
    image: 'image',
    roles: Object.entries(roles).map(([name, role]) => (typeof role === 'number' ? { name, replicas: role } : { name, ...role })),
    ...fields,
  };
}

/** The job `net`, after a check that its spec is valid: a test on a job that could never run shows nothing. */
export function resolved(spec: TrainingJobSpec): ResolvedTrainingJob {
  expect(validateTrainingJob('net', spec)).toEqual([]);
  return resolveTrainingJob('net', spec);
}

/** Names and values of variables; a variable that is filled in by the kubelet as `<fieldPath>`. */
export function asObject(variables: readonly EnvVarSpec[]): { [name: string]: string } {
  const entries = variables.map(({ name, value, valueFrom }): [string, string] => {
    const field = valueFrom?.fieldRef as { fieldPath: string } | undefined;
    return [name, field === undefined ? value! : `<${field.fieldPath}>`];
  });
  expect(new Set(entries.map(([name]) => name)).size).toBe(entries.length);
  return Object.fromEntries(entries);
}

/** The replica whose pod has this name. */
export function replicaNamed(job: ResolvedTrainingJob, podName: string): Replica {
  const replica = job.replicas.find((candidate) => candidate.podName === podName);
  if (replica === undefined) {
    throw new Error(`no replica ${podName} among ${job.replicas.map((candidate) => candidate.podName).join(', ')}`);
  }
  return replica;
}

/** Environment of one pod of the job `net`. */
export function environmentOf(spec: TrainingJobSpec, podName: string, addresses?: AddressBook): { [name: string]: string } {
  const job = resolved(spec);
  const replica = replicaNamed(job, podName);
  return asObject(replicaEnvironment({ job, replica, addresses: addresses ?? new PodAddressBook('net') }, 0));
}

/**
 * Processes on one machine, each replica with a block of ten ports: `master` is the block's first, every other name gets the next one. Ports
 * of a replica are at 41000 + 10 * ordinal.
 */
export function loopback(): LoopbackAddressBook {
  return new LoopbackAddressBook((replica, portName) => 41_000 + 10 * replica.ordinal + (portName === 'master' ? 0 : 1));
}

/** Variables that every framework gets and that differ in nothing but the obvious; tests of a framework compare what is left. */
export function withoutCommon(environment: { [name: string]: string }): { [name: string]: string } {
  const common = ['PYTHONUNBUFFERED', 'TRAINYARD_JOB_NAME', 'TRAINYARD_REPLICA_INDEX', 'TRAINYARD_ATTEMPT'];
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !common.includes(name)));
}
