/** A job as a Ray cluster: a worker group for each role, with a Ray node for each replica. */
import type { RayEngineSettings } from './settings';
import type { EngineJob } from '../engine';
import { engineOwnership } from '../indexed/companions';
import type { EnginePods } from '../indexed/engine-pods';
import { launchedAddresses } from '../launched/addresses';
import { planTemplate, type PlannedTemplate } from '../launched/plan';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import { withoutDefaultSharedMemory } from '../../../model/training-job/shared-memory';

/** See the top of this file. */
export interface RayPlan {
  readonly pods: EnginePods;

  /** One for each role. */
  readonly templates: readonly PlannedTemplate[];

  readonly settings: RayEngineSettings;
}

/** Plans a job. */
export function planRayJob(engineJob: EngineJob, settings: RayEngineSettings): RayPlan {
  // KubeRay mounts /dev/shm itself, as large as the memory: Ray keeps objects there.
  const job = withoutDefaultSharedMemory(resolveTrainingJob(engineJob.name, engineJob.spec));
  const pods: EnginePods = { job, addresses: launchedAddresses(), ownership: engineOwnership(engineJob), gangBeside: false };
  return { pods, settings, templates: job.roles.map((role) => planTemplate(pods, [role])) };
}
