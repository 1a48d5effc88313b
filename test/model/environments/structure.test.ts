import { commonName, structureProblems, type EnvironmentStructure, type StructureObject } from '../../../src/model/environments/structure';

const object = (kind: string, name: string, more: Partial<StructureObject> = {}): StructureObject => ({ apiVersion: 'v1', kind, name, construct: `chart/${name}`, ...more });
const environment = (name: string, objects: readonly StructureObject[], namespacePrefix = ''): EnvironmentStructure => ({ name, namespacePrefix, objects });
const messages = (...environments: readonly EnvironmentStructure[]) => structureProblems(environments).map(({ message }) => message);

test.each([
  ['dev-vision', 'dev', 'dev-', 'vision'], ['kubeflow-dev-platform', 'dev', '', 'kubeflow-platform'], ['developer', 'dev', '', 'developer'], ['team.dev', 'dev', '', 'team'],
  ['team-dev-vision-pods', 'dev', 'dev-', 'team-vision-pods'], ['kubeflow-dev-platform', 'dev', 'dev-', 'kubeflow-platform'], ['devision', 'qa', 'de', 'vision'], ['a-design', 'qa', 'de', 'a-design'],
  ['pre-prod-jobs', 'pre-prod', '', 'jobs'], ['code-1a2b3c4d5e', 'dev', '', 'code-#'], ['a-dev', 'qa', '', 'a-dev'],
])('%s of %s (prefix "%s") is %s everywhere', (name, own, namespacePrefix, expected) => {
  expect(commonName(name, { name: own, namespacePrefix })).toBe(expected);
});

test('names may have the environment in them, and versions of groups may differ', () => {
  expect(messages(
    environment('dev', [object('Namespace', 'dev-vision'), object('Queue', 'q', { namespace: 'dev-vision', apiVersion: 'k/v1' })], 'dev-'),
    environment('prod', [object('Namespace', 'vision'), object('Queue', 'q', { namespace: 'vision', apiVersion: 'k/v2' })]),
  )).toEqual([]);
});

test('what is only in some is told, with where it is and where it is not', () => {
  const both = object('Namespace', 'vision');
  const found = structureProblems([environment('dev', [both, object('Service', 'debug', { namespace: 'vision' })]), environment('qa', [both]), environment('prod', [both])]);
  expect(found).toEqual([{
    environment: 'dev', construct: 'chart/debug',
    message: 'Service vision/debug is only in \'dev\' and not in \'qa\', \'prod\'. Environments differ in sizes, quotas and versions, not in their objects: create it in all, or give a reason in each that has it: '
      + 'environment.onlyHere(construct, \'REASON\').',
  }]);
});

test('an object of another kind or namespace is another one', () => {
  expect(messages(environment('dev', [object('A', 'x')]), environment('prod', [object('B', 'x')]))).toHaveLength(2);
  expect(messages(environment('dev', [object('A', 'x', { namespace: 'a' })]), environment('prod', [object('A', 'x', { namespace: 'b' })]))).toHaveLength(2);
});

test('a different number of objects with generated names is told', () => {
  expect(messages(
    environment('dev', [object('Job', 'a-00000001'), object('Job', 'a-00000002')]), environment('prod', [object('Job', 'a-00000003')]),
  )).toEqual([expect.stringContaining('Job a-00000002 is there 2 times in \'dev\', fewer times in \'prod\'.')]);
});

test('a reason is enough, and one that is not needed is told', () => {
  const why = { reason: 'load is made here only' };
  expect(messages(environment('stress', [object('Job', 'load', why)]), environment('prod', []))).toEqual([]);
  expect(messages(environment('qa', [object('Job', 'load')]), environment('stress', [object('Job', 'load', why)]), environment('prod', []))).toEqual([expect.stringContaining('Job load is only in \'qa\', \'stress\'')]);
  expect(messages(environment('stress', [object('Job', 'load', why)]), environment('prod', [object('Job', 'load')])))
    .toEqual(['Job load is marked as only in \'stress\' (load is made here only), but is in all environments. Remove onlyHere.']);
});
