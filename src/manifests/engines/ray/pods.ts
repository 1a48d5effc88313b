/**
 * Pod templates of a Ray cluster: workers, in which the replicas' programs run; the head, with the driver; and who submits the driver.
 *
 * The program that a RayJob submits (`driver.py`, on the head). It wants one Ray node for each replica, and starts the user's command on each of
 * them with the environment that the framework's contract says. It uses Ray's core only; the user's script needs no Ray at all.
 *
 * Each replica has an actor on its node: it starts the program, hands its lines on, and tells how it ended. An actor that does not answer any more
 * is a lost node (a disruption) when Ray says that the node is gone, and else a failure. Lost nodes are KubeRay's to replace: the replica's bundle
 * moves to the new one.
 */
import { HEAD_DEFAULTS, type RayEngineSettings } from './settings';
import type { EngineJob } from '../engine';
import { engineOwnership } from '../indexed/companions';
import { templateMetadata, type EnginePods, type TemplateMetadata } from '../indexed/engine-pods';
import { launchedAddresses, planTemplate, type LaunchGroup, type PlannedTemplate } from '../launched/plan';
import { DRIVER_MOUNT, DRIVER_PATH, driverProgram, driverVolume } from '../launched/driver-files';
import { launchedPodSpec } from '../launched/launched-container';
import type { Container, PodSpec } from '../../kubernetes';
import { mergePodTemplates } from '../../pod/pod-template';
import { withSecurity } from '../../pod/restricted-pod';
import { typedPodTemplate } from '../../pod/typed-pod';
import { SUBMITTER_RESOURCES } from '../../ray/job';
import { JOB_LABEL } from '../../../model/labels';
import { meshLabels, MESH_OFF } from '../../../model/mesh';
import { TRAINING_CONTAINER } from '../../../model/names';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import { withoutDefaultSharedMemory } from '../../../model/training-job/accelerator-labels';
import { programText } from '../../../programs/program-text';

/** What the job submits; the shell that KubeRay gives it to finds the Python that Ray is installed for. */
export const ENTRYPOINT = `python3 -u ${DRIVER_PATH}/driver.py`;

/** Variable by which Ray's own guard of the node's memory is switched off. */
const MEMORY_MONITOR_VARIABLE = 'RAY_memory_monitor_refresh_ms';

export interface RayPodTemplate {
  readonly metadata: TemplateMetadata;
  readonly spec: PodSpec;
}

/** ConfigMap with the driver and its plan. */
export function driverConfigMapName(jobName: string): string {
  return `${jobName}-ray`;
}

/** Flags of `ray start` on the nodes of a group. Each node has one of the group's own resource, so that each replica gets a node for itself. */
export function workerStartParams({ name }: LaunchGroup): { readonly [flag: string]: string } {
  // KubeRay puts the value into a shell's words.
  return { resources: `'${JSON.stringify({ [`${RAY_ROLE_RESOURCE_PREFIX}${name}`]: 1 })}'` };
}

/** Template of the pods of a role. */
export function workerTemplate({ pods }: RayPlan, template: PlannedTemplate): RayPodTemplate {
  return typedPodTemplate({
    metadata: templateMetadata(pods, template.groups.flatMap(({ replicas }) => replicas)),
    spec: launchedPodSpec(template, withoutMemoryMonitor),
  });
}

/** Ray would kill a replica at 95 % of the memory that it may have; without that, the kernel ends what goes beyond it, as in any other pod. */
function withoutMemoryMonitor({ env = [], ...container }: Container): Container {
  const isGiven = env.some(({ name }) => name === MEMORY_MONITOR_VARIABLE);
  return { ...container, env: [...env, ...(isGiven ? [] : [{ name: MEMORY_MONITOR_VARIABLE, value: '0' }])] };
}

export function headTemplate(plan: RayPlan): RayPodTemplate {
  const { pods: { job }, settings: { head = {} } } = plan;
  const size = { cpu: head.cpu ?? HEAD_DEFAULTS.cpu, memory: head.memory ?? HEAD_DEFAULTS.memory };
  return typedPodTemplate({
    metadata: helperMetadata(plan),
    spec: helperSpec(plan, {
      name: 'ray-head',
      image: headImage(plan),
      resources: { requests: size, limits: size },
      volumeMounts: [DRIVER_MOUNT],
    }, { volumes: [driverVolume(driverConfigMapName(job.name))] }),
  });
}

/** Template of the pod that submits the driver and prints what it prints. */
export function submitterTemplate(plan: RayPlan): RayPodTemplate {
  return typedPodTemplate({
    metadata: helperMetadata(plan),
    spec: helperSpec(plan, {
      name: 'ray-job-submitter',
      image: headImage(plan),
      resources: SUBMITTER_RESOURCES,
    }, {}),
  });
}

function headImage({ pods: { job }, settings: { head } }: RayPlan): string {
  return head?.image ?? job.roles[0].image;
}

/**
 * Pods that run no replica have the job's label, by which its firewall knows them, what the replicas say of sidecars, and no other, by which replicas
 * are kept together.
 */
function helperMetadata({ pods: { job, ownership } }: RayPlan): TemplateMetadata {
  return { labels: { ...ownership.labels, ...MESH_OFF, ...meshLabels(mergePodTemplates(job.roles[0].templates)), [JOB_LABEL]: job.name } };
}

/** A pod that runs no replica: it pulls its image and is secured like the replicas, and asks for none of their devices, volumes and nodes. */
function helperSpec({ pods: { job }, settings: { head } }: RayPlan, container: Container, more: Partial<PodSpec>): PodSpec {
  const { spec: user } = mergePodTemplates(job.roles[0].templates);
  const { scheduling, security } = job.spec;
  const training = user.containers?.find(({ name }) => name === TRAINING_CONTAINER);
  return withSecurity({
    containers: [{ ...container, imagePullPolicy: training?.imagePullPolicy, securityContext: training?.securityContext }],
    ...more,
    imagePullSecrets: user.imagePullSecrets,
    serviceAccountName: user.serviceAccountName,
    automountServiceAccountToken: user.serviceAccountName === undefined ? false : undefined,
    securityContext: { seccompProfile: { type: 'RuntimeDefault' }, ...user.securityContext },
    nodeSelector: head?.nodeSelector,
    ...(scheduling?.tolerations && { tolerations: [...scheduling.tolerations] }),
    priorityClassName: scheduling?.priorityClassName,
    schedulerName: scheduling?.schedulerName,
    restartPolicy: 'Never',
  }, security);
}

/** Custom resource that says which role's replica a Ray node is for; each node has one of it. */
export const RAY_ROLE_RESOURCE_PREFIX = 'trainyard-';

/** The whole file. */
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
  const pods: EnginePods = { job, addresses: launchedAddresses(), ownership: engineOwnership(engineJob), gangBeside: false };
  return { pods, settings, templates: job.roles.map((role) => planTemplate(pods, [role])) };
}
