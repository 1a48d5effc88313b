/**
 * The pod of one replica: the blog's contract (its name, its labels, the container `training`), the job's fields, and the user's templates. Templates
 * cannot change the names and labels by which the operator finds pods and replicas find each other.
 */
import { codeContainers } from '../code/code-pod';
import { JobOwnership } from '../job/job-metadata';
import { discoveryHooks } from '../job/host-discovery';
import type { Container, EnvVar, Pod, PodSpec } from '../kubernetes';
import type { PodSpecOf } from '../gang';
import { withNodesAvoided, withPlacement, type PodPlacement } from './placement';
import { plainObject, nonEmptyObject } from '../plain-object';
import { constructPodSpec, constructTrainingContainer, containerNamed, withFurtherContainers } from './pod-parts';
import { mergeContainer, mergePodTemplates, type MergedTemplate } from './pod-template';
import { replicaPorts } from './ports';
import { PROGRESS_MOUNT, progressVolume, replicaInitContainers, replicaVolumes } from './replica-volumes';
import { withSecurity } from './restricted-pod';
import { withInit } from '../tools/container-init';
import { preflightContainer, toolVolumes, withStackDumps } from '../tools/pod-tools';
import { PodAddressBook, type AddressBook } from '../../model/frameworks/address-book';
import type { HelperContainer, Replica, ReplicaContext } from '../../model/frameworks/contract';
import {
  ATTEMPT_LABEL, AVOIDED_NODES_ANNOTATION, JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, PROGRESS_CA_ANNOTATION, RANK_ANNOTATION,
  REPLICA_INDEX_LABEL, ROLE_LABEL,
} from '../../model/labels';
import { labelsWithoutSidecar } from '../../model/mesh';
import { TRAINING_CONTAINER, mpiSecretName, peerServiceName } from '../../model/names';
import { progressTarget, type ProgressEndpoint } from '../../model/progress/contract';
import { replicaEnvironment, replicaHelpers } from '../../model/training-job/environment/environment';
import { restartsInPlace } from '../../model/training-job/restart-in-place';
import { needsPeerService, roleOf } from '../../model/training-job/replicas/replicas';
import type { ResolvedRole, ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { RunFacts } from '../../model/training-job/run-facts';

export { TRAINING_CONTAINER } from '../../model/names';

/** Input of {@link constructReplicaPod}. */
export interface ReplicaPodOptions extends JobOwnership {
  readonly job: ResolvedTrainingJob;
  readonly replica: Replica;
  /** Attempt of the job that the pod belongs to, from 0. */
  readonly attempt: number;
  /** How replicas reach each other. @default - by the names of pods and services */
  readonly addresses?: AddressBook;
  /** Facts about the run so far. @default - none: the job starts */
  readonly facts?: RunFacts;
  /** Where replicas report their progress. @default - nowhere */
  readonly progress?: ProgressEndpoint;
  /** Placement of the role's pods by a queue. @default - none */
  readonly placement?: PodPlacement;
}

/** One address book per job, because contracts cache what they compute for it. */
const podAddresses = new WeakMap<ResolvedTrainingJob, AddressBook>();

export function constructReplicaPod(options: ReplicaPodOptions): Pod {
  const { job, replica, namespace, owner, attempt } = options;
  const progress = options.progress && progressTarget(options.progress, { namespace, name: job.name });
  const facts = { mpiSecret: mpiSecretName(job.name, owner?.uid), uid: owner?.uid, ...options.facts };
  const context = { job, replica, addresses: options.addresses ?? podAddressesOf(job), facts, progress };
  const role = roleOf(job, replica);
  const template = mergePodTemplates(role.templates);
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: replica.podName,
      namespace,
      labels: { ...labelsWithoutSidecar(template), ...replicaLabels(job, replica, attempt) },
      annotations: nonEmptyObject({
        ...template.annotations,
        ...(replica.rank !== undefined && { [RANK_ANNOTATION]: String(replica.rank) }),
        // A pod that only prefers other nodes does not wait for them.
        ...(facts.avoidNodes?.length && facts.avoidStrictly !== false && { [AVOIDED_NODES_ANNOTATION]: facts.avoidNodes.join(',') }),
        ...(options.progress?.authorities !== undefined && { [PROGRESS_CA_ANNOTATION]: options.progress.authorities }),
      }),
      ownerReferences: owner && [owner],
    },
    spec: podSpec(context, namespace, role, template, attempt),
  };
  return plainObject<Pod>(withPlacement(pod, {
    job, replica, attempt, ownership: { namespace, owner }, placement: options.placement, podSpecOf: replicaPodSpecs(job, namespace),
  }));
}

