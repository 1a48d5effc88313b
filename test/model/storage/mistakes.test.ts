/** Shared file systems and stores that cannot be made, or that pods cannot use: each with the field, the value, words of the rule and its source. */
import type { Finding } from '../../../src/model/findings';
import { SOURCES } from '../../../src/model/accelerators/sources';
import { checkFilestore, checkLustre, checkGcsFuse, type GcsFusePod } from '../../../src/model/storage/check-backends';
import { FILESTORE_TIERS, LUSTRE_THROUGHPUTS } from '../../../src/model/storage/sizes';
import { STORAGE_RULES } from '../../../src/model/storage/rule-list';

const FUSE: GcsFusePod = { annotations: { 'gke-gcsfuse/volumes': 'true' } };
const OWNERS = ['uid=1000', 'gid=1000', 'file-mode=0664', 'dir-mode=0775'];

type Case = [what: string, found: Finding[], rule: keyof typeof STORAGE_RULES, path: string, value: unknown, words: string];

const MISTAKES: readonly Case[] = [
  ['half a TiB of basic Filestore', checkFilestore({ sizeGiB: 512 }), 'size', 'filestore.sizeGiB', 512, '1024 GiB are created and billed'],
  ['one TiB of premium', checkFilestore({ tier: 'premium', sizeGiB: 1024 }), 'size', 'filestore.sizeGiB', 1024, 'Request 2560'],
  ['half a TiB of zonal', checkFilestore({ tier: 'zonal', sizeGiB: 512 }), 'size', 'filestore.sizeGiB', 512, 'Request 1024'],
  ['nine TiB of high scale', checkFilestore({ tier: 'high_scale_ssd', sizeGiB: 9216 }), 'size', 'filestore.sizeGiB', 9216, 'Request 10240'],
  ['100 GiB of regional', checkFilestore({ tier: 'regional', sizeGiB: 100 }), 'regionalSize', 'filestore.sizeGiB', 100, 'Request 1024'],
  ['eleven TiB of enterprise', checkFilestore({ tier: 'enterprise', sizeGiB: 11_264 }), 'size', 'filestore.sizeGiB', 11_264, 'more than the largest instance'],
  ['a tier that is none', checkFilestore({ tier: 'enterprize', sizeGiB: 1024 }), 'tier', 'filestore.tier', 'enterprize', "Did you mean 'enterprise'?"],
  ['the default network beside another one', checkFilestore({ sizeGiB: 1024, clusterNetwork: 'ml' }), 'network', 'filestore.network', undefined, "Use 'ml'"],
  ['another network', checkFilestore({ sizeGiB: 1024, network: 'other', clusterNetwork: 'ml' }), 'network', 'filestore.network', 'other', "the cluster is on 'ml'"],
  ['peering with a shared VPC', checkFilestore({ sizeGiB: 1024, sharedVpc: true, connectMode: 'DIRECT_PEERING' }), 'sharedVpc', 'filestore.connectMode', 'DIRECT_PEERING', 'PRIVATE_SERVICE_ACCESS'],
  ['NFS 4.1 of a basic tier', checkFilestore({ tier: 'basic_ssd', sizeGiB: 2560, protocol: 'NFS_V4_1' }), 'protocol', 'filestore.protocol', 'NFS_V4_1', 'Use NFS_V3'],
  ['shares of a basic tier', checkFilestore({ sizeGiB: 128, maxShareGiB: 128 }), 'multishare', 'filestore.maxShareGiB', 128, 'in the tier enterprise'],
  ['shares of 100 GiB', checkFilestore({ tier: 'enterprise', sizeGiB: 100, maxShareGiB: 100 }), 'multishare', 'filestore.maxShareGiB', 100, '128, 256, 512 or 1024'],
  ['a claim larger than a share', checkFilestore({ tier: 'enterprise', sizeGiB: 300, maxShareGiB: 256 }), 'multishare', 'filestore.sizeGiB', 300, 'more than a share'],
  ['a zone of a regional tier', checkFilestore({ tier: 'regional', sizeGiB: 1024, location: 'us-central1-a' }), 'location', 'filestore.location', 'us-central1-a', 'must be a region'],
  ['a region of a zonal tier', checkFilestore({ tier: 'zonal', sizeGiB: 1024, location: 'us-central1' }), 'location', 'filestore.location', 'us-central1', 'must be a zone'],

  ['a bucket without the annotation', checkGcsFuse({}), 'fuseAnnotation', "pod.annotations['gke-gcsfuse/volumes']", undefined, "must be 'true'"],
  ['a bucket on the network of the host', checkGcsFuse({ ...FUSE, hostNetwork: true }), 'fuseHostNetwork', 'pod.hostNetwork', true, 'hostNetworkPodKSA'],
  ['a bucket for a user who is not root', checkGcsFuse({ ...FUSE, runAsUser: 1000, mountOptions: ['uid=1000'] }), 'fuseUser', 'pod.mountOptions', ['uid=1000'], 'gid, file-mode or dir-mode'],
  ['a bucket with rights on objects', checkGcsFuse({ ...FUSE, uniformBucketAccess: false }), 'fuseBucket', 'pod.uniformBucketAccess', false, 'must be true'],
  ['a volume with the name of the sidecar\'s', checkGcsFuse({ ...FUSE, volume: 'gke-gcsfuse-cache' }), 'fuseName', 'pod.volume', 'gke-gcsfuse-cache', 'Choose another one'],

  ['Lustre without throughput', checkLustre({ sizeGiB: 9000 }), 'lustreThroughput', 'lustre.perUnitStorageThroughput', undefined, '125, 250, 500 or 1000'],
  ['Lustre with a throughput that there is not', checkLustre({ sizeGiB: 9000, perUnitStorageThroughput: '300' }), 'lustreThroughput', 'lustre.perUnitStorageThroughput', '300', 'not a supported value'],
  ['a TiB of Lustre', checkLustre({ sizeGiB: 1024, perUnitStorageThroughput: '125' }), 'lustreSize', 'lustre.sizeGiB', 1024, '9000 GiB'],
  ['a long name of a Lustre file system', checkLustre({ sizeGiB: 9000, perUnitStorageThroughput: '125', filesystem: 'checkpoints' }), 'lustreFilesystem', 'lustre.filesystem', 'checkpoints', 'at most 8'],
  ['a Lustre that nodes cannot mount', checkLustre({ sizeGiB: 9000, existing: true }), 'lustreGke', 'lustre.gkeSupportEnabled', undefined, 'must be true'],

];

