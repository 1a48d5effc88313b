/**
 * The machines of a ComputeClass of GKE as they are written in a manifest, in the model's terms. Only a priority that names its machine type and its
 * accelerator is judged: of everything else GKE chooses what fits. Capacity, disks and networks are not read.
 * @see https://github.com/GoogleCloudPlatform/compute-class-api/blob/8067eae/api/cloud.google.com/v1/types.go
 */
import { checkPoolMachine } from './rules/machine-rules';
import type { NodePoolSpec, PoolGpus } from './spec';
import { findMachine } from '../accelerators/catalogue';
import { RULES } from '../accelerators/rules/rule-list';
import { FindingCollector, errorsOf } from '../findings';
import { isRecord, numberIn, record, records, textIn, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';
import type { Violation } from '../violations';

/** How a class and the model call the ways to share GPUs. */
const STRATEGIES: { readonly [ofClass: string]: string } = { TIME_SHARING: 'time-sharing', MPS: 'mps' };

/** Paths of a pool by those of a priority, longer ones first. */
const NAMES: readonly (readonly [ours: string, theirs: string])[] = [
  ['gpus.partition', 'gpu.gpuSharing.gpuPartitionSize'],
  ['gpus.sharing.strategy', 'gpu.gpuSharing.sharingStrategy'],
  ['gpus.sharing.clients', 'gpu.gpuSharing.maxSharedClientsPerGPU'],
  ['gpus.', 'gpu.'],
  ['tpus', 'tpu'],
];

/** Rules on names: one that almost is another one can be newer than our list. */
const SPELLING: readonly string[] = [RULES.type.id, RULES.machineType.id];

/** What is wrong with the machines of a class. */
export function validateComputeClassObject({ spec }: ManifestObject): Violation[] {
  return records(record(spec).priorities).flatMap((priority, index) => {
    const pool = readPriority(priority);
    const findings = new FindingCollector();
    if (pool !== undefined) {
      checkPoolMachine(pool, '', findings);
    }
    return errorsOf(findings.findings).filter(({ rule }) => !SPELLING.includes(rule)).map((finding) => ({ ...finding, path: `spec.priorities[${index}].${inClass(finding.path.slice(1))}` }));
  });
}

function inClass(path: string): string {
  const [ours, theirs] = NAMES.find(([prefix]) => path.startsWith(prefix)) ?? ['', ''];
  return theirs + path.slice(ours.length);
}

function readPriority({ machineType, gpu, tpu }: JsonRecord): NodePoolSpec | undefined {
  const machine = textIn(machineType);
  const gpus = isRecord(gpu) ? readGpus(gpu, machine) : undefined;
  const { type, topology } = record(tpu);
  const tpus = typeof type === 'string' && typeof topology === 'string' ? { type, topology } : undefined;
  return machine === undefined || (gpus === undefined && tpus === undefined) ? undefined : { name: 'class', machineType: machine, gpus, tpus };
}

/** Who installs the driver is left out: it can be the GPU operator. */
function readGpus({ type, count, gpuSharing }: JsonRecord, machine: string | undefined): PoolGpus | undefined {
  const { gpuPartitionSize, sharingStrategy, maxSharedClientsPerGPU } = record(gpuSharing);
  const strategy = textIn(sharingStrategy);
  const clients = numberIn(maxSharedClientsPerGPU);
  return typeof type !== 'string' ? undefined : {
    type,
    count: numberIn(count) ?? (machine === undefined ? undefined : findMachine(machine)?.machine.devices) ?? 1,
    partition: textIn(gpuPartitionSize),
    sharing: strategy === undefined || clients === undefined ? undefined : { strategy: STRATEGIES[strategy] ?? strategy, clients },
  };
}
