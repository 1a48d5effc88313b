import { App, Chart, Duration, Testing } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Engine, Framework, Gpu, Tpu, TrainingJob, type TrainingJobProps } from '../../../src';
import { QueuedProvisioningCheck } from '../../../src/constructs/gke';
import {
  ClusterQueue, Cohort, LocalQueue, MultiKueue, MultiKueueCluster, MultiKueueSource, Quota, ResourceFlavor, WorkloadPriorityClass,
  type ClusterQueueProps,
} from '../../../src/constructs/queues';
import { queueProgram } from '../../support/queues/program';
import { errorsOf } from '../../support/synth-errors';

function synthesized(program: (chart: Chart) => void) {
  const chart = Testing.chart();
  program(chart);
  return Testing.synth(chart);
}

function problems(program: (chart: Chart) => void): string[] {
  const app = new App();
  program(new Chart(app, 'chart', { namespace: 'team-a' }));
  return errorsOf(app);
}

function queueWith(chart: Chart, props: ClusterQueueProps = {}): LocalQueue {
  const h100 = new ResourceFlavor(chart, 'h100', { nodes: { gpu: Gpu.nvidia(8) } });
  const clusterQueue = new ClusterQueue(chart, 'research', {
    resourceGroups: [{ flavors: [{ flavor: h100, quotas: [Quota.gpu(Gpu.nvidia(64))] }] }], ...props, name: 'research',
  });
  return new LocalQueue(chart, 'local', { metadata: { name: 'team-a' }, clusterQueue });
}

const job = (chart: Chart, props: Partial<TrainingJobProps> = {}) => new TrainingJob(chart, 'Job', {
  metadata: { name: 'llm' }, framework: Framework.pytorch(), image: 'train:1', replicas: 16, resources: { gpu: Gpu.nvidia(8) }, scheduling: { queueName: 'team-a' }, ...props,
});

const TOO_LARGE = "TrainingJob 'llm': spec.scheduling.queueName: \"team-a\": can never be admitted: ";

test('the least queue takes jobs of all namespaces', () => {
  const objects = synthesized((chart) => new LocalQueue(chart, 'Local', {
    metadata: { name: 'local' },
    clusterQueue: new ClusterQueue(chart, 'Cluster', { name: 'q', resourceGroups: [{ flavors: [{ flavor: ResourceFlavor.fromFlavorName('default'), quotas: [Quota.cpu(Cpu.units(4))] }] }] }),
  }));
  expect(objects).toEqual([
    {
      apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'ClusterQueue', metadata: { name: 'q' },
      spec: { namespaceSelector: {}, resourceGroups: [{ coveredResources: ['cpu'], flavors: [{ name: 'default', resources: [{ name: 'cpu', nominalQuota: '4' }] }] }] },
    },
    { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'LocalQueue', metadata: { name: 'local' }, spec: { clusterQueue: 'q' } },
  ]);
});

test('all options', () => {
  const objects = synthesized(queueProgram);
  const spec = (kind: string, name: string) => objects.find((object) => object.kind === kind && object.metadata.name === name).spec;
  expect(spec('ClusterQueue', 'research')).toMatchObject({
    cohortName: 'ml',
    namespaceSelector: { matchLabels: { tier: 'research' }, matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['team-a', 'team-b'] }] },
    fairSharing: { weight: '500m' },
    preemption: { borrowWithinCohort: { policy: 'LowerPriority', maxPriorityThreshold: 100 } },
    admissionChecksStrategy: { admissionChecks: [{ name: 'dws', onFlavors: ['h100'] }, { name: 'capacity', onFlavors: ['spot'] }, { name: 'budget' }] },
    admissionScope: { admissionMode: 'UsageBasedAdmissionFairSharing' },
  });
  expect(spec('ProvisioningRequestConfig', 'dws')).toMatchObject({
    provisioningClassName: 'queued-provisioning.gke.io', retryStrategy: { backoffLimitCount: 5, backoffBaseSeconds: 120, backoffMaxSeconds: 3600 },
  });
  expect(spec('ProvisioningRequestConfig', 'capacity')).toEqual({ provisioningClassName: 'check-capacity.autoscaling.x-k8s.io', managedResources: ['cpu'] });
  expect(spec('Cohort', 'ml')).toMatchObject({ parentName: 'company', fairSharing: { weight: '2' } });
  expect(objects.filter(({ kind }) => kind !== 'LocalQueue').map(({ metadata }) => metadata.namespace)).toEqual(expect.not.arrayContaining(['team-a']));
  expect(objects.filter(({ apiVersion }) => apiVersion.startsWith('kueue'))).toMatchSnapshot();
});

