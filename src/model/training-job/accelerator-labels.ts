/**
 * Labels of accelerators in a job's node selector speak of the roles that use them. A launcher or a parameter server next to GPU workers asks for
 * no GPU, so it does not tolerate the taint of GPU nodes, and would wait forever if the selector held it there.
 */
import type { ResolvedRole, ResolvedTrainingJob } from './replicas/resolve';
import type { ResourcesSpec } from './spec';
import { ACCELERATOR_LABELS, INSTANCE_TYPE_LABEL } from '../accelerators/labels';
import { sharedMemoryFor, type SharedMemoryUser } from '../accelerators/shared-memory';
import { isRecord } from '../json-parts';
import { TRAINING_CONTAINER } from '../names';

/** Whether a role uses no devices in a job whose other roles do. */
function leavesAcceleratorsAlone(job: ResolvedTrainingJob, role: ResolvedRole): boolean {
  return !hasDevices(role.resources) && job.roles.some(({ resources }) => hasDevices(resources));
}

/** A node selector without what it says of accelerators; the machine type goes with them. */
export function withoutAcceleratorLabels(labels: { readonly [label: string]: string }): { [label: string]: string } {
  const entries = Object.entries(labels);
  return entries.some(([label]) => ACCELERATOR_LABELS.includes(label))
    ? Object.fromEntries(entries.filter(([label]) => !ACCELERATOR_LABELS.includes(label) && label !== INSTANCE_TYPE_LABEL))
    : { ...labels };
}

/** The job's node selector as it holds for a role; undefined when nothing is left of it. */
export function nodeSelectorOf(job: ResolvedTrainingJob, role: ResolvedRole): { readonly [label: string]: string } | undefined {
  const labels = job.spec.scheduling?.nodeSelector;
  if (labels === undefined || !leavesAcceleratorsAlone(job, role)) {
    return labels;
  }
  const left = withoutAcceleratorLabels(labels);
  return Object.keys(left).length > 0 ? left : undefined;
}

/** Labels that nodes of a role need: the job's, and those of its templates over them. */
export function selectedLabels(job: ResolvedTrainingJob, role: ResolvedRole): { readonly [label: string]: unknown } {
  // Templates are not validated. A string instead of the labels would be spread into its characters.
  const written = role.templates.map(({ spec }) => spec?.nodeSelector).filter(isRecord);
  return { ...nodeSelectorOf(job, role), ...Object.assign({}, ...written) as object };
}

function hasDevices({ gpu = 0, tpu = 0, extended = {} }: ResourcesSpec): boolean {
  return gpu > 0 || tpu > 0 || Object.keys(extended).length > 0;
}

/** Size of the volume at `/dev/shm` of a role's replicas; undefined where they have none, and the runtime's 64 MiB. */
export function sharedMemoryOf(job: ResolvedTrainingJob, role: ResolvedRole): string | undefined {
  return sharedMemoryFor({
    resources: role.resources,
    nodeSelector: selectedLabels(job, role),
    volumeMounts: writtenMounts(role),
  });
}

/** The job on an engine whose controller mounts `/dev/shm` itself: its replicas get the volume only where the job asks for a size. */
export function withoutDefaultSharedMemory(job: ResolvedTrainingJob): ResolvedTrainingJob {
  return { ...job, roles: job.roles.map((role) => ({ ...role, resources: { sharedMemory: '0', ...role.resources } })) };
}

/** What templates mount into the container that trains. */
function writtenMounts({ templates }: ResolvedRole): NonNullable<SharedMemoryUser['volumeMounts']> {
  interface Container { readonly name: string; readonly volumeMounts?: SharedMemoryUser['volumeMounts'] }
  const containers = templates.flatMap(({ spec }) => (spec?.containers ?? []) as readonly Container[]);
  // A template is checked by the API server, and may be wrong until then.
  return containers.flatMap(({ name, volumeMounts }) => (name === TRAINING_CONTAINER && Array.isArray(volumeMounts) ? volumeMounts : []));
}