test.each(MISTAKES)('%s', (_what, found, rule, path, value, words) => {
  expect(found).toEqual([{ severity: 'error', rule: STORAGE_RULES[rule].id, source: SOURCES[STORAGE_RULES[rule].source], path, value, message: expect.stringContaining(words) }]);
});

test('every rule is broken by a mistake', () => {
  expect(Object.keys(STORAGE_RULES).filter((rule) => !MISTAKES.some(([, , told]) => told === rule))).toEqual([]);
});

test('the smallest and the largest instance of each tier are fine, where they belong', () => {
  for (const { names, minGiB, maxGiB, scope } of FILESTORE_TIERS) {
    for (const sizeGiB of [minGiB, maxGiB]) {
      expect(checkFilestore({ tier: names[0], sizeGiB, network: 'ml', clusterNetwork: 'ml', location: scope === 'zone' ? 'us-central1-a' : 'us-central1' })).toEqual([]);
    }
  }
  expect(checkFilestore({ tier: 'enterprise', sizeGiB: 100, maxShareGiB: 128, sharedVpc: true, connectMode: 'PRIVATE_SERVICE_ACCESS', protocol: 'NFS_V4_1' })).toEqual([]);
});

test('pods that own their files, or whose group does, use a bucket', () => {
  expect(checkGcsFuse({ ...FUSE, runAsUser: 1000, mountOptions: OWNERS, uniformBucketAccess: true })).toEqual([]);
  expect(checkGcsFuse({ ...FUSE, runAsUser: 1000, attributes: { mountOptions: OWNERS.join(',') } })).toEqual([]);
  expect(checkGcsFuse({ ...FUSE, runAsUser: 1000, fsGroup: 1000 })).toEqual([]);
  expect(checkGcsFuse({ ...FUSE, hostNetwork: true, attributes: { hostNetworkPodKSA: 'true', identityProvider: 'p' } })).toEqual([]);
});

test('Lustre of every throughput is fine', () => {
  expect(LUSTRE_THROUGHPUTS.flatMap((perUnitStorageThroughput) => checkLustre({ sizeGiB: 18_000, perUnitStorageThroughput, filesystem: 'scratch' }))).toEqual([]);
  expect(checkLustre({ sizeGiB: 9000, existing: true, gkeSupportEnabled: true })).toEqual([]);
});
