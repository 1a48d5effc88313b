import { ApiObject, App, Chart } from 'cdk8s';
import { Framework, TrainingJob } from '../../../../src';
import { SecurityCheck, SecurityChecks, type SecurityChecksProps } from '../../../../src/constructs/platform';
import { SECURITY_CHECK_IDS } from '../../../../src/model/hardening/checks';
import { errorsOf } from '../../../support/synth-errors';

const chartOf = (app = new App()) => new Chart(app, 'chart', { namespace: 'n' });
const role = (chart: Chart) => new ApiObject(chart, 'Role', { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'all' }, rules: [{ apiGroups: ['*'], resources: ['pods'], verbs: ['get'] }] });

function problems(program: (chart: Chart) => void, props: SecurityChecksProps = {}): string[] {
  const app = new App();
  const chart = chartOf(app);
  program(chart);
  new SecurityChecks(chart, 'Security', props);
  return errorsOf(app);
}

test('every check of the model has a name', () => {
  expect(Object.values(SecurityCheck).sort()).toEqual([...SECURITY_CHECK_IDS].sort());
});

test('what is found fails the synth, with where, what, the rule and why', () => {
  expect(problems(role)).toEqual([
    '[chart/Security] Role all (chart/Role): wildcard-rbac: rules[0].apiGroups: ["*"]: must be listed explicitly: * covers unintended resources. '
    + 'Otherwise the permissions cover unintended resources, and whatever is installed later.',
  ]);
});

test('what is accepted is no failure, and stands in the report with its reason', () => {
  const chart = chartOf();
  SecurityChecks.accept(role(chart), SecurityCheck.WILDCARD_RBAC, 'a test');
  const checks = new SecurityChecks(chart, 'Security');
  expect(checks.report()).toMatchObject([{ check: 'wildcard-rbac', object: 'Role all', construct: 'chart/Role', accepted: 'a test' }]);
  expect(problems((other) => SecurityChecks.accept(role(other), SecurityCheck.WILDCARD_RBAC, 'a test'))).toEqual([]);
});

test('what a chart accepts holds for all below, and nothing else is accepted with it', () => {
  expect(problems((chart) => {
    role(chart);
    SecurityChecks.accept(chart, SecurityCheck.WILDCARD_RBAC, 'a test');
  })).toEqual([]);
  expect(problems((chart) => {
    role(chart);
    SecurityChecks.accept(chart, SecurityCheck.PRIVILEGED, 'another check');
  })).toHaveLength(1);
});

test('nothing is accepted without a reason', () => {
  const chart = chartOf();
  expect(() => SecurityChecks.accept(chart, SecurityCheck.PRIVILEGED, ' ')).toThrow("SecurityChecks at 'chart': what 'privileged' reports is accepted without a reason. Add a reason.");
});

test('a report alone fails nothing', () => {
  expect(problems(role, { failsSynth: false })).toEqual([]);
});

test('only the checks that are named are asked, and only below what it is over', () => {
  expect(problems(role, { checks: [SecurityCheck.PRIVILEGED] })).toEqual([]);
  const app = new App();
  role(chartOf(app));
  const other = new Chart(app, 'other');
  new SecurityChecks(other, 'Security', { over: other });
  expect(errorsOf(app)).toEqual([]);
});

test('a restricted job whose pods say what they need leaves only the root that training images write to', () => {
  const chart = chartOf();
  new TrainingJob(chart, 'Job', { framework: Framework.pytorch(), image: 'train:1', replicas: 2, security: { restricted: true } });
  const found = new SecurityChecks(chart, 'Security').report().map(({ check }) => check);
  expect([...new Set(found)].sort()).toEqual(['read-only-root', 'resource-requests']);
});

test('a job with problems of its own is told of once', () => {
  expect(problems((chart) => new TrainingJob(chart, 'Job', { framework: Framework.pytorch(), image: 'train:1', replicas: 0 }))).toEqual([expect.stringContaining('spec.replicas')]);
});

test('namespaces of a mesh can be named', () => {
  const found = problems((chart) => {
    const podTemplate = { metadata: { labels: { 'sidecar.istio.io/inject': 'true' } } };
    new TrainingJob(chart, 'Job', { framework: Framework.pytorch(), image: 'train:1', replicas: 1, podTemplate });
  }, { meshNamespaces: ['n'], checks: [SecurityCheck.MESH_INJECTION] });
  expect(found).toEqual([expect.stringContaining("mesh-injection: pods of role 'master'.metadata.labels['sidecar.istio.io/inject']: \"true\": must be \"false\"")]);
});
