/**
 * The common parts of all pods of a role: the operator creates single pods, other engines create many from one template. Both merge the job's
 * templates into these parts.
 */
import type { Container, EnvVar, PodSpec, Volume, VolumeMount } from '../kubernetes';
import { mergePodSpec } from './pod-template';
import type { NamedPort } from './ports';
import { constructResources, deviceTolerations } from './resources';
import { JOB_LABEL } from '../../model/labels';
import { workingDirOf } from '../../model/training-job/code';
import { nodeSelectorOf } from '../../model/training-job/accelerator-labels';
import type { ResolvedRole, ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/** What differs between training containers. */
export interface TrainingContainerParts {
  readonly name: string;
  readonly env: readonly EnvVar[];
  readonly ports: readonly NamedPort[];
  readonly mounts: readonly VolumeMount[];
}

/** The training container by the job's fields, without templates. */
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
    // The operator and `kubectl describe` show the last lines of the log when a replica fails.
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}

/** Parts of a pod of a role. */
export interface PodParts {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  readonly volumes: readonly Volume[];
  /** Whether the pod mounts its token although the job names no service account. @default false */
  readonly token?: boolean;
  /** Service account if the job names none. @default - the namespace's */
  readonly serviceAccountName?: string;
}

/** The spec of a pod of a role. @param user the pod of the job's templates, without containers */
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
    // A projected token needs a service account, which not every admission plugin sets.
    ...(parts.serviceAccountName !== undefined && user.serviceAccountName === undefined && user.serviceAccount === undefined
      && { serviceAccountName: parts.serviceAccountName }),
    // Training code that needs the Kubernetes API names a service account.
    automountServiceAccountToken: user.serviceAccountName === undefined && !parts.token ? false : undefined,
    // Images of frameworks often run as root, so that is allowed here; the runtime's seccomp profile works with all of them.
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
  }, user);
}

/** Counts pods of all attempts of the job: those of earlier attempts are deleted or terminating. */
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

/** Our containers, then those of the template that were not merged into one of ours. */
export function withFurtherContainers(ours: readonly Container[], templates: readonly Container[] = []): Container[] {
  return [...ours, ...templates.filter(({ name }) => containerNamed(ours, name) === undefined)];
}

/** A list as a field, which is omitted if the list is empty. */
export function noneIfEmpty<K extends string, T>(field: K, items: readonly T[]): { [field in K]?: T[] } {
  return (items.length > 0 ? { [field]: [...items] } : {}) as { [field in K]?: T[] };
}
