/** Stores that cannot be made, or that jobs cannot use: each with the field, the value, words of the rule and its source. And what stores cost. */
import fc from 'fast-check';
import { errorsOf, warningsOf, type Finding } from '../../../src/model/findings';
import { SOURCES } from '../../../src/model/accelerators/sources';
import { checkStore } from '../../../src/model/storage/check-store';
import { checkStoreUser, type StoreUser } from '../../../src/model/storage/check-use';
import { storeHints } from '../../../src/model/storage/hints';
import { isOlder } from '../../../src/model/storage/multi-tier';
import { FILESTORE_TIERS, paidGiB, storagePricePerMonth, throughputOf } from '../../../src/model/storage/sizes';
import type { RetentionSpec, StoreBackend, StoreSpec } from '../../../src/model/storage/store';
import { STORE_RULES } from '../../../src/model/storage/rule-list';

const FILESTORE: StoreBackend = { kind: 'filestore', tier: 'zonal' };
const INSTANCE = { location: 'us-central1-a', name: 'i', share: 's', ip: '10.0.0.2' };
const BUCKET: StoreBackend = { kind: 'gcsFuse', bucket: 'checkpoints', hierarchicalNamespace: true };
const LUSTRE: StoreBackend = { kind: 'lustre', perUnitStorageThroughput: '500' };
const DISK: StoreBackend = { kind: 'hyperdiskMl', snapshot: 'weights' };
const CEPH: StoreBackend = { kind: 'cephFs', clusterId: 'c', fsName: 'f', nodeSecret: { name: 'n', namespace: 's' }, provisionerSecret: { name: 'p', namespace: 's' } };
const EFS: StoreBackend = { kind: 'efs', fileSystemId: 'fs-0123456789abcdef0' };
const AZURE: StoreBackend = { kind: 'azureFiles' };
const NFS: StoreBackend = { kind: 'nfs', server: 'nfs.example', share: '/exports' };
const TIERS: StoreBackend = { kind: 'multiTier', bucket: 'checkpoints', ramDiskGiB: 200, machineType: 'a3-highgpu-8g' };
const SHARE = { resourceGroup: 'r', storageAccount: 'a', shareName: 's' };
const KEEP: RetentionSpec = { keepLast: 3, schedule: '17 3 * * *', settleSeconds: 600 };

const store = (backend: StoreBackend, more: Partial<StoreSpec> = {}): StoreSpec => ({ name: 'store', namespace: 'ml', backend, ...more });
const of = (backend: StoreBackend, more: Partial<StoreSpec> = {}) => checkStore(store(backend, more));
const retained = (more: Partial<RetentionSpec>, rest: Partial<StoreSpec> = {}, backend: StoreBackend = FILESTORE) => (
  of(backend, { user: 1000, ...rest, retention: { ...KEEP, ...more } }));

const USER: StoreUser = {
  name: 'train', namespace: 'ml', engine: 'JobSet', hasJobSet: true, replicatedJobs: 1,
  spec: { framework: 'pytorch', image: 'i', replicas: 2, checkpointPath: '/checkpoints', resources: { gpu: 8 } },
};
const FUSE_TEMPLATE = { metadata: { annotations: { 'gke-gcsfuse/volumes': 'true' } }, spec: { serviceAccountName: 'trainer' } };
const used = (backend: StoreBackend, more: Partial<StoreUser> = {}, rest: Partial<StoreSpec> = {}) => (
  checkStoreUser(store(backend, rest), { ...USER, ...more }, []));
const usedBy = (backend: StoreBackend, spec: Partial<StoreUser['spec']>) => used(backend, { spec: { ...USER.spec, ...spec } });

type Case = [what: string, found: Finding[], rule: keyof typeof STORE_RULES, path: string, value: unknown, words: string];

