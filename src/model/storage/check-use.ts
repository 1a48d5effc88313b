/** Rules on who uses a store: a training job, on whichever engine. */
import { checkGcsFuse } from './check-backends';
import { tierMachine, tierSelector } from './multi-tier';
import { BACKEND_TITLES, accessModeOf, hasClaim, isReadOnly, type GcsFuseBackend, type MultiTierBackend, type StoreSpec } from './store';
import { STORE_RULES } from './rule-list';
import { findGpu, findMachine, findTpu } from '../accelerators/catalogue';
import { FindingCollector, type Finding } from '../findings';
import { INSTANCE_TYPE_LABEL, NODE_LABELS } from '../accelerators/labels';
import { fieldPath } from '../shapes';
import { frameworkContract } from '../frameworks/registry';
import type { RoleSpec, TrainingJobSpec } from '../training-job/spec';

/** A job that keeps its checkpoints in the store. */
export interface StoreUser {
  readonly name: string;
  readonly namespace?: string;
  /** As it is rendered, with what the store adds. */
  readonly spec: TrainingJobSpec;
  /** How people write the engine. */
  readonly engine: string;
  /** Replicated jobs of the JobSet that the engine makes of the job; undefined where it makes none, or uses an existing runtime. */
  readonly replicatedJobs?: number;
  readonly hasJobSet: boolean;
  /** Folder of the store that was asked for. */
  readonly folder?: string;
}

/**
 * Checks a job that keeps its checkpoints in the store.
 * @param mountOptions of the store, with those that it adds itself
 */
export function checkStoreUser(store: StoreSpec, user: StoreUser, mountOptions: readonly string[]): Finding[] {
  const findings = new FindingCollector();
  const { backend } = store;
  if (isReadOnly(store)) {
    findings.error(STORE_RULES.jobReadOnly, 'checkpoint', store.name, `is a read-only store (${BACKEND_TITLES[backend.kind]}): nothing can be saved there. Mount it with addVolumeMount, and keep checkpoints in another one.`);
  }
  if (hasClaim(store) && store.namespace !== undefined && user.namespace !== undefined && store.namespace !== user.namespace) {
    findings.error(STORE_RULES.jobNamespace, 'metadata.namespace', user.namespace, `cannot use the claim '${store.name}', which is in '${store.namespace}'. Create a store in the pods' namespace.`);
  }
  const { folder } = user;
  if (folder !== undefined && (folder === '' || folder.startsWith('/') || folder.split('/').includes('..'))) {
    findings.error(STORE_RULES.path, 'checkpoint.folder', folder, 'must be a folder below the root of the store, such as teams/vision, without .. in it.');
  } else if (folder?.includes('{index}') && !hasClaim(store)) {
    findings.error(STORE_RULES.path, 'checkpoint.folder', folder, 'is expanded only for claims. Leave {index} out: each copy has a folder index-N below it.');
  }
  if (user.spec.checkpointPath?.startsWith('/') === false) {
    findings.error(STORE_RULES.path, 'checkpoint.path', user.spec.checkpointPath, 'must be an absolute path, such as /checkpoints.');
  }
  if (accessModeOf(store) === 'ReadWriteOnce' || accessModeOf(store) === 'ReadWriteOncePod') {
    findings.error(STORE_RULES.jobAccess, 'checkpoint', accessModeOf(store), 'limits all replicas to one node. Use a store with ReadWriteMany.');
  }
  if (backend.kind === 'gcsFuse') {
    checkBucketUser(backend, user, mountOptions, findings);
  } else if (backend.kind === 'hyperdiskMl') {
    checkDiskUser(user, findings);
  } else if (backend.kind === 'multiTier') {
    checkTierUser(backend, user, findings);
  }
  return findings.findings;
}

function checkBucketUser(
  { bucket, attributes }: GcsFuseBackend, { spec }: StoreUser, mountOptions: readonly string[], findings: FindingCollector,
): void {
  const pod = (spec.template?.spec ?? {}) as PodFields;
  const { restricted, runAsUser, fsGroup } = spec.security ?? {};
  const found = checkGcsFuse({
    annotations: spec.template?.metadata?.annotations as { readonly [name: string]: string } | undefined,
    hostNetwork: pod.hostNetwork,
    attributes,
    runAsUser: runAsUser ?? pod.securityContext?.runAsUser,
    runAsNonRoot: restricted ?? pod.securityContext?.runAsNonRoot,
    fsGroup: fsGroup ?? pod.securityContext?.fsGroup,
    mountOptions,
  }, 'podTemplate');
  findings.addAll(found);
  if (pod.serviceAccountName === undefined) {
    findings.warn(STORE_RULES.jobIdentity, 'serviceAccount', undefined, `is not set: the pods act as the namespace's default service account, which needs access to the bucket ${bucket}. Create a WorkloadIdentity with Grant.bucketWriter('${bucket}').`);
  }
}

