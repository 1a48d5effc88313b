/**
 * Pods of a job as the operator would make them, without what only the operator can give them (names of their own, labels of their attempt,
 * progress), and with what an engine's controller gives them instead. They are the material of an engine's templates.
 */
import { gangPodFields } from '../../gang';
import type { ObjectOwnership } from '../../job/job-metadata';
import type { Container, ContainerPort, PodSpec } from '../../kubernetes';
import { PREFERRED_TOPOLOGY_ANNOTATION, REQUIRED_TOPOLOGY_ANNOTATION } from '../../../model/kueue-names';
import { jobAffinity, sliceLabels } from '../../pod/placement';
import { mergePodSpec, mergePodTemplates } from '../../pod/pod-template';
import { replicaPorts } from '../../pod/ports';
import { anonymousPodSpec } from '../../pod/replica-pod';
import { MPI_SECRET_VOLUME } from '../../pod/replica-volumes';
import type { AddressBook } from '../../../model/frameworks/address-book';
import type { Replica } from '../../../model/frameworks/contract';
import { JOB_LABEL, MANAGED_BY_ENGINES, MANAGED_BY_LABEL, ROLE_LABEL } from '../../../model/labels';
import { entryOf } from '../../../model/lists';
import { labelsWithoutSidecar } from '../../../model/mesh';
import { TRAINING_CONTAINER } from '../../../model/names';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import { roleOf } from '../../../model/training-job/replicas/replicas';

export interface EnginePods {
  readonly job: ResolvedTrainingJob;
  /** How replicas reach each other on the engine. One object a job: contracts keep what they compute for it. */
  readonly addresses: AddressBook;
  readonly ownership: ObjectOwnership;
  /** Variables whose value only the running pod knows, with the field of the pod that holds it. @default - none */
  readonly live?: { readonly [variable: string]: string };
  /** Subdomain of the pods, where the template has to say it. @default - the engine sees to it */
  readonly subdomain?: string;
  /** Whether pods of all roles come from one template: they then name the ports of all of them, which opens nothing. @default false */
  readonly oneTemplate?: boolean;
  /** The Secret with the keys of MPI's launcher and workers, as a volume. @default - that of the operator */
  readonly mpiSecret?: object;
  /** Whether the engine keeps the hosts of each TPU slice together by itself. @default false - their affinity does */
  readonly slicesBeside?: boolean;
  /** Whether the gang that the job asks for is made by a group beside the job. @default true */
  readonly gangBeside?: boolean;
}

/** Metadata of a pod template. */
export interface TemplateMetadata {
  readonly labels: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
}

export function enginePodSpec(pods: EnginePods, replica: Replica): PodSpec {
  const { job, live, subdomain, mpiSecret, oneTemplate } = pods;
  const spec = withSidecars(plainPodSpec(pods, replica));
  const withLive = (containers: readonly Container[]) => withLiveVariables(containers, live ?? {});
  const withPorts = (container: Container) => (oneTemplate && container.name === TRAINING_CONTAINER ? withAllPorts(job, container) : container);
  const { schedulerName } = gangFields(pods, replica)?.spec ?? {};
  const affinity = jobAffinity(job, pods.slicesBeside ? undefined : replica, pods.ownership.namespace, MANAGED_BY_ENGINES);
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
  // A template's own affinity between pods is more exact than ours.
  return affinity === undefined ? complete : mergePodSpec({ containers: [], affinity }, complete);
}

/**
 * The outcome of a replica is that of its `training` container. The operator looks at nothing else; to other engines a pod has ended when all of its
 * containers have. So those beside `training` are Kubernetes' own sidecars, which run as long as it does, and whose end says nothing about the pod's.
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
      ...(pods.slicesBeside ? {} : sliceLabels(job, first, pods.ownership.namespace)),
      [JOB_LABEL]: job.name,
      ...(replicas.every(({ role }) => role === first.role) && { [ROLE_LABEL]: first.role }),
      [MANAGED_BY_LABEL]: MANAGED_BY_ENGINES,
    },
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}

/** Gives the pods whose requests a gang asks for in sum. */
export function gangPodSpec(pods: EnginePods): (replica: Replica) => PodSpec {
  return (replica) => plainPodSpec(pods, replica);
}

function plainPodSpec({ job, addresses }: EnginePods, replica: Replica): PodSpec {
  const role = roleOf(job, replica);
  return anonymousPodSpec({ job, replica, addresses }, '', role, mergePodTemplates(role.templates), 0);
}

function gangFields(pods: EnginePods, replica: Replica) {
  const { job, ownership, gangBeside = true } = pods;
  return gangBeside ? gangPodFields(job, replica, 0, ownership, gangPodSpec(pods)) : undefined;
}

/** Containers whose variables take their value from a field of the running pod. @param live the field, by the name of the variable */
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

/** A queued job is kept together by Kueue. */
export function topologyAnnotations({ spec }: ResolvedTrainingJob): { readonly [name: string]: string } {
  const { topology, queueName } = spec.scheduling ?? {};
  return topology === undefined || queueName === undefined ? {} : {
    [topology.mode === 'Preferred' ? PREFERRED_TOPOLOGY_ANNOTATION : REQUIRED_TOPOLOGY_ANNOTATION]: topology.key,
  };
}
