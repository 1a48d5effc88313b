import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { BinaryRequest } from '../../../src/local/control-plane/binary-source';
import { component, ComponentName } from '../../../src/local/control-plane/components';
import { generateGoMod, GoBuildSource } from '../../../src/local/control-plane/go-build';
import { temporaryFolder, writeScript } from './fake-binary-sources';

/** A `go` that answers as the real one does and writes down how it was called. Its "build" makes a script. */
const FAKE_GO = `
echo "$PWD|CGO_ENABLED=$CGO_ENABLED|$*" >> "$CALLS"
case "$1 $2" in
  "mod download") echo '{"GoMod": "/upstream/go.mod"}' ;;
  "mod edit") echo '{"Go": "1.26.0", "Require": [{"Path": "k8s.io/api", "Version": "v0.0.0"}, {"Path": "k8s.io/utils", "Version": "v0.0.0-20260210185600-b8788abfbbc2"}]}' ;;
  *)
    while [ "$1" != -o ]; do shift; done
    case "$3" in *etcd*) echo "cannot find module" >&2; exit 1 ;; esac
    printf '#!/bin/sh\\necho built %s\\n' "$3" > "$2" ;;
esac`;

describe('build with Go', () => {
  const root = temporaryFolder();
  let count = 0;

  function request(names: readonly ComponentName[], env: NodeJS.ProcessEnv): BinaryRequest & { lines: string[] } {
    const folder = path.join(root, String(count++));
    const scratchFolder = path.join(folder, 'scratch');
    fs.mkdirSync(scratchFolder, { recursive: true });
    const lines: string[] = [];
    const platform = { os: 'linux', arch: 'amd64' };
    return { components: names.map(component), platform, binFolder: path.join(folder, 'bin'), scratchFolder, env, log: (line) => lines.push(line), lines };
  }

  function fakeGo(): { env: NodeJS.ProcessEnv; calls: () => string[] } {
    const folder = path.join(root, `go-${count++}`);
    writeScript(folder, 'go', FAKE_GO);
    const calls = path.join(folder, 'calls');
    return { env: { PATH: `${folder}:${process.env.PATH}`, CALLS: calls }, calls: () => fs.readFileSync(calls, 'utf8').trim().split('\n') };
  }

  test('programs of one module are built from one generated module, with the version linked in', async () => {
    const go = fakeGo();
    const asked = request(['kube-apiserver', 'kube-scheduler'], go.env);

    const { found, notes } = await new GoBuildSource().provide(asked);

    expect(notes).toEqual([]);
    expect(execFileSync(found.get('kube-scheduler')!, { encoding: 'utf8' })).toBe('built k8s.io/kubernetes/cmd/kube-scheduler\n');
    const folder = path.join(asked.scratchFolder, 'k8s-io-kubernetes');
    const build = (name: string) => `${folder}|CGO_ENABLED=0|build -mod=mod -trimpath -ldflags -s -w`
      + ` -X k8s.io/component-base/version.gitVersion=v1.36.3 -o ${path.join(asked.scratchFolder, name)}.built k8s.io/kubernetes/cmd/${name}`;
    expect(go.calls()).toEqual([
      `${folder}|CGO_ENABLED=0|mod download -json k8s.io/kubernetes@v1.36.3`,
      `${folder}|CGO_ENABLED=0|mod edit -json /upstream/go.mod`,
      build('kube-apiserver'),
      build('kube-scheduler'),
    ]);
    expect(asked.lines[0]).toBe('building kube-apiserver v1.36.3 with Go; the first time takes minutes');
  });

  test('a build that fails is a note with the command and the compiler\'s words, and the other modules are still built', async () => {
    const { found, notes } = await new GoBuildSource().provide(request(['etcd', 'kwok'], fakeGo().env));

    expect([...found.keys()]).toEqual(['kwok']);
    expect(notes).toEqual([expect.stringMatching(/^etcd v3\.6\.16: `go build .* go\.etcd\.io\/etcd\/server\/v3` ended with code 1:\ncannot find module$/)]);
  });

  test('without Go there is a note that says where it was looked for', async () => {
    const { found, notes } = await new GoBuildSource('/no/such/folder').provide(request(['etcd'], { PATH: root }));
    expect(found.size).toBe(0);
    expect(notes).toEqual(['no `go` on the PATH or in /no/such/folder']);
  });

  test('only modules that are required at exactly v0.0.0 are replaced', () => {
    const upstream = {
      Go: '1.26.0',
      Require: [
        { Path: 'k8s.io/api', Version: 'v0.0.0' },
        { Path: 'k8s.io/utils', Version: 'v0.0.0-20260210185600-b8788abfbbc2' },
        { Path: 'k8s.io/klog/v2', Version: 'v2.140.0' },
      ],
    };
    expect(generateGoMod(component('kube-apiserver').go, upstream)).toBe([
      'module trainyard.dev/control-plane',
      '',
      'go 1.26.0',
      '',
      'require k8s.io/kubernetes v1.36.3',
      'require k8s.io/api v0.36.3',
      '',
      'replace k8s.io/api => k8s.io/api v0.36.3',
      '',
    ].join('\n'));
  });

  test('a module without siblings is only required', () => {
    expect(generateGoMod(component('kwok').go, { Go: '1.26.0', Require: [{ Path: 'k8s.io/api', Version: 'v0.0.0' }] }))
      .toBe('module trainyard.dev/control-plane\n\ngo 1.26.0\n\nrequire sigs.k8s.io/kwok v0.8.0\n');
  });
});
