/** The resource types that the operator of training jobs works with, and what its caches keep of them. */
import { keptSpec } from './kept-spec';
import type { ContainerStatus, Pod, Volume } from '../../manifests/kubernetes';
import { MPI_SECRET_VOLUME } from '../../manifests/pod/replica-volumes';
import {
  API_GROUP, API_VERSION, ARRAY_INDEX_LABEL, ATTEMPT_LABEL, AVOIDED_NODES_ANNOTATION, GANG_LABEL, HOOK_LABEL, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL,
  RESUME_ANNOTATION, TRIAL_LABEL,
} from '../../model/labels';
import { isSubdomain } from '../../model/names';
import { NAME_MAX_LENGTH } from '../../model/text/printable';
import { MAX_AVOIDED } from '../../model/training-job/run-facts';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { TrainingJobStatus } from '../../model/training-job/status/status';
import { controllerOf, keyOf, type KubeObject } from '../runtime/kube-object';
import type { ResourceKind } from '../runtime/resource-kind';
import { isSameJson } from '../runtime/json-equality';
import type { Store, StoreChange } from '../runtime/watch/store';

/** MLTrainingJobs. */
export const TRAINING_JOBS: ResourceKind = {
  group: API_GROUP, version: API_VERSION, plural: TRAINING_JOB_PLURAL, kind: TRAINING_JOB_KIND, namespaced: true,
};

/** An MLTrainingJob. */
export interface TrainingJobObject extends KubeObject {
  spec: TrainingJobSpec;
  status?: TrainingJobStatus;
}

/** A pod, typed for the runtime and for the manifests. */
export type PodObject = KubeObject & Pod;

/** The caches of what jobs own. The executor writes through them. */
export interface ChildStores {
  readonly pods: Store<PodObject>;
  readonly services: Store<KubeObject>;
}

/** Index of children by the job that controls them; see {@link ownerKey}. */
export const BY_OWNER = 'owner';

/**
 * Key of a job in {@link BY_OWNER}. A controller is of the same namespace as what it controls; a reference out of another namespace that bears the
 * uid is forged, or the work of somebody who does not know better, and the garbage collector removes the object.
 */
export function ownerKey({ namespace, uid }: NonNullable<KubeObject['metadata']>): string {
  return `${namespace ?? ''}/${uid}`;
}

/** Index of children by the key of the job that controls them, whichever uid it had. */
export const BY_JOB = 'job';

/** Key of the job that controls an object; undefined when no training job does. */
export function controllingJobKey(object: KubeObject): string | undefined {
  const owner = controllerOf(object);
  return owner?.kind === TRAINING_JOB_KIND && owner.apiVersion.startsWith(`${API_GROUP}/`) && isSubdomain(owner.name)
    ? keyOf(object.metadata?.namespace, owner.name)
    : undefined;
}

/** Index of pods by the node that they are on. */
export const BY_NODE = 'node';

/** Both indexes of children. */
export const CHILD_INDEXES = {
  [BY_OWNER]: (object: KubeObject): readonly string[] => {
    const uid = controllerOf(object)?.uid;
    return uid === undefined ? [] : [ownerKey({ namespace: object.metadata?.namespace, uid })];
  },
  [BY_JOB]: (object: KubeObject): readonly string[] => {
    const key = controllingJobKey(object);
    return key === undefined ? [] : [key];
  },
};

/** Indexes of pods. */
export const POD_INDEXES = {
  ...CHILD_INDEXES,
  [BY_NODE]: (object: KubeObject): readonly string[] => {
    const node = (object as PodObject).spec?.nodeName;
    return node === undefined ? [] : [node];
  },
};

/** Longest annotation of avoided nodes that is kept, in characters: the maximum number of nodes, with commas. */
const AVOIDED_MAX_LENGTH = MAX_AVOIDED * (NAME_MAX_LENGTH + 1);

/** Maximum number of sidecars of a pod that are kept. */
const MAX_SIDECARS = 256;

/** A copy of the beginning of a text: a slice would keep all of it in memory. */
function beginning(text: string): string {
  return text.length <= NAME_MAX_LENGTH ? text : Buffer.from(text.slice(0, NAME_MAX_LENGTH)).toString();
}

/** Keeps of a job who it is, what it asks for and how it stands. Who wrote which field is often the largest part of an object, and of no use here. */
export function trimJob(job: TrainingJobObject): TrainingJobObject {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, annotations, labels } = job.metadata ?? {};
  const owner = controllerOf(job);
  // What a trial or a copy is told apart by.
  const [number] = [TRIAL_LABEL, ARRAY_INDEX_LABEL].filter((label) => labels?.[label] !== undefined);
  const resume = annotations?.[RESUME_ANNOTATION];
  return {
    apiVersion: job.apiVersion,
    kind: job.kind,
    metadata: {
      name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp,
      ...(resume !== undefined && { annotations: { [RESUME_ANNOTATION]: beginning(resume) } }),
      ...(number !== undefined && { labels: { [number]: labels![number] } }),
      ...(owner && { ownerReferences: [owner] }),
    },
    spec: keptSpec(job.spec),
    status: job.status,
  };
}

