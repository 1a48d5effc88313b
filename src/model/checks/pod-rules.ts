/** Rules on a pod by itself: what the API server refuses, the kubelet cannot start, or makes no sense. */
import { jsonText } from '../json-parts';
import type { CheckedContainer, CheckedPod, CheckedResources } from './checked-pod';
import { checkCommand } from './command-rules';
import { CHECK_RULES } from './rule-list';
import { checkSharedMemory } from './shared-memory-rules';
import { FindingCollector, type Finding } from '../findings';
import type { Placed } from '../shapes';
import { didYouMean } from '../violations';
import { findGpu, findMachine, machinesWith } from '../accelerators/catalogue';
import { INSTANCE_TYPE_LABEL, NODE_LABELS } from '../accelerators/labels';
import type { MachineType } from '../accelerators/types';

const GIB = 2 ** 30;

/** Longest name of an image that is looked at. */
const IMAGE_MAX = 512;

export function checkPod(pod: CheckedPod): Finding[] {
  const findings = new FindingCollector();
  for (const container of pod.containers) {
    checkCommand(container, findings);
    checkImage(container, findings);
    checkContainer(container, pod, findings);
  }
  checkPorts(pod, findings);
  checkGpuMemory(pod, findings);
  checkMachineRoom(pod, findings);
  checkSharedMemory(pod, findings);
  return findings.findings;
}

function checkContainer(container: CheckedContainer, pod: CheckedPod, findings: FindingCollector): void {
  const { workingDir, mounts, env, resources } = container;
  if (workingDir !== undefined && workingDir.value !== '' && !workingDir.value.startsWith('/')) {
    findings.error(CHECK_RULES.workingDir, workingDir.path, workingDir.value, 'must be an absolute path, such as /workspace.');
  }
  const volumes = pod.volumes.map(({ value }) => jsonText(value.name));
  const paths = new Set<unknown>();
  for (const { value: { name, mountPath }, path } of mounts) {
    if (pod.allVolumesKnown && typeof name === 'string' && !volumes.includes(name)) {
      findings.error(CHECK_RULES.volumeMissing, `${path}.name`, name, `is not a volume of the pod.${didYouMean(name, volumes) || ' Add it to volumes, or remove the mount.'}`);
    }
    if (typeof mountPath === 'string' && paths.has(mountPath)) {
      findings.error(CHECK_RULES.mountTwice, `${path}.mountPath`, mountPath, 'is mounted already. Choose another path.');
    }
    paths.add(mountPath);
  }
  const names = new Set<unknown>();
  for (const { value: { name }, path } of env) {
    if (typeof name === 'string' && names.has(name)) {
      findings.warn(CHECK_RULES.envTwice, `${path}.name`, name, 'is set twice: the last value wins. Remove one.');
    }
    names.add(name);
  }
  for (const { value: { request, limit }, path } of resources.above) {
    findings.error(CHECK_RULES.requestOverLimit, path, request, `is more than its limit, ${limit}. Lower the request, or raise the limit.`);
  }
}

/** @see https://pkg.go.dev/github.com/distribution/reference */
function isRepository(path: string): boolean {
  return path.split('/').every((part) => /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/.test(part.slice(0, IMAGE_MAX)));
}