/** Specs of the pods of a job's replicas without what a scheduler or a queue adds, for sums of their requests. */
export function replicaPodSpecs(job: ResolvedTrainingJob, namespace: string): PodSpecOf {
  return (replica) => {
    const role = roleOf(job, replica);
    return podSpec({ job, replica, addresses: podAddressesOf(job) }, namespace, role, mergePodTemplates(role.templates), 0);
  };
}

/** Labels that the operator and the job's services select. */
function replicaLabels(job: ResolvedTrainingJob, replica: Replica, attempt: number): { [name: string]: string } {
  return {
    [JOB_LABEL]: job.name,
    [ROLE_LABEL]: replica.role,
    [REPLICA_INDEX_LABEL]: String(replica.index),
    [ATTEMPT_LABEL]: String(attempt),
    [MANAGED_BY_LABEL]: MANAGED_BY_OPERATOR,
  };
}

function podSpec(context: ReplicaContext, namespace: string, role: ResolvedRole, template: MergedTemplate, attempt: number): PodSpec {
  const { job, replica } = context;
  return {
    ...anonymousPodSpec(context, namespace, role, template, attempt),
    restartPolicy: restartsInPlace(job, role) ? role.restartPolicy as 'OnFailure' | 'Always' : 'Never',
    ...(needsPeerService(job) && { hostname: replica.podName, subdomain: peerServiceName(job.name) }),
  };
}

/**
 * Spec of a replica's pod without its restart policy and its host name: the common part of all engines that run the operator's containers.
 * @param namespace needed if the replica reports its progress
 */
export function anonymousPodSpec(
  context: ReplicaContext, namespace: string, role: ResolvedRole, template: MergedTemplate, attempt: number,
): PodSpec {
  const { job, replica } = context;
  const { containers, initContainers, ...user } = template.spec;
  const written = containerNamed(containers, TRAINING_CONTAINER);
  const training = withStackDumps(job, withInit(job, role, mergeContainer(trainingContainer(context, role, attempt), written)));
  const helpers = replicaHelpers(context, attempt).map((helper) => mergeContainer(
    helperContainer(helper, training, written?.env),
    containerNamed(containers, helper.name),
  ));
  const inits = [codeContainers(job, training), preflightContainer(context, training) ?? [], replicaInitContainers(job, replica, training)].flat()
    .map((own) => mergeContainer(own, containerNamed(initContainers, own.name)));
  const merged = constructPodSpec(job, role, {
    containers: withFurtherContainers([training, ...helpers], containers),
    initContainers: withFurtherContainers(inits, initContainers),
    volumes: [
      ...replicaVolumes(job, role, context.facts).volumes,
      ...toolVolumes(job),
      ...(context.progress ? [progressVolume({ namespace, name: job.name }, context.progress)] : []),
    ],
    ...(context.progress && { serviceAccountName: 'default' }),
  }, user);
  return withSecurity(withNodesAvoided(merged, context.facts?.avoidNodes, context.facts?.avoidStrictly), job.spec.security);
}

function trainingContainer(context: ReplicaContext, role: ResolvedRole, attempt: number): Container {
  const { job } = context;
  return {
    ...constructTrainingContainer(job, role, {
      name: TRAINING_CONTAINER,
      env: replicaEnvironment(context, attempt),
      ports: replicaPorts(job, role.name),
      mounts: [...replicaVolumes(job, role).mounts, ...(context.progress ? [PROGRESS_MOUNT] : [])],
    }),
    ...discoveryHooks(job, role.name),
  };
}

/**
 * A further container that runs the training program in another role. It has the same files, but no devices, which are only for training. It also
 * requests no cpu and memory, because the job's are for a trainer; a template container with its name (`scheduler`, `server`) can set them.
 */
export function helperContainer(helper: HelperContainer, training: Container, templateEnv: readonly EnvVar[] = []): Container {
  const env = new Map([...templateEnv, ...helper.env].map((entry) => [entry.name, entry]));
  const {
    resources: _resources, ports: _ports, livenessProbe: _live, readinessProbe: _ready, startupProbe: _startup, lifecycle: _lifecycle, ...same
  } = training;
  return { ...same, name: helper.name, env: [...env.values()] };
}

function podAddressesOf(job: ResolvedTrainingJob): AddressBook {
  let book = podAddresses.get(job);
  if (book === undefined) {
    book = new PodAddressBook(job.name);
    podAddresses.set(job, book);
  }
  return book;
}
