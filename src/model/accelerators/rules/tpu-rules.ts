/** Rules on the slice that the replicas of a role are. */
import { reportUnknownType } from './gpu-rules';
import { checkMachine } from './machine-rules';
import { RULES } from './rule-list';
import { TPUS, findGpu, findTpu, ordinaryMachines } from '../catalogue';
import { FindingCollector, either, type Finding } from '../../findings';
import type { TpuRequest } from '../requests';
import {
  defaultMachineFor, hasTopology, hostsOf, isHostOf, isOnlyUnsorted, multiHostMachine, orderedTopology, topologiesOf, tryChipsOf, tryParseTopology,
} from '../topology';
import type { MachineType, TpuAccelerator } from '../types';

/** Names that people use, and the type that they mean. */
const ALIASES: { readonly [name: string]: string } = {
  'v4': 'tpu-v4-podslice', 'tpu-v4': 'tpu-v4-podslice', 'tpu-v4-slice': 'tpu-v4-podslice',
  'v5e': 'tpu-v5-lite-podslice', 'tpu-v5e': 'tpu-v5-lite-podslice', 'tpu-v5e-slice': 'tpu-v5-lite-podslice', 'tpu-v5-lite-slice': 'tpu-v5-lite-podslice',
  'v5p': 'tpu-v5p-slice', 'tpu-v5p': 'tpu-v5p-slice', 'tpu-v5p-podslice': 'tpu-v5p-slice',
  'v6e': 'tpu-v6e-slice', 'tpu-v6e': 'tpu-v6e-slice', 'tpu-v6e-podslice': 'tpu-v6e-slice', 'trillium': 'tpu-v6e-slice',
  'tpu-v7x': 'tpu7x', 'tpu7x-slice': 'tpu7x', 'tpu-7x': 'tpu7x', 'v7x': 'tpu7x', 'ironwood': 'tpu7x',
};

/** A number of pods, and where it is. */
export interface PlacedReplicas {
  readonly count: number;
  readonly path: string;
}

/**
 * Checks a slice.
 * @param path where the request stands
 * @param replicas pods that share it, and where their number is; undefined if it is not known yet
 */
export function checkTpuRequest(request: TpuRequest, path: string, replicas?: PlacedReplicas): Finding[] {
  const findings = new FindingCollector();
  const tpu = checkTpuType(request.type, `${path}.type`, findings);
  if (tpu === undefined || !checkTopology(tpu, request.topology, `${path}.topology`, findings)) {
    return findings.findings;
  }
  const machine = request.machineType === undefined
    ? defaultMachineFor(tpu, request.topology)
    : checkTpuMachine(tpu, request.machineType, request.topology, `${path}.machineType`, findings);
  if (machine !== undefined && replicas !== undefined) {
    checkHosts(tpu, machine, request.topology, replicas, findings);
  }
  return findings.findings;
}

/** Checks the type of a TPU. @returns what is known of it */
export function checkTpuType(type: string, path: string, findings: FindingCollector): TpuAccelerator | undefined {
  const tpu = findTpu(type);
  if (tpu !== undefined) {
    if (tpu.caution !== undefined) {
      findings.warn(RULES.caution, path, type, `${tpu.caution}. Check with Google before you plan with it.`);
    }
    return tpu;
  }
  if (findGpu(type) !== undefined) {
    findings.error(RULES.type, path, type, 'is a GPU, not a TPU: it has no topology.');
  } else {
    reportUnknownType(type, { what: 'TPU', aliases: ALIASES, known: TPUS }, path, findings);
  }
  return undefined;
}

