import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { AddressInfo } from 'node:net';
import path from 'node:path';
import { BinaryRequest } from '../../../src/local/control-plane/binary-source';
import { component, Component, ReleaseSource } from '../../../src/local/control-plane/components';
import { OfficialReleaseSource, parseChecksum } from '../../../src/local/control-plane/official-release';
import { freePorts } from '../../../src/local/control-plane/ports';
import { temporaryFolder, writeScript } from './fake-binary-sources';

const sha256 = (content: string | Buffer) => crypto.createHash('sha256').update(content).digest('hex');

/** A publisher on loopback: paths and what is at them; a path that is mapped to `hang` accepts the request and never answers. */
const HANG = Symbol('hang');
const files = new Map<string, string | Buffer | typeof HANG>();
let server: http.Server;
let base: string;

beforeAll(async () => {
  server = http.createServer((request, response) => {
    const content = files.get(request.url!);
    if (content === HANG) {
      return;
    }
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('download of official releases', () => {
  const root = temporaryFolder();
  let count = 0;

  function request(components: readonly Component[], env: NodeJS.ProcessEnv = {}): BinaryRequest & { lines: string[] } {
    const folder = path.join(root, String(count++));
    const scratchFolder = path.join(folder, 'scratch');
    fs.mkdirSync(scratchFolder, { recursive: true });
    const lines: string[] = [];
    return { components, platform: { os: 'linux', arch: 'amd64' }, binFolder: path.join(folder, 'bin'), scratchFolder, env, log: (line) => lines.push(line), lines };
  }

  function released(name: 'etcd' | 'kwok' | 'kube-apiserver', release: ReleaseSource): Component {
    return { ...component(name), release: () => release };
  }

  test('a binary whose checksum is the published one is put into the cache, executable', async () => {
    files.set('/tool', '#!/bin/sh\necho hello\n').set('/tool.sha256', sha256('#!/bin/sh\necho hello\n'));
    const asked = request([released('kwok', { url: `${base}/tool`, checksumUrl: `${base}/tool.sha256`, checksumFormat: 'sha256' })]);

    const { found, notes } = await new OfficialReleaseSource().provide(asked);

    expect(notes).toEqual([]);
    expect(found.get('kwok')).toBe(path.join(asked.binFolder, 'kwok'));
    expect(execFileSync(found.get('kwok')!, { encoding: 'utf8' })).toBe('hello\n');
  });

  test('a binary is taken out of an archive', async () => {
    writeScript(path.join(root, 'pack', 'etcd-v1'), 'etcd', 'echo packed');
    execFileSync('tar', ['-czf', path.join(root, 'etcd.tar.gz'), '-C', path.join(root, 'pack'), 'etcd-v1']);
    const archive = fs.readFileSync(path.join(root, 'etcd.tar.gz'));
    files.set('/etcd.tar.gz', archive).set('/SHA256SUMS', `${sha256('other')}  other.tar.gz\n${sha256(archive)}  etcd.tar.gz\n`);
    const release: ReleaseSource = {
      url: `${base}/etcd.tar.gz`, checksumUrl: `${base}/SHA256SUMS`, checksumFormat: 'sha256sums', archiveMember: 'etcd-v1/etcd',
    };

    const { found } = await new OfficialReleaseSource().provide(request([released('etcd', release)]));

    expect(execFileSync(found.get('etcd')!, { encoding: 'utf8' })).toBe('packed\n');
  });

  test('a binary with another checksum is thrown away, and the note has both sums', async () => {
    files.set('/bad', 'tampered').set('/bad.sha256', sha256('original'));
    const asked = request([released('kwok', { url: `${base}/bad`, checksumUrl: `${base}/bad.sha256`, checksumFormat: 'sha256' })]);

    const { found, notes } = await new OfficialReleaseSource().provide(asked);

    expect(found.size).toBe(0);
    expect(notes).toEqual([expect.stringContaining(`checksum mismatch: ${base}/bad has SHA-256 ${sha256('tampered')}`)]);
    expect(notes[0]).toContain(`states ${sha256('original')}`);
    expect(asked.lines.join('\n')).toContain('checksum mismatch');
    expect(fs.existsSync(asked.binFolder)).toBe(false);
    expect(fs.readdirSync(asked.scratchFolder)).toEqual([]);
  });

  test('a binary that its publisher does not have is a note, and the others are still fetched', async () => {
    files.set('/there', 'x').set('/there.sha256', sha256('x'));
    const { found, notes } = await new OfficialReleaseSource().provide(request([
      released('etcd', { url: `${base}/gone`, checksumUrl: `${base}/gone.sha256`, checksumFormat: 'sha256' }),
      released('kwok', { url: `${base}/there`, checksumUrl: `${base}/there.sha256`, checksumFormat: 'sha256' }),
    ]));

    expect([...found.keys()]).toEqual(['kwok']);
    expect(notes).toEqual([`etcd v3.6.16: GET ${base}/gone.sha256 answered 404 Not Found`]);
  });

  test('a host that does not answer is given up once, for all binaries from it', async () => {
    files.set('/slow.sha256', HANG);
    const slow: ReleaseSource = { url: `${base}/slow`, checksumUrl: `${base}/slow.sha256`, checksumFormat: 'sha256' };
    const asked = request([released('etcd', slow), released('kube-apiserver', slow), released('kwok', slow)]);

    const { found, notes } = await new OfficialReleaseSource({ connectTimeoutMs: 100 }).provide(asked);

    expect(found.size).toBe(0);
    expect(notes).toEqual([`etcd v3.6.16: ${new URL(base).host} did not answer within 0.1 s`]);
  });

  test('a host that refuses connections is named with the reason', async () => {
    const [port] = await freePorts(1);
    const host = `127.0.0.1:${port}`;
    const refused: ReleaseSource = { url: `http://${host}/x`, checksumUrl: `http://${host}/x.sha256`, checksumFormat: 'sha256' };
    const { notes } = await new OfficialReleaseSource().provide(request([released('etcd', refused)]));
    expect(notes).toEqual([`etcd v3.6.16: ${host} cannot be reached (ECONNREFUSED)`]);
  });

  test('TRAINYARD_NO_DOWNLOAD=1 asks nobody', async () => {
    const { found, notes } = await new OfficialReleaseSource().provide(request([component('etcd')], { TRAINYARD_NO_DOWNLOAD: '1' }));
    expect(found.size).toBe(0);
    expect(notes).toEqual(['switched off by TRAINYARD_NO_DOWNLOAD=1']);
  });

  test('a platform without releases is a note that names it', async () => {
    const asked = { ...request([component('kube-apiserver')]), platform: { os: 'darwin', arch: 'arm64' } };
    const { notes } = await new OfficialReleaseSource().provide(asked);
    expect(notes).toEqual(['kube-apiserver v1.36.3 is not released for darwin/arm64']);
  });
});

describe('published checksums', () => {
  const sum = sha256('content');
  const source = (checksumFormat: ReleaseSource['checksumFormat']): ReleaseSource => ({ url: 'https://x/f', checksumUrl: 'https://x/sums', checksumFormat });

  test('are read from every form', () => {
    expect(parseChecksum(`${sum}\n`, source('sha256'), 'f')).toBe(sum);
    expect(parseChecksum(`${sha256('g')}  g\n${sum} *f\n`, source('sha256sums'), 'f')).toBe(sum);
    const release = JSON.stringify({ assets: [{ name: 'g', digest: null }, { name: 'f', digest: `sha256:${sum}` }] });
    expect(parseChecksum(release, source('github-release'), 'f')).toBe(sum);
  });

  test.each([
    ['sha256', '<html>not found</html>'],
    ['sha256sums', `${sum}  another-file\n`],
    ['github-release', JSON.stringify({ assets: [{ name: 'f', digest: null }] })],
  ] as const)('a document of form %s that has none is refused', (format, document) => {
    expect(() => parseChecksum(document, source(format), 'f')).toThrow('https://x/sums states no SHA-256 of f');
  });
});
