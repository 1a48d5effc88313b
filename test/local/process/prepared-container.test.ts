import fs from 'node:fs';
import path from 'node:path';
import { MemoryObjectSource } from '../../../src/local/process/object-source';
import { prepareContainer, type PreparedContainer } from '../../../src/local/process/prepared-container';
import { VolumeFolders } from '../../../src/local/process/volume-folders';
import type { Container, Pod, Volume } from '../../../src/manifests/kubernetes';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();
const folders = { pod: path.join(root, 'pod'), claims: path.join(root, 'claims') };
const objects = new MemoryObjectSource({
  configMaps: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'files' }, data: { 'a.txt': 'A', 'b.txt': 'B' } }],
  secrets: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { key: 'secret' } }],
});
let warnings: string[] = [];

async function prepare(container: Partial<Container>, volumes: Volume[] = []): Promise<PreparedContainer> {
  const complete: Container = { name: 'training', image: 'img:1', command: ['run'], ...container };
  const pod: Pod = { metadata: { name: 'p', labels: { role: 'worker' } }, spec: { containers: [complete], volumes } };
  warnings = [];
  const made = await VolumeFolders.create(pod, folders, objects, (message) => warnings.push(message));
  return prepareContainer({
    pod, container: complete, objects, volumes: made, mappings: [{ containerPath: '/ckpt', localPath: path.join(root, 'ckpt') }], inherited: { PATH: '/bin', A: 'user' },
    workingDir: root,
  });
}

test('expands variables in the command and its arguments', async () => {
  const prepared = await prepare({ command: ['run', '$(A)'], args: ['--rank=$(A)', '$$(A)', '$(NONE)'], env: [{ name: 'A', value: '3' }] });
  expect([prepared.command, ...prepared.args]).toEqual(['run', '3', '--rank=3', '$(A)', '$(NONE)']);
});

test('lets the pod\'s variables win over the user\'s', async () => {
  expect((await prepare({ env: [{ name: 'A', value: 'pod' }] })).env).toEqual({ PATH: '/bin', A: 'pod' });
});

test('runs in the folder of the job\'s file when the container names none', async () => {
  expect((await prepare({})).workingDir).toBe(root);
});

test('lets that folder stand for a folder of the image that is not here', async () => {
  const prepared = await prepare({ workingDir: '/workspace-of-the-image', command: ['python3', '/workspace-of-the-image/train.py'] });
  expect(prepared.workingDir).toBe(root);
  expect(prepared.args).toEqual([path.join(root, 'train.py')]);
});

test('runs in a folder that exists, in one of a volume, and in one below the job\'s file', async () => {
  fs.mkdirSync(path.join(root, 'sub'), { recursive: true });
  expect((await prepare({ workingDir: '/tmp' })).workingDir).toBe('/tmp');
  expect((await prepare({ workingDir: '/ckpt/run' })).workingDir).toBe(path.join(root, 'ckpt/run'));
  expect((await prepare({ workingDir: 'sub' })).workingDir).toBe(path.join(root, 'sub'));
  await expect(prepare({ workingDir: 'missing' })).rejects.toThrow(/workingDir missing would be .*missing, which does not exist/);
});

test('refuses a container that relies on its image\'s entry point', async () => {
  await expect(prepare({ command: undefined, args: ['--x'] })).rejects.toThrow(
    "container 'training' has no command: it runs the entry point of image 'img:1', and the local runner pulls no images. "
    + "Give 'command' (its args alone do not say which program to start).");
});

test('maps a claim to a folder that all pods share, and an emptyDir to one of the pod', async () => {
  const prepared = await prepare({
    env: [{ name: 'DATA', value: '/data/train' }, { name: 'SCRATCH', value: '/scratch' }, { name: 'CHECKPOINT_PATH', value: '/ckpt/1' }, { name: 'URL', value: 's3://b/data' }],
    args: ['--data=/data'],
    volumeMounts: [{ name: 'data', mountPath: '/data', subPath: 'sets' }, { name: 'tmp', mountPath: '/scratch' }],
  }, [{ name: 'data', persistentVolumeClaim: { claimName: 'datasets' } }, { name: 'tmp', emptyDir: {} }]);
  const claim = path.join(folders.claims, 'datasets', 'sets');
  expect(prepared.args).toEqual([`--data=${claim}`]);
  expect(prepared.env).toMatchObject({
    DATA: `${claim}/train`, SCRATCH: path.join(folders.pod, 'volumes', 'tmp'), CHECKPOINT_PATH: path.join(root, 'ckpt', '1'), URL: 's3://b/data',
  });
  expect(fs.statSync(claim).isDirectory()).toBe(true);
});

test('takes a hostPath as it is and leaves the machine\'s shared memory alone', async () => {
  const prepared = await prepare({
    env: [{ name: 'HOST', value: '/host/x' }, { name: 'SHM', value: '/dev/shm/x' }],
    volumeMounts: [{ name: 'h', mountPath: '/host' }, { name: 's', mountPath: '/dev/shm' }],
  }, [{ name: 'h', hostPath: { path: root } }, { name: 's', emptyDir: { medium: 'Memory' } }]);
  expect(prepared.env.HOST).toBe(`${root}/x`);
  if (fs.existsSync('/dev/shm')) {
    expect(prepared.env.SHM).toBe('/dev/shm/x');
  }
});

