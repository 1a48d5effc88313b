/** `/dev/shm` of a job's replicas. */
import { selectedLabels } from './accelerator-labels';
import type { ResolvedRole, ResolvedTrainingJob } from './replicas/resolve';
import { sharedMemoryFor, type SharedMemoryUser } from '../accelerators/shared-memory';
import { TRAINING_CONTAINER } from '../names';

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
