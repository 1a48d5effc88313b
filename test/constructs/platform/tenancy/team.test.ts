import { App, Chart, Duration, Size, Testing } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Egress, Engine, Framework, Gpu, Tpu, TrainingJob, type TrainingJobProps } from '../../../../src';
import { Grant } from '../../../../src/constructs/gke';
import { PodSecurityLevel, Team, type TeamProps } from '../../../../src/constructs/platform';
import { ClusterQueue, Quota, ResourceFlavor } from '../../../../src/constructs/queues';
import { errorsOf } from '../../../support/synth-errors';

function synthesized(props: Partial<TeamProps> = {}, more: (team: Team) => void = () => {}) {
  const chart = Testing.chart();
  more(new Team(chart, 'Team', { name: 'team-a', ...props }));
  return Testing.synth(chart);
}

function problems(program: (chart: Chart) => void): string[] {
  const app = new App();
  program(new Chart(app, 'chart'));
  return errorsOf(app);
}

const found = (objects: ReturnType<typeof synthesized>, kind: string, name?: string) =>
  objects.find((object) => object.kind === kind && (name === undefined || object.metadata.name === name));

test('the least team has a namespace, roles that nobody has, and no traffic from elsewhere', () => {
  const objects = synthesized();
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Namespace team-a', 'Role team-members', 'RoleBinding team-members', 'Role team-viewers', 'RoleBinding team-viewers', 'NetworkPolicy default-deny', 'NetworkPolicy team',
  ]);
  expect(objects[0].metadata.labels).toEqual({
    'pod-security.kubernetes.io/enforce': 'baseline', 'pod-security.kubernetes.io/warn': 'restricted', 'pod-security.kubernetes.io/audit': 'restricted',
  });
  expect(found(objects, 'RoleBinding')!.subjects).toBeUndefined();
  expect(found(objects, 'NetworkPolicy')!.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
});

test('all options', () => {
  const chart = Testing.chart();
  const clusterQueue = new ClusterQueue(chart, 'Queue', { name: 'research', resourceGroups: [{ flavors: [{ flavor: ResourceFlavor.fromFlavorName('f'), quotas: [Quota.cpu(Cpu.units(1))] }] }] });
  const team = new Team(chart, 'Team', {
    name: 'team-a',
    members: { users: ['a@example.com'], groups: ['research'] },
    viewers: { groups: ['finance'] },
    interactive: true,
    clusterQueue,
    quota: {
      gpu: Gpu.nvidia(8), tpu: Tpu.chips(4), cpu: Cpu.units(64), memory: Size.gibibytes(512), storage: Size.tebibytes(2), pods: 50,
      persistentVolumeClaims: 5, trainingJobs: 20,
    },
    containers: { defaultCpu: Cpu.millis(200), defaultMemory: Size.gibibytes(1), maxCpu: Cpu.units(32), maxMemory: Size.gibibytes(256) },
    podSecurity: PodSecurityLevel.RESTRICTED,
    network: { fromNamespaces: ['monitoring'], egress: Egress.LIMITED, toCidrs: ['10.8.0.0/16'], toNamespaces: ['mlflow'] },
    rules: { allowedImages: ['registry.example/*'], priorityClasses: ['research'], maxGpus: 4, maxDeadline: Duration.days(2) },
    identity: { pool: { projectId: 'ml-prod', projectNumber: '123456789012' }, grants: [Grant.bucketReader('data')] },
    costLabels: { 'cost-center': 'cc-17' },
  });
  expect([team.namespaceName, team.queueName, team.serviceAccount!.name]).toEqual(['team-a', 'team-a', 'team-a-jobs']);
  const objects = Testing.synth(chart);
  expect(objects.filter(({ kind }) => !/Policy(Binding)?$/.test(kind) || kind === 'NetworkPolicy').every(({ kind, metadata }) => kind === 'ClusterQueue' || kind === 'IAMPolicyMember' || metadata.labels?.['cost-center'] === 'cc-17')).toBe(true);
  expect(objects).toMatchSnapshot();
});

test('jobs may act as an account of Google\'s', () => {
  const [googleServiceAccount, pool] = ['team-a-jobs@ml-prod.iam.gserviceaccount.com', { projectId: 'ml-prod', projectNumber: '123456789012' }];
  expect(found(synthesized({ identity: { pool, googleServiceAccount } }), 'ServiceAccount')!.metadata.annotations).toEqual({ 'iam.gke.io/gcp-service-account': googleServiceAccount });
});

