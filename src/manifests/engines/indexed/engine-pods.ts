/**
 * Pods of a job as the operator would create them, without what only the operator supports (names, labels of the attempt, progress), and with what an
 * engine's controller provides instead. Templates of engines are derived from them.
 */
import { gangPodFields } from '../../gang';
import type { ObjectOwnership } from '../../job/job-metadata';
import type { Container, ContainerPort, EnvVar, PodSpec } from '../../kubernetes';
import { PREFERRED_TOPOLOGY_ANNOTATION, REQUIRED_TOPOLOGY_ANNOTATION } from '../../../model/kueue-names';
import { jobAffinity, sliceLabels } from '../../pod/placement';
import { mergePodSpec, mergePodTemplates, type TemplateMetadata } from '../../pod/pod-template';
import { replicaPorts } from '../../pod/ports';
import { anonymousPodSpec } from '../../pod/replica-pod';
import { MPI_SECRET_VOLUME } from '../../pod/replica-volumes';
import type { AddressBook } from '../../../model/frameworks/address-book';
import type { Replica } from '../../../model/frameworks/contract';
import { JOB_LABEL, MANAGED_BY_ENGINES, MANAGED_BY_LABEL, ROLE_LABEL } from '../../../model/labels';
import { entryOf } from '../../../model/lists';
import { labelsWithoutSidecar } from '../../../model/mesh';
import { TRAINING_CONTAINER } from '../../../model/names';
import { ATTEMPT_VARIABLE } from '../../../model/training-job/environment/environment';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import { roleOf } from '../../../model/training-job/replicas/replicas';

export interface EnginePods {
  readonly job: ResolvedTrainingJob;
  /** How replicas reach each other on the engine. One object per job, because contracts cache what they compute for it. */
  readonly addresses: AddressBook;
  readonly ownership: ObjectOwnership;
  /** Variables whose value is a field of the running pod, with that field. @default - none */
  readonly live?: { readonly [variable: string]: string };
  /** Subdomain of the pods, if the template has to set it. @default - the engine sets it */
  readonly subdomain?: string;
  /** Whether pods of all roles come from one template: it then lists the ports of all roles, which opens none. @default false */
  readonly oneTemplate?: boolean;
  /** The Secret with the keys of MPI's launcher and workers, as a volume. @default - the operator's */
  readonly mpiSecret?: object;
  /** Whether the engine keeps the hosts of each TPU slice together. @default false - pod affinity does */
  readonly placesSlices?: boolean;
  /** Whether Trainyard creates the group of a gang, and not the engine. @default true */
  readonly createsPodGroup?: boolean;
}

/** Addresses of pods that listen on the ports that contracts ask for. */
export function podAddresses(host: AddressBook['host']): AddressBook {
  return { host, port: (_replica, _name, standard) => standard };
}

export function enginePodSpec(pods: EnginePods, replica: Replica): PodSpec {
  const { job, live, subdomain, mpiSecret, oneTemplate } = pods;
  const spec = withSidecars(plainPodSpec(pods, replica));
  const withLive = (containers: readonly Container[]) => withLiveVariables(containers, live ?? {});
  const withPorts = (container: Container) => (oneTemplate && container.name === TRAINING_CONTAINER ? withAllPorts(job, container) : container);
  const { schedulerName } = gangFields(pods, replica)?.spec ?? {};
  const affinity = jobAffinity(job, pods.placesSlices ? undefined : replica, pods.ownership.namespace, MANAGED_BY_ENGINES);
  const complete: PodSpec = {
    ...spec,
    containers: withLive(spec.containers).map(withPorts),
    ...(spec.initContainers && { initContainers: withLive(spec.initContainers) }),
    ...(mpiSecret !== undefined && {
      volumes: spec.volumes?.map((volume) => (volume.name === MPI_SECRET_VOLUME ? { name: volume.name, secret: mpiSecret } : volume)),
    }),
    ...(spec.schedulerName === undefined && schedulerName !== undefined && { schedulerName }),
    restartPolicy: 'Never',
    ...(subdomain !== undefined && { subdomain }),
  };
  // A template's own pod affinity takes precedence.
  return affinity === undefined ? complete : mergePodSpec({ containers: [], affinity }, complete);
}

