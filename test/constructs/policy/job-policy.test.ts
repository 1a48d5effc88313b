import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApiObject, App, Chart, Duration, Testing, Yaml } from 'cdk8s';
import {
  Engine, Framework, Gpu, JobPolicy, MutatingPolicyVersion, PolicyEnforcement, TrainingJob, type JobPolicyProps, type TrainingJobProps,
} from '../../../src';
import { asShown } from '../../support/snippets';
import { errorsOf } from '../../support/synth-errors';

function policyIn(chart: Chart, props: JobPolicyProps): JobPolicy {
  return new JobPolicy(chart, 'Policy', { name: 'org', ...props });
}

const job = (chart: Chart, props: Partial<TrainingJobProps> = {}) => new TrainingJob(chart, 'Job', {
  metadata: { name: 'llm' }, framework: Framework.pytorch(), image: 'docker.io/train', replicas: 2, resources: { gpu: Gpu.nvidia(8) }, ...props,
});

function problems(program: (chart: Chart) => void): string[] {
  const app = new App();
  program(new Chart(app, 'chart', { namespace: 'team-a' }));
  return errorsOf(app);
}

test('the API server gets a policy for each group of kinds that a rule is about, with its binding', () => {
  const chart = Testing.chart();
  policyIn(chart, { maxGpus: 8 });
  policyIn(new Chart(Testing.app(), 'other'), { queues: ['a'] });
  expect(Testing.synth(chart).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['trainingjobs', 'pods', 'workloads', 'jobs', 'cronjobs', 'trainjobs', 'kubeflow-jobs', 'jobsets', 'volcano-jobs', 'ray-jobs', 'ray-clusters', 'leader-worker-sets', 'scale']
    .flatMap((suffix) => [`ValidatingAdmissionPolicy org-${suffix}`, `ValidatingAdmissionPolicyBinding org-${suffix}`]));
});

test('a rule about queues is asked of all kinds that Kueue takes', () => {
  const chart = Testing.chart();
  policyIn(chart, { queues: ['a'], namespaces: ['team-a'], enforcement: PolicyEnforcement.WARN });
  const [policy, binding, ...others] = Testing.synth(chart);
  expect(others.filter(({ kind }) => !kind.endsWith('Binding')).map(({ metadata }) => metadata.name)).toEqual([
    'pods', 'workloads', 'jobs', 'cronjobs', 'trainjobs', 'kubeflow-jobs', 'jobsets', 'ray-jobs', 'ray-clusters', 'spark-applications', 'leader-worker-sets',
  ].map((suffix) => `org-${suffix}`));
  expect(policy.spec.variables.map(({ name }: { name: string }) => name)).toEqual(['spec', 'queue', 'mustQueue']);
  expect(policy.spec.matchConstraints.resourceRules).toEqual([{ apiGroups: ['ml.collabnix.io'], apiVersions: ['v1alpha1'], operations: ['CREATE', 'UPDATE'], resources: ['mltrainingjobs'], scope: '*' }]);
  expect(binding.spec).toEqual({
    policyName: 'org-trainingjobs', validationActions: ['Warn'],
    matchResources: { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['team-a'] }] } },
  });
});

test('docs/teams/policy.md shows what the API server gets', () => {
  const page = readFileSync(path.join(__dirname, '..', '..', '..', 'docs', 'teams', 'policy.md'), 'utf8');
  const [, yaml] = /^```yaml\n(# Long texts[\s\S]*?)^```/m.exec(page)!;
  const chart = Testing.chart();
  new JobPolicy(chart, 'Deadlines', { name: 'deadlines', maxDeadline: Duration.days(7) });
  expect(asShown(Yaml.stringify(...Testing.synth(chart).filter(({ metadata }) => metadata.name === 'deadlines-jobs')), yaml)).toBe(yaml);
});

test('all options', () => {
  const chart = Testing.chart();
  policyIn(chart, {
    exceptNamespaces: ['platform'], enforcement: PolicyEnforcement.AUDIT, allowedImages: ['registry.example/*'], requiredLabels: { team: ['a'] }, priorityClasses: ['p'],
    queuePriorityClasses: ['q'], queues: ['team-a'], hostAccess: false, serviceAccounts: ['trainer'], maxReplicas: 4, maxGpus: 8, maxDeadline: Duration.days(1),
    defaults: { labels: { team: 'a' }, deadline: Duration.hours(1), queueName: 'team-a' }, mutatingPolicyVersion: MutatingPolicyVersion.V1BETA1,
  });
  expect(Testing.synth(chart)).toMatchSnapshot();
});

test('a policy of synth alone writes nothing, and is enforced', () => {
  const chart = Testing.chart();
  policyIn(chart, { maxGpus: 8, enforcement: PolicyEnforcement.SYNTH_ONLY });
  expect(Testing.synth(chart)).toEqual([]);
  expect(problems((other) => {
    policyIn(other, { maxGpus: 8, enforcement: PolicyEnforcement.SYNTH_ONLY });
    job(other);
  })).toHaveLength(1);
});

