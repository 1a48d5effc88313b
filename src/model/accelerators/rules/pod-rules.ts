/**
 * Rules on a pod as it is written, with a node selector and limits: what `trainyard validate` knows of a manifest. A request that was made with
 * `Accelerator` is checked by stricter rules, because it says what is meant.
 */
import { sizesOf } from './gpu-rules';
import { checkLabels, type LabelPath } from './label-rules';
import { checkMachine, checkVcpus } from './machine-rules';
import { RULES } from './rule-list';
import { checkClients, checkPartition, checkSharedPartition, checkShares } from './sharing-rules';
import { checkHosts, checkTpuMachine } from './tpu-rules';
import { findGpu, findTpu } from '../catalogue';
import type { Placed } from '../../shapes';
import { FindingCollector, either, type Finding } from '../../findings';
import { ARCHITECTURE_LABEL, GPU_RESOURCE, INSTANCE_TYPE_LABEL, NODE_LABELS, TPU_RESOURCE_NAME } from '../labels';
import { defaultMachineFor, hasTopology, isHostOf } from '../topology';
import type { GpuAccelerator, TpuAccelerator } from '../types';

/** Tags that say what an image is for: `1.2-amd64`. A tag `x86_64` is the same. */
const OTHER_ARCHITECTURE = /(?:^|[-_.])(?:amd64|x86[-_]64)(?:[-_.]|$)/;

/** The tag of an image; empty where it has none. */
function tagOf(image: string): string {
  const name = image.split('@', 1)[0];
  const last = name.slice(name.lastIndexOf('/') + 1);
  return last.includes(':') ? last.slice(last.indexOf(':') + 1) : '';
}

export interface PodToleration {
  readonly key?: string;
  readonly operator?: string;
}

export interface PodAccelerators {
  readonly nodeSelector: { readonly [label: string]: string };
  readonly labelPath: LabelPath;
  readonly tolerations: readonly PodToleration[];
  /** Extended resources of the containers; a name stands for each container that asks for it. */
  readonly devices: readonly (Placed<number> & { readonly resource: string })[];
  /** Images of the containers. @default - not looked at */
  readonly images?: readonly Placed<string>[];
  /** Names of volumes that are made with each pod (generic ephemeral volumes). @default - none */
  readonly ephemeralVolumes?: readonly Placed<string>[];
  /** Pods that are created from it; undefined if that is not known. */
  readonly replicas?: { readonly count: number; readonly path: string };
}

export function checkPodAccelerators(pod: PodAccelerators): Finding[] {
  const findings = new FindingCollector();
  const { nodeSelector, labelPath } = pod;
  checkLabels(nodeSelector, labelPath, findings);
  const [gpus, tpus] = [GPU_RESOURCE, TPU_RESOURCE_NAME].map((name) => pod.devices.filter(({ resource, value }) => resource === name && value > 0));
  const gpu = findGpu(nodeSelector[NODE_LABELS.accelerator] ?? '');
  const tpu = findTpu(nodeSelector[NODE_LABELS.tpuAccelerator] ?? '');
  if (gpus.length > 0 && nodeSelector[NODE_LABELS.tpuAccelerator] !== undefined) {
    findings.error(RULES.both, gpus[0].path, gpus[0].value, 'are GPUs, and the pod selects nodes with TPUs, which have none. Remove one of the two.');
  } else if (gpu !== undefined && gpu.endOfSupport === undefined) {
    checkGpus(pod, gpu, gpus, findings);
  }
  if (tpus.length > 0 && nodeSelector[NODE_LABELS.accelerator] !== undefined) {
    findings.error(RULES.both, tpus[0].path, tpus[0].value, 'are TPU chips, and the pod selects nodes with GPUs, which have none. Remove one of the two.');
  } else if (tpus.length > 0 || tpu !== undefined) {
    checkTpus(pod, tpu, tpus, findings);
  }
  checkUnused(pod, [...gpus, ...tpus], findings);
  checkAutoprovisioned(pod, gpus, findings);
  checkCapacity(pod, findings);
  return findings.findings;
}

