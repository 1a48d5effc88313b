/**
 * What programs find that an engine's driver starts: the kubelet's part of the environment by our own reading of it, and the driver's part by the
 * driver's own Python.
 */
import { spawnSync } from 'node:child_process';
import type { Variables } from '../indexed/support/container-view';
import { containerEnvironment } from '../../../../src/local/process/pod-fields';
import { MemoryObjectSource } from '../../../../src/local/process/object-source';
import type { LaunchPlan } from '../../../../src/manifests/engines/launched/plan';
import type { PodSpec } from '../../../../src/manifests/kubernetes';
import type { AddressBook } from '../../../../src/model/frameworks/address-book';
import type { Replica } from '../../../../src/model/frameworks/contract';
import { replicaEnvironment } from '../../../../src/model/training-job/environment/environment';
import type { ResolvedTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import { programText } from '../../../../src/programs/program-text';

/** A program that a driver would start. */
export interface LaunchedCase {
  readonly plan: LaunchPlan;
  /** Number of the replica. */
  readonly ordinal: number;
  readonly attempt: number;
  readonly addresses: { readonly [replica: string]: string };
  /** Environment of the container that it runs in. */
  readonly base: Variables;
}

/** What it would be started with. */
export interface LaunchedProgram {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Variables;
}

const ASK = `
import sys
found = []
for case in json.load(sys.stdin):
    member = members_of(case['plan'])[case['ordinal']]
    command, env = program_of(case['plan'], member, case['addresses'], case['attempt'], case['base'])
    found.append({'name': member.name, 'command': command, 'env': env})
json.dump(found, sys.stdout)
`;

/** Asks the driver's Python about programs, all at once. */
export function launchedPrograms(cases: readonly LaunchedCase[]): LaunchedProgram[] {
  return runPython(programText('launched/plan.py') + ASK, cases) as LaunchedProgram[];
}

/** What a Python program makes of JSON. @throws Error with its words */
export function runPython(program: string, input: unknown): unknown {
  const { status, stdout, stderr, error } = spawnSync('python3', ['-I', '-c', program], {
    input: JSON.stringify(input), encoding: 'utf8', maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) {
    throw new Error(`python3 ended with ${status}: ${error?.message ?? stderr}`);
  }
  return JSON.parse(stdout);
}

/** An address for each replica. */
export function someAddresses({ replicas }: ResolvedTrainingJob): { readonly [replica: string]: string } {
  return Object.fromEntries(replicas.map(({ role, index, ordinal }) => [`${role}-${index}`, `10.0.${Math.floor(ordinal / 250)}.${ordinal % 250}`]));
}

/** The variables that the operator would give a replica whose peers have such addresses. */
export async function wantedVariables(job: ResolvedTrainingJob, replica: Replica, addresses: LaunchedCase['addresses'], pod: PodSpec, attempt = 0): Promise<Variables> {
  const book: AddressBook = { host: ({ role, index }) => addresses[`${role}-${index}`], port: (_replica, _name, standard) => standard };
  return variablesOf(pod, replicaEnvironment({ job, replica, addresses: book }, attempt) as []);
}

/** Variables as a kubelet gives them to a container of a pod. */
export async function variablesOf(spec: PodSpec, env: PodSpec['containers'][number]['env']): Promise<Variables> {
  const container = { ...spec.containers[0], env };
  return Object.fromEntries(await containerEnvironment({ metadata: { name: 'net' }, spec }, container, new MemoryObjectSource()));
}
