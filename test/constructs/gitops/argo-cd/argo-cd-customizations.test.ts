import { ApiObject, App, Chart, Testing } from 'cdk8s';
import { load } from 'js-yaml';
import {
  ArgoCdCustomizations, ArgoCdKind, type ArgoCdCustomization, type ArgoCdCustomizationsProps,
} from '../../../../src/constructs/gitops/argo-cd';
import { KIND_CUSTOMIZATIONS, kindName } from '../../../../src/manifests/argo-cd/kinds';
import { errorsOf } from '../../../support/synth-errors';

function customizations(props?: ArgoCdCustomizationsProps) {
  const app = new App();
  const chart = new Chart(app, 'test');
  const construct = new ArgoCdCustomizations(chart, 'ArgoCd', props);
  return { app, chart, construct };
}

interface ConfigMap {
  readonly metadata: { readonly [field: string]: unknown };
  readonly data: { readonly [key: string]: string };
}

const written = (chart: Chart) => (Testing.synth(chart) as ConfigMap[])[0];
const suffixes = (data: object, setting: string) => Object.keys(data).filter((key) => key.startsWith(`resource.customizations.${setting}.`)).map((key) => key.split('.').slice(3).join('.'));

test('by default Argo CD learns all there is, as a part of its ConfigMap', () => {
  const { chart, construct } = customizations();
  const { metadata, data } = written(chart);
  expect(metadata).toEqual({
    name: 'argocd-cm', namespace: 'argocd', labels: { 'app.kubernetes.io/part-of': 'argocd', 'app.kubernetes.io/name': 'argocd-cm' },
    annotations: { 'argocd.argoproj.io/sync-options': 'ServerSideApply=true,Prune=false,Delete=false' },
  });
  expect(suffixes(data, 'health')).toEqual(expect.arrayContaining(['argoproj.io_Application', 'ml.collabnix.io_MLTrainingJob', 'kueue.x-k8s.io_LocalQueue']));
  expect(suffixes(data, 'health')).toHaveLength(KIND_CUSTOMIZATIONS.filter(({ health }) => health !== undefined).length + 1);
  expect(load(data['resource.customizations.ignoreDifferences.trainer.kubeflow.org_TrainJob'])).toEqual({
    jsonPointers: ['/spec/suspend'],
    jqPathExpressions: ['.spec.runtimePatches[]? | select(.manager == "kueue.x-k8s.io/manager")', '.spec.runtimePatches[]?.time'],
  });
  expect(construct.data).toEqual(data);
});

test('every kind of the library has a name, and every name is a kind of the library', () => {
  expect(Object.values(ArgoCdKind).sort()).toEqual(KIND_CUSTOMIZATIONS.map(kindName).sort());
});

test('what is written for a few kinds', () => {
  const { chart } = customizations({ kinds: [ArgoCdKind.RAY_CRON_JOB, ArgoCdKind.JOB], namespace: 'gitops', wave: -1 });
  expect(Testing.synth(chart)).toMatchSnapshot();
});

test.each<readonly [string, ArgoCdCustomizationsProps]>([
  ['health', { health: false }], ['actions', { actions: false }], ['ignoreDifferences', { ignoreDifferences: false }],
])('%s can be left out', (setting, props) => {
  const { data } = written(customizations({ ...props, applicationHealth: false }).chart);
  expect(suffixes(data, setting)).toEqual([]);
  expect(Object.keys(data).length).toBeGreaterThan(10);
});

test('health of Applications stays when that of others is left out', () => {
  expect(suffixes(written(customizations({ health: false }).chart).data, 'health')).toEqual(['argoproj.io_Application']);
  expect(suffixes(written(customizations({ kinds: [] }).chart).data, 'health')).toEqual(['argoproj.io_Application']);
});

const DATABASE: ArgoCdCustomization = {
  group: 'db.example.com', kind: 'Database', health: 'return { status = \'Healthy\', message = string.format(\'%d\', 1) }', useOpenLibs: true,
  actionDiscovery: 'return { restart = {} }', actions: [{ name: 'restart', lua: 'return obj' }],
  ignoreDifferences: { jsonPointers: ['/spec/password'], jqPathExpressions: ['.spec.users[].password'], managedFieldsManagers: ['db-operator'] },
};