function checkImage({ image }: CheckedContainer, findings: FindingCollector): void {
  if (image === undefined || image.value === '' || image.value.length > IMAGE_MAX) {
    return;
  }
  const [name, digest] = image.value.split('@', 2);
  const slash = name.lastIndexOf('/');
  const colon = name.indexOf(':', slash + 1);
  const repository = colon < 0 ? name : name.slice(0, colon);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  const first = repository.slice(0, repository.indexOf('/'));
  // A host can have capitals; what follows it cannot.
  const isHost = first.includes('.') || first.includes(':') || first === 'localhost';
  const below = isHost ? repository.slice(first.length + 1) : repository;
  const found = (message: string) => findings.error(CHECK_RULES.imageName, image.path, image.value, message);
  if (image.value.includes('$')) {
    found('has a variable, which nothing replaces in an image. Write the image itself, or replace the variable before the manifest is applied.');
  } else if (/[A-Z]/.test(below) && isRepository(below.toLowerCase())) {
    found(`is not a valid image name: names are lower case. Write ${isHost ? `${first}/` : ''}${below.toLowerCase()}.`);
  } else if (/\s/.test(image.value) || !isRepository(below)) {
    found('is not a valid image name: HOST/REPOSITORY:TAG, of lower-case letters, digits, dots, dashes and underscores.');
  } else if (tag !== undefined && !/^\w[\w.-]{0,127}$/.test(tag)) {
    found(`has an invalid tag, '${tag.slice(0, 40)}': letters, digits, dots, dashes and underscores, at most 128.`);
  } else if (digest === undefined && (tag === undefined || tag === 'latest')) {
    findings.warn(CHECK_RULES.imageTag, image.path, image.value,
      `${tag === undefined ? 'has no tag, which means latest' : 'can move'}: replicas and restarts can get different images. Use a fixed version or a digest.`);
  }
}

function checkPorts(pod: CheckedPod, findings: FindingCollector): void {
  const seen = new Set<string>();
  for (const container of pod.containers.filter(({ isInit }) => !isInit)) {
    for (const { value: { containerPort, name, protocol = 'TCP' }, path } of container.ports) {
      const keys = [`${jsonText(containerPort)}/${jsonText(protocol)}`, ...(typeof name === 'string' ? [`name ${name}`] : [])];
      const twice = keys.find((key) => seen.has(key));
      if (twice !== undefined) {
        findings.error(CHECK_RULES.portTwice, path, name ?? containerPort, 'is a port that the pod already uses: containers of a pod share its ports. Remove one.');
      }
      keys.forEach((key) => seen.add(key));
    }
    const names = container.ports.flatMap(({ value: { name } }) => (typeof name === 'string' ? [name] : []));
    for (const { value, path } of container.probes) {
      for (const handler of ['httpGet', 'tcpSocket', 'grpc']) {
        const { port } = (value[handler] ?? {}) as { readonly port?: unknown };
        if (typeof port === 'string' && !/^\d+$/.test(port.slice(0, 6)) && !names.includes(port)) {
          findings.error(CHECK_RULES.probePort, `${path}.${handler}.port`, port,
            `is not the name of a container port: the probe fails, and the container is restarted again and again.${didYouMean(port, names) || ' Name the port, or use its number.'}`);
        }
      }
    }
  }
}

function checkGpuMemory(pod: CheckedPod, findings: FindingCollector): void {
  for (const { resources: { gpus, memory, cpu } } of pod.containers) {
    if (gpus > 0 && memory !== undefined && memory.value < gpus * GIB) {
      findings.warn(CHECK_RULES.gpuMemory, memory.path, memory.value, `bytes are less than 1 GiB for each of ${gpus} GPUs: the container is killed when it loads anything. Did you mean Gi instead of Mi, or a unit at all?`);
    }
    if (gpus > 0 && cpu !== undefined && cpu.value < gpus / 2) {
      findings.warn(CHECK_RULES.gpuMemory, cpu.path, cpu.value, `cores are less than half a core for each of ${gpus} GPUs, which will wait for data. Did you mean cores instead of millicores (m)?`);
    }
  }
}

/** Cores that agents of GKE and DaemonSets (logging, metrics, network, drivers) ask for on a node with GPUs, about. */
const DAEMONS_CPU = 0.5;

/** Memory that they ask for, about, in GiB. */
const DAEMONS_GIB = 1;

/** Part of a machine's memory that its kernel takes. */
const KERNEL_SHARE = 0.015;

/**
 * Cores of a node that pods can have: GKE keeps 6 % of the first, 1 % of the second, 0.5 % of the next two and 0.25 % of those above.
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes
 */
function allocatableCpu(vcpu: number): number {
  const kept = part(vcpu, 0, 1, 0.06) + part(vcpu, 1, 2, 0.01) + part(vcpu, 2, 4, 0.005) + part(vcpu, 4, Infinity, 0.0025);
  return vcpu - kept - DAEMONS_CPU;
}

