/** What Kueue is told of a queued job: by a Workload, or by marks on its pods. And where pods go that no queue places. */
import { longForm, resolved, shortForm } from '../model/jobs';
import { constructPodSets, constructWorkload, MAX_POD_SETS, podSetsHash, queuedSize, workloadName } from '../../src/manifests/kueue/workload';
import { constructReplicaPod, replicaPodSpecs } from '../../src/manifests/pod/replica-pod';
import type { PodPlacement } from '../../src/manifests/pod/placement';
import type { SchedulingSpec } from '../../src/model/training-job/scheduling';
import { MAX_ROLES, type TrainingJobSpec } from '../../src/model/training-job/spec';

const ownership = { namespace: 'team', owner: { apiVersion: 'v', kind: 'MLTrainingJob', name: 'net', uid: 'u-1', controller: true } };
const queued = (scheduling: Partial<SchedulingSpec> = {}, fields: Partial<TrainingJobSpec> = {}) =>
  resolved(shortForm('plain', 3, { resources: { cpu: '2', gpu: 1 }, scheduling: { queueName: 'q', ...scheduling }, ...fields }));
const pod = (job: ReturnType<typeof queued>, placement?: PodPlacement) =>
  constructReplicaPod({ job, replica: job.replicas[1], attempt: 2, placement, ...ownership });

describe('the Workload of a job', () => {
  test('has a pod set for each role with what Kueue decides by, and nothing of the program', () => {
    const job = resolved(longForm('pytorch', { master: 1, worker: { replicas: 3, resources: { cpu: '4' } } }, {
      resources: { cpu: '1' }, env: [{ name: 'SECRET', value: 'x' }], scheduling: { queueName: 'q', nodeSelector: { pool: 'a' }, priorityClassName: 'high' },
    }));
    const workload = constructWorkload(job, ownership, replicaPodSpecs(job, 'team'), 100) as unknown as { metadata: object; spec: { podSets: object[] } };
    expect(workload).toMatchObject({
      apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'Workload',
      metadata: { name: workloadName('net', 'u-1'), labels: { 'kueue.x-k8s.io/job-uid': 'u-1' }, annotations: { 'ml.collabnix.io/pod-sets-hash': podSetsHash(job) } },
      spec: { queueName: 'q', priority: 100, priorityClassRef: { group: 'scheduling.k8s.io', kind: 'PriorityClass', name: 'high' } },
    });
    expect(workload.spec.podSets).toMatchObject([
      { name: 'master', count: 1, template: { spec: { containers: [{ name: 'training', resources: { requests: { cpu: '1' } } }], nodeSelector: { pool: 'a' } } } },
      { name: 'worker', count: 3, template: { spec: { containers: [{ resources: { requests: { cpu: '4' } } }], priorityClassName: 'high' } } },
    ]);
    expect(JSON.stringify(workload)).not.toContain('SECRET');
  });

  test('stays within Kueue\'s number of pod sets, and is as small for ten thousand replicas as for one', () => {
    expect(MAX_ROLES).toBeLessThanOrEqual(MAX_POD_SETS);
    const size = (replicas: number) => JSON.stringify(constructPodSets(queued({}, { replicas }), replicaPodSpecs(queued({}, { replicas }), 'team'))).length;
    expect(size(10_000)).toBeLessThan(size(1) + 10);
  });

  test.each([
    ['pytorch', [['master', 1], ['worker', 5]]],
    ['horovod', [['launcher', 1], ['worker', 6]]],
  ] as const)('asks for the largest size of an elastic job of %s, however many replicas it has now', (framework, counts) => {
    const jobs = [1, 2, 4, 6].map((replicas) => (
      resolved(shortForm(framework, replicas, { elastic: { minReplicas: 1, maxReplicas: 6 }, scheduling: { queueName: 'q' } }))));
    for (const job of jobs) {
      expect(constructPodSets(job, replicaPodSpecs(queuedSize(job), 'team')).map(({ name, count }) => [name, count])).toEqual(counts);
      expect(podSetsHash(job)).toBe(podSetsHash(jobs[0]));
    }
  });

  test('has another hash when it is queued for something else', () => {
    const hashes = [queued(), queued({ queueName: 'r' }), queued({ queuePriorityClassName: 'p' }), queued({}, { replicas: 4 }), queued({}, { resources: { cpu: '3' } })].map(podSetsHash);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(podSetsHash(queued({}, { image: 'other', env: [{ name: 'A', value: 'b' }] }))).toBe(hashes[0]);
  });

  test('has the hash that earlier releases gave it, whatever defaults this one has for launchers', () => {
    const job = resolved(shortForm('mpi', 2, { resources: { cpu: '90', memory: '800Gi', gpu: 8 }, scheduling: { queueName: 'q' } }));
    expect(podSetsHash(job)).toBe('976d885dc4e33460');
    expect(job.roles[0].resources).toEqual({ cpu: '1', memory: '2Gi' });
  });

  test('has a name that is a label, and another one for another job of the name', () => {
    const long = 'n'.repeat(56);
    expect(workloadName(long, 'a').length).toBeLessThanOrEqual(63);
    expect(workloadName(long, 'a')).not.toBe(workloadName(long, 'b'));
  });

  test('asks for the topology of the job by the ranks of its pods', () => {
    const [set] = constructPodSets(queued({ topology: { key: 'rack' } }), replicaPodSpecs(queued(), 'team'));
    expect(set.topologyRequest).toEqual({ required: 'rack', podIndexLabel: 'ml.collabnix.io/replica-index' });
    const [preferred] = constructPodSets(queued({ topology: { key: 'rack', mode: 'Preferred' } }), replicaPodSpecs(queued(), 'team'));
    expect(preferred.topologyRequest).toMatchObject({ preferred: 'rack' });
  });
});

