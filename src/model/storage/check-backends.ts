/** Rules on what holds a store, by kind. */
import { checkMultiTier } from './multi-tier';
import {
  AZURE_PREMIUM_MIN_GIB, FILESTORE_TIERS, LUSTRE_MIN_GIB, LUSTRE_THROUGHPUTS, claimGiB, filestoreTier, filestoreUnitGiB, type FilestoreTier,
} from './sizes';
import {
  BUCKET_NAME, isProvisioned, type AzureFilesBackend, type CephFsBackend, type EfsBackend, type FilestoreBackend, type GcsFuseBackend,
  type HyperdiskMlBackend, type LustreBackend, type StoreSpec,
} from './store';
import { STORE_RULES, STORAGE_RULES } from './rule-list';
import { either, FindingCollector, type Finding } from '../findings';
import { tryParseQuantity } from '../quantities';
import { didYouMean } from '../violations';
import { fieldPath } from '../shapes';

/** Attributes of a volume that GCS FUSE's driver knows. */
const FUSE_ATTRIBUTES: readonly string[] = [
  'fileCacheCapacity', 'fileCacheForRangeRead', 'metadataStatCacheCapacity', 'metadataTypeCacheCapacity', 'metadataCacheTTLSeconds', 'gcsfuseLoggingSeverity',
  'gcsfuseMetadataPrefetchOnMount', 'skipCSIBucketAccessCheck', 'hostNetworkPodKSA', 'identityProvider', 'identityPool', 'disableMetrics', 'multiNICIndex',
];

/** Profiles that GKE has classes of. */
const FUSE_PROFILES: readonly string[] = ['gcsfusecsi-training', 'gcsfusecsi-serving', 'gcsfusecsi-checkpointing'];

export function checkBackend(spec: StoreSpec, path: string, findings: FindingCollector): void {
  const { backend } = spec;
  switch (backend.kind) {
    case 'filestore':
      return checkFilestoreStore(spec, backend, path, findings);
    case 'gcsFuse':
      return checkBucket(spec, backend, path, findings);
    case 'lustre':
      return checkLustreStore(spec, backend, path, findings);
    case 'hyperdiskMl':
      return checkHyperdisk(spec, backend, path, findings);
    case 'nfs':
      if (!backend.share.startsWith('/')) {
        findings.error(STORE_RULES.nfsShare, `${path}.share`, backend.share, 'must be an absolute path, such as /exports/checkpoints.');
      }
      if (backend.server === '' || /[/:]/.test(backend.server)) {
        findings.error(STORE_RULES.nfsShare, `${path}.server`, backend.server, 'must be a name or an address alone, such as nfs.example.');
      }
      return;
    case 'cephFs':
      return checkCephFs(backend, path, findings);
    case 'efs':
      return checkEfs(backend, path, findings);
    case 'azureFiles':
      return checkAzureFiles(spec, backend, path, findings);
    case 'multiTier':
      return checkMultiTier(backend, path, findings);
    case 'claim':
  }
}

function checkFilestoreStore(spec: StoreSpec, backend: FilestoreBackend, path: string, findings: FindingCollector): void {
  const { instance, reservedIpRange, reservedIpv4Cidr, connectMode } = backend;
  if (instance === undefined) {
    findings.addAll(checkFilestore({ ...backend, sizeGiB: claimGiB(spec) ?? 0 }, path));
    checkUnit(spec, backend, findings);
  } else {
    const made = (['tier', 'network', 'connectMode', 'protocol', 'kmsKey', 'maxShareGiB', 'reservedIpRange', 'reservedIpv4Cidr', 'location'] as const)
      .filter((field) => backend[field] !== undefined);
    made.forEach((field) => findings.error(STORE_RULES.existing, `${path}.${field}`, backend[field], 'applies to a new instance, but the instance already exists. Remove it.'));
    (['location', 'name', 'share', 'ip'] as const).filter((field) => instance[field] === '').forEach((field) => (
      findings.error(STORE_RULES.instance, `${path}.instance.${field}`, '', 'must not be empty: volumes are named modeInstance/LOCATION/NAME/SHARE.')));
  }
  if (reservedIpRange !== undefined && reservedIpv4Cidr !== undefined) {
    findings.error(STORE_RULES.reservedRange, `${path}.reservedIpRange`, reservedIpRange, 'cannot be combined with reservedIpv4Cidr. Remove one of the two.');
  } else if (reservedIpRange !== undefined && connectMode !== 'PRIVATE_SERVICE_ACCESS') {
    findings.error(STORE_RULES.reservedRange, `${path}.reservedIpRange`, reservedIpRange, 'is the name of a range for PRIVATE_SERVICE_ACCESS. Set connectMode to that, or set reservedIpv4Cidr.');
  }
}

