/**
 * Pod templates of a Ray cluster: workers, in which the replicas' programs run; the head, with the driver; and the pod that submits the driver.
 *
 * A RayJob submits `driver.py`, which runs on the head. It needs one Ray node for each replica, and starts the user's command on each of them with
 * the environment of the framework's contract. It uses only Ray Core; the user's script does not need Ray.
 *
 * Each replica has an actor on its node, which starts the program, forwards its output, and reports its end. An actor that no longer responds is a
 * disruption if Ray reports that its node is lost, and otherwise a failure. KubeRay replaces lost nodes, and the replica's bundle moves to the new
 * one.
 */
import { HEAD_DEFAULTS, type RayEngineSettings } from './settings';
import type { EngineJob } from '../engine';
import { engineOwnership } from '../indexed/companions';
import { templateMetadata, type EnginePods } from '../indexed/engine-pods';
import { driverPodTemplate } from '../launched/driver-pod';
import { launchedAddresses, planTemplate, type LaunchGroup, type PlannedTemplate } from '../launched/plan';
import { DRIVER_MOUNT, DRIVER_PATH, driverProgram, driverVolume } from '../launched/driver-files';
import { launchedPodSpec } from '../launched/launched-container';
import type { Container, PodSpec } from '../../kubernetes';
import { typedPodTemplate } from '../../pod/typed-pod';
import { mergePodTemplates, type PodTemplate } from '../../pod/pod-template';
import { SUBMITTER_RESOURCES } from '../../ray/job';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import { withoutDefaultSharedMemory } from '../../../model/training-job/accelerator-labels';
import { programText } from '../../../programs/program-text';

/** Entry point of the job. KubeRay runs it in a shell, which finds the Python installation that has Ray. */
export const ENTRYPOINT = `python3 -u ${DRIVER_PATH}/driver.py`;

/** Variable that disables Ray's memory monitor. */
const MEMORY_MONITOR_VARIABLE = 'RAY_memory_monitor_refresh_ms';

/** ConfigMap with the driver and its plan. */
export function driverConfigMapName(jobName: string): string {
  return `${jobName}-ray`;
}

/** Flags of `ray start` on the nodes of a group. Each node has one unit of the group's resource, so each replica gets its own node. */
export function workerStartParams({ name }: LaunchGroup): { readonly [flag: string]: string } {
  // Quoted, because KubeRay puts the value into a shell command.
  return { resources: `'${JSON.stringify({ [`${RAY_ROLE_RESOURCE_PREFIX}${name}`]: 1 })}'` };
}

/** Template of the pods of a role. */
export function workerTemplate({ pods }: RayPlan, template: PlannedTemplate): PodTemplate {
  return typedPodTemplate({
    metadata: templateMetadata(pods, template.groups.flatMap(({ replicas }) => replicas)),
    spec: launchedPodSpec(template, withoutMemoryMonitor),
  });
}

/** Ray would kill a replica at 95 % of its memory limit. Without its monitor, the kernel enforces the limit, as in any other pod. */
function withoutMemoryMonitor({ env = [], ...container }: Container): Container {
  const isGiven = env.some(({ name }) => name === MEMORY_MONITOR_VARIABLE);
  return { ...container, env: [...env, ...(isGiven ? [] : [{ name: MEMORY_MONITOR_VARIABLE, value: '0' }])] };
}

export function headTemplate(plan: RayPlan): PodTemplate {
  const { pods: { job }, settings: { head = {} } } = plan;
  const size = { cpu: head.cpu ?? HEAD_DEFAULTS.cpu, memory: head.memory ?? HEAD_DEFAULTS.memory };
  return helperTemplate(
    plan, { name: 'ray-head', resources: { requests: size, limits: size }, volumeMounts: [DRIVER_MOUNT] },
    { volumes: [driverVolume(driverConfigMapName(job.name))] },
  );
}

/** Template of the pod that submits the driver and prints its output. */
export function submitterTemplate(plan: RayPlan): PodTemplate {
  return helperTemplate(plan, { name: 'ray-job-submitter', resources: SUBMITTER_RESOURCES });
}

function helperTemplate({ pods, settings: { head } }: RayPlan, container: Container, more: Partial<PodSpec> = {}): PodTemplate {
  const { roles, spec: { scheduling } } = pods.job;
  const { serviceAccountName } = mergePodTemplates(roles[0].templates).spec;
  return typedPodTemplate(driverPodTemplate(pods, (training) => ({
    ...container, image: head?.image ?? roles[0].image, imagePullPolicy: training?.imagePullPolicy,
  }), {
    ...more,
    serviceAccountName,
    automountServiceAccountToken: serviceAccountName === undefined ? false : undefined,
    nodeSelector: head?.nodeSelector,
    schedulerName: scheduling?.schedulerName,
    restartPolicy: 'Never',
  }));
}

/** Custom resource that assigns a Ray node to a role; each node has one unit of it. */
export const RAY_ROLE_RESOURCE_PREFIX = 'trainyard-';

/** The driver's program. */
export function rayDriver(): string {
  return driverProgram(programText('ray/driver.py'));
}

/** A job as a Ray cluster: a worker group for each role, with a Ray node for each replica. */
export interface RayPlan {
  readonly pods: EnginePods;
  /** One for each role. */
  readonly templates: readonly PlannedTemplate[];
  readonly settings: RayEngineSettings;
}

export function planRayJob(engineJob: EngineJob, settings: RayEngineSettings): RayPlan {
  // KubeRay mounts /dev/shm itself, as large as the memory: Ray keeps objects there.
  const job = withoutDefaultSharedMemory(resolveTrainingJob(engineJob.name, engineJob.spec));
  const pods: EnginePods = { job, addresses: launchedAddresses(), ownership: engineOwnership(engineJob), createsPodGroup: false };
  return { pods, settings, templates: job.roles.map((role) => planTemplate(pods, [role])) };
}
