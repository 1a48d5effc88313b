/** The pod template of any kind: the training container, and the rest of the pod. */
import { chooseContainer, readContainer, type ContainerChoice, type ReadContainer } from './container';
import { type Fields, type JsonObject, MigrationError } from './fields';
import type { Notes } from './notes';
import { nonEmptyObject } from '../plain-object';
import { noneIfEmpty } from '../pod/pod-parts';
import { SHARED_MEMORY_VOLUME } from '../pod/replica-volumes';
import { MANAGED_BY_ENGINES, MANAGED_BY_LABEL, RESERVED_POD_LABELS } from '../../model/labels';
import { TRAINING_CONTAINER } from '../../model/names';
import { isQuantity } from '../../model/quantities';
import type { PodTemplateSpec, ResourcesSpec } from '../../model/training-job/spec';
import { isRecord } from '../../model/json-parts';
import { defined } from '../../model/lists';

/** A pod template that was read. */
export interface ReadPod extends Omit<ReadContainer, 'rest' | 'image'> {
  readonly image: string;
  /** Everything for which the job has no field. */
  readonly template: PodTemplateSpec;
  /** The pod's own restart policy, which only some kinds use. */
  readonly restartPolicy?: string;
  readonly subdomain?: string;
  /** Whether Trainyard rendered the template. */
  readonly isOurs: boolean;
  /** Path of the pod in the object. */
  readonly podPath: string;
  /** Path of its training container. */
  readonly containerPath: string;
}

/** Init containers that an operator added to pods, and that work only with it. */
const FOREIGN_INIT_CONTAINERS: { readonly [name: string]: string } = {
  'init-pytorch': 'is left out: it waited for a host name of training-operator v1. Workers here retry until the master answers.',
  'kubectl-delivery': 'is left out: it installed kubectl for training-operator v1. The launcher reaches workers with ssh here.',
};

/**
 * Reads a pod template.
 * @param holder object whose field `template` it is
 * @param image used if the container has none @default - the container must have one
 */
export function readPodTemplate(holder: Fields, choice: ContainerChoice, notes: Notes, image?: string): ReadPod {
  const template = holder.requiredObject('template', 'the pod template');
  const pod = template.requiredObject('spec', 'the pod');
  const chosen = chooseContainer(pod, choice);
  const { rest, ...container } = readContainer(chosen, choice, notes);
  if (container.image === undefined && image === undefined) {
    throw new MigrationError(chosen.at('image'), undefined, 'is required: the image of the training container.');
  }
  const others = pod.list('containers').filter((other) => other !== chosen).map((other) => sidecar(other, notes));
  const written = pod.take('volumes');
  const restPod = readRestOfPod(pod, notes);
  const mounters = [...others, ...(restPod.rest.initContainers ?? []) as readonly JsonObject[]];
  const { sharedMemory, volumes, mounts } = withoutSharedMemory(written, rest.volumeMounts, mounters, pod.at('volumes'), notes);
  const training = { ...rest, ...(mounts && { volumeMounts: mounts }) } as { volumeMounts?: readonly unknown[] };
  if (mounts?.length === 0) {
    delete training.volumeMounts;
  }
  const containers = [...(Object.keys(training).length > 0 ? [{ name: TRAINING_CONTAINER, ...training }] : []), ...others];
  const spec = { ...restPod.rest, ...noneIfEmpty('containers', containers), ...noneIfEmpty('volumes', volumes) };
  const { metadata, isOurs } = readPodMetadata(template, notes);
  return {
    ...container,
    image: container.image ?? image!,
    resources: sharedMemory === undefined ? container.resources : { ...container.resources, sharedMemory } satisfies ResourcesSpec,
    template: defined({ metadata, spec: nonEmptyObject(spec) }),
    restartPolicy: restPod.restartPolicy,
    subdomain: restPod.subdomain,
    isOurs,
    podPath: pod.path,
    containerPath: chosen.path,
  };
}

/** Reports a pod's subdomain, which is left out. */
export function noteSubdomain({ podPath, subdomain }: ReadPod, notes: Notes): void {
  if (subdomain !== undefined) {
    notes.changed(`${podPath}.subdomain`, subdomain, 'is left out: the job has its own service, which replicas use to find each other.');
  }
}

function sidecar(container: Fields, notes: Notes): JsonObject {
  const rest = container.takeRest();
  if (rest.name !== TRAINING_CONTAINER) {
    return rest;
  }
  const name = `${TRAINING_CONTAINER}-sidecar`;
  notes.changed(container.at('name'), rest.name, `is renamed to ${name}: ${TRAINING_CONTAINER} is the training container.`);
  return { ...rest, name };
}