describe('a pod of a queued job', () => {
  test('has what its admission says, beside what the job says', () => {
    const placed = pod(queued({ nodeSelector: { zone: 'a' } }), {
      labels: { l: '1' }, annotations: { a: '1' }, nodeSelector: { pool: 'spot' }, tolerations: [{ key: 'spot', operator: 'Exists' }], schedulingGates: ['kueue.x-k8s.io/topology'],
    });
    expect(placed).toMatchObject({
      metadata: { labels: { l: '1', job: 'net' }, annotations: { a: '1' } },
      spec: { nodeSelector: { zone: 'a', pool: 'spot' }, schedulingGates: [{ name: 'kueue.x-k8s.io/topology' }] },
    });
    expect(placed.spec?.tolerations).toEqual(expect.arrayContaining([{ key: 'spot', operator: 'Exists' }, expect.objectContaining({ key: 'nvidia.com/gpu' })]));
  });

  test('in a pod group names its queue, its group of this attempt, and how many there are', () => {
    expect(pod(queued({ queueMode: 'PodGroup', queuePriorityClassName: 'high' })).metadata).toMatchObject({
      labels: { 'kueue.x-k8s.io/queue-name': 'q', 'kueue.x-k8s.io/pod-group-name': 'net-2', 'kueue.x-k8s.io/priority-class': 'high' },
      annotations: { 'kueue.x-k8s.io/pod-group-total-count': '3', 'kueue.x-k8s.io/role-hash': 'worker' },
    });
  });

  test.each<[string, 'jax' | 'plain', string | undefined]>([
    ['of a gang says that it is not replaced there: the next attempt is a group of its own', 'jax', 'false'],
    ['that is restarted alone stays in its group', 'plain', undefined],
  ])('in a pod group %s, and is not admitted before the others are known', (_how, framework, retriable) => {
    const job = resolved(shortForm(framework, 2, { scheduling: { queueName: 'q', queueMode: 'PodGroup' } }));
    const { metadata } = constructReplicaPod({ job, replica: job.replicas[0], attempt: 0, ...ownership });
    expect(metadata?.annotations?.['kueue.x-k8s.io/retriable-in-group']).toBe(retriable);
    expect(Object.keys(metadata?.annotations ?? {})).not.toContain('kueue.x-k8s.io/pod-group-fast-admission');
  });

  test('that the operator queues by a Workload has no label of a queue, or Kueue would queue it once more', () => {
    expect(Object.keys(pod(queued()).metadata?.labels ?? {}).filter((label) => label.includes('kueue'))).toEqual([]);
  });
});

describe('the topology of a job in no queue', () => {
  const affinity = (scheduling: SchedulingSpec, fields: Partial<TrainingJobSpec> = {}) => {
    const job = resolved(shortForm('plain', 3, { scheduling, ...fields }));
    const { spec } = constructReplicaPod({ job, replica: job.replicas[0], attempt: 0, ...ownership });
    return spec?.affinity as { podAffinity?: object; nodeAffinity?: object } | undefined;
  };

  test('is an affinity between its pods, as hard as the job wants it', () => {
    const term = { topologyKey: 'rack', labelSelector: { matchLabels: { 'job': 'net', 'app.kubernetes.io/managed-by': 'trainyard-operator' } } };
    expect(affinity({ topology: { key: 'rack' } })).toEqual({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } });
    expect(affinity({ topology: { key: 'rack', mode: 'Preferred' } }))
      .toEqual({ podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] } });
    expect(affinity({})).toBeUndefined();
    expect(affinity({ queueName: 'q', topology: { key: 'rack' } })).toBeUndefined();
  });

  test('stands beside the affinity of a template', () => {
    const template = { spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } } };
    expect(Object.keys(affinity({ topology: { key: 'rack' } }, { template }) ?? {}).sort()).toEqual(['nodeAffinity', 'podAffinity']);
  });
});
