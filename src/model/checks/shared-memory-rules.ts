/** `/dev/shm` of containers that train on GPUs, and volumes in memory, which count against the memory of the container that fills them. */
import type { CheckedContainer, CheckedPod } from './checked-pod';
import { CHECK_RULES } from './rule-list';
import { SHARED_MEMORY_PATH, isAtSharedMemory } from '../accelerators/shared-memory';
import type { FindingCollector } from '../findings';
import { jsonText, record } from '../json-parts';
import { tryParseQuantity } from '../quantities';
import type { ResolvedTrainingJob } from '../training-job/replicas/resolve';
import type { FrameworkName } from '../training-job/spec';

/** Frameworks whose data loaders hand batches over in shared memory. */
const WITH_LOADERS: readonly FrameworkName[] = ['pytorch', 'deepspeed', 'paddle'];

/** Words by which a command is known to be a launcher of PyTorch. */
const LAUNCHER = /(?:^|[\s/])(?:torchrun|deepspeed|accelerate)(?:\s|$)|torch\.distributed\.(?:run|launch)/;

/** Fields of kinds whose pods run PyTorch, whatever their command. */
const PYTORCH_FIELD = 'pytorchReplicaSpecs';

/** Longest command that is looked at. */
const LOOKED_AT = 4096;

const TOO_SMALL = 'has the container runtime\'s default of 64 MiB, with which NCCL and data loaders with worker processes fail with a bus error.';

export function checkSharedMemory(pod: CheckedPod, findings: FindingCollector): void {
  for (const container of pod.containers.filter(({ isInit }) => !isInit)) {
    checkMemoryVolumes(container, pod, findings);
    const { device } = container.resources;
    if (pod.allVolumesKnown && device !== undefined && !pod.hasSharedMemory && !hasMount(container) && isPyTorch(container)) {
      findings.warn(CHECK_RULES.sharedMemory, device.path, device.value, `is a PyTorch job, and ${SHARED_MEMORY_PATH} ${TOO_SMALL} Mount an emptyDir with medium: Memory and a sizeLimit at ${SHARED_MEMORY_PATH}.`);
    }
  }
}

/** Checks a training job, whose replicas get what `/dev/shm` they need with whole GPUs. */
export function checkSharedMemoryOfJob(job: ResolvedTrainingJob, pods: readonly CheckedPod[], findings: FindingCollector): void {
  const { spec } = job;
  job.roles.forEach((role, index) => {
    const { gpu = 0, sharedMemory } = role.resources;
    const [training] = pods[index].containers;
    const { memory, path } = training.resources;
    if (sharedMemory !== undefined && memory === undefined && (tryParseQuantity(sharedMemory) ?? 0) > 0) {
      findings.warn(CHECK_RULES.sharedMemory, `${path}.sharedMemory`, sharedMemory,
        'counts against memory, which has no limit: its contents take memory from the other pods on the node. Set memory too.');
    }
    const trains = role.helper === undefined && role.ranked && WITH_LOADERS.includes(spec.framework);
    if (trains && gpu > 0 && sharedMemory === undefined && !pods[index].hasSharedMemory && !hasMount(training)) {
      findings.warn(CHECK_RULES.sharedMemory, `${path}.sharedMemory`, undefined,
        `is not set, and pods with partitions or shares of a GPU get none: ${SHARED_MEMORY_PATH} ${TOO_SMALL} Set it, or 0 if nothing needs it.`);
    }
  });
}

function checkMemoryVolumes({ mounts, resources: { memoryLimit } }: CheckedContainer, pod: CheckedPod, findings: FindingCollector): void {
  for (const { value: { name, emptyDir }, path } of pod.volumes) {
    const { medium, sizeLimit } = record(emptyDir);
    if (medium !== 'Memory' || !mounts.some(({ value }) => value.name === name)) {
      continue;
    }
    const size = sizeLimit === undefined ? undefined : tryParseQuantity(jsonText(sizeLimit));
    if (size !== undefined && memoryLimit !== undefined && size > memoryLimit.value) {
      findings.warn(CHECK_RULES.sharedMemory, `${path}.emptyDir.sizeLimit`, sizeLimit,
        `is more than the memory of the container (${memoryLimit.path}), which the volume counts against: the container is killed before the volume is full. Lower it, or raise the limit.`);
    } else if (sizeLimit === undefined && memoryLimit === undefined && pod.allVolumesKnown) {
      findings.warn(CHECK_RULES.sharedMemory, `${path}.emptyDir`, { medium },
        'is in memory without a sizeLimit, and the container has no memory limit: its contents take memory from the other pods on the node. Set both.');
    }
  }
}

function hasMount({ mounts }: CheckedContainer): boolean {
  return mounts.some(({ value }) => isAtSharedMemory(value));
}

function isPyTorch({ path, command, args }: CheckedContainer): boolean {
  const words = [command, args].flatMap((list) => list?.value ?? []).join(' ').slice(0, LOOKED_AT);
  return path.includes(`.${PYTORCH_FIELD}.`) || LAUNCHER.test(words);
}