test('quotas come in the order of the first flavor, which Kueue asks for', () => {
  const flavor = (name: string) => ResourceFlavor.fromFlavorName(name);
  const [{ spec }] = synthesized((chart) => new ClusterQueue(chart, 'Queue', {
    resourceGroups: [{ flavors: [{ flavor: flavor('a'), quotas: [Quota.cpu(Cpu.units(1)), Quota.pods(2)] }, { flavor: flavor('b'), quotas: [Quota.pods(3), Quota.cpu(Cpu.units(4))] }] }],
  }));
  expect(spec.resourceGroups[0].flavors[1].resources).toEqual([{ name: 'cpu', nominalQuota: '4' }, { name: 'pods', nominalQuota: '3' }]);
});

test('what a queue names comes before it', () => {
  const kinds = synthesized((chart) => {
    const queue = new ClusterQueue(chart, 'A', { cohort: new Cohort(chart, 'Z') });
    queue.addResourceGroup({ flavors: [{ flavor: new ResourceFlavor(chart, 'Y'), quotas: [Quota.pods(1)] }] });
  }).map(({ kind }) => kind);
  expect(kinds[2]).toBe('ClusterQueue');
});

describe('a job that can never fit its queue', () => {
  test('is an error with the numbers', () => {
    expect(problems((chart) => {
      queueWith(chart);
      job(chart);
    })).toEqual([`[chart/local] ${TOO_LARGE}role 'worker' (15 x 8 nvidia.com/gpu) fits in no flavor of ClusterQueue 'research': flavor 'chart-h100' can have at most 64 nvidia.com/gpu `
      + "(64 nominal, and no cohort to borrow from), and 120 are requested. At most 8 replicas of the role fit (flavor 'chart-h100'): request fewer, or raise the quota."]);
  });

  test.each<[string, Partial<TrainingJobProps>, string]>([
    ['larger than a node', { replicas: 1, resources: { gpu: Gpu.nvidia(16) } }, 'a replica requests 16 nvidia.com/gpu, and a node has 8'],
    ['with a resource that has no quota', { replicas: 1, resources: { gpu: Gpu.nvidia(8), cpu: Cpu.units(4) } }, 'has no quota of cpu'],
    ['elastic, at its largest', { replicas: 2, elastic: { minReplicas: 2, maxReplicas: 9 } }, 'request 72 nvidia.com/gpu together'],
    ['an array, by one of its copies', { array: { count: 4 }, replicas: 9 }, 'request 72 nvidia.com/gpu together'],
    ['on another engine', { engine: Engine.jobSet(), replicas: 9 }, 'request 72 nvidia.com/gpu together'],
  ])('%s', (_what, props, words) => {
    expect(problems((chart) => {
      queueWith(chart);
      job(chart, props);
    })).toEqual([expect.stringContaining(words)]);
  });

  test('is none where the resource without a quota is not counted', () => {
    expect(problems((chart) => {
      queueWith(chart, { uncountedResources: ['cpu'] });
      job(chart, { replicas: 1, resources: { gpu: Gpu.nvidia(8), cpu: Cpu.units(4) } });
    })).toEqual([]);
  });

  test('is larger than a node of TPUs', () => {
    expect(problems((chart) => {
      const v6e = new ResourceFlavor(chart, 'v6e', { nodes: { tpu: Tpu.chips(4) } });
      const clusterQueue = new ClusterQueue(chart, 'tpus', { resourceGroups: [{ flavors: [{ flavor: v6e, quotas: [Quota.tpu(Tpu.chips(64))] }] }] });
      new LocalQueue(chart, 'local', { metadata: { name: 'team-a' }, clusterQueue });
      job(chart, { replicas: 1, resources: { tpu: Tpu.chips(8) } });
    })).toEqual([expect.stringContaining('a replica requests 8 google.com/tpu, and a node has 4')]);
  });

  test('is found when the queue gets its quota later', () => {
    expect(problems((chart) => {
      job(chart, { replicas: 8 });
      const clusterQueue = new ClusterQueue(chart, 'research');
      new LocalQueue(chart, 'local', { metadata: { name: 'team-a' }, clusterQueue });
      clusterQueue.addResourceGroup({ flavors: [{ flavor: ResourceFlavor.fromFlavorName('h100'), quotas: [Quota.gpu(Gpu.nvidia(56))] }] });
    })).toEqual([expect.stringContaining('can have at most 56')]);
  });

  test.each<[string, (chart: Chart) => void]>([
    ['as large as the quota', (chart) => {
      queueWith(chart);
      job(chart, { replicas: 8 });
    }],
    ['of another namespace', (chart) => {
      queueWith(chart);
      job(chart, { metadata: { name: 'llm', namespace: 'team-b' } });
    }],
    ['of another queue', (chart) => {
      queueWith(chart);
      job(chart, { scheduling: { queueName: 'team-b' } });
    }],
    ['of a queue that is not in the program', (chart) => {
      new LocalQueue(chart, 'local', { metadata: { name: 'team-a' }, clusterQueue: ClusterQueue.fromClusterQueueName('theirs') });
      job(chart);
    }],
    ['of a cohort that is not in the program', (chart) => {
      queueWith(chart, { cohort: Cohort.fromCohortName('all') });
      job(chart);
    }],
  ])('is not one %s', (_what, program) => {
    // That the queue is not there is another matter.
    expect(problems(program).filter((problem) => !problem.includes('[reference-'))).toEqual([]);
  });

  test('is not looked for while the job itself is wrong', () => {
    expect(problems((chart) => {
      queueWith(chart);
      job(chart, { replicas: 0 });
    })).toEqual([expect.stringContaining('spec.replicas')]);
  });
});

