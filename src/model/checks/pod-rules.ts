/** Rules on a pod by itself: what the API server refuses, the kubelet cannot start, or nobody wants. */
import { jsonText } from '../json-parts';
import type { CheckedContainer, CheckedPod } from './checked-pod';
import { checkCommand } from './command-rules';
import { checkMachineRoom } from './machine-room';
import { CHECK_RULES } from './rule-list';
import { checkSharedMemory } from './shared-memory-rules';
import { FindingCollector, type Finding } from '../findings';
import { didYouMean } from '../violations';

const GIB = 2 ** 30;

/** Longest name of an image that is looked at. */
const IMAGE_MAX = 512;

/** Checks a pod. */
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
