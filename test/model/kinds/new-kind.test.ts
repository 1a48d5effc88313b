/**
 * A kind of another system is one file and a line of the registry: whatever asks about kinds knows it from there. Here the file of a Gizmo stands in
 * the place of another kind's, and nothing else was written for it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { costReport } from '../../../src/cli/cost/report';
import { kindsNamed } from '../../../src/cli/jobs/kinds';
import { categoryOf } from '../../../src/cli/graph/categories';
import { KIND_CUSTOMIZATIONS } from '../../../src/manifests/argo-cd/kinds';
import { hasEndingPods } from '../../../src/manifests/hardening/pods-of';
import { migrateObjects } from '../../../src/manifests/migrate/migrate';
import { kueueConfiguration } from '../../../src/manifests/platform/kueue-configuration';
import { CEL_TARGETS } from '../../../src/manifests/policy/cel';
import { viewerRules } from '../../../src/manifests/tenancy/team';
import { jobFindings } from '../../../src/model/argo-cd/job-findings';
import { checkObject } from '../../../src/model/checks/object-rules';
import { range } from '../../../src/model/cost/ranges';
import { WORKLOAD_KINDS } from '../../../src/model/kinds/registry';
import type { WorkloadKind } from '../../../src/model/kinds/workload-kind';
import { policySubject } from '../../../src/model/policy/subject';
import { podLabels } from '../../../src/model/references/relations';
import { TABLE } from '../cost/tables';

jest.mock('../../../src/model/kinds/leader-worker-set', () => {
  const GIZMO: WorkloadKind = {
    group: 'example.com', kind: 'Gizmo', plural: 'gizmos', versions: ['v1'], shortNames: ['gz'],
    isJob: true, hasEndingPods: true, suspend: ['spec', 'paused'], ttl: ['spec', 'ttl'], podLabels: ['example.com/gizmo'], isQueued: true, fillsPods: true,
    pods: ({ size, template }) => ({ sets: [{ name: 'cog', count: Number(size), pod: (template as { readonly spec: object }).spec as { [name: string]: unknown } }], deadlineSeconds: 3600, queued: 'Always' }),
    policy: { target: 'gizmos', cel: [{ name: 'gpus', expression: '8' }] },
    argoCd: { health: 'return answer(\'Healthy\', \'Runs\')', failed: 'status.broken == true' },
    notMigrated: 'is a gizmo. Keep it.',
  };
  return { LEADER_WORKER_SET: GIZMO };
});

const POD = { containers: [{ name: 'main', image: 'gizmo:1', resources: { limits: { 'nvidia.com/gpu': 4 } }, volumeMounts: [{ name: 'given', mountPath: '/given' }] }] };
const gizmo = (spec: object = {}, labels = {}) => (
  { apiVersion: 'example.com/v1', kind: 'Gizmo', metadata: { name: 'g', namespace: 'ml', labels }, spec: { size: 2, template: { spec: POD }, ...spec } });

test('policies count its pods, at synth and in the API server', () => {
  expect(policySubject(gizmo())).toMatchObject({ replicas: 2, gpus: 8, deadlineSeconds: 3600, images: ['gizmo:1'], mustQueue: true, queue: null });
  expect(CEL_TARGETS.find(({ suffix }) => suffix === 'gizmos')).toMatchObject({ apiGroup: 'example.com', apiVersions: ['v1'], resources: ['gizmos'] });
});

test('its price is that of its pods', () => {
  const [job] = costReport({ objects: [gizmo()], resources: [], prices: TABLE }).jobs;
  expect(job).toMatchObject({ workload: { groups: [{ name: 'cog', pods: range(2) }] }, devices: [{ count: range(8) }], hours: 1 });
});

test('Argo CD shows its health, offers its actions, and leaves the field that suspends it', () => {
  const { health, actions, ignoreDifferences } = KIND_CUSTOMIZATIONS.find(({ kind }) => kind === 'Gizmo')!;
  expect(health).toContain('return answer(\'Healthy\', \'Runs\')');
  expect(actions!.actions.map(({ name }) => name)).toEqual(['suspend', 'resume', 'retry']);
  expect(ignoreDifferences).toEqual({ jsonPointers: ['/spec/paused'] });
  expect(jobFindings(gizmo({ ttl: 60 })).map(({ path: at }) => at)).toEqual(['spec.ttl']);
});

test('Kueue queues it', () => {
  expect(kueueConfiguration({ fairSharing: true }, [])).toMatchObject({ integrations: { frameworks: expect.arrayContaining(['example.com/gizmo']) } });
});

test('a team works with it', () => {
  expect(viewerRules()).toContainEqual({ apiGroups: ['example.com'], resources: ['gizmos'], verbs: ['get', 'list', 'watch'] });
});

test('graph, explain, migrate and the checks know it', () => {
  expect(categoryOf({ group: 'example.com', kind: 'Gizmo' })).toBe('workload');
  expect(podLabels(gizmo())).toEqual([{ 'example.com/gizmo': 'g' }]);
  expect(kindsNamed('gz').map(({ plural }) => plural)).toEqual(['gizmos']);
  expect(migrateObjects([gizmo()])).toEqual([{ outcome: 'error', error: 'Gizmo g: is a gizmo. Keep it.' }]);
  expect(hasEndingPods(gizmo())).toBe(true);
  expect(checkObject(gizmo()).map(({ rule }) => rule)).not.toContain('volume-missing');
  expect(checkObject({ ...gizmo(), kind: 'Gadget' }).map(({ rule }) => rule)).toContain('volume-missing');
});

/** Kinds that a file may name: more of them are a list, and lists of kinds are in the registry. */
const MOST_NAMED = 2;