/** Checks a topology. @returns whether a slice can have it */
export function checkTopology(tpu: TpuAccelerator, topology: string, path: string, findings: FindingCollector): boolean {
  const { dims } = tpu.topology;
  const dimensions = tryParseTopology(topology);
  if (hasTopology(tpu, topology)) {
    return true;
  }
  const known = topologiesOf(tpu, 256);
  if (tpu.topology.multiHostOnly && dimensions?.length === dims) {
    findings.warn(RULES.topology, path, topology, `is not known to be a slice of ${tpu.type}: no source lists them.`);
  } else if (dimensions === undefined || dimensions.length !== dims) {
    findings.error(RULES.topology, path, topology, `is not a topology of ${tpu.type}, which has ${dims} dimensions, such as ${either(known.slice(0, 3))}.`);
  } else if (isOnlyUnsorted(tpu, topology)) {
    const message = `lists its dimensions in a different order than slices do. Did you mean '${orderedTopology(tpu, topology)}'?`;
    if (tpu.topology.unsortedDisputed) {
      findings.warn(RULES.topologyOrder, path, topology, message);
      return true;
    }
    findings.error(RULES.topologyOrder, path, topology, message);
  } else {
    findings.error(RULES.topology, path, topology, `is not a slice of ${tpu.type}. ${nearest(topology, known)}${limits(tpu)}`);
  }
  return false;
}

function limits({ topology: { allowed, maxCubes } }: TpuAccelerator): string {
  return allowed !== undefined ? ` There are ${either(allowed)}.`
    : ` Above 2x4x4 dimensions ascend in multiples of 4, with at most ${maxCubes} cubes of 4x4x4.`;
}

/** The topologies around the chips that were asked for. */
function nearest(topology: string, known: readonly string[]): string {
  const chips = tryChipsOf(topology) ?? 0;
  const [least] = known;
  const below = [...known].reverse().find((candidate) => tryChipsOf(candidate)! <= chips) ?? least;
  const above = known.find((candidate) => tryChipsOf(candidate)! > chips);
  const proposals = [...new Set([below, above])].filter((candidate) => candidate !== undefined);
  return `Use ${either(proposals.map((candidate) => `${candidate} (${tryChipsOf(candidate)} chips)`))}.`;
}

/** Checks the machine type of the hosts. @returns the machine type when it is a host of such slices */
export function checkTpuMachine(
  tpu: TpuAccelerator, name: string, topology: string, path: string, findings: FindingCollector,
): MachineType | undefined {
  const machine = checkMachine(tpu, name, path, findings);
  if (machine === undefined || isHostOf(tpu, machine, orderedTopology(tpu, topology) ?? topology)) {
    return machine;
  }
  const chips = tryChipsOf(topology)!;
  const fitting = [...new Set([defaultMachineFor(tpu, topology), chips > 4 ? multiHostMachine(tpu) : undefined])]
    .filter((candidate) => candidate !== undefined && isHostOf(tpu, candidate, topology)).map((candidate) => candidate!.name);
  const own = machine.singleHostTopology;
  findings.error(RULES.tpuMachine, path, name,
    `has ${machine.devices} ${machine.devices === 1 ? 'chip' : 'chips'} and is ${own === null || own === undefined ? 'part of larger slices' : `a slice of ${own}`}`
    + `${machine.devices === 4 ? '' : ' only'}; ${topology} has ${chips}. Use ${either(fitting.length > 0 ? fitting : ordinaryMachines(tpu).map((one) => one.name))}.`);
  return undefined;
}

/** Checks that replicas make complete slices. */
export function checkHosts(
  tpu: TpuAccelerator, machine: MachineType, topology: string, replicas: PlacedReplicas, findings: FindingCollector,
): void {
  const chips = machine.devices!;
  const hosts = hostsOf(topology, chips);
  if (hosts === undefined || replicas.count % hosts === 0) {
    return;
  }
  const complete = Math.max(hosts, Math.round(replicas.count / hosts) * hosts);
  findings.error(RULES.tpuHosts, replicas.path, replicas.count,
    `is not a number of complete slices: ${tpu.type} ${topology} has ${tryChipsOf(topology)} chips on ${hosts} hosts of ${chips}, and each host is one pod. `
    + `Use ${complete}${complete === hosts ? ' for one slice' : ` for ${complete / hosts} slices`}.`);
}