test('writes config maps, secrets and the downward API as files', async () => {
  const { args: [file, key, role] } = await prepare({
    args: ['/etc/files/renamed.txt', '/etc/keys/key', '/etc/pod/labels/role'],
    volumeMounts: [{ name: 'f', mountPath: '/etc/files' }, { name: 'k', mountPath: '/etc/keys' }, { name: 'p', mountPath: '/etc/pod' }],
  }, [
    { name: 'f', configMap: { name: 'files', items: [{ key: 'b.txt', path: 'renamed.txt' }] } },
    { name: 'k', projected: { sources: [{ secret: { name: 'keys' } }] } },
    { name: 'p', downwardAPI: { items: [{ path: 'labels/role', fieldRef: { fieldPath: "metadata.labels['role']" } }] } },
  ]);
  expect([file, key, role].map((name) => fs.readFileSync(name, 'utf8'))).toEqual(['B', 'secret', 'worker']);
  expect(fs.statSync(key).mode & 0o077).toBe(0);
  expect(fs.readdirSync(path.dirname(file))).toEqual(['renamed.txt']);
});

test('says which volume, object or key is missing', async () => {
  await expect(prepare({ volumeMounts: [{ name: 'none', mountPath: '/x' }] })).rejects.toThrow("mounts volume 'none' at /x, but the pod has no such volume");
  await expect(prepare({}, [{ name: 'v', configMap: { name: 'gone' } }])).rejects.toThrow("volume 'v': there is no config map 'gone'");
  await expect(prepare({}, [{ name: 'v', configMap: { name: 'files', items: [{ key: 'c', path: 'c' }] } }]))
    .rejects.toThrow("volume 'v': the config map 'files' has no key 'c'; it has a.txt, b.txt.");
});

describe('what a manifest writes as a name or a path', () => {
  /** What is outside of the folders of volumes, after a try to write there. */
  const outside = () => fs.readdirSync(path.dirname(root)).filter((name) => name.startsWith('authorized')).concat(fs.readdirSync(root).filter((name) => name.includes('authorized')));
  const FILES = new MemoryObjectSource({
    configMaps: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'evil' }, data: { '../../../authorized_keys': 'key' } }],
    secrets: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'evil' }, stringData: { '../../../authorized_keys': 'key' } }],
  });
  const make = async (volume: object, objectSource: MemoryObjectSource = objects) => VolumeFolders.create(
    { metadata: { name: 'p', labels: { role: 'worker' } }, spec: { containers: [], volumes: [volume as Volume] } }, folders, objectSource, () => undefined);
  const item = (written: string) => ({ name: 'v', configMap: { name: 'files', items: [{ key: 'a.txt', path: written }] } });

  test.each([
    ['the name of a volume', { name: '../../../authorized', emptyDir: {} }],
    ['the name of a volume that this machine does not have', { name: '../authorized', nfs: {} }],
    ['an absolute name', { name: '/tmp/authorized', emptyDir: {} }],
    ['an empty name', { name: '', emptyDir: {} }],
    ['the name of a claim', { name: 'v', persistentVolumeClaim: { claimName: '../../authorized' } }],
    ['a claim of dots', { name: 'v', persistentVolumeClaim: { claimName: '..' } }],
    ['a claim that is no text', { name: 'v', persistentVolumeClaim: { claimName: ['..'] } }],
    ['a path of an item', item('../../../authorized_keys')],
    ['a path that goes down first', item('a/../../../../authorized_keys')],
    ['an absolute path of an item', item('/tmp/authorized_keys')],
    ['a path with a zero byte', item('a\0b')],
    ['a path of the downward API', { name: 'v', downwardAPI: { items: [{ path: '../authorized', fieldRef: { fieldPath: 'metadata.name' } }] } }],
    ['a path of a projection', { name: 'v', projected: { sources: [{ secret: { name: 'keys', items: [{ key: 'key', path: '../authorized' }] } }] } }],
  ])('%s does not lead out of the folders of volumes', async (_what, volume) => {
    await expect(make(volume)).rejects.toThrow(/must be a (DNS name|relative path without '\.\.')/);
    expect(outside()).toEqual([]);
  });

  test.each([['configMap', { name: 'evil' }], ['secret', { secretName: 'evil' }]])('a key of a %s does not either', async (field, source) => {
    await expect(make({ name: 'v', [field]: source }, FILES)).rejects.toThrow("a path in volume 'v' is \"../../../authorized_keys\", but must be a relative path");
    expect(outside()).toEqual([]);
  });

  const mount = (subPath: string) => prepare(
    { volumeMounts: [{ name: 'v', mountPath: '/x', subPath }] }, [{ name: 'v', persistentVolumeClaim: { claimName: 'linked' } }]);

  test('a subPath does not, also by a link that a program has left in the claim', async () => {
    const claim = path.join(folders.claims, 'linked');
    fs.mkdirSync(path.join(claim, 'inside'), { recursive: true });
    fs.symlinkSync('/etc', path.join(claim, 'out'));
    fs.symlinkSync(path.join(root, 'authorized'), path.join(claim, 'nowhere'));
    fs.symlinkSync('inside', path.join(claim, 'in'));
    await expect(mount('../..')).rejects.toThrow("container training: subPath of volume 'v' is \"../..\", but must be a relative path without '..'.");
    await expect(mount('/etc')).rejects.toThrow('must be a relative path');
    await expect(mount('out/ssh')).rejects.toThrow(`${claim}/out is a link that points outside ${claim}. Remove the link.`);
    await expect(mount('nowhere')).rejects.toThrow('is a link that points outside');
    expect(outside()).toEqual([]);
    await mount('in/deeper');
    expect(fs.statSync(path.join(claim, 'inside', 'deeper')).isDirectory()).toBe(true);
    await mount('a..b/...');
    expect(fs.existsSync(path.join(claim, 'a..b', '...'))).toBe(true);
  });
});

test('warns of a volume that is not here', async () => {
  await prepare({ volumeMounts: [{ name: 'share', mountPath: '/share' }] }, [{ name: 'share', nfs: { server: 's', path: '/' } }]);
  expect(warnings).toEqual([expect.stringContaining("volume 'share' (nfs) is the local folder")]);
});
