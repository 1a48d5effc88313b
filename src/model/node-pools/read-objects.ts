/**
 * The priorities of a ComputeClass of GKE as they are written in a manifest, in the model's terms: machines, how they are had, and disks. Machines
 * are judged where a priority names its machine type and its accelerator: of everything else GKE chooses what fits. Networks are not read.
 *
 * Requests for machines as they are written in manifests, those of the cluster autoscaler and Kueue's configuration of them, in the model's terms.
 * The rules are those of GKE's class; of parameters of other classes nothing is said. Values of the wrong type are left to the structure's check.
 * @see https://github.com/GoogleCloudPlatform/compute-class-api/blob/8067eae/api/cloud.google.com/v1/types.go
 * @see https://kueue.sigs.k8s.io/docs/concepts/admission_check/provisioning_request/
 */
import { QUEUED_PROVISIONING_CLASS, checkProvisioningRequest, checkRetries, checkRunSeconds } from './provisioning-request';
import { checkCapacity } from './rules/capacity-rules';
import { checkDisks, checkPoolMachine } from './rules/machine-rules';
import type { NodePoolSpec, PoolCapacity, PoolGpus } from './spec';
import { findMachine } from '../accelerators/catalogue';
import { RULES } from '../accelerators/rules/rule-list';
import { FindingCollector, errorsOf } from '../findings';
import { amountIn, isRecord, jsonNumber, jsonText, numberIn, record, records, textIn, type JsonRecord } from '../json-parts';
import { entryOf } from '../lists';
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
  ['capacity.spot', 'spot'],
  ['capacity.flexStart', 'flexStart.enabled'],
  ['capacity.maxRunSeconds', 'maxRunDurationSeconds'],
  ['capacity.reservationAffinity', 'reservations.affinity'],
  ['capacity.reservation', 'reservations.specific[0]'],
  ['bootDiskType', 'storage.bootDiskType'],
  ['bootDiskGiB', 'storage.bootDiskSize'],
  ['localSsdEphemeral', 'storage.localSSDCount'],
];

/** What priorities call the reservations without a name. */
const AFFINITIES: { readonly [ofClass: string]: string } = { None: 'none', AnyBestEffort: 'any', AnyThenFail: 'any-then-fail' };

/** Rules on names: one that almost is another one can be newer than our list. */
const SPELLING: readonly string[] = [RULES.type.id, RULES.machineType.id];

/** What is wrong with the priorities of a class. */
export function validateComputeClassObject({ spec }: ManifestObject): Violation[] {
  return records(record(spec).priorities).flatMap((priority, index) => {
    const pool = readPriority(priority);
    const findings = new FindingCollector();
    const isChosen = pool.machineType !== undefined && (pool.gpus !== undefined || pool.tpus !== undefined);
    const accelerator = isChosen ? checkPoolMachine(pool, '', findings) : undefined;
    checkCapacity(pool, accelerator, '', findings);
    checkDisks(pool, accelerator, '', findings);
    return errorsOf(findings.findings).filter(({ rule }) => !SPELLING.includes(rule)).map((finding) => inClass(finding, `spec.priorities[${index}]`, priority));
  });
}

/** A violation of a pool as one of a priority. */
function inClass({ path: ofPool, value, message }: Violation, place: string, priority: JsonRecord): Violation {
  const ours = ofPool.slice(1);
  const [name, theirs] = NAMES.find(([prefix]) => ours.startsWith(prefix)) ?? ['', ''];
  const path = ours === 'capacity' ? place : `${place}.${theirs}${ours.slice(name.length)}`;
  return { path, value: ours === 'capacity.reservationAffinity' ? record(priority.reservations).affinity : value, message };
}

function readPriority(priority: JsonRecord): NodePoolSpec {
  const { machineType, gpu, tpu, storage } = priority;
  const machine = textIn(machineType);
  const { type, topology } = record(tpu);
  const { bootDiskType, bootDiskSize, localSSDCount } = record(storage);
  return {
    name: 'class', machineType: machine,
    gpus: isRecord(gpu) ? readGpus(gpu, machine) : undefined,
    tpus: typeof type === 'string' && typeof topology === 'string' ? { type, topology } : undefined,
    capacity: readCapacity(priority),
    // GKE repairs no machine of flex-start, whatever the class says.
    autoRepair: false,
    bootDiskType: textIn(bootDiskType), bootDiskGiB: numberIn(bootDiskSize), localSsdEphemeral: numberIn(localSSDCount),
  };
}

/** Of reservations by name one is read; a block of it is left to GKE, which knows project and zones of its own. */
function readCapacity({ spot, flexStart, reservations, maxRunDurationSeconds }: JsonRecord): PoolCapacity {
  const { affinity, specific } = record(reservations);
  const [named, ...others] = records(specific);
  const name = affinity === 'Specific' && others.length === 0 ? textIn(record(named).name) : undefined;
  const isOfSeveral = affinity === 'Specific' && name === undefined;
  return {
    spot: spot === true || undefined,
    flexStart: record(flexStart).enabled === true || undefined,
    reservation: name === undefined ? undefined : { name },
    reservationAffinity: isOfSeveral ? 'any' : typeof affinity === 'string' ? entryOf(AFFINITIES, affinity) : undefined,
    maxRunSeconds: numberIn(maxRunDurationSeconds),
  };
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

/** Where the seconds stand that machines live. */
const RUN_SECONDS_PATH = 'spec.parameters.maxRunDurationSeconds';

export function validateRequestObject({ spec: written }: ManifestObject): Violation[] {
  const spec = record(written);
  const podSets = records(spec.podSets).map(({ count, podTemplateRef }) => ({
    podTemplate: jsonText(record(podTemplateRef).name), count: numberIn(count) ?? 1,
  }));
  return checkProvisioningRequest({ podSets, maxRunSeconds: runSecondsIn(spec) })
    .map((finding) => ({ ...finding, path: finding.path.replace(/^spec\.maxRunSeconds$/, RUN_SECONDS_PATH) }));
}

/** What is wrong with Kueue's ProvisioningRequestConfig. Longest pauses below the first one are right there: all pauses are as long then. */
export function validateRequestConfigObject({ spec: written }: ManifestObject): Violation[] {
  const findings = new FindingCollector();
  const spec = record(written);
  checkRunSeconds(runSecondsIn(spec), RUN_SECONDS_PATH, findings);
  checkRetries({ limit: numberIn(record(spec.retryStrategy).backoffLimitCount) }, findings);
  return findings.findings.map((finding) => ({ ...finding, path: finding.path.replace(/^retries\.limit$/, 'spec.retryStrategy.backoffLimitCount') }));
}

function runSecondsIn({ provisioningClassName, parameters }: JsonRecord): number | undefined {
  const seconds = amountIn(record(parameters).maxRunDurationSeconds);
  return provisioningClassName !== QUEUED_PROVISIONING_CLASS || seconds === undefined ? undefined : jsonNumber(seconds);
}