function checkUnit({ sizeGiB }: StoreSpec, { tier: name, maxShareGiB }: FilestoreBackend, findings: FindingCollector): void {
  const tier = filestoreTier(name);
  const unit = tier === undefined || sizeGiB === undefined || maxShareGiB !== undefined ? undefined : filestoreUnitGiB(tier, sizeGiB);
  if (unit !== undefined && sizeGiB! >= tier!.minGiB && sizeGiB! % unit !== 0) {
    const next = Math.ceil(sizeGiB! / unit) * unit;
    findings.warn(STORE_RULES.filestoreUnit, 'size', sizeGiB, `is between two sizes of ${name} instances: a larger one may be created and billed. Request ${next} GiB.`);
  }
}

function checkBucket(spec: StoreSpec, backend: GcsFuseBackend, path: string, findings: FindingCollector): void {
  const { bucket, cache, inline, profile, hierarchicalNamespace, uniformBucketAccess, sidecar, attributes = {}, mountOptions = [] } = backend;
  if (!BUCKET_NAME.test(bucket)) {
    const name = bucket.replace(/^gs:\/\//, '').split('/')[0];
    findings.error(STORE_RULES.bucketName, `${path}.bucket`, bucket, `must be the name alone${BUCKET_NAME.test(name) ? `: '${name}', with its folder in folder` : ', with lower-case letters, digits, dots, dashes and underscores'}.`);
  }
  // What follows from pods is looked at when there are some.
  findings.addAll(checkGcsFuse({ annotations: { 'gke-gcsfuse/volumes': 'true' }, uniformBucketAccess }, path));
  if (cache !== undefined) {
    if (cache.volumeGiB !== undefined && cache.volumeGiB < cache.sizeGiB) {
      findings.error(STORE_RULES.fuseCache, `${path}.cache.volumeGiB`, cache.volumeGiB, `is less than the cache (${cache.sizeGiB} GiB), which would fill it and block all writes. Leave it out, or raise it.`);
    }
    const field = cache.medium === 'memory' ? 'memory' : 'ephemeralStorage';
    const limit = sidecar?.[field];
    if (limit !== undefined && limit !== '0' && (tryParseQuantity(limit) ?? Infinity) < cache.sizeGiB * 2 ** 30) {
      findings.error(STORE_RULES.fuseCacheMemory, `${path}.sidecar.${field}`, limit, `is less than the cache (${cache.sizeGiB} GiB), which counts against it. Raise it, or leave it out for no limit.`);
    }
  }
  const renames = [...mountOptions, ...spec.mountOptions ?? []].some((option) => /rename-dir-limit/.test(option));
  if (hierarchicalNamespace === undefined && !renames) {
    findings.warn(STORE_RULES.fuseRename, `${path}.hierarchicalNamespace`, undefined, 'is not set: without a hierarchical namespace, folders are renamed slowly, file by file (rename-dir-limit is set). Set true or false.');
  }
  if (profile !== undefined) {
    if (!FUSE_PROFILES.includes(profile)) {
      findings.error(STORE_RULES.fuseProfile, `${path}.profile`, profile, `is not a GKE profile: ${either(FUSE_PROFILES)}.${didYouMean(profile, FUSE_PROFILES)}`);
    } else {
      findings.warn(STORE_RULES.fuseProfileRole, `${path}.profile`, profile, 'needs the role gke.gcsfuse.profileUser for the service agent of GKE on the bucket, and GKE 1.35.1-gke.1616000 or later.');
    }
  }
  if (inline) {
    const extra = profile !== undefined ? ['profile', profile] : spec.storageClassName !== undefined ? ['storageClassName', spec.storageClassName] : undefined;
    if (extra !== undefined) {
      findings.error(STORE_RULES.fuseInline, `${path}.${extra[0]}`, extra[1], 'applies to claims only, but the bucket is mounted inline. Remove this option or inline.');
    }
  }
  for (const name of Object.keys(attributes).filter((attribute) => !FUSE_ATTRIBUTES.includes(attribute))) {
    const own = ['bucketName', 'mountOptions'].includes(name) ? ' The store sets it itself.' : didYouMean(name, FUSE_ATTRIBUTES);
    findings.error(STORE_RULES.fuseAttribute, `${path}.attributes.${name}`, attributes[name], `is not a configurable attribute.${own}`);
  }
}

function checkLustreStore(spec: StoreSpec, backend: LustreBackend, path: string, findings: FindingCollector): void {
  const { instance, filesystem, perUnitStorageThroughput } = backend;
  findings.addAll(checkLustre({
    sizeGiB: claimGiB(spec) ?? 0, perUnitStorageThroughput, filesystem, existing: instance !== undefined,
    gkeSupportEnabled: instance?.gkeSupportEnabled,
  }, path));
  if (instance !== undefined && filesystem === undefined) {
    findings.error(STORE_RULES.existing, `${path}.filesystem`, undefined, 'is required: the name of the file system of the instance.');
  }
}

function checkHyperdisk(spec: StoreSpec, { snapshot, disk, throughputMiB }: HyperdiskMlBackend, path: string, findings: FindingCollector): void {
  const mode = spec.accessMode ?? 'ReadOnlyMany';
  if (mode !== 'ReadOnlyMany' && mode !== 'ReadWriteOnce') {
    findings.error(STORE_RULES.hyperdiskAccess, 'accessMode', mode, 'is not supported by Hyperdisk ML: many pods read it, or one writes it. Use ReadOnlyMany, or another backend for checkpoints.');
  }
  if (mode === 'ReadOnlyMany' && snapshot === undefined && disk === undefined) {
    findings.warn(STORE_RULES.hyperdiskSource, `${path}.snapshot`, undefined, 'is not set, and neither is a disk: a disk that many pods read cannot be written, so this one would stay empty. Set one of them.');
  }
  if (snapshot !== undefined && disk !== undefined) {
    findings.error(STORE_RULES.existing, `${path}.snapshot`, snapshot, 'cannot be combined with disk, which already exists. Remove one of the two.');
  }
  if (disk !== undefined && throughputMiB !== undefined) {
    findings.error(STORE_RULES.existing, `${path}.throughput`, throughputMiB, 'applies to a new disk, but the disk already exists. Remove it.');
  }
  findings.form(STORE_RULES.existing, `${path}.disk`, disk, /^projects\/[^/]+\/(zones|regions)\/[^/]+\/disks\/[^/]+$/, 'must be projects/PROJECT/zones/ZONE/disks/DISK.');
}

function checkCephFs({ provisionerSecret, nodeSecret, rootPath }: CephFsBackend, path: string, findings: FindingCollector): void {
  if (nodeSecret === undefined) {
    findings.error(STORE_RULES.cephSecrets, `${path}.nodeSecret`, undefined, 'is required: the Secret that nodes use to mount the file system.');
  }
  if (rootPath === undefined && provisionerSecret === undefined) {
    findings.error(STORE_RULES.cephSecrets, `${path}.provisionerSecret`, undefined, 'is required: the Secret used to create volumes. Or set rootPath to an existing folder.');
  }
  if (rootPath !== undefined && !rootPath.startsWith('/')) {
    findings.error(STORE_RULES.path, `${path}.rootPath`, rootPath, 'must be an absolute path of the file system.');
  }
}

function checkEfs(backend: EfsBackend, path: string, findings: FindingCollector): void {
  const { fileSystemId, accessPoint, accessPointPerClaim, basePath, directoryPermissions } = backend;
  findings.form(STORE_RULES.efsId, `${path}.fileSystemId`, fileSystemId, /^fs-[0-9a-f]{8,17}$/, 'must be an id such as fs-0123456789abcdef0.');
  findings.form(STORE_RULES.efsId, `${path}.accessPoint`, accessPoint, /^fsap-[0-9a-f]{8,17}$/, 'must be an id such as fsap-0123456789abcdef0.');
  if (accessPoint !== undefined && accessPointPerClaim) {
    findings.error(STORE_RULES.existing, `${path}.accessPoint`, accessPoint, 'cannot be combined with accessPointPerClaim, which creates another one. Remove one of the two.');
  }
  for (const [field, value] of Object.entries({ basePath, directoryPermissions })) {
    if (value !== undefined && !accessPointPerClaim) {
      findings.error(STORE_RULES.existing, `${path}.${field}`, value, 'applies to a new access point. Set accessPointPerClaim, or remove it.');
    }
  }
}

function checkAzureFiles(spec: StoreSpec, backend: AzureFilesBackend, path: string, findings: FindingCollector): void {
  const { sku = 'Premium_LRS', protocol = 'nfs', share } = backend;
  const isPremium = sku.startsWith('Premium');
  if (share === undefined && protocol === 'nfs' && !isPremium) {
    findings.error(STORE_RULES.azureNfs, `${path}.sku`, sku, 'has no NFS. Use Premium_LRS or Premium_ZRS, or the protocol smb.');
  }
  if (share === undefined && isPremium && spec.sizeGiB !== undefined && spec.sizeGiB < AZURE_PREMIUM_MIN_GIB) {
    findings.error(STORE_RULES.azureSize, 'size', spec.sizeGiB, `is less than the minimum of a premium share, ${AZURE_PREMIUM_MIN_GIB} GiB. Request that, or use a standard account.`);
  }
  if (share !== undefined && (share.secret === undefined) !== (protocol === 'nfs')) {
    findings.error(STORE_RULES.azureSecret, `${path}.share.secret`, share.secret?.name, protocol === 'nfs' ? 'applies to SMB: NFS has no keys. Remove it.' : 'is required for SMB: the Secret with the key of the account.');
  }
  if (share !== undefined && spec.storageClassName !== undefined) {
    findings.error(STORE_RULES.existing, 'storageClassName', spec.storageClassName, 'applies to a new share, but the share already exists. Remove it.');
  }
}

/** Whether volumes of the backend are made in zones. */
export function isZonal(spec: StoreSpec): boolean {
  return isProvisioned(spec) && ['filestore', 'lustre', 'hyperdiskMl'].includes(spec.backend.kind);
}

/** Sizes that shares of one instance are at most of, in GiB. */
const SHARE_SIZES = [128, 256, 512, 1024];

/** A claim on Filestore, with what its storage class says. */
export interface FilestoreClaim extends Pick<
  FilestoreBackend, 'tier' | 'network' | 'clusterNetwork' | 'sharedVpc' | 'connectMode' | 'protocol' | 'maxShareGiB' | 'location'
> {
  readonly sizeGiB: number;
}

export function checkFilestore(claim: FilestoreClaim, path = 'filestore'): Finding[] {
  const findings = new FindingCollector();
  const name = (claim.tier ?? 'standard').toLowerCase();
  const tier = filestoreTier(claim.tier);
  if (tier === undefined) {
    const names = FILESTORE_TIERS.flatMap((known) => known.names);
    findings.error(STORAGE_RULES.tier, `${path}.tier`, claim.tier, `is not a tier: ${either(names)}.${didYouMean(name, names)}`);
    return findings.findings;
  }
  checkSize(claim, tier, name, path, findings);
  checkNetwork(claim, path, findings);
  if (tier.basic && claim.protocol === 'NFS_V4_1') {
    findings.error(STORAGE_RULES.protocol, `${path}.protocol`, 'NFS_V4_1', `is not available in the tier ${name}. Use NFS_V3, or the tier zonal.`);
  }
  const isZone = claim.location !== undefined && /-[a-z]$/.test(claim.location);
  if (claim.location !== undefined && isZone !== (tier.scope === 'zone')) {
    findings.error(STORAGE_RULES.location, `${path}.location`, claim.location, `must be a ${tier.scope}: instances of ${name} are in one, such as ${tier.scope === 'zone' ? 'us-central1-a' : 'us-central1'}.`);
  }
  return findings.findings;
}

function checkSize({ sizeGiB, maxShareGiB }: FilestoreClaim, tier: FilestoreTier, name: string, path: string, findings: FindingCollector): void {
  if (maxShareGiB !== undefined) {
    if (name !== 'enterprise' || !SHARE_SIZES.includes(maxShareGiB)) {
      findings.error(STORAGE_RULES.multishare, `${path}.maxShareGiB`, maxShareGiB, `must be ${either(SHARE_SIZES)}, in the tier enterprise.`);
    } else if (sizeGiB > maxShareGiB) {
      findings.error(STORAGE_RULES.multishare, `${path}.sizeGiB`, sizeGiB, `is more than a share of the instance: ${maxShareGiB}. Request less, or raise maxShareGiB.`);
    }
    return;
  }
  if (sizeGiB < tier.minGiB) {
    const rule = name === 'regional' ? STORAGE_RULES.regionalSize : STORAGE_RULES.size;
    findings.error(rule, `${path}.sizeGiB`, sizeGiB, `is less than the smallest instance of ${name}: ${tier.minGiB} GiB are created and billed. Request ${tier.minGiB}, or use shares of the tier enterprise.`);
  } else if (sizeGiB > tier.maxGiB) {
    findings.error(STORAGE_RULES.size, `${path}.sizeGiB`, sizeGiB, `is more than the largest instance of ${name}, ${tier.maxGiB} GiB. Request less, or use several.`);
  }
}

function checkNetwork({ network, clusterNetwork, sharedVpc, connectMode }: FilestoreClaim, path: string, findings: FindingCollector): void {
  if (clusterNetwork !== undefined && (network ?? 'default') !== clusterNetwork) {
    findings.error(STORAGE_RULES.network, `${path}.network`, network, `is ${network === undefined ? "not set, which means 'default'" : 'a different one'}, and the cluster is on '${clusterNetwork}': pods would not reach the instance. Use '${clusterNetwork}', in your own class.`);
  }
  if (sharedVpc && connectMode !== 'PRIVATE_SERVICE_ACCESS') {
    findings.error(STORAGE_RULES.sharedVpc, `${path}.connectMode`, connectMode, 'must be PRIVATE_SERVICE_ACCESS on a shared VPC.');
  }
}

/** A volume, with what its storage class says, or an instance that is made outside of the cluster. */
interface LustreVolume {
  readonly sizeGiB: number;
  /** MB/s of each TiB, as the class spells it: a text. */
  readonly perUnitStorageThroughput?: string;
  readonly filesystem?: string;
  /** Of an instance that is made outside: whether nodes of GKE may mount it. */
  readonly gkeSupportEnabled?: boolean;
  /** Whether it is made outside, and mounted by name. */
  readonly existing?: boolean;
}

export function checkLustre({ sizeGiB, perUnitStorageThroughput, filesystem, gkeSupportEnabled, existing }: LustreVolume, path = 'lustre'): Finding[] {
  const findings = new FindingCollector();
  if (!existing && (perUnitStorageThroughput === undefined || !LUSTRE_THROUGHPUTS.includes(perUnitStorageThroughput))) {
    findings.error(STORAGE_RULES.lustreThroughput, `${path}.perUnitStorageThroughput`, perUnitStorageThroughput,
      `${perUnitStorageThroughput === undefined ? 'is required' : 'is not a supported value'}: ${either(LUSTRE_THROUGHPUTS)} MB/s per TiB. A higher throughput costs more.`);
  }
  if (sizeGiB < LUSTRE_MIN_GIB) {
    findings.error(STORAGE_RULES.lustreSize, `${path}.sizeGiB`, sizeGiB, `is less than the smallest volume, ${LUSTRE_MIN_GIB} GiB. Request that, or use Filestore.`);
  }
  findings.form(STORAGE_RULES.lustreFilesystem, `${path}.filesystem`, filesystem, /^[A-Za-z][A-Za-z0-9]{0,7}$/, 'must be a letter, then letters and digits, at most 8 in all.');
  if (existing && gkeSupportEnabled !== true) {
    findings.error(STORAGE_RULES.lustreGke, `${path}.gkeSupportEnabled`, gkeSupportEnabled, 'must be true, or GKE nodes cannot mount the instance. The default is false.');
  }
  return findings.findings;
}

/** Annotation that makes GKE add the sidecar to a pod. */
export const GCS_FUSE_ANNOTATION = 'gke-gcsfuse/volumes';

const RESERVED_VOLUMES = ['gke-gcsfuse-cache', 'gke-gcsfuse-buffer', 'gke-gcsfuse-tmp'];

/** Mount options that set the owner of the files. */
const OWNER_OPTIONS = ['uid', 'gid', 'file-mode', 'dir-mode'];

export interface GcsFusePod {
  readonly volume?: string;
  readonly annotations?: { readonly [name: string]: string };
  readonly hostNetwork?: boolean;
  /** `volumeAttributes` of the volume. */
  readonly attributes?: { readonly [name: string]: string };
  /** User that the containers run as. @default - root */
  readonly runAsUser?: number;
  /** Whether they run as an unnamed user other than root. @default false */
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