function checkGpus(pod: PodAccelerators, gpu: GpuAccelerator, gpus: readonly Placed<number>[], findings: FindingCollector): void {
  const { nodeSelector: selector, labelPath } = pod;
  const valueOf = (label: string) => selector[label] as string | undefined;
  const [partition, strategy, clients] = [NODE_LABELS.partitionSize, NODE_LABELS.sharingStrategy, NODE_LABELS.sharedClients].map(valueOf);
  const instance = valueOf(INSTANCE_TYPE_LABEL);
  const machine = instance === undefined ? undefined : checkMachine(gpu, instance, labelPath(INSTANCE_TYPE_LABEL), findings);
  const total = gpus.reduce((sum, { value }) => sum + value, 0);
  if (partition !== undefined) {
    checkPartition(gpu, partition, labelPath(NODE_LABELS.partitionSize), findings);
  }
  if (clients !== undefined) {
    checkClients(Number(clients), labelPath(NODE_LABELS.sharedClients), findings);
  }
  if (strategy !== undefined) {
    checkSharedPartition(strategy, partition, labelPath(NODE_LABELS.sharingStrategy), findings);
  }
  for (const { value, path } of gpus) {
    if (strategy !== undefined || clients !== undefined) {
      checkShares(value, strategy ?? 'time-sharing', machine?.devices === 1 || partition !== undefined, path, findings);
    } else if (partition !== undefined && value > 1) {
      findings.warn(RULES.migCount, path, value, `are ${value} partitions of ${partition}, and a process uses one. Use 1, and a larger size or more replicas.`);
    }
  }
  if (total === 0 || partition !== undefined || strategy !== undefined) {
    return;
  }
  const most = machine?.devices ?? Math.max(...gpu.counts);
  if (total > most) {
    findings.error(RULES.gpuCount, gpus[0].path, total, `${machine === undefined ? sizesOf(gpu) : `${machine.name} has ${most} ${gpu.type}`}: no node has room for the pod. Use ${most} and more replicas.`);
  } else if (!gpu.counts.includes(total)) {
    const more = gpu.counts.find((count) => count > total) ?? most;
    findings.warn(RULES.gpuCount, gpus[0].path, total, `${sizesOf(gpu)}: ${more - total} of ${more} would be left over. Use ${more}.`);
  }
  if (machine !== undefined && machine.devices === undefined && gpu.counts.includes(total)) {
    checkVcpus(gpu, machine, total, labelPath(INSTANCE_TYPE_LABEL), findings);
  }
  if (gpu.architecture === 'arm64') {
    checkArm64(pod, gpu, findings);
  }
}

/** What is for another processor by its own words fails; what is not known is a warning. */
function checkArm64(pod: PodAccelerators, { type }: GpuAccelerator, findings: FindingCollector): void {
  const { nodeSelector, labelPath, tolerations, images = [] } = pod;
  const selected = nodeSelector[ARCHITECTURE_LABEL] as string | undefined;
  const foreign = images.filter(({ value }) => OTHER_ARCHITECTURE.test(tagOf(value)));
  if (selected !== undefined && selected !== 'arm64') {
    findings.error(RULES.arm64, labelPath(ARCHITECTURE_LABEL), selected, `does not match nodes with ${type}, which are arm64. No node has both, and the pod would wait forever. Remove it.`);
  }
  for (const { value, path } of foreign) {
    findings.error(RULES.arm64, path, value, `is built for another architecture according to its tag, and nodes with ${type} are arm64. Use an image for linux/arm64.`);
  }
  if (selected === undefined && foreign.length === 0) {
    const tolerates = tolerations.some(({ key }) => key === ARCHITECTURE_LABEL || key === undefined);
    findings.warn(RULES.arm64, labelPath(NODE_LABELS.accelerator), type,
      `has arm64 nodes: every image must be built for linux/arm64${tolerates ? '' : `, and the pod should tolerate ${ARCHITECTURE_LABEL}=arm64:NoSchedule`}.`);
  }
}

/** Only nodes that GKE makes by itself say how many GPUs they have: those of auto-provisioning come without a driver. */
function checkAutoprovisioned({ nodeSelector, labelPath }: PodAccelerators, gpus: readonly Placed<number>[], findings: FindingCollector): void {
  const { acceleratorCount, driverVersion, computeClass } = NODE_LABELS;
  const selects = (label: string) => nodeSelector[label] !== undefined;
  if (gpus.length > 0 && selects(acceleratorCount) && !selects(driverVersion) && !selects(computeClass)) {
    findings.warn(RULES.autoDriver, labelPath(acceleratorCount), nodeSelector[acceleratorCount],
      `selects nodes that auto-provisioning creates, which have no driver on a Standard cluster. Select ${driverVersion}: default too, or a ComputeClass.`);
  }
}

