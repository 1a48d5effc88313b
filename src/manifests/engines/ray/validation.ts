/**
 * Rules of KubeRay that are not in its capabilities: names, ports and variables that it uses, and its settings.
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/controllers/ray/utils/validation.go
 */
import { planRayJob, type RayPlan } from './pods';
import type { RayEngineSettings } from './settings';
import { hookViolations } from '../launched/launched-container';
import type { PlannedGroup } from '../launched/plan';
import { launchedViolations, sizeViolations } from '../launched/capabilities';
import { variablePath } from '../written-templates';
import { replicaPorts } from '../../pod/ports';
import { statedSharedMemory } from '../../../model/accelerators/shared-memory';
import { RAY_JOB_NAME_MAX_LENGTH } from '../../../model/ray/names';
import { KUBERAY_VARIABLES } from '../../../model/ray/variables';
import { isBefore, TOKENS_SINCE, tryParseRayVersion } from '../../../model/ray/versions';
import { statedResources } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { ViolationCollector, type Violation } from '../../../model/violations';

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
    ...launchedViolations(plan.pods.job, {
      groups: plan.templates.flatMap(({ groups }) => groups), differences: plan.templates.flatMap(({ differences }) => differences),
    }, 'KubeRay', 'Ray'),
    ...plan.templates.flatMap((template) => [...template.groups.flatMap((group) => variableViolations(plan, group)), ...hookViolations(template, 'KubeRay')]),
    ...sizeViolations(plan.pods.job, plan.templates),
    ...sharedMemoryViolations(plan),
    ...settingsViolations(plan),
  ];
}

function nameViolations(name: string): Violation[] {
  return name.length <= RAY_JOB_NAME_MAX_LENGTH ? [] : [{
    path: 'metadata.name',
    value: name,
    message: `has ${name.length} characters, and KubeRay allows a RayJob ${RAY_JOB_NAME_MAX_LENGTH}. Use at most ${RAY_JOB_NAME_MAX_LENGTH} characters.`,
  }];
}

/** Ray stores its objects in /dev/shm, so KubeRay mounts it unless the pod does. */
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

/** Replicas share their pods with Ray, which uses some ports. */
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
  return environmentAt(0).filter(({ name }) => KUBERAY_VARIABLES.includes(name)).map(({ name, value }) => ({
    path: variablePath(job.spec, role.name, name),
    value,
    message: 'is set by KubeRay, so that Ray\'s nodes find each other. Rename it.',
  }));
}

function settingsViolations({ pods: { job }, settings }: RayPlan): Violation[] {
  const { submissionMode, rayVersion, tokenAuthentication, clusterRetries } = settings;
  const violations = new ViolationCollector();
  const version = tryParseRayVersion(rayVersion);
  if (rayVersion !== undefined && version === undefined) {
    violations.add('engine.rayVersion', rayVersion, 'must be a version of Ray, such as 2.52.0: KubeRay derives the cluster\'s features from it.');
  }
  if (tokenAuthentication && (rayVersion === undefined || (version !== undefined && isBefore(version, TOKENS_SINCE)))) {
    violations.add('engine.rayVersion', rayVersion,
      'must be 2.52.0 or later with tokenAuthentication: older releases of Ray do not require a token, and KubeRay must know the version. Set the version of the image.');
  }
  violations.whole('engine.clusterRetries', clusterRetries, 0);
  if (submissionMode === 'SidecarMode' && job.spec.security?.restricted) {
    violations.add('spec.security.restricted', true,
      'is not possible in SidecarMode: the container that KubeRay adds to the head does not comply with the restrictions. Choose another submissionMode.');
  }
  return violations.violations;
}