interface PodFields {
  readonly hostNetwork?: boolean;
  readonly serviceAccountName?: string;
  readonly securityContext?: Security;
}

interface Security {
  readonly runAsUser?: number;
  readonly runAsNonRoot?: boolean;
  readonly fsGroup?: number;
}

/** Machines of the pods, as far as their selector shows. */
function acceleratorOf({ scheduling, template }: TrainingJobSpec) {
  const selector = { ...template?.spec?.nodeSelector as { readonly [label: string]: string } | undefined, ...scheduling?.nodeSelector };
  const machine = selector[INSTANCE_TYPE_LABEL];
  const known = machine === undefined ? undefined : findMachine(machine)?.accelerators[0];
  return known ?? findGpu(selector[NODE_LABELS.accelerator] ?? '') ?? findTpu(selector[NODE_LABELS.tpuAccelerator] ?? '');
}

/** Whether pods can have a disk of Hyperdisk ML. */
function checkDiskUser({ spec }: StoreUser, findings: FindingCollector): void {
  const accelerator = acceleratorOf(spec);
  if (accelerator !== undefined && !accelerator.attachableDiskTypes.includes('hyperdisk-ml')) {
    findings.error(STORE_RULES.hyperdiskMachine, 'accelerator', accelerator.type, 'is on machines that cannot attach Hyperdisk ML. Use a bucket or Filestore.');
  }
}

function checkTierUser(backend: MultiTierBackend, user: StoreUser, findings: FindingCollector): void {
  const { spec, engine, hasJobSet, replicatedJobs, folder } = user;
  if (!hasJobSet) {
    findings.error(STORE_RULES.tierEngine, 'engine', engine, 'cannot use RAM-disk tiers, which need JobSet labels to assign ranks; pods would hang. Use Engine.jobSet() or Engine.trainer(), or keep checkpoints on Lustre, Filestore or a bucket.');
  } else if (replicatedJobs === undefined) {
    findings.warn(STORE_RULES.tierRoles, 'engine', engine, 'uses an existing runtime: whether it has one replicated job is not known, and with several the tiers ignore it.');
  } else if (replicatedJobs !== 1) {
    findings.error(STORE_RULES.tierRoles, 'roles', replicatedJobs, 'replicated jobs are in the JobSet, and the tiers ignore a JobSet that does not have exactly one. Use one role, as with JAX, without helpers; for PyTorch use Engine.trainer(), whose nodes are all alike.');
  }
  if (!['jax', 'pytorch', 'generic'].includes(spec.framework)) {
    findings.warn(STORE_RULES.tierFramework, 'framework', spec.framework, 'is not supported by Google for the tiers: JAX with Orbax, and PyTorch are. Its checkpoint names must be those that the replicator expects.');
  }
  if (folder !== undefined) {
    findings.error(STORE_RULES.tierFolder, 'checkpoint.folder', folder, 'is not supported with tiers: subfolders are not replicated. Remove it.');
  }
  checkTierNodes(backend, user, findings);
}

/** Whether pods run where the RAM disks are, one on each node. */
function checkTierNodes(backend: MultiTierBackend, { spec }: StoreUser, findings: FindingCollector): void {
  const selector = spec.scheduling?.nodeSelector ?? {};
  for (const [label, value] of Object.entries(tierSelector(backend))) {
    if (selector[label] !== undefined && selector[label] !== value) {
      findings.error(STORE_RULES.tierMachine, fieldPath('scheduling.nodeSelector', label), selector[label], `has no RAM disks, which are on nodes with ${value}. Select those, or create tiers for these.`);
    }
  }
  const machine = findMachine(tierMachine(backend) ?? '')?.machine;
  const roles: readonly RoleSpec[] = spec.roles ?? frameworkContract(spec.framework).shortForm(spec.replicas ?? 1);
  // Roles without resources of their own have one mistake together.
  const asked = new Map(roles.map((role, index) => [role.resources === undefined ? 'resources' : `roles[${index}].resources`, role.resources ?? spec.resources]));
  asked.forEach((resources, path) => {
    const devices = resources?.gpu ?? resources?.tpu ?? 0;
    if (devices === 0) {
      findings.warn(STORE_RULES.tierNode, path, devices, 'requests no accelerator: two pods can land on one node and see the same RAM disk. Request all GPUs or chips of the machine, or separate pods with an anti-affinity.');
    } else if (machine?.devices !== undefined && devices < machine.devices) {
      findings.error(STORE_RULES.tierNode, path, devices, `leaves room for another pod on ${machine.name}, which has ${machine.devices}: both would see the same RAM disk. Request all of them.`);
    }
  });
}