function checkTpus(pod: PodAccelerators, tpu: TpuAccelerator | undefined, tpus: readonly Placed<number>[], findings: FindingCollector): void {
  const { nodeSelector: selector, labelPath } = pod;
  const topology = selector[NODE_LABELS.tpuTopology] as string | undefined;
  const missing = [NODE_LABELS.tpuAccelerator, NODE_LABELS.tpuTopology].filter((label) => selector[label] === undefined);
  if (missing.length > 0 && selector[NODE_LABELS.computeClass] === undefined) {
    const example = missing[0] === NODE_LABELS.tpuTopology ? 'a topology such as 4x4' : 'a type such as tpu-v6e-slice';
    findings.warn(RULES.tpuSelectors, labelPath(missing[0]), undefined, `is not selected: pods with TPUs may land on slices of another type. Select ${example}.`);
  }
  if (tpu === undefined) {
    return;
  }
  const [chips] = tpus;
  if (chips !== undefined && !tpu.counts.includes(chips.value)) {
    findings.error(RULES.tpuChips, chips.path, chips.value, `is not a host of ${tpu.type}: hosts have ${either(tpu.counts)} chips, and a pod has all of them.`);
    return;
  }
  if (topology === undefined || !hasTopology(tpu, topology)) {
    return;
  }
  const instance = selector[INSTANCE_TYPE_LABEL] as string | undefined;
  const named = instance === undefined ? undefined : checkTpuMachine(tpu, instance, topology, labelPath(INSTANCE_TYPE_LABEL), findings);
  const hosts = tpu.machines.filter((machine) => isHostOf(tpu, machine, topology));
  const machine = chips === undefined ? undefined : (named === undefined ? hosts : [named]).find(({ devices }) => devices === chips.value);
  if (chips !== undefined && machine === undefined && hosts.length > 0) {
    const wanted = named?.devices ?? defaultMachineFor(tpu, topology)?.devices;
    findings.error(RULES.tpuChips, chips.path, chips.value, `is not a host of ${tpu.type} ${topology}. Use ${wanted}.`);
  } else if (machine !== undefined && pod.replicas !== undefined) {
    checkHosts(tpu, machine, topology, pod.replicas, findings);
  }
}

/** Pods on nodes with accelerators that ask for none: helpers that lack the toleration, or a limit that was forgotten. */
function checkUnused(pod: PodAccelerators, used: readonly Placed<number>[], findings: FindingCollector): void {
  const { nodeSelector, labelPath, tolerations, devices } = pod;
  const label = [NODE_LABELS.accelerator, NODE_LABELS.tpuAccelerator].find((key) => nodeSelector[key] !== undefined);
  if (label === undefined || used.length > 0) {
    return;
  }
  const resource = label === NODE_LABELS.accelerator ? GPU_RESOURCE : TPU_RESOURCE_NAME;
  const mig = devices.find(({ resource: name, value }) => name.startsWith('nvidia.com/mig-') && value > 0);
  if (mig !== undefined) {
    const size = mig.resource.slice('nvidia.com/mig-'.length);
    findings.error(RULES.migResource, mig.path, mig.value, `is ${mig.resource}, which nodes on GKE do not have: they count partitions as ${GPU_RESOURCE}. Ask for ${GPU_RESOURCE}: 1, and select ${NODE_LABELS.partitionSize}: ${size}.`);
    return;
  }
  const tolerates = toleratesTaint(tolerations, resource);
  findings.warn(RULES.unused, labelPath(label), nodeSelector[label], tolerates
    ? `selects nodes with accelerators, and no container asks for ${resource}. Ask for it, or let the pod run elsewhere.`
    : `selects nodes with accelerators, and no container asks for ${resource}, so the pod does not tolerate their taint. Ask for it, or add a toleration of ${resource}.`);
}

function toleratesTaint(tolerations: readonly PodToleration[], taint: string): boolean {
  return tolerations.some(({ key, operator }) => key === taint || (key === undefined && operator === 'Exists'));
}

function checkCapacity({ nodeSelector, labelPath, tolerations, ephemeralVolumes = [] }: PodAccelerators, findings: FindingCollector): void {
  if (nodeSelector[NODE_LABELS.queued] === 'true' && !toleratesTaint(tolerations, NODE_LABELS.queued)) {
    findings.error(RULES.queued, labelPath(NODE_LABELS.queued), 'true', `selects queued nodes, which have the taint ${NODE_LABELS.queued}=true:NoSchedule. Add a toleration of it.`);
  }
  if (nodeSelector[NODE_LABELS.queued] === 'true') {
    for (const { value, path } of ephemeralVolumes) {
      findings.error(RULES.queuedVolumes, path, value, 'is created with each pod, and the request for queued nodes fails with such volumes. Use a separate claim, or emptyDir.');
    }
  }
  if (nodeSelector[NODE_LABELS.spot] === 'true' && !toleratesTaint(tolerations, NODE_LABELS.spot)) {
    findings.warn(RULES.spot, labelPath(NODE_LABELS.spot), 'true', `selects spot nodes, which usually have the taint ${NODE_LABELS.spot}=true:NoSchedule. Add a toleration of it.`);
  }
}