/**
 * Memory of a node that pods can have, in GiB: GKE keeps 25 % of the first 4, 20 % of the next 4, 10 % of the next 8, 6 % of the next 112, 2 % of the
 * rest, and 100 MiB for evictions.
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/plan-node-sizes
 */
function allocatableMemoryGiB(machine: number): number {
  // What the machine's own kernel takes is not counted by GKE.
  const memory = machine * (1 - KERNEL_SHARE);
  const kept = part(memory, 0, 4, 0.25) + part(memory, 4, 8, 0.2) + part(memory, 8, 16, 0.1)
    + part(memory, 16, 128, 0.06) + part(memory, 128, Infinity, 0.02);
  return memory - kept - 100 / 1024 - DAEMONS_GIB;
}

function part(amount: number, from: number, to: number, share: number): number {
  return Math.max(0, Math.min(amount, to) - from) * share;
}

/** Checks a pod whose node selector names a GPU, or a machine type. */
function checkMachineRoom(pod: CheckedPod, findings: FindingCollector): void {
  if (pod.nodeSelector[NODE_LABELS.accelerator] === undefined && pod.nodeSelector[INSTANCE_TYPE_LABEL] === undefined) {
    return;
  }
  const gpu = findGpu(pod.nodeSelector[NODE_LABELS.accelerator] ?? '');
  const named = findMachine(pod.nodeSelector[INSTANCE_TYPE_LABEL] ?? '');
  const resources = pod.containers.filter(({ isInit }) => !isInit).map((container) => container.resources);
  const gpus = resources.reduce((sum, container) => sum + container.gpus, 0);
  const isShared = pod.nodeSelector[NODE_LABELS.partitionSize] !== undefined || pod.nodeSelector[NODE_LABELS.sharingStrategy] !== undefined;
  const ofGpu = gpu !== undefined && gpus > 0 && !isShared ? machinesWith(gpu, gpus) : [];
  const machines: readonly MachineType[] = named === undefined ? ofGpu : [named.machine];
  if (machines.length === 0) {
    return;
  }
  const title = named?.machine.name ?? `${gpus} ${gpu!.type}`;
  const largestCpu = Math.max(...machines.map(({ vcpu }) => vcpu));
  const largestMemory = Math.max(...machines.map(({ memoryGiB }) => memoryGiB));
  check({ sum: sumOf(resources, 'cpu'), most: largestCpu, allocatable: allocatableCpu(largestCpu), unit: '', what: `vCPUs on a machine with ${title}` }, findings);
  check({
    sum: sumOf(resources, 'memory', GIB), most: largestMemory, allocatable: allocatableMemoryGiB(largestMemory), unit: 'Gi', what: `GiB of memory on a machine with ${title}`,
  }, findings);
}

interface Need {
  readonly sum: Placed<number> | undefined;
  readonly most: number;
  readonly allocatable: number;
  readonly unit: string;
  readonly what: string;
}

function check({ sum, most, allocatable, unit, what }: Need, findings: FindingCollector): void {
  if (sum === undefined) {
    return;
  }
  const value = `${round(sum.value)}${unit}`;
  const fits = `Ask for at most ${Math.floor(allocatable)}${unit}.`;
  if (sum.value > most) {
    findings.error(CHECK_RULES.machineRoom, sum.path, value, `is more than the ${most} ${what}: the pod would wait forever. ${fits}`);
  } else if (sum.value > allocatable) {
    findings.warn(CHECK_RULES.machineRoom, sum.path, value, `is more than pods can use of the ${most} ${what}: GKE and its agents reserve some. ${fits}`);
  }
}

function sumOf(resources: readonly CheckedResources[], field: 'cpu' | 'memory', unit = 1): Placed<number> | undefined {
  const given = resources.map((container) => container[field]).filter((placed) => placed !== undefined);
  return given.length === 0 ? undefined : { value: given.reduce((sum, { value }) => sum + value, 0) / unit, path: given[0].path };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