test('people can be added after construction, each once', () => {
  const objects = synthesized({ members: { users: ['a'] } }, (team) => {
    team.addMembers({ users: ['a', 'b'], groups: ['g'] });
    team.addViewers({ users: ['v'] });
  });
  expect(found(objects, 'RoleBinding', 'team-members')!.subjects.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'g']);
  expect(found(objects, 'RoleBinding', 'team-viewers')!.subjects).toEqual([{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'v' }]);
});

test('no verb and no resource of its roles is a wildcard, and nobody reads secrets or gives rights', () => {
  for (const { rules } of synthesized({ interactive: true }).filter(({ kind }) => kind === 'Role')) {
    for (const { apiGroups, resources, verbs } of rules) {
      expect([...apiGroups, ...resources, ...verbs]).not.toContain('*');
      expect(apiGroups).not.toContain('rbac.authorization.k8s.io');
      // Answers to a patch and to a deletion have the object in them.
      expect(resources.includes('secrets') ? verbs : ['create']).toEqual(['create']);
    }
  }
});

test('a profile of Kubeflow has its quota, and a namespace that Kubeflow takes over', () => {
  const objects = synthesized({ profileOwner: 'lead@example.com', quota: { cpu: Cpu.units(4) } });
  expect(found(objects, 'Profile')).toEqual({
    apiVersion: 'kubeflow.org/v1', kind: 'Profile',
    // Its namespace is deleted with it.
    metadata: { name: 'team-a', annotations: { 'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false', 'kustomize.toolkit.fluxcd.io/prune': 'disabled' } },
    spec: { owner: { kind: 'User', name: 'lead@example.com' }, resourceQuotaSpec: { hard: { 'requests.cpu': '4' } } },
  });
  expect(found(objects, 'Namespace')!.metadata).toMatchObject({ annotations: { owner: 'lead@example.com' }, labels: { 'istio-injection': 'enabled' } });
  expect(found(objects, 'ResourceQuota')).toBeUndefined();
});

test('where traffic out is limited, the operator is named by its namespace, and metadata servers are for teams with an identity', () => {
  const egress = (props: Partial<TeamProps>) => JSON.stringify(found(synthesized(props), 'NetworkPolicy', 'team')!.spec.egress);
  const operator = (namespace: string) => JSON.stringify({
    namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [namespace] }] },
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'trainyard-operator' } },
  });
  expect(egress({})).toContain(operator('trainyard-system'));
  expect(egress({ network: { operatorNamespace: 'ml-system' } })).toContain(operator('ml-system'));
  expect(egress({})).not.toContain('169.254');
  expect(egress({ identity: { pool: { projectId: 'ml-prod', projectNumber: '123456789012' } } })).toContain('169.254.169.254/32');
});

test('pods of a profile are reached by Kubeflow, its mesh and Knative, and reach them; pods of a plain team are and do not', () => {
  const policy = (props: Partial<TeamProps>) => found(synthesized(props), 'NetworkPolicy', 'team')!.spec;
  const kubeflow = { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['istio-system', 'kubeflow', 'knative-serving', 'monitoring'] }] } };
  const profile = policy({ profileOwner: 'lead@example.com', network: { fromNamespaces: ['monitoring'], toNamespaces: ['kubeflow', 'monitoring'] } });
  expect(profile.ingress).toEqual([{ from: [{ podSelector: {} }, kubeflow] }]);
  expect(profile.egress).toContainEqual({ to: [kubeflow] });
  expect(JSON.stringify(policy({}))).not.toContain('istio-system');
});

