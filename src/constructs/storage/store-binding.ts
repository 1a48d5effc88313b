/** Binds a store to the checkpoints of a job. */
import type { Construct } from 'constructs';
import type { PodSpec, VolumeMount } from '../../manifests/kubernetes';
import { mergePodSpec } from '../../manifests/pod/pod-template';
import { storeMountOptions } from '../../manifests/storage/drivers';
import { constructStorePod, type StorePod } from '../../manifests/storage/store-pods';
import type { Finding } from '../../model/findings';
import { TRAINING_CONTAINER } from '../../model/names';
import { checkStoreUser } from '../../model/storage/check-use';
import { hasClaim, type StoreSpec } from '../../model/storage/store';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import type { CheckpointBinding } from '../training-job/checkpoints/checkpoint-binding';

/** Name of the volume of a store without a claim. */
const STORE_VOLUME = 'checkpoint-store';

/** A job that uses the store. */
export interface JoinedJob {
  readonly name: () => string;
  readonly findings: () => readonly Finding[];
}

/** Input of a binding. */
export interface BindingInput {
  readonly store: Construct;
  readonly spec: () => StoreSpec;
  /** Mount path in jobs. */
  readonly path: string;
  readonly folder?: string;
  readonly join: (job: JoinedJob) => void;
}

/** The binding of a job. */
export function bindingOf({ store, spec, path, folder, join }: BindingInput): CheckpointBinding {
  return {
    store,
    folder,
    foldersOfJobs: spec().backend.kind !== 'multiTier',
    specWith: (job, jobFolder) => specWith(spec(), job, path, jobFolder),
    findings: (user) => checkStoreUser(spec(), user, storeMountOptions(spec())),
    join: (name, findings) => join({ name, findings }),
  };
}

/** The job with the store: a claim is handled like all claims; settings of pods go into the job's template. */
function specWith(store: StoreSpec, job: TrainingJobSpec, path: string, folder: string): TrainingJobSpec {
  const pod = constructStorePod(store, STORE_VOLUME);
  if (hasClaim(store)) {
    const { checkpoint } = job;
    const withFolder = { ...job, checkpoint: { ...checkpoint, subPath: checkpoint?.subPath ?? folder } };
    return pod.furtherVolumes.length + Object.keys(pod.annotations).length === 0 ? withFolder : withTemplate(withFolder, pod, undefined);
  }
  const isTiered = store.backend.kind === 'multiTier';
  const mount = { name: STORE_VOLUME, mountPath: path, ...(!isTiered && { subPath: folder }) };
  const mounted = withTemplate(job, pod, mount);
  return !isTiered ? mounted : {
    ...mounted, scheduling: { ...mounted.scheduling, nodeSelector: { ...pod.nodeSelector, ...mounted.scheduling?.nodeSelector } },
  };
}

/** The store's pod settings, which the job's template overrides. */
function withTemplate(job: TrainingJobSpec, pod: StorePod, mount: VolumeMount | undefined): TrainingJobSpec {
  const { metadata, spec } = job.template ?? {};
  const parts: Partial<PodSpec> = {
    ...(mount !== undefined && { containers: [{ name: TRAINING_CONTAINER, volumeMounts: [mount] }] }),
    ...((mount !== undefined || pod.furtherVolumes.length > 0) && { volumes: [...(mount === undefined ? [] : [pod.volume]), ...pod.furtherVolumes] }),
  };
  const annotations = { ...pod.annotations, ...metadata?.annotations };
  return {
    ...job,
    template: {
      ...job.template,
      ...(Object.keys(annotations).length > 0 && { metadata: { ...metadata, annotations } }),
      spec: mergePodSpec(parts as PodSpec, (spec ?? {}) as Partial<PodSpec>),
    },
  };
}
