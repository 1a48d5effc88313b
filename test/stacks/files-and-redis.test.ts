/** File shares, and the Redis of Ray. */
import { FILESTORE_TIERS } from '../../src/model/storage/sizes';
import { FilestoreStore, RedisForRay, type FilestoreStoreArgs, type RedisForRayArgs } from '../../src/stacks';
import { late, settled, startRecording, valueOf } from './support/mocks';

const FILES: FilestoreStoreArgs = { location: 'europe-west4-a', capacityGiB: 1024, network: 'train' };
const TIERS = FILESTORE_TIERS.flatMap(({ names }) => names);
const REDIS: RedisForRayArgs = { region: 'europe-west4', network: 'train' };

afterEach(() => jest.restoreAllMocks());

test('a share is what a PersistentVolume names', async () => {
  const recorder = await startRecording();
  const store = new FilestoreStore('files', { ...FILES, network: late('train') });
  await settled();
  expect(recorder.one('gcp:filestore/instance:Instance').inputs).toMatchSnapshot();
  expect(await valueOf(store.volume)).toEqual({
    driver: 'filestore.csi.storage.gke.io', volumeHandle: 'modeInstance/europe-west4-a/files-made/share1', volumeAttributes: { ip: '10.1.2.3', volume: 'share1' },
  });
});

test.each<[string, { readonly location: string; readonly capacityGiB: number }]>([
  ['standard', { location: 'europe-west4-a', capacityGiB: 1024 }],
  ['premium', { location: 'europe-west4-a', capacityGiB: 2560 }],
  ['basic_hdd', { location: 'europe-west4-a', capacityGiB: 1024 }],
  ['basic_ssd', { location: 'europe-west4-a', capacityGiB: 2560 }],
  ['zonal', { location: 'europe-west4-a', capacityGiB: 1024 }],
  ['high_scale_ssd', { location: 'europe-west4-a', capacityGiB: 10_240 }],
  ['regional', { location: 'europe-west4', capacityGiB: 1024 }],
  ['enterprise', { location: 'europe-west4', capacityGiB: 1024 }],
])('an instance of the tier %s is made with the least that it has, and not with less or elsewhere', async (tier, least) => {
  const recorder = await startRecording();
  new FilestoreStore('files', { ...FILES, ...least, tier });
  await settled();
  expect(recorder.one('gcp:filestore/instance:Instance').inputs).toMatchObject({
    tier: tier.toUpperCase(), location: least.location, fileShares: { name: 'share1', capacityGb: least.capacityGiB },
  });
  expect(() => new FilestoreStore('less', { ...FILES, ...least, tier, capacityGiB: least.capacityGiB - 1 })).toThrow(`capacityGiB: ${least.capacityGiB - 1}: is less than the smallest instance of ${tier}: ${least.capacityGiB} GiB`);
  const elsewhere = least.location === 'europe-west4' ? 'europe-west4-a' : 'europe-west4';
  expect(() => new FilestoreStore('elsewhere', { ...FILES, ...least, tier, location: elsewhere })).toThrow(`location: "${elsewhere}": must be a`);
  expect(TIERS).toContain(tier);
});

test('each tier of the model is one of those above', () => {
  expect(TIERS).toHaveLength(8);
});

test.each<[string, Partial<FilestoreStoreArgs>, string]>([
  ['size', { capacityGiB: 100 }, 'capacityGiB: 100'],
  ['tier', { tier: 'zonel' }, "Did you mean 'zonal'?"],
  ['place', { tier: 'regional' }, 'location'],
  ['protocol', { tier: 'basic_hdd', protocol: 'NFS_V4_1' }, 'protocol'],
  ['share', { share: 'Share' }, 'share: "Share": must have 1 to 16 lower-case letters'],
])('a wrong %s of a file share is refused', async (_what, args, message) => {
  const recorder = await startRecording();
  expect(() => new FilestoreStore('files', { ...FILES, ...args })).toThrow(message);
  expect(recorder.resources).toEqual([]);
});

test('the Redis of Ray is one server with a second one, and a password that is a secret', async () => {
  const recorder = await startRecording();
  const store = new RedisForRay('ray', { ...REDIS, network: late('train') });
  await settled();
  expect(recorder.one('gcp:redis/instance:Instance').inputs).toMatchSnapshot();
  expect(await valueOf(store.address)).toBe('10.1.2.4:6379');
  expect(await (store.password as unknown as { readonly isSecret: Promise<boolean> }).isSecret).toBe(true);
});

test.each<[string, Partial<RedisForRayArgs>, string]>([
  ['region', { region: 'europe-west4-a' }, 'region: "europe-west4-a": must be a region'],
  ['memory', { memoryGiB: 0 }, 'memoryGiB: 0: must be a whole number from 1 to 300.'],
  ['version', { version: '7.2' }, 'must be a version such as REDIS_7_2.'],
])('a wrong %s of a Redis is refused', (_what, args, message) => {
  expect(() => new RedisForRay('ray', { ...REDIS, ...args })).toThrow(message);
});