/**
 * Keeps of a pod what `observePod` reads. A pod of a large template shrinks from many kilobytes to one. Users can create pods with the operator's
 * label, so everything that is kept has a limit.
 */
export function trimPod(pod: PodObject): PodObject {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, labels, annotations } = pod.metadata ?? {};
  const avoided = annotations?.[AVOIDED_NODES_ANNOTATION];
  const { nodeName, restartPolicy, initContainers, volumes } = pod.spec ?? {};
  const keys = volumes?.filter(isVolumeOfKeys).map(({ name: volume, secret: { secretName } }) => ({ name: volume, secret: { secretName } }));
  const sidecars = initContainers?.filter((init) => init.restartPolicy === 'Always').slice(0, MAX_SIDECARS).map((init) => ({ name: init.name, restartPolicy: 'Always' }));
  const owner = controllerOf(pod);
  const { phase, reason, message, conditions, containerStatuses, initContainerStatuses } = pod.status ?? {};
  const telling = conditions?.filter((condition) => condition.type === 'DisruptionTarget' || (condition.type === 'PodScheduled' && condition.status === 'False'));
  return {
    metadata: {
      name, namespace, uid, resourceVersion, deletionTimestamp,
      labels: {
        ...(labels?.[ATTEMPT_LABEL] !== undefined && { [ATTEMPT_LABEL]: labels[ATTEMPT_LABEL] }),
        ...(labels?.[HOOK_LABEL] !== undefined && { [HOOK_LABEL]: labels[HOOK_LABEL] }),
        ...(labels?.[GANG_LABEL] !== undefined && { [GANG_LABEL]: labels[GANG_LABEL] }),
      },
      ...(avoided !== undefined && avoided.length <= AVOIDED_MAX_LENGTH && { annotations: { [AVOIDED_NODES_ANNOTATION]: avoided } }),
      ownerReferences: owner && [owner],
    },
    spec: {
      nodeName,
      containers: [],
      ...(restartPolicy !== undefined && restartPolicy !== 'Never' && { restartPolicy }),
      ...(sidecars !== undefined && sidecars.length > 0 && { initContainers: sidecars }),
      ...(keys !== undefined && keys.length > 0 && { volumes: keys }),
    },
    status: {
      phase, reason, message,
      ...(telling !== undefined && telling.length > 0 && { conditions: telling }),
      containerStatuses: containerStatuses?.map(trimContainer),
      initContainerStatuses: initContainerStatuses?.map(trimContainer),
    },
  };
}

/**
 * Whether a change of a pod says anything to the planner. Kubelets and schedulers write addresses and conditions that nobody here reads. Of a pod
 * whose job is not there each version counts, because it is deleted by its version.
 * @param jobs the cache of jobs
 */
export function isNewsOfPod({ previous, current }: StoreChange<PodObject>, jobs: Pick<Store<TrainingJobObject>, 'get'>): boolean {
  const isOrphan = current === undefined || jobs.get(controllingJobKey(current) ?? '')?.metadata?.uid !== controllerOf(current)?.uid;
  const content = (pod: PodObject) => ({ ...pod, metadata: { ...pod.metadata, resourceVersion: undefined } });
  return previous === undefined || isOrphan || !isSameJson(content(previous), content(current));
}

/** The image is told of while the container waits for it. Only a container that is restarted has a past. */
function trimContainer({ name, state, restartCount, lastState, image }: ContainerStatus): ContainerStatus {
  return {
    name,
    state,
    ...(restartCount !== undefined && restartCount > 0 && { restartCount }),
    ...(lastState?.terminated && { lastState: { terminated: lastState.terminated } }),
    ...(state?.waiting && image !== undefined && { image }),
  };
}

function isVolumeOfKeys(volume: Volume): volume is Volume & { readonly secret: { readonly secretName: string } } {
  const { secretName } = (volume.secret ?? {}) as { readonly secretName?: string };
  return volume.name === MPI_SECRET_VOLUME && secretName !== undefined && secretName.length <= NAME_MAX_LENGTH;
}

/** Keeps of a service who it is and whose. */
export function trimService(service: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = service.metadata ?? {};
  const owner = controllerOf(service);
  return { metadata: { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences: owner && [owner] } };
}
