/** File shares, and the Redis of Ray. */
import { FilestoreStore, RedisForRay, type FilestoreStoreArgs, type RedisForRayArgs } from '../../src/stacks';
import { late, settled, startRecording, valueOf } from './support/mocks';

const FILES: FilestoreStoreArgs = { location: 'europe-west4-a', capacityGiB: 1024, network: 'train' };
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