test.each<[string, JobPolicyProps, Partial<TrainingJobProps>, readonly string[]]>([
  ['a job of another image', { allowedImages: ['registry.example/*'] }, {},
    ["[chart/Policy] JobPolicy 'org': MLTrainingJob 'llm' (chart/Job/Resource): image 'docker.io/train' is not allowed by policy 'org': allowed are registry.example/*"]],
  ['a job that is too large, on any engine', { maxGpus: 8 }, { engine: Engine.jobSet() }, ["MLTrainingJob 'llm' (chart/Job/Resource): 16 GPUs are more than policy 'org' allows: at most 8"]],
  ['an image on another engine, once', { allowedImages: ['x'] }, { engine: Engine.jobSet() }, ["image 'docker.io/train'"]],
  ['a label', { requiredLabels: { team: [] } }, {}, ['requires the label team']],
])('synth tells of %s', (_what, props, change, words) => {
  const found = problems((chart) => {
    policyIn(chart, props);
    job(chart, change);
  });
  expect(found).toEqual(words.map((word) => expect.stringContaining(word)));
});

test('a label that the job has is seen', () => {
  expect(problems((chart) => {
    policyIn(chart, { requiredLabels: { team: ['a'] } });
    job(chart, { metadata: { name: 'llm', labels: { team: 'a' } } });
  })).toEqual([]);
});

test('all kinds that have pods are looked at', () => {
  const containers = [{ name: 'c', image: 'docker.io/x' }];
  expect(problems((chart) => {
    policyIn(chart, { allowedImages: ['registry.example/*'] });
    new ApiObject(chart, 'A', { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { template: { spec: { containers } } } });
    new ApiObject(chart, 'B', { apiVersion: 'ray.io/v1', kind: 'RayJob', metadata: { name: 'r' }, spec: { rayClusterSpec: { headGroupSpec: { template: { spec: { containers } } } } } });
    new ApiObject(chart, 'C', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { spec: 'containers' } });
  }).map((line) => /: (\w+ '\w')/.exec(line)![1])).toEqual(["Deployment 'd'", "RayJob 'r'"]);
});

test('objects of other namespaces, and parts of the app that it is not over, are left alone', () => {
  expect(problems((chart) => {
    policyIn(chart, { maxGpus: 8, namespaces: ['team-b'] });
    job(chart);
  })).toEqual([]);
  const app = new App();
  const chart = new Chart(app, 'jobs');
  job(chart);
  const other = new Chart(app, 'policies');
  new JobPolicy(other, 'Policy', { name: 'org', maxGpus: 8, over: other });
  expect(errorsOf(app)).toEqual([]);
});

test('a job that is wrong itself says so, and is not held against the policy', () => {
  expect(problems((chart) => {
    policyIn(chart, { maxGpus: 8 });
    job(chart, { replicas: 0 });
  })).toEqual([expect.stringContaining('spec.replicas')]);
});

test('what the API server fills in is not missed at synth, on our operator alone', () => {
  const props: JobPolicyProps = { requiredLabels: { team: ['a'] }, maxDeadline: Duration.hours(2), queues: ['q'], defaults: { labels: { team: 'a' }, deadline: Duration.hours(1), queueName: 'q' } };
  const tried = (change: Partial<JobPolicyProps>, engine?: Engine) => problems((chart) => {
    policyIn(chart, { ...props, ...change });
    job(chart, { engine });
  });
  expect(tried({})).toEqual([]);
  expect(tried({}, Engine.jobSet())).toHaveLength(3);
  expect(tried({ enforcement: PolicyEnforcement.SYNTH_ONLY })).toHaveLength(3);
});

test.each<[string, Partial<JobPolicyProps>, string]>([
  ['a deadline', { maxDeadline: Duration.hours(1), defaults: { deadline: Duration.hours(2) } }, 'defaults.deadline: 7200: must be at least one second, and at most the 3600 that the policy allows.'],
  ['a queue', { queues: ['a'], defaults: { queueName: 'b' } }, 'defaults.queueName: "b": is rejected by the policy itself, which allows a.'],
  ['a label', { requiredLabels: { team: ['a'] }, defaults: { labels: { team: 'b' } } }, "defaults.labels['team']: \"b\": is rejected by the policy itself"],
  ['a label that is none', { defaults: { labels: { 'a b': 'c' } } }, "defaults.labels['a b']: \"c\": must be a label"],
])('a policy whose default for %s it would refuse itself is an error', (_what, props, words) => {
  expect(problems((chart) => policyIn(chart, props))).toEqual([expect.stringContaining(words)]);
});

test('a policy that is wrong itself says so', () => {
  expect(problems((chart) => policyIn(chart, { hostAccess: true }))).toEqual([expect.stringContaining("JobPolicy 'org': policy: has no rules")]);
  expect(problems((chart) => policyIn(chart, {}))).toEqual([expect.stringContaining("JobPolicy 'org': policy: has no rules")]);
});
