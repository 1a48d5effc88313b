/**
 * What all pods of a role have in common, whoever creates them: the operator makes them one by one, other engines make many from one template. Both
 * lay the job's templates over the same parts.
 */
import type { Container, EnvVar, PodSpec, Volume, VolumeMount } from '../kubernetes';
import { mergePodSpec } from './pod-template';
import type { NamedPort } from './ports';
import { constructResources, deviceTolerations } from './resources';
import { JOB_LABEL } from '../../model/labels';
import { workingDirOf } from '../../model/training-job/code';
import { nodeSelectorOf } from '../../model/training-job/accelerator-labels';
import type { ResolvedRole, ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/** What differs between the containers that train. */
export interface TrainingContainerParts {
  readonly name: string;
  readonly env: readonly EnvVar[];
  readonly ports: readonly NamedPort[];
  readonly mounts: readonly VolumeMount[];
}

/** The container that trains, as the job's fields describe it; templates come on top. */
export function constructTrainingContainer(job: ResolvedTrainingJob, role: ResolvedRole, parts: TrainingContainerParts): Container {
  const { name, env, ports, mounts } = parts;
  return {
    name,
    image: role.image,
    command: role.command && [...role.command],
    args: role.args && [...role.args],
    workingDir: workingDirOf(job.spec),
    env: [...env],
    ...noneIfEmpty('ports', ports.map((port) => ({ name: port.name, containerPort: port.port, protocol: 'TCP' as const }))),
    resources: constructResources(role.resources),
    ...noneIfEmpty('volumeMounts', mounts),
    // The operator reads the last lines of the log from here when a replica fails, and so does `kubectl describe`.
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}

/** What a pod of a role is put together from. */
export interface PodParts {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  readonly volumes: readonly Volume[];
  /** Whether the pod shows its token to its containers although the job names no service account. @default false */
  readonly token?: boolean;
  /** Service account of a job that names none. @default - the namespace's */
  readonly serviceAccountName?: string;
}

/** The spec of a pod of a role. @param user what the job's templates say of the pod, without containers */
export function constructPodSpec(job: ResolvedTrainingJob, role: ResolvedRole, parts: PodParts, user: Partial<PodSpec>): PodSpec {
  const { scheduling, checkpoint } = job.spec;
  return mergePodSpec({
    containers: [...parts.containers],
    ...noneIfEmpty('initContainers', parts.initContainers),
    ...noneIfEmpty('volumes', parts.volumes),
    ...noneIfEmpty('tolerations', [...deviceTolerations(role.resources), ...(scheduling?.tolerations ?? [])]),
    terminationGracePeriodSeconds: checkpoint?.gracePeriodSeconds,
    ...noneIfEmpty('topologySpreadConstraints', spreadConstraints(job)),
    nodeSelector: nodeSelectorOf(job, role),
    priorityClassName: scheduling?.priorityClassName,
    schedulerName: scheduling?.schedulerName,
    // Where no admission plugin fills it in, a token needs to know whose it is.
    ...(parts.serviceAccountName !== undefined && user.serviceAccountName === undefined && user.serviceAccount === undefined
      && { serviceAccountName: parts.serviceAccountName }),
    // Training code talks to storage and to its peers. Who needs the Kubernetes API says so by naming a service account.
    automountServiceAccountToken: user.serviceAccountName === undefined && !parts.token ? false : undefined,
    // Images of frameworks often run as root, so that is not forbidden here; the runtime's own filter of system calls costs nothing.
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
  }, user);
}

/** Pods of the job are counted, whatever their attempt: those of an earlier one are gone, or about to be. */
function spreadConstraints({ name, spec }: ResolvedTrainingJob): readonly object[] {
  const { spread } = spec.scheduling ?? {};
  return spread === undefined ? [] : [{
    maxSkew: spread.maxSkew ?? 1,
    topologyKey: spread.key,
    whenUnsatisfiable: spread.mode === 'Preferred' ? 'ScheduleAnyway' : 'DoNotSchedule',
    labelSelector: { matchLabels: { [JOB_LABEL]: name } },
  }];
}

export function containerNamed(containers: readonly Container[] | undefined, name: string): Container | undefined {
  return containers?.find((container) => container.name === name);
}

/** Our containers, with the template's own behind them: those that were not merged into one of ours. */
export function withFurtherContainers(ours: readonly Container[], templates: readonly Container[] = []): Container[] {
  return [...ours, ...templates.filter(({ name }) => containerNamed(ours, name) === undefined)];
}

/** A list as a field that is not there when the list is empty. */
export function noneIfEmpty<K extends string, T>(field: K, items: readonly T[]): { [field in K]?: T[] } {
  return (items.length > 0 ? { [field]: [...items] } : {}) as { [field in K]?: T[] };
}