interface RestOfPod {
  readonly rest: { [field: string]: unknown };
  readonly restartPolicy?: string;
  readonly subdomain?: string;
}

function readRestOfPod(pod: Fields, notes: Notes): RestOfPod {
  const restartPolicy = pod.text('restartPolicy');
  const subdomain = pod.text('subdomain');
  notes.lose(pod, 'each replica has its own host name here, which the others use to find it.', 'hostname');
  const initContainers = pod.list('initContainers').filter((container) => {
    const name = container.peek('name');
    const reason = typeof name === 'string' && Object.hasOwn(FOREIGN_INIT_CONTAINERS, name) ? FOREIGN_INIT_CONTAINERS[name] : undefined;
    if (reason !== undefined) {
      notes.changed(container.path, container.take('name'), reason);
      container.takeRest();
    }
    return reason === undefined;
  }).map((container) => container.takeRest());
  return { rest: { ...noneIfEmpty('initContainers', initContainers), ...pod.takeRest() }, restartPolicy, subdomain };
}

function readPodMetadata(template: Fields, notes: Notes): { readonly metadata: PodTemplateSpec['metadata']; readonly isOurs: boolean } {
  const metadata = template.object('metadata');
  const labels = metadata?.textMap('labels') ?? {};
  const annotations = metadata?.textMap('annotations') ?? {};
  const isOurs = labels[MANAGED_BY_LABEL] === MANAGED_BY_ENGINES;
  if (isOurs) {
    notes.changed(metadata!.at('labels'), MANAGED_BY_ENGINES, 'the template was generated by Trainyard: its additions for an engine are removed.');
  }
  for (const label of RESERVED_POD_LABELS.filter((name) => Object.hasOwn(labels, name))) {
    if (!isOurs) {
      notes.lost(`${metadata!.at('labels')}['${label}']`, labels[label], 'is a label that the operator uses to find its pods. Choose another name for your own.');
    }
    delete labels[label];
  }
  notes.lose(metadata, 'had no effect: pods are named after their job, in its namespace.', 'name', 'generateName', 'namespace');
  return { metadata: nonEmptyObject(defined({ labels: nonEmptyObject(labels), annotations: nonEmptyObject(annotations) })), isOurs };
}

interface VolumesWithoutSharedMemory {
  readonly sharedMemory?: string;
  readonly volumes: readonly unknown[];
  readonly mounts?: readonly unknown[];
}

/** Replaces a memory-backed volume at /dev/shm, which no other container mounts, by `resources.sharedMemory`. */
function withoutSharedMemory(
  volumes: unknown, mounts: unknown, others: readonly JsonObject[], path: string, notes: Notes,
): VolumesWithoutSharedMemory {
  const allVolumes = (volumes ?? []) as readonly JsonObject[];
  const allMounts = mounts as readonly JsonObject[] | undefined;
  const unchanged = { volumes: allVolumes, mounts: allMounts };
  if (!Array.isArray(allVolumes) || (allMounts !== undefined && !Array.isArray(allMounts))) {
    throw new MigrationError(path, volumes, 'must be a list, as volumeMounts.');
  }
  const mount = allMounts?.find((candidate) => isRecord(candidate) && candidate.mountPath === '/dev/shm');
  const volume = allVolumes.find((candidate) => isRecord(candidate) && mount !== undefined && candidate.name === mount.name);
  const source = volume?.emptyDir as JsonObject | undefined;
  const size = source?.sizeLimit;
  const isAlone = [...(allMounts ?? []).filter((other) => other !== mount), ...others.flatMap((other) => (other.volumeMounts ?? []) as JsonObject[])]
    .every((other) => !isRecord(other) || other.name !== mount?.name);
  const hasOnly = (object: JsonObject | undefined, ...fields: readonly string[]) =>
    Object.keys(object ?? {}).every((field) => fields.includes(field));
  const isPlain = hasOnly(mount, 'name', 'mountPath') && hasOnly(volume, 'name', 'emptyDir') && hasOnly(source, 'medium', 'sizeLimit');
  if (source?.medium !== 'Memory' || (typeof size !== 'string' && typeof size !== 'number') || !isQuantity(String(size)) || !isAlone || !isPlain) {
    return unchanged;
  }
  if (volume!.name !== SHARED_MEMORY_VOLUME) {
    notes.changed(`${path}['${String(volume!.name)}']`, source, 'is resources.sharedMemory.');
  }
  return {
    sharedMemory: String(size),
    volumes: allVolumes.filter((other) => other !== volume),
    mounts: allMounts!.filter((other) => other !== mount),
  };
}