/**
 * The outcome of a replica is that of its `training` container. The operator checks only this container, but other engines wait for all containers of
 * a pod. So the other containers become Kubernetes sidecars, which stop with `training` and do not affect the pod's outcome.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
 */
export function withSidecars(spec: PodSpec, training = TRAINING_CONTAINER): PodSpec {
  const others = spec.containers.filter(({ name }) => name !== training);
  return others.length === 0 ? spec : {
    ...spec,
    initContainers: [...(spec.initContainers ?? []), ...others.map((container) => ({ ...container, restartPolicy: 'Always' }))],
    containers: spec.containers.filter(({ name }) => name === training),
  };
}

export function templateMetadata(pods: EnginePods, replicas: readonly Replica[]): TemplateMetadata {
  const { job } = pods;
  const [first] = replicas;
  const template = mergePodTemplates(roleOf(job, first).templates);
  const gang = gangFields(pods, first);
  const annotations = { ...template.annotations, ...gang?.annotations, ...topologyAnnotations(job) };
  return {
    labels: {
      ...labelsWithoutSidecar(template),
      ...gang?.labels,
      ...(pods.placesSlices ? {} : sliceLabels(job, first, pods.ownership.namespace)),
      [JOB_LABEL]: job.name,
      ...(replicas.every(({ role }) => role === first.role) && { [ROLE_LABEL]: first.role }),
      [MANAGED_BY_LABEL]: MANAGED_BY_ENGINES,
    },
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}

/** A replica's pod without what the engine changes. Gangs request the sum of these. */
export function plainPodSpec({ job, addresses }: EnginePods, replica: Replica): PodSpec {
  const role = roleOf(job, replica);
  return anonymousPodSpec({ job, replica, addresses }, '', role, mergePodTemplates(role.templates), 0);
}

function gangFields(pods: EnginePods, replica: Replica) {
  const { job, ownership, createsPodGroup = true } = pods;
  return createsPodGroup ? gangPodFields(job, replica, 0, ownership, (other) => plainPodSpec(pods, other)) : undefined;
}

/** Variables as they are in the first attempt. */
export function inFirstAttempt(env: readonly EnvVar[]): EnvVar[] {
  return env.map((entry) => (entry.name === ATTEMPT_VARIABLE ? { name: entry.name, value: '0' } : entry));
}

/** Containers whose variables read fields of the running pod. @param live the field of each variable */
export function withLiveVariables(containers: readonly Container[], live: { readonly [variable: string]: string }): Container[] {
  return containers.map((container) => (container.env === undefined ? container : {
    ...container,
    env: container.env.map((entry) => {
      const fieldPath = entryOf(live, entry.name);
      return fieldPath === undefined ? entry : { name: entry.name, valueFrom: { fieldRef: { fieldPath } } };
    }),
  }));
}

function withAllPorts(job: ResolvedTrainingJob, container: Container): Container {
  const ports = replicaPorts(job).map(({ name, port }): ContainerPort => ({ name, containerPort: port, protocol: 'TCP' }));
  const isTaken = (other: ContainerPort) => ports.some(({ name, containerPort }) => name === other.name || containerPort === other.containerPort);
  const others = (container.ports ?? []).filter((port) => !isTaken(port));
  return { ...container, ports: [...ports, ...others] };
}

/** Annotations with which Kueue keeps a queued job together. */
export function topologyAnnotations({ spec }: ResolvedTrainingJob): { readonly [name: string]: string } {
  const { topology, queueName } = spec.scheduling ?? {};
  return topology === undefined || queueName === undefined ? {} : {
    [topology.mode === 'Preferred' ? PREFERRED_TOPOLOGY_ANNOTATION : REQUIRED_TOPOLOGY_ANNOTATION]: topology.key,
  };
}
