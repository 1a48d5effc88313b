/** Buckets as volumes (GCS FUSE): what the pods have to say, and the bucket has to be. */
import { STORAGE_RULES } from './rule-list';
import { FindingCollector, either, type Finding } from '../findings';
import { fieldPath } from '../shapes';

/** Annotation that makes GKE add the sidecar to a pod. */
export const GCS_FUSE_ANNOTATION = 'gke-gcsfuse/volumes';

/** Volumes of the sidecar. */
const RESERVED_VOLUMES = ['gke-gcsfuse-cache', 'gke-gcsfuse-buffer', 'gke-gcsfuse-tmp'];

/** Mount options that tell whose the files are. */
const OWNER_OPTIONS = ['uid', 'gid', 'file-mode', 'dir-mode'];

/** A pod with a bucket as a volume. */
export interface GcsFusePod {
  readonly volume?: string;
  readonly annotations?: { readonly [name: string]: string };
  readonly hostNetwork?: boolean;
  /** `volumeAttributes` of the volume. */
  readonly attributes?: { readonly [name: string]: string };
  /** User that the containers run as. @default - root */
  readonly runAsUser?: number;
  /** Whether they run as somebody else than root whom nobody names. @default false */
  readonly runAsNonRoot?: boolean;
  readonly fsGroup?: number;
  /** Mount options of volume or claim, such as `uid=1000`. */
  readonly mountOptions?: readonly string[];
  /** Whether the bucket has uniform bucket-level access, where it is known. */
  readonly uniformBucketAccess?: boolean;
}

export function checkGcsFuse(pod: GcsFusePod, path = 'pod'): Finding[] {
  const findings = new FindingCollector();
  const { annotations = {}, attributes = {}, hostNetwork, runAsUser, fsGroup, volume } = pod;
  if (annotations[GCS_FUSE_ANNOTATION] !== 'true') {
    findings.error(STORAGE_RULES.fuseAnnotation, fieldPath(`${path}.annotations`, GCS_FUSE_ANNOTATION), annotations[GCS_FUSE_ANNOTATION], "must be 'true': without it the pod has no sidecar, and waits for its volume forever.");
  }
  if (volume !== undefined && RESERVED_VOLUMES.includes(volume)) {
    findings.error(STORAGE_RULES.fuseName, `${path}.volume`, volume, 'is the name of a volume of the sidecar. Choose another one.');
  }
  if (hostNetwork && (attributes.hostNetworkPodKSA !== 'true' || attributes.identityProvider === undefined)) {
    findings.error(STORAGE_RULES.fuseHostNetwork, `${path}.hostNetwork`, true, "has no Workload Identity. Set hostNetworkPodKSA: 'true' and identityProvider in the volume's attributes, or remove it.");
  }
  const options = [...pod.mountOptions ?? [], ...(attributes.mountOptions ?? '').split(',')].map((option) => option.trim().split(/[=:]/)[0]);
  const missing = OWNER_OPTIONS.filter((option) => !options.includes(option));
  const isRoot = runAsUser === undefined ? pod.runAsNonRoot !== true : runAsUser === 0;
  if (!isRoot && fsGroup === undefined && missing.length > 0) {
    findings.error(STORAGE_RULES.fuseUser, `${path}.mountOptions`, pod.mountOptions ?? attributes.mountOptions,
      `leave root as the owner of the files, and ${runAsUser === undefined ? "the image's user" : `user ${runAsUser}`} cannot write them. Set fsGroup, or ${either(missing)}${missing.length > 1 ? ' and the others' : ''}.`);
  }
  if (pod.uniformBucketAccess === false) {
    findings.error(STORAGE_RULES.fuseBucket, `${path}.uniformBucketAccess`, false, 'must be true: the identity of a pod is granted roles on the bucket, not on objects.');
  }
  return findings.findings;
}