const MISTAKES: readonly Case[] = [
  ['CephFS of no size', of(CEPH), 'size', 'size', undefined, 'CephFS has no minimum size'],
  ['Azure Files of no size', of(AZURE), 'size', 'size', undefined, 'is required'],
  ['Hyperdisk ML of no size', of(DISK), 'size', 'size', undefined, 'is required'],
  ['a store of nothing', of(NFS, { sizeGiB: 0 }), 'positiveSize', 'size', 0, 'above 0'],
  ['a size of a claim that is there', of({ kind: 'claim', claimName: 'c' }, { sizeGiB: 10 }), 'existing', 'size', 10, 'creates none'],
  ['a size of an inline bucket', of({ ...BUCKET, inline: true } as StoreBackend, { sizeGiB: 10 }), 'existing', 'size', 10, 'creates none'],
  ['a size of tiers', of(TIERS, { sizeGiB: 10 }), 'existing', 'size', 10, 'Set ramDisk'],
  ['Filestore for one node', of(FILESTORE, { accessMode: 'ReadWriteOnce' }), 'accessMode', 'accessMode', 'ReadWriteOnce', 'limits the store to one node'],
  ['NFS for one pod', of(NFS, { accessMode: 'ReadWriteOncePod' }), 'accessMode', 'accessMode', 'ReadWriteOncePod', 'Use ReadWriteMany'],
  ['tiers that are read', of(TIERS, { accessMode: 'ReadOnlyMany' }), 'accessMode', 'accessMode', 'ReadOnlyMany', 'tiers have none'],
  ['zones of a regional tier', of({ kind: 'filestore', tier: 'regional' }, { zones: ['us-central1-a'] }), 'zones', 'zones', ['us-central1-a'], 'the tier is regional'],
  ['zones of NFS', of(NFS, { zones: ['us-central1-a'] }), 'zones', 'zones', ['us-central1-a'], 'NFS creates no zonal volume'],
  ['a region for a zone', of(FILESTORE, { zones: ['us-central1'] }), 'zones', 'zones', ['us-central1'], 'must be zones'],
  ['zones of a class that is there', of(FILESTORE, { zones: ['us-central1-a'], storageClassName: 'mine' }), 'zones', 'zones', ['us-central1-a'], "'mine' is an existing one"],
  ['a class for a share that is there', of(NFS, { storageClassName: 'mine' }), 'existing', 'storageClassName', 'mine', '. Remove it'],
  ['GKE\'s class on another network', errorsOf(of({ kind: 'filestore', network: 'ml' }, { storageClassName: 'standard-rwx' })), 'managedClass', 'storageClassName', 'standard-rwx', "the store is on 'ml'"],
  ['a tier of an instance that is there', of({ ...FILESTORE, instance: INSTANCE } as StoreBackend), 'existing', 'backend.tier', 'zonal', 'the instance already exists'],
  ['an instance without an address', of({ kind: 'filestore', instance: { ...INSTANCE, ip: '' } }), 'instance', 'backend.instance.ip', '', 'modeInstance/'],
  ['two ranges of addresses', of({ ...FILESTORE, reservedIpRange: 'r', reservedIpv4Cidr: '10.0.0.0/29' } as StoreBackend), 'reservedRange', 'backend.reservedIpRange', 'r', 'cannot be combined with'],
  ['a named range without private access', of({ ...FILESTORE, reservedIpRange: 'r' } as StoreBackend), 'reservedRange', 'backend.reservedIpRange', 'r', 'PRIVATE_SERVICE_ACCESS'],
  ['a user by name', of(NFS, { user: 1.5 }), 'owner', 'user', 1.5, 'whole number'],
  ['a group below nothing', of(NFS, { group: -1 }), 'owner', 'group', -1, 'whole number'],
  ['a price of nothing', of(NFS, { pricePerGiBMonth: 0 }), 'price', 'pricePerGibibyteMonth', 0, 'above 0'],

  ['a bucket with its scheme', of({ ...BUCKET, bucket: 'gs://checkpoints/vision' } as StoreBackend), 'bucketName', 'backend.bucket', 'gs://checkpoints/vision', "'checkpoints', with its folder"],
  ['a bucket with large letters', of({ ...BUCKET, bucket: 'Checkpoints' } as StoreBackend), 'bucketName', 'backend.bucket', 'Checkpoints', 'lower-case letters'],
  ['a volume smaller than its cache', of({ ...BUCKET, cache: { sizeGiB: 100, volumeGiB: 50 } } as StoreBackend), 'fuseCache', 'backend.cache.volumeGiB', 50, 'less than the cache'],
  ['a sidecar smaller than its cache in memory', of({ ...BUCKET, cache: { sizeGiB: 100, medium: 'memory' }, sidecar: { memory: '10Gi' } } as StoreBackend), 'fuseCacheMemory', 'backend.sidecar.memory', '10Gi', 'counts against it'],
  ['a sidecar with less disk than its cache', of({ ...BUCKET, cache: { sizeGiB: 100 }, sidecar: { ephemeralStorage: '1024Mi' } } as StoreBackend), 'fuseCacheMemory', 'backend.sidecar.ephemeralStorage', '1024Mi', 'Raise it'],
  ['a profile that is none', of({ ...BUCKET, profile: 'gcsfusecsi-checkpoint' } as StoreBackend), 'fuseProfile', 'backend.profile', 'gcsfusecsi-checkpoint', "Did you mean 'gcsfusecsi-checkpointing'?"],
  ['a class of an inline bucket', of({ ...BUCKET, inline: true } as StoreBackend, { storageClassName: 'mine' }), 'fuseInline', 'backend.storageClassName', 'mine', 'applies to claims only'],
  ['an attribute that is none', of({ ...BUCKET, attributes: { fileCacheCapcity: '1Gi' } } as StoreBackend), 'fuseAttribute', 'backend.attributes.fileCacheCapcity', '1Gi', "Did you mean 'fileCacheCapacity'?"],
  ['the bucket as an attribute', of({ ...BUCKET, attributes: { bucketName: 'x' } } as StoreBackend), 'fuseAttribute', 'backend.attributes.bucketName', 'x', 'sets it itself'],

  ['Lustre that is there, without its file system', of({ kind: 'lustre', instance: { project: 'p', location: 'z', name: 'n', ip: 'i', gkeSupportEnabled: true } }), 'existing', 'backend.filesystem', undefined, 'is required'],
  ['Hyperdisk ML that many write', of(DISK, { sizeGiB: 100, accessMode: 'ReadWriteMany' }), 'hyperdiskAccess', 'accessMode', 'ReadWriteMany', 'many pods read it'],
  ['Hyperdisk ML of a disk and a snapshot', of({ ...DISK, disk: 'projects/p/zones/z/disks/d' } as StoreBackend, { sizeGiB: 100 }), 'existing', 'backend.snapshot', 'weights', 'Remove one'],
  ['throughput of a disk that is there', of({ kind: 'hyperdiskMl', disk: 'projects/p/zones/z/disks/d', throughputMiB: 100 }, { sizeGiB: 100 }), 'existing', 'backend.throughput', 100, 'the disk already exists'],
  ['a disk by its name alone', of({ kind: 'hyperdiskMl', disk: 'd' }, { sizeGiB: 100 }), 'existing', 'backend.disk', 'd', 'projects/PROJECT'],
  ['a relative share', of({ ...NFS, share: 'exports' } as StoreBackend), 'nfsShare', 'backend.share', 'exports', 'absolute path'],
  ['a server with its share', of({ ...NFS, server: 'nfs:/exports' } as StoreBackend), 'nfsShare', 'backend.server', 'nfs:/exports', 'alone'],
  ['CephFS without keys of nodes', of({ ...CEPH, nodeSecret: undefined } as StoreBackend, { sizeGiB: 10 }), 'cephSecrets', 'backend.nodeSecret', undefined, 'mount the file system'],
  ['CephFS without keys to make volumes', of({ ...CEPH, provisionerSecret: undefined } as StoreBackend, { sizeGiB: 10 }), 'cephSecrets', 'backend.provisionerSecret', undefined, 'Or set rootPath'],
  ['a relative folder of CephFS', of({ ...CEPH, rootPath: 'runs' } as StoreBackend, { sizeGiB: 10 }), 'path', 'backend.rootPath', 'runs', 'absolute path'],
  ['EFS by name', of({ kind: 'efs', fileSystemId: 'mine' }), 'efsId', 'backend.fileSystemId', 'mine', 'fs-0123'],
  ['an access point by name', of({ ...EFS, accessPoint: 'mine' } as StoreBackend), 'efsId', 'backend.accessPoint', 'mine', 'fsap-0123'],
  ['an access point that is there and made', of({ ...EFS, accessPoint: 'fsap-0123456789abcdef0', accessPointPerClaim: true } as StoreBackend), 'existing', 'backend.accessPoint', 'fsap-0123456789abcdef0', 'Remove one'],
  ['a folder for access points that are not made', of({ ...EFS, basePath: '/runs' } as StoreBackend), 'existing', 'backend.basePath', '/runs', 'accessPointPerClaim'],
  ['NFS of a standard account', of({ ...AZURE, sku: 'Standard_LRS' } as StoreBackend, { sizeGiB: 100 }), 'azureNfs', 'backend.sku', 'Standard_LRS', 'has no NFS'],
  ['a small premium share', of(AZURE, { sizeGiB: 10 }), 'azureSize', 'size', 10, '100 GiB'],
  ['SMB without a key', of({ kind: 'azureFiles', protocol: 'smb', share: SHARE }, { sizeGiB: 100 }), 'azureSecret', 'backend.share.secret', undefined, 'is required for SMB'],
  ['NFS with a key', of({ kind: 'azureFiles', share: { ...SHARE, secret: { name: 'k', namespace: 's' } } }, { sizeGiB: 100 }), 'azureSecret', 'backend.share.secret', 'k', 'NFS has no keys'],
  ['a class of a share that is there', of({ kind: 'azureFiles', share: SHARE }, { sizeGiB: 100, storageClassName: 'mine' }), 'existing', 'storageClassName', 'mine', 'the share already exists'],

  ['a retention of nothing', retained({ keepLast: undefined }), 'retention', 'retention', undefined, 'deletes nothing'],
  ['a retention that keeps none', retained({ keepLast: 0 }), 'retention', 'retention.keepLast', 0, 'always kept'],
  ['an age of nothing', retained({ maxAgeSeconds: 0 }), 'retention', 'retention.maxAge', 0, 'above 0'],
  ['no time to settle', retained({ settleSeconds: 5 }), 'retention', 'retention.settle', 5, 'at least one minute'],
  ['a schedule that is none', retained({ schedule: 'daily' }), 'retention', 'retention.schedule', 'daily', 'five fields'],
  ['a time zone that is none', retained({ timeZone: 'Moon/Crater' }), 'retention', 'retention.timeZone', 'Moon/Crater', 'not a time zone'],
  ['a pattern without a step', retained({ pattern: 'run-[0-9]+' }), 'retentionPattern', 'retention.pattern', 'run-[0-9]+', 'group named step'],
  ['a pattern that is none', retained({ pattern: '((?P<step>[0-9]+)' }), 'retentionPattern', 'retention.pattern', '((?P<step>[0-9]+)', 'not a regular expression'],
  ['retention of what is only read', retained({}, { accessMode: 'ReadOnlyMany' }), 'retentionReadOnly', 'retention', 'ReadOnlyMany', 'the store is read-only'],
  ['retention of tiers', retained({}, {}, TIERS), 'retentionTiers', 'retention', undefined, 'lifecycle'],

  ['checkpoints on a disk that is read', used(DISK), 'jobReadOnly', 'checkpoint', 'store', 'nothing can be saved'],
  ['a claim of another namespace', used(FILESTORE, { namespace: 'other' }), 'jobNamespace', 'metadata.namespace', 'other', "which is in 'ml'"],
  ['replicas on a store of one node', used(FILESTORE, {}, { accessMode: 'ReadWriteOnce' }), 'jobAccess', 'checkpoint', 'ReadWriteOnce', 'one node'],
  ['a folder above the store', used(NFS, { folder: '../other' }), 'path', 'checkpoint.folder', '../other', 'without ..'],
  ['an index in the folder of an inline bucket', used({ ...BUCKET, inline: true } as StoreBackend, { folder: 'a/{index}', spec: { ...USER.spec, template: FUSE_TEMPLATE } }), 'path', 'checkpoint.folder', 'a/{index}', 'for claims'],
  ['a relative place', usedBy(NFS, { checkpointPath: 'checkpoints' }), 'path', 'checkpoint.path', 'checkpoints', 'absolute path'],
  ['a disk of machines that cannot have it', errorsOf(usedBy(DISK, { scheduling: { nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-rtx-pro-6000' } } })).slice(1), 'hyperdiskMachine', 'accelerator', 'nvidia-rtx-pro-6000', 'cannot attach'],

  ['tiers on our operator', used(TIERS, { engine: 'The operator', hasJobSet: false }), 'tierEngine', 'engine', 'The operator', 'need JobSet labels'],
  ['tiers of two replicated jobs', used(TIERS, { replicatedJobs: 2 }), 'tierRoles', 'roles', 2, 'exactly one'],
  ['a folder of tiers', used(TIERS, { folder: 'a' }), 'tierFolder', 'checkpoint.folder', 'a', 'not replicated'],
  ['tiers on other machines', usedBy(TIERS, { scheduling: { nodeSelector: { 'node.kubernetes.io/instance-type': 'a3-highgpu-4g' } } }), 'tierMachine', "scheduling.nodeSelector['node.kubernetes.io/instance-type']", 'a3-highgpu-4g', 'nodes with a3-highgpu-8g'],
  ['half of the GPUs of a node', usedBy(TIERS, { roles: [{ name: 'master', resources: { gpu: 4 } }] }), 'tierNode', 'roles[0].resources', 4, 'room for another pod'],
  ['tiers without nodes', of({ ...TIERS, machineType: undefined } as StoreBackend), 'tierSelector', 'backend.machineType', undefined, 'all nodes of the cluster'],
  ['tiers on two machine types', of({ ...TIERS, nodeSelector: { 'node.kubernetes.io/instance-type': 'a3-highgpu-4g' } } as StoreBackend), 'tierSelector', 'backend.machineType', 'a3-highgpu-8g', 'mutually exclusive'],
  ['a RAM disk of all memory', of({ ...TIERS, ramDiskGiB: 4000 } as StoreBackend), 'tierMemory', 'backend.ramDisk', 4000, 'a3-highgpu-8g, which has'],
  ['a RAM disk of nothing', of({ ...TIERS, ramDiskGiB: 0 } as StoreBackend), 'positiveSize', 'backend.ramDisk', 0, 'above 0'],
  ['tiers on Autopilot', of({ ...TIERS, autopilot: true } as StoreBackend), 'tierCluster', 'backend.autopilot', true, 'Use a Standard cluster'],
  ['tiers on an old cluster', of({ ...TIERS, gkeVersion: '1.32.4-gke.1' } as StoreBackend), 'tierCluster', 'backend.gkeVersion', '1.32.4-gke.1', '1.32.4-gke.1415000'],
  ['a flat bucket of tiers', of({ ...TIERS, hierarchicalNamespace: false } as StoreBackend), 'tierBucket', 'backend.hierarchicalNamespace', false, 'backups fail'],
  ['a bucket of tiers with its scheme', of({ ...TIERS, bucket: 'gs://b' } as StoreBackend), 'bucketName', 'backend.bucket', 'gs://b', 'name of a bucket'],
];

test.each(MISTAKES)('%s', (_what, found, rule, path, value, words) => {
  expect(errorsOf(found).filter((finding) => finding.rule === STORE_RULES[rule].id)).toEqual([
    { severity: 'error', rule: STORE_RULES[rule].id, source: SOURCES[STORE_RULES[rule].source], path, value, message: expect.stringContaining(words) },
  ]);
});

/** What nobody is certain of is told, and never fails. */
const CAUTIONS: readonly Case[] = [
  ['a class that GKE is said to make', of({ kind: 'filestore' }, { storageClassName: 'standard-rwx' }), 'managedClass', 'storageClassName', 'standard-rwx', 'is not verified'],
  ['a size between those of instances', of(FILESTORE, { sizeGiB: 1100 }), 'filestoreUnit', 'size', 1100, 'Request 1280 GiB'],
  ['a size between small and large instances', of(FILESTORE, { sizeGiB: 10_000 }), 'filestoreUnit', 'size', 10_000, 'Request 10240 GiB'],
  ['a bucket of which nobody knows whether folders are real', of({ kind: 'gcsFuse', bucket: 'checkpoints' }), 'fuseRename', 'backend.hierarchicalNamespace', undefined, 'Set true or false'],
  ['a profile, which needs a role', of({ ...BUCKET, profile: 'gcsfusecsi-checkpointing' } as StoreBackend), 'fuseProfileRole', 'backend.profile', 'gcsfusecsi-checkpointing', 'gke.gcsfuse.profileUser'],
  ['an empty disk that many read', of({ kind: 'hyperdiskMl' }, { sizeGiB: 100 }), 'hyperdiskSource', 'backend.snapshot', undefined, 'stay empty'],
  ['a cleanup that nobody granted the bucket', retained({}, {}, BUCKET), 'retentionIdentity', 'retention.serviceAccount', undefined, 'the bucket checkpoints'],
  ['a cleanup of files of root', retained({}, { user: undefined }), 'retentionUser', 'user', undefined, '65534'],
  ['a cleanup as root', retained({}, { user: 0 }), 'retentionUser', 'user', 0, 'restricted Pod Security Standard'],
  ['a bucket without a service account', used(BUCKET, { spec: { ...USER.spec, template: { metadata: FUSE_TEMPLATE.metadata } } }), 'jobIdentity', 'serviceAccount', undefined, "Grant.bucketWriter('checkpoints')"],
  ['tiers for another framework', usedBy(TIERS, { framework: 'tensorflow', roles: [{ name: 'worker', resources: { gpu: 8 } }] }), 'tierFramework', 'framework', 'tensorflow', 'JAX with Orbax'],
  ['tiers on a runtime that is there', used(TIERS, { replicatedJobs: undefined }), 'tierRoles', 'engine', 'JobSet', 'is not known'],
  ['tiers for pods without accelerators', usedBy(TIERS, { resources: undefined, roles: [{ name: 'master' }] }), 'tierNode', 'resources', 0, 'anti-affinity'],
  ['tiers on a machine type that is not known', of({ ...TIERS, machineType: 'a3-highgpu-9g' } as StoreBackend), 'tierMachine', 'backend.machineType', 'a3-highgpu-9g', "Did you mean 'a3-highgpu-"],
  ['a RAM disk of most memory', of({ ...TIERS, ramDiskGiB: 1500 } as StoreBackend), 'tierMemory', 'backend.ramDisk', 1500, 'more than half'],
];

test.each(CAUTIONS)('%s warns', (_what, found, rule, path, value, words) => {
  expect(errorsOf(found)).toEqual([]);
  expect(warningsOf(found)).toEqual([
    { severity: 'warning', rule: STORE_RULES[rule].id, source: SOURCES[STORE_RULES[rule].source], path, value, message: expect.stringContaining(words) },
  ]);
});

test('every rule is broken by a mistake', () => {
  expect(Object.keys(STORE_RULES).filter((rule) => ![...MISTAKES, ...CAUTIONS].some(([, , told]) => told === rule))).toEqual([]);
});

test('rules of the services hold for their stores', () => {
  const rules = (found: Finding[]) => errorsOf(found).map(({ rule }) => rule);
  expect(rules(of(FILESTORE, { sizeGiB: 512 }))).toEqual(['filestore-size']);
  expect(rules(of({ kind: 'filestore', tier: 'zoned' }))).toEqual(['filestore-tier']);
  expect(rules(of({ kind: 'lustre' }))).toEqual(['lustre-throughput']);
  expect(rules(of({ ...BUCKET, uniformBucketAccess: false } as StoreBackend))).toEqual(['gcs-fuse-bucket']);
  expect(rules(used(BUCKET, { spec: { ...USER.spec, template: FUSE_TEMPLATE, security: { restricted: true } } }))).toEqual(['gcs-fuse-user']);
  expect(rules(used(BUCKET, { spec: { ...USER.spec, template: { ...FUSE_TEMPLATE, spec: { ...FUSE_TEMPLATE.spec, hostNetwork: true } } } }))).toEqual(['gcs-fuse-host-network']);
});

test.each<[string, StoreBackend, Partial<StoreSpec>]>([
  ...FILESTORE_TIERS.map(({ names: [tier] }): [string, StoreBackend, Partial<StoreSpec>] => [tier, { kind: 'filestore', tier }, {}]),
  ['a share of Filestore', { kind: 'filestore', tier: 'enterprise', maxShareGiB: 128 }, {}], ['Filestore that is there', { kind: 'filestore', instance: INSTANCE }, { sizeGiB: 2560 }],
  ['a bucket', BUCKET, {}], ['a bucket in pods', { ...BUCKET, inline: true } as StoreBackend, {}], ['Lustre', LUSTRE, {}], ['Hyperdisk ML', DISK, { sizeGiB: 100 }],
  ['NFS', NFS, {}], ['CephFS', CEPH, { sizeGiB: 500 }], ['EFS', EFS, {}], ['Azure Files', AZURE, { sizeGiB: 100 }], ['Azure\'s SMB', { kind: 'azureFiles', protocol: 'smb', sku: 'Standard_LRS' }, { sizeGiB: 10 }],
  ['a claim', { kind: 'claim', claimName: 'c' }, {}], ['tiers', TIERS, {}],
])('nothing is said of %s where it belongs', (_what, backend, more) => {
  expect(of(backend, more)).toEqual([]);
});

test('nothing is said of jobs that use a store as it is meant', () => {
  expect(used(FILESTORE)).toEqual([]);
  expect(used(TIERS)).toEqual([]);
  const security = { restricted: true, runAsUser: 1000, fsGroup: 1000 };
  expect(used(BUCKET, { spec: { ...USER.spec, template: FUSE_TEMPLATE, security } })).toEqual([]);
  expect(used({ kind: 'claim', claimName: 'c' }, { folder: 'teams/vision' })).toEqual([]);
});

test('hints say size, speed and price, and where nobody knows, that', () => {
  expect(storeHints(store(FILESTORE, { sizeGiB: 2048, pricePerGiBMonth: 0.25 }))).toEqual([
    'Filestore zonal: 2048 GiB.',
    'Throughput: reads up to 520 MiB/s, writes up to 176 MiB/s, of all pods together (https://cloud.google.com/filestore/docs/performance).',
    'Price: 512 a month, at 0.25 a GiB.',
  ]);
  expect(storeHints(store(LUSTRE))[1]).toContain('reads up to 4394.53 MB/s');
  expect(storeHints(store(BUCKET, { pricePerGiBMonth: 0.02 }))).toEqual([
    'GCS FUSE: grows with the data written; the size of the claim (1024 GiB) is not enforced.', 'Throughput: no source is known.', 'Price: 0.02 a GiB and month of what is stored.',
  ]);
  expect(storeHints(store(EFS))[2]).toBe('Price: none is known here; see https://aws.amazon.com/efs/pricing, and give pricePerGibibyteMonth.');
  expect(storeHints(store(TIERS))[0]).toBe('Tiers: 200 GiB of memory of each node, memory of its peers, gs://checkpoints.');
  expect(storeHints(store({ kind: 'claim', claimName: 'runs' }))).toEqual(['The claim runs, as it is.', 'Throughput: no source is known.']);
});

test('what is paid is at least what is asked for, and at least the smallest instance; and more costs more', () => {
  const tiers = fc.constantFrom(...FILESTORE_TIERS);
  const whole = (min: number, max: number) => fc.integer({ min, max });
  fc.assert(fc.property(tiers, whole(1, 100_000), whole(0, 1000), whole(1, 100), (tier, sizeGiB, more, perGiB) => {
    const spec = { backend: { kind: 'filestore' as const, tier: tier.names[0] }, sizeGiB };
    const larger = { ...spec, sizeGiB: sizeGiB + more };
    expect(paidGiB(spec)).toBe(Math.max(sizeGiB, tier.minGiB));
    expect(storagePricePerMonth(larger, perGiB)).toBeGreaterThanOrEqual(storagePricePerMonth(spec, perGiB)!);
    expect(throughputOf(larger)!.read).toBeGreaterThanOrEqual(throughputOf(spec)!.read);
  }));
});

test('versions of GKE are compared number by number', () => {
  expect(isOlder('1.32.4-gke.1414999', '1.32.4-gke.1415000')).toBe(true);
  expect(isOlder('1.9.0', '1.32.4-gke.1415000')).toBe(true);
  expect(isOlder('1.32.4-gke.1415000', '1.32.4-gke.1415000')).toBe(false);
  expect(isOlder('1.33.0', '1.32.4-gke.1415000')).toBe(false);
});
