/** The script that applies the folders, run with stand-ins of kustomize and kubectl that write down what they were asked. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { renderKustomizationTree } from '../../../src/manifests/platform/kustomization';
import type { PlannedComponent } from '../../../src/manifests/platform/plan';

const COMPONENT: PlannedComponent = { name: 'first', title: '', wave: 0, after: [], namespace: 'a', namespaces: ['a'], parts: [{ kind: 'program', name: 'x' }], owned: [] };
const PLAN = { components: [COMPONENT, { ...COMPONENT, name: 'second', wave: 1, after: ['first'] }] };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'trainyard-apply-'));
  const files = renderKustomizationTree(PLAN, () => [{ kind: 'X' }], JSON.stringify, JSON.stringify);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the script. @param refusals how often the API server refuses a folder before it takes it */
function run(refusals: number): { readonly status: number | null; readonly calls: string[]; readonly output: string } {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  const log = path.join(folder, 'log');
  writeFileSync(path.join(bin, 'kustomize'), `#!/bin/sh\necho "kustomize $*" >> ${log}\necho "built $3"\n`, { mode: 0o755 });
  writeFileSync(path.join(bin, 'kubectl'), [
    '#!/bin/sh',
    `echo "kubectl $*" | sed 's#-f [^ ]*#-f FILE#' >> ${log}`,
    `if [ "$1" = apply ]; then n=$(cat ${folder}/n 2>/dev/null || echo 0); n=$((n + 1)); echo $n > ${folder}/n; [ $n -gt ${refusals} ] || exit 1; fi`,
    'if [ "$1" = get ]; then echo "CustomResourceDefinition <none> things.example.com"; echo "Deployment a controller"; echo "Service a web"; fi',
    '',
  ].join('\n'), { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync('sh', [path.join(folder, 'apply.sh'), '--context=kind-ml'], {
    encoding: 'utf8', env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, RETRY_SECONDS: '0' },
  });
  return { status, calls: readFileSync(log, 'utf8').trim().split('\n'), output: stdout + stderr };
}

const APPLY = 'kubectl apply --server-side --force-conflicts -f FILE --context=kind-ml';
const WAITS = [
  'kubectl get -f FILE --no-headers -o custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name --context=kind-ml',
  'kubectl wait --for=condition=Established --timeout=2m crd/things.example.com --context=kind-ml',
  'kubectl rollout status --timeout=10m -n a deployment/controller --context=kind-ml',
];

test('folders are applied one after the other, and waited for', () => {
  const { status, calls } = run(0);
  expect(status).toBe(0);
  expect(calls).toEqual(['kustomize build --enable-helm 00-first', APPLY, ...WAITS, 'kustomize build --enable-helm 01-second', APPLY, ...WAITS]);
});

test('what the API server does not know yet is tried again', () => {
  const { status, calls } = run(2);
  expect(status).toBe(0);
  expect(calls.slice(0, 5)).toEqual(['kustomize build --enable-helm 00-first', APPLY, APPLY, APPLY, WAITS[0]]);
});

test('what is refused for good ends it, and nothing that comes after is applied', () => {
  const { status, calls, output } = run(1000);
  expect(status).not.toBe(0);
  expect(calls.filter((call) => call === APPLY)).toHaveLength(10);
  expect(calls).not.toContain('kustomize build --enable-helm 01-second');
  expect(output).toContain('00-first could not be applied');
});
