/**
 * Rules of KubeRay beside its capabilities: names, ports and variables that are its own, and what its settings mean for a job.
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/controllers/ray/utils/validation.go
 */
import { planRayJob, type RayPlan } from './pods';
import type { RayEngineSettings } from './settings';
import { hookViolations } from '../launched/launched-container';
import type { PlannedGroup, PlannedTemplate } from '../launched/plan';
import { launchedViolations, sizeViolations } from '../launched/capabilities';
import { replicaPorts } from '../../pod/ports';
import { statedSharedMemory } from '../../../model/accelerators/shared-memory';
import { RAY_JOB_NAME_MAX_LENGTH } from '../../../model/ray/names';
import { KUBERAY_VARIABLES } from '../../../model/ray/variables';
import { isBefore, TOKENS_SINCE, tryParseRayVersion } from '../../../model/ray/versions';
import { statedResources } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { Violation } from '../../../model/violations';

/** Ports that Ray listens on in a worker's pod. */
const RAY_PORTS: readonly { readonly from: number; readonly to: number; readonly what: string }[] = [
  { from: 8080, to: 8080, what: 'its metrics' },
  { from: 10_002, to: 19_999, what: 'its workers' },
  { from: 52_365, to: 52_365, what: 'its agent' },
];

export function rayViolations(name: string, spec: TrainingJobSpec, settings: RayEngineSettings): Violation[] {
  const plan = planRayJob({ name, spec }, settings);
  return [
    ...nameViolations(name),
    ...portViolations(plan),
    ...launchedViolations(plan.pods.job, allOf(plan), { title: 'KubeRay', runs: 'Ray' }),
    ...plan.templates.flatMap((template) => [...template.groups.flatMap((group) => variableViolations(plan, group)), ...hookViolations(template, 'KubeRay')]),
    ...sizeViolations(plan.pods.job, plan.templates),
    ...sharedMemoryViolations(plan),
    ...settingsViolations(plan),
  ];
}

/** Templates of roles, as one: they differ as they like. */
function allOf({ templates: [first, ...others] }: RayPlan): PlannedTemplate {
  return {
    ...first,
    groups: [first, ...others].flatMap(({ groups }) => groups),
    differences: [first, ...others].flatMap(({ differences }) => differences),
  };
}

function nameViolations(name: string): Violation[] {
  return name.length <= RAY_JOB_NAME_MAX_LENGTH ? [] : [{
    path: 'metadata.name',
    value: name,
    message: `has ${name.length} characters, and KubeRay allows a RayJob ${RAY_JOB_NAME_MAX_LENGTH}. Use at most ${RAY_JOB_NAME_MAX_LENGTH} characters.`,
  }];
}

/** Ray keeps its objects in /dev/shm, so that KubeRay mounts it wherever nobody else does. */
function sharedMemoryViolations({ pods: { job } }: RayPlan): Violation[] {
  return job.roles.flatMap((role) => {
    const stated = statedResources(job, role);
    const index = job.spec.roles?.findIndex(({ name, resources }) => name === role.name && resources !== undefined) ?? -1;
    return stated.sharedMemory === undefined || statedSharedMemory(stated) !== undefined ? [] : [{
      path: `${index < 0 ? 'spec' : `spec.roles[${index}]`}.resources.sharedMemory`,
      value: stated.sharedMemory,
      message: 'cannot be 0 on Ray: KubeRay mounts /dev/shm as large as the memory. Remove it, or set a size.',
    }];
  });
}

/** Replicas share their pods with Ray. */
function portViolations({ pods: { job } }: RayPlan): Violation[] {
  return replicaPorts(job).flatMap(({ name, port }) => {
    const taken = RAY_PORTS.find(({ from, to }) => from <= port && port <= to);
    return taken === undefined ? [] : [{
      path: 'spec.port',
      value: port,
      message: `${port === job.port ? 'is' : `leaves the port ${name} (${port})`} among those that Ray uses for ${taken.what} in the same pod `
        + '(8080, 10002 to 19999, 52365). Choose another, such as 29500.',
    }];
  });
}

function variableViolations({ pods: { job } }: RayPlan, { role, environmentAt }: PlannedGroup): Violation[] {
  const index = (job.spec.roles ?? []).findIndex((written) => written.name === role.name);
  const own = new Set(job.spec.roles?.[index]?.env?.map(({ name }) => name));
  return environmentAt(0).filter(({ name }) => KUBERAY_VARIABLES.includes(name)).map(({ name, value }) => ({
    path: `${own.has(name) ? `spec.roles[${index}]` : 'spec'}.env['${name}']`,
    value,
    message: 'is set by KubeRay, so that Ray\'s nodes find each other. Rename it.',
  }));
}

function settingsViolations({ pods: { job }, settings }: RayPlan): Violation[] {
  const { submissionMode, rayVersion, tokenAuthentication, clusterRetries } = settings;
  const violations: Violation[] = [];
  const version = tryParseRayVersion(rayVersion);
  if (rayVersion !== undefined && version === undefined) {
    violations.push({ path: 'engine.rayVersion', value: rayVersion, message: 'must be a version of Ray, such as 2.52.0: KubeRay derives the cluster\'s features from it.' });
  }
  if (tokenAuthentication) {
    if (rayVersion === undefined || (version !== undefined && isBefore(version, TOKENS_SINCE))) {
      violations.push({
        path: 'engine.rayVersion',
        value: rayVersion,
        message: 'must be 2.52.0 or later with tokenAuthentication: older releases of Ray do not require a token, and KubeRay must know the version. Set the version of the image.',
      });
    }
  }
  if (clusterRetries !== undefined && (!Number.isInteger(clusterRetries) || clusterRetries < 0)) {
    violations.push({ path: 'engine.clusterRetries', value: clusterRetries, message: 'must be a whole number, 0 or more.' });
  }
  if (submissionMode === 'SidecarMode' && job.spec.security?.restricted) {
    violations.push({
      path: 'spec.security.restricted',
      value: true,
      message: 'cannot be kept in SidecarMode: the container that KubeRay adds to the head does not comply with the restrictions. Choose another submissionMode.',
    });
  }
  return violations;
}
