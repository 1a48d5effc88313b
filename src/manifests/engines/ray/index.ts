/**
 * KubeRay v1.7: a RayJob whose Ray cluster has a node for each replica, and a driver that starts the job's unchanged programs there.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/rayjob-quick-start.html
 */
import { rayCapabilities } from './capabilities';
import { rayEnvironments, renderRayJob } from './render';
import type { RayEngineSettings } from './settings';
import { rayViolations } from './validation';
import type { EngineDefinition } from '../engine';
import { RAY_JOB } from '../../../model/kinds/ray';
import { identityOf } from '../../../model/kinds/workload-kind';
import { RAY_JOB_NAME_MAX_LENGTH } from '../../../model/ray/names';

export type { RayBatchScheduler, RayEngineSettings, RayHeadSettings, RaySubmissionMode } from './settings';

export function rayEngine(settings: RayEngineSettings = {}): EngineDefinition {
  return {
    name: 'ray',
    title: 'KubeRay',
    upstream: 'KubeRay v1.7 (ray.io/v1), Ray 2',
    capabilities: rayCapabilities(settings),
    kindOf: () => identityOf(RAY_JOB),
    generatedNameMaxLength: () => RAY_JOB_NAME_MAX_LENGTH,
    validate: (name, spec) => rayViolations(name, spec, settings),
    rendersMore: true,
    render: (job) => renderRayJob(job, settings),
    environments: (job) => rayEnvironments(job, settings),
  };
}