/** Lists that are about something else than what a kind is. */
const OTHER_LISTS: { readonly [file: string]: string } = {
  'cli/cost/workloads.ts': 'a reader for each name that the registry gives',
  'constructs/gitops/argo-cd/argo-cd-customizations.ts': 'an enumeration of the public API, which has to be written out; a test compares it with the registry',
  'constructs/monitoring/attach.ts': 'rules of each kind',
  'manifests/engines/training-operator-v1': 'the kind of each framework, with names of containers and ports',
  'manifests/migrate/readers.ts': 'a reader for each name that the registry gives',
  'manifests/migrate/kinds/simple-v1-jobs.ts': 'the readers themselves',
  'model/checks/foreign-rules.ts': 'rules of each kind',
  'model/hardening/object-checks.ts': 'where each kind has a number of replicas that a budget keeps',
  'model/ray': 'rules of each kind',
  'model/references/relations.ts': 'fields of each kind',
};

test('no list outside of the registry names kinds', () => {
  const source = path.join(__dirname, '..', '..', '..', 'src');
  const kinds = new Set(WORKLOAD_KINDS.filter(({ group }) => group !== 'batch' && group !== 'batch.volcano.sh').map(({ kind }) => kind));
  const files = (readdirSync(source, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts') && !/^model\/kinds\/|\/generated\//.test(file));
  const lists = files.flatMap((file) => {
    const text = readFileSync(path.join(source, file), 'utf8');
    const named = [...kinds].filter((kind) => text.includes(kind));
    const found = named.length > MOST_NAMED ? namedIn(text, named) : [];
    return found.length > MOST_NAMED && !Object.keys(OTHER_LISTS).some((other) => file.startsWith(other)) ? [`${file}: ${found.join(', ')}`] : [];
  });
  expect(lists).toEqual([]);
});

/** Kinds that a source names in a text, alone or behind a group, or as the name of a property. */
function namedIn(text: string, kinds: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const name = ts.isStringLiteral(node) ? node.text : ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) ? node.name.text : undefined;
    kinds.filter((kind) => name === kind || name?.endsWith(`/${kind}`)).forEach((kind) => found.add(kind));
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest));
  return [...found];
}