test.each<[string, (chart: Chart) => void, string]>([
  ['a queue of other namespaces', (chart) => queueWith(chart, { namespaces: ['team-b'] }), "metadata.namespace: \"team-a\": ClusterQueue 'research' only accepts jobs of team-b."],
  ['a limit without a cohort', (chart) => queueWith(chart, { resourceGroups: [{ flavors: [{ flavor: ResourceFlavor.fromFlavorName('a'), quotas: [Quota.gpu(Gpu.nvidia(1), { borrowingLimit: 1 })] }] }] }),
    "ClusterQueue 'research': spec.resourceGroups[0].flavors[0].resources['nvidia.com/gpu'].borrowingLimit"],
  ['a cohort\'s limit', (chart) => new Cohort(chart, 'all', { name: 'all', fairSharingWeight: -1 }), "Cohort 'all': spec.fairSharing.weight: -1"],
  ['a flavor\'s labels', (chart) => new ResourceFlavor(chart, 'f', { name: 'f', nodeLabels: { 'a b': 'c' } }), "ResourceFlavor 'f': spec.nodeLabels['a b']"],
  ['more than the nodes have', (chart) => queueWith(chart, {
    resourceGroups: [{ flavors: [{ flavor: new ResourceFlavor(chart, 'f', { name: 'f', nodes: { count: 2, gpu: Gpu.nvidia(8) } }), quotas: [Quota.gpu(Gpu.nvidia(24))] }] }],
  }), "\"24 nvidia.com/gpu\": is the total of the quotas (24 nvidia.com/gpu of 'research'), but 2 nodes of 8 have 16"],
  ['a priority', (chart) => new WorkloadPriorityClass(chart, 'p', { name: 'p', value: 2 ** 31 }), "WorkloadPriorityClass 'p': value: 2147483648: must be a whole number"],
  ['a description', (chart) => new WorkloadPriorityClass(chart, 'p', { name: 'p', value: 1, description: 'x'.repeat(2049) }), 'description: 2049 characters'],
  ['no cluster', (chart) => new MultiKueue(chart, 'm', { name: 'm', clusters: [] }), "MultiKueue 'm': spec.clusters: 0: must be 1 to 20."],
  ['a cluster twice', (chart) => {
    const cluster = new MultiKueueCluster(chart, 'c', { name: 'c', source: MultiKueueSource.kubeConfigSecret('s') });
    return new MultiKueue(chart, 'm', { name: 'm', clusters: [cluster, cluster] });
  }, 'spec.clusters: "c": is listed twice'],
  ['a name that no label is', (chart) => new MultiKueue(chart, 'm', { name: 'a.b', clusters: [new MultiKueueCluster(chart, 'c', { source: MultiKueueSource.clusterProfile('p') })] }), 'metadata.name: "a.b": must be a DNS label'],
  ['a time to live where nobody limits it', (chart) => new QueuedProvisioningCheck(chart, 'c', { name: 'c', className: 'check-capacity.autoscaling.x-k8s.io', maxRunDuration: Duration.days(1) }),
    "QueuedProvisioningCheck 'c': maxRunDuration: 86400: is a parameter of GKE's class queued-provisioning.gke.io"],
  ['a class that is none', (chart) => new QueuedProvisioningCheck(chart, 'c', { name: 'c', className: 'Check Capacity' }), 'className: "Check Capacity": must be lower-case letters'],
  ['pauses that shrink', (chart) => new QueuedProvisioningCheck(chart, 'c', { name: 'c', retries: { firstPause: Duration.hours(1), longestPause: Duration.minutes(1) } }), 'retries.longestPause: 60: is shorter than the first (3600).'],
  ['half a retry', (chart) => new QueuedProvisioningCheck(chart, 'c', { name: 'c', retries: { limit: 0.5 } }), 'retries.limit: 0.5: must be a whole number, 0 or more.'],
  ['an empty location', (chart) => new MultiKueueCluster(chart, 'c', { name: 'c', source: MultiKueueSource.kubeConfigPath('') }), "MultiKueueCluster 'c': spec.clusterSource: 0 characters"],
])('synth tells of %s', (_what, program, words) => {
  expect(problems(program)).toEqual([expect.stringContaining(words)]);
});