test.each<[string, Engine, Partial<TrainingJobProps>]>([
  ['our operator', Engine.operator(), {}], ['Trainer', Engine.trainer(), {}], ['training-operator v1', Engine.trainingOperatorV1(), {}], ['JobSet', Engine.jobSet(), {}],
  ['Jobs', Engine.job(), {}], ['Volcano', Engine.volcano(), {}], ['Ray', Engine.ray(), { image: 'rayproject/ray:2.52.0' }],
  // Members give no rights, so the driver's account is the platform's to create.
  ['Spark', Engine.spark({ driver: { serviceAccountName: 'spark' } }), {}],
])('members may create all that a job on %s is made of', (_what, engine, props) => {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Job', {
    framework: Framework.pytorch(), image: 'train:1', command: ['torchrun', 'a.py'], replicas: 2, resources: { memory: Size.gibibytes(8) }, engine, ...props,
  });
  const rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[] = found(synthesized(), 'Role', 'team-members')!.rules;
  const missing = Testing.synth(chart).filter(({ apiVersion, kind }) => {
    const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
    return !rules.some(({ apiGroups, resources, verbs }) => apiGroups.includes(group) && resources.includes(`${kind.toLowerCase()}s`) && verbs.includes('create'));
  });
  expect(missing.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([]);
});

test('with a quota of cores and memory containers that say nothing get a part', () => {
  expect(found(synthesized({ quota: { cpu: Cpu.units(4), memory: Size.gibibytes(8) } }), 'LimitRange')!.spec.limits).toEqual([{ type: 'Container', defaultRequest: { cpu: '100m', memory: '256Mi' } }]);
  expect(found(synthesized({ quota: { pods: 4 } }), 'LimitRange')).toBeUndefined();
});

test('traffic out is open where it is not limited', () => {
  const [deny, team] = synthesized({ network: { egress: Egress.ALL } }).filter(({ kind }) => kind === 'NetworkPolicy');
  expect([deny.spec.policyTypes, team.spec]).toEqual([['Ingress'], { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector: {} }] }] }]);
});

test('a job of more GPUs than the team has, or of another image, is an error at synth', () => {
  const found2 = problems((chart) => {
    new Team(chart, 'A', { name: 'team-a', quota: { gpu: Gpu.nvidia(8) }, rules: { allowedImages: ['registry.example/*'] } });
    new Team(chart, 'B', { name: 'team-b', quota: { gpu: Gpu.nvidia(64) } });
    ['team-a', 'team-b'].forEach((namespace) => new TrainingJob(chart, namespace, {
      metadata: { name: 'llm', namespace }, framework: Framework.pytorch(), image: 'docker.io/train', replicas: 2, resources: { gpu: Gpu.nvidia(8) },
    }));
  });
  expect(found2).toEqual([
    expect.stringContaining("image 'docker.io/train' is not allowed by policy 'team-team-a'"),
    expect.stringContaining("16 GPUs are more than policy 'team-team-a' allows: at most 8"),
  ]);
});

test.each<[string, Partial<TeamProps>, string]>([
  ['a name', { name: 'Team A' }, "Team 'Team A': name: \"Team A\": is the name of a namespace"],
  ['a namespace of the system', { name: 'kube-system' }, 'is a system'],
  ['an owner', { profileOwner: '' }, 'profileOwner: "": must name a user'],
  ['everybody', { members: { groups: ['system:authenticated'] } }, 'members.groups[0]: "system:authenticated": includes all users of the cluster'],
  ['a pattern of users', { viewers: { users: ['*'] } }, 'viewers: "*": must name a user or a group'],
  ['a quota', { quota: { pods: -1 } }, "quota['pods']: \"-1\": must be 0 or more."],
  ['a default that is too large', { containers: { defaultCpu: Cpu.units(4), maxCpu: Cpu.units(2) } }, 'containers.defaultRequest.cpu: "4": is more than a container may have (2)'],
  ['an address', { network: { toCidrs: ['10.8.0.0'] } }, 'network.toCidrs: "10.8.0.0": is not an address range'],
  ['namespaces where everything is open', { network: { egress: Egress.ALL, toNamespaces: ['mlflow'] } }, 'network.toNamespaces: ["mlflow"]: applies only if egress is limited'],
  ['addresses where everything is open', { network: { egress: Egress.ALL, toCidrs: ['10.8.0.0/16'] } }, 'applies only if egress is limited'],
  ['a label', { costLabels: { 'cost center': 'x' } }, "costLabels['cost center']"],
  ['a label of its own', { costLabels: { 'pod-security.kubernetes.io/enforce': 'privileged' } }, 'is set by the team itself'],
])('synth tells of %s', (_what, props, words) => {
  expect(problems((chart) => new Team(chart, 'Team', { name: 'team-a', ...props }))).toEqual([expect.stringContaining(words)]);
});
