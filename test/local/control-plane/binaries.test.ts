import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { controlPlaneCacheFolder, findKubectl, resolveBinaries, resolveKubectl } from '../../../src/local/control-plane/binaries';
import { COMPONENT_NAMES } from '../../../src/local/control-plane/components';
import { FakeSource, temporaryFolder, writeScript } from './fake-binary-sources';

const says = (file: string | undefined) => execFileSync(file!, { encoding: 'utf8' }).trim();

describe('where binaries of the control plane come from', () => {
  const root = temporaryFolder();
  const inCache = (cache: string) => path.join(controlPlaneCacheFolder({ TRAINYARD_CACHE: cache }), 'bin');

  test('KUBEBUILDER_ASSETS comes before the cache, and the cache before the sources', async () => {
    const cache = path.join(root, 'order');
    const assets = path.join(root, 'order-assets');
    writeScript(assets, 'etcd', 'echo from assets');
    writeScript(inCache(cache), 'etcd', 'echo from cache');
    writeScript(inCache(cache), 'kube-apiserver', 'echo from cache');
    const source = new FakeSource('source', COMPONENT_NAMES);

    const binaries = await resolveBinaries(['etcd', 'kube-apiserver', 'kwok'], {
      env: { KUBEBUILDER_ASSETS: assets, TRAINYARD_CACHE: cache }, sources: [source],
    });

    expect(says(binaries.get('etcd'))).toBe('from assets');
    expect(says(binaries.get('kube-apiserver'))).toBe('from cache');
    expect(says(binaries.get('kwok'))).toBe('from source');
    expect(source.asked).toEqual([['kwok']]);
  });

  test('a later source is asked only for what earlier ones do not have', async () => {
    const first = new FakeSource('first', ['etcd']);
    const second = new FakeSource('second', ['kube-apiserver']);
    const third = new FakeSource('third', COMPONENT_NAMES);

    await resolveBinaries(['etcd', 'kube-apiserver'], { env: { TRAINYARD_CACHE: path.join(root, 'later') }, sources: [first, second, third] });

    expect(first.asked).toEqual([['etcd', 'kube-apiserver']]);
    expect(second.asked).toEqual([['kube-apiserver']]);
    expect(third.asked).toEqual([]);
  });

  test('what a source made is found in the cache the next time, and no scratch files stay', async () => {
    const env = { TRAINYARD_CACHE: path.join(root, 'next-time') };
    await resolveBinaries(['etcd'], { env, sources: [new FakeSource('source', ['etcd'])] });
    const neverAsked = new FakeSource('never', COMPONENT_NAMES);

    const binaries = await resolveBinaries(['etcd'], { env, sources: [neverAsked] });

    expect(binaries.get('etcd')).toBe(path.join(inCache(env.TRAINYARD_CACHE), 'etcd'));
    expect(neverAsked.asked).toEqual([]);
    expect(fs.readdirSync(controlPlaneCacheFolder(env))).toEqual(['bin']);
  });

  test('two resolutions at the same time make each binary once', async () => {
    const env = { TRAINYARD_CACHE: path.join(root, 'at-once') };
    const source = new FakeSource('source', COMPONENT_NAMES);

    await Promise.all([resolveBinaries(['etcd'], { env, sources: [source] }), resolveBinaries(['etcd'], { env, sources: [source] })]);

    expect(source.asked).toEqual([['etcd']]);
  });

  test('a file that is not executable does not count as a binary', async () => {
    const assets = path.join(root, 'not-executable');
    fs.mkdirSync(assets);
    fs.writeFileSync(path.join(assets, 'etcd'), 'text', { mode: 0o644 });

    const binaries = await resolveBinaries(['etcd'], {
      env: { KUBEBUILDER_ASSETS: assets, TRAINYARD_CACHE: path.join(root, 'not-executable-cache') }, sources: [new FakeSource('source', ['etcd'])],
    });

    expect(says(binaries.get('etcd'))).toBe('from source');
  });

  test('when nobody has a binary the error names it, says what was tried and what would help', async () => {
    const env = { KUBEBUILDER_ASSETS: path.join(root, 'empty'), TRAINYARD_CACHE: path.join(root, 'nobody') };
    const sources = [new FakeSource('download', ['etcd'], 'dl.example cannot be reached'), new FakeSource('build', [], 'no compiler')];

    const failure = await resolveBinaries(['etcd', 'kwok'], { env, sources }).catch((error: Error) => error.message);

    expect(failure).toContain('needs kwok v0.8.0, but no source has it');
    expect(failure).toContain(`- KUBEBUILDER_ASSETS: no etcd, kwok in ${env.KUBEBUILDER_ASSETS}`);
    expect(failure).toContain(`- cache: no etcd, kwok in ${inCache(env.TRAINYARD_CACHE)}`);
    expect(failure).toContain('- download: dl.example cannot be reached');
    expect(failure).toContain('- build: no compiler');
    expect(failure).toMatch(/set KUBEBUILDER_ASSETS to a folder.*install Go/);
  });

  test('the cache folder names the versions and the platform, so that an upgrade does not find old binaries', () => {
    const folder = controlPlaneCacheFolder({ TRAINYARD_CACHE: '/cache' }, { os: 'linux', arch: 'arm64' });
    expect(folder).toBe('/cache/control-plane/kubernetes-v1.36.3-etcd-v3.6.16-kwok-v0.8.0-linux-arm64');
  });

  test('kubectl is taken from KUBEBUILDER_ASSETS, then from the PATH, and may be absent', () => {
    const assets = path.dirname(writeScript(path.join(root, 'kubectl-assets'), 'kubectl', ''));
    const onPath = path.dirname(writeScript(path.join(root, 'kubectl-path'), 'kubectl', ''));
    expect(findKubectl({ KUBEBUILDER_ASSETS: assets, PATH: onPath })).toBe(path.join(assets, 'kubectl'));
    expect(findKubectl({ PATH: `${root}:${onPath}` })).toBe(path.join(onPath, 'kubectl'));
    expect(findKubectl({ PATH: root })).toBeUndefined();
  });

  test('kubectl is that of this machine, and only where it has none that of the control plane\'s version', async () => {
    const cache = path.join(root, 'kubectl-cache');
    const onPath = path.dirname(writeScript(path.join(root, 'kubectl-there'), 'kubectl', ''));
    const source = new FakeSource('source', ['kubectl']);

    expect(await resolveKubectl({ env: { PATH: onPath, TRAINYARD_CACHE: cache }, sources: [source] })).toBe(path.join(onPath, 'kubectl'));
    expect(source.asked).toEqual([]);
    expect(says(await resolveKubectl({ env: { PATH: root, TRAINYARD_CACHE: cache }, sources: [source] }))).toBe('from source');
    expect(source.asked).toEqual([['kubectl']]);
  });
});