test('a customization of one\'s own has all that Argo CD reads', () => {
  const { chart, construct } = customizations({ kinds: [], applicationHealth: false });
  construct.addCustomization(DATABASE);
  expect(written(chart).data).toEqual({
    'resource.customizations.actions.db.example.com_Database': 'discovery.lua: |-\n  return { restart = {} }\ndefinitions:\n- name: restart\n  action.lua: |-\n    return obj\n',
    'resource.customizations.health.db.example.com_Database': DATABASE.health,
    'resource.customizations.ignoreDifferences.db.example.com_Database': 'jsonPointers:\n  - "/spec/password"\njqPathExpressions:\n  - ".spec.users[].password"\nmanagedFieldsManagers:\n  - db-operator\n',
    'resource.customizations.useOpenLibs.db.example.com_Database': 'true',
  });
});

test('what it gives for a kind of the library takes the place of the library\'s, and the rest stays', () => {
  const own = { group: 'ray.io', kind: 'RayJob', health: 'return { status = \'Healthy\' }' };
  const [{ data: ours }, { data }] = [written(customizations().chart), written(customizations({ customizations: [own] }).chart)];
  expect(data).toEqual({ ...ours, 'resource.customizations.health.ray.io_RayJob': own.health });
});

test('a kind without a group is named by itself', () => {
  const own = { group: '', kind: 'ConfigMap', ignoreDifferences: { managedFieldsManagers: ['trainyard'] } };
  expect(Object.keys(written(customizations({ kinds: [], applicationHealth: false, customizations: [own] }).chart).data)).toEqual(['resource.customizations.ignoreDifferences.ConfigMap']);
});

const GOOD: ArgoCdCustomization = { group: 'a.example', kind: 'A', health: 'return {}' };

test.each<readonly [string, Partial<ArgoCdCustomization>, RegExp]>([
  ['a wildcard', { group: '*.example' }, /customizations\[0\]\.group: "\*\.example": must be an API group such as ray\.io/],
  ['a plural', { kind: 'rayjobs' }, /customizations\[0\]\.kind: "rayjobs": must be a kind such as RayJob/],
  ['nothing to say', { health: undefined }, /customizations\[0\]: configures nothing/],
  ['actions without a discovery', { actions: [{ name: 'a', lua: 'return obj' }] }, /actionDiscovery: is required with actions/],
  ['a discovery without actions', { actionDiscovery: 'return {}' }, /actionDiscovery: applies to actions, and there are none/],
  ['a name with blanks', { actionDiscovery: 'return {}', actions: [{ name: 'Try again', lua: 'return obj' }] }, /actions\[0\]\.name: "Try again": must be lower-case/],
  ['a name twice', { actionDiscovery: 'return {}', actions: [{ name: 'a', lua: 'return obj' }, { name: 'a', lua: 'return obj' }] }, /actions\[1\]\.name: "a": is the name of another/],
  ['a script without an answer', { health: 'local a = 1' }, /health: "local a = 1": must return a table/],
  ['an action without an answer', { actionDiscovery: 'return {}', actions: [{ name: 'a', lua: 'obj.spec = nil' }] }, /actions\[0\]\.lua: .* must return a table/],
  ['a library that is not there', { health: 'return { status = string.upper(obj.status.phase) }' }, /health: "string\.u": belongs to a library that Argo CD's scripts do not have\. Set useOpenLibs/],
  ['a method of a text', { health: 'return { status = obj.status.phase:upper() }' }, /belongs to a library that Argo CD's scripts do not have/],
  ['a pointer that is none', { ignoreDifferences: { jsonPointers: ['spec.replicas'] } }, /ignoreDifferences\.jsonPointers\[0\]: "spec\.replicas": must be a JSON pointer/],
  ['a path that is none', { ignoreDifferences: { jqPathExpressions: ['/spec/replicas'] } }, /ignoreDifferences\.jqPathExpressions\[0\]: "\/spec\/replicas": must be a jq/],
  ['a script that is too long', { health: `return {} -- ${'x'.repeat(1_000_000)}` }, /data: is \d+ bytes, and a ConfigMap holds 1000000/],
])('is refused with %s', (_name, change, message) => {
  const { app } = customizations({ customizations: [{ ...GOOD, ...change }] });
  expect(errorsOf(app)).toEqual([expect.stringMatching(message)]);
});

test('words of libraries in comments are words', () => {
  expect(errorsOf(customizations({ customizations: [{ ...GOOD, health: '-- string.upper is not there\nreturn {}' }] }).app)).toEqual([]);
});

test('a wave is a whole number', () => {
  expect(() => customizations({ wave: 0.5 })).toThrow('ArgoCdCustomizations at \'test/ArgoCd\': wave: 0.5: must be a whole number.');
});

test('the object can be changed as any other', () => {
  const { chart, construct } = customizations({ kinds: [] });
  ApiObject.of(construct).metadata.addLabel('team', 'platform');
  expect(written(chart).metadata).toMatchObject({ labels: { team: 'platform' } });
});
