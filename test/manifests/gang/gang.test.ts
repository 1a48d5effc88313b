/** What each gang scheduler is told of a job. */
import { shortForm, longForm, resolved } from '../../model/jobs';
import { GANG_RENDERERS } from '../../../src/manifests/gang';
import { podRequests, toQuantities } from '../../../src/manifests/gang/gang-renderer';
import { constructJobObjects } from '../../../src/manifests/job/job-objects';
import type { PodSpec } from '../../../src/manifests/kubernetes';
import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import { GANG_SCHEDULERS, type GangScheduler, type GangSpec } from '../../../src/model/training-job/scheduling';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

const OWNER = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'net', uid: '0f3a', controller: true };
const ownership = { namespace: 'team', owner: OWNER };

const gang = (scheduler: GangScheduler, more: Partial<GangSpec> = {}, fields: Partial<TrainingJobSpec> = {}) => resolved(shortForm('plain', 3, {
  resources: { cpu: '500m', memory: '1Gi', gpu: 1 }, ...fields, scheduling: { ...fields.scheduling, gang: { scheduler, ...more } },
}));
const objects = (job: ReturnType<typeof gang>) => constructJobObjects({ job, ...ownership }).gangObjects;
const pods = (job: ReturnType<typeof gang>, attempt = 0) =>
  job.replicas.map((replica) => constructReplicaPod({ job, replica, attempt, ...ownership }));

describe('a gang', () => {
  test.each(GANG_SCHEDULERS)('of %s has objects that the job owns, named like the job, of the resources that its renderer tells', (scheduler) => {
    const found = objects(gang(scheduler));
    expect(found.map(({ kind, apiVersion }) => `${kind} ${apiVersion}`))
      .toEqual(GANG_RENDERERS[scheduler].resources.map(({ kind, group, version }) => `${kind} ${group}/${version}`));
    expect(found.map(({ metadata }) => metadata)).toEqual(found.map(() => ({
      name: 'net', namespace: 'team', labels: { 'job': 'net', 'app.kubernetes.io/managed-by': 'trainyard-operator' }, ownerReferences: [OWNER],
    })));
  });

  test.each(GANG_SCHEDULERS)('of %s has pods of its scheduler, unless the job or its template names another one', (scheduler) => {
    const names = (fields: Partial<TrainingJobSpec>) => new Set(pods(gang(scheduler, {}, fields)).map(({ spec }) => spec?.schedulerName));
    expect(names({})).toEqual(new Set([GANG_RENDERERS[scheduler].schedulerName]));
    expect(names({ scheduling: { schedulerName: 'mine' } })).toEqual(new Set(['mine']));
    expect(names({ template: { spec: { schedulerName: 'mine' } } })).toEqual(new Set(['mine']));
    expect(pods(gang(scheduler)).map(({ metadata }) => metadata?.labels?.['ml.collabnix.io/gang'])).toEqual(Array(3).fill(scheduler));
  });

  test('that is none has neither objects nor marks', () => {
    const job = resolved(shortForm('plain', 2));
    expect(constructJobObjects({ job, ...ownership }).gangObjects).toEqual([]);
    const [pod] = job.replicas.map((replica) => constructReplicaPod({ job, replica, attempt: 0, ...ownership }));
    expect(pod.spec?.schedulerName).toBeUndefined();
    expect(Object.keys(pod.metadata?.labels ?? {})).not.toContain('ml.collabnix.io/gang');
  });

  test('is as large as its minimum: all replicas, those that were asked for, or those that an elastic job cannot do without', () => {
    const minimum = (job: ReturnType<typeof gang>) => (objects(job)[0] as unknown as { spec: { minMember: number } }).spec.minMember;
    expect(minimum(gang('Volcano'))).toBe(3);
    expect(minimum(gang('Volcano', { minAvailable: 2 }))).toBe(2);
    expect(minimum(resolved(shortForm('pytorch', 3, { elastic: { minReplicas: 2, maxReplicas: 4 }, scheduling: { gang: { scheduler: 'Volcano' } } })))).toBe(2);
  });

  test('does not count init steps as members, but what the greediest of them asks for', () => {
    const template = { spec: { initContainers: [{ name: 'fetch', image: 'i', resources: { requests: { memory: '4Gi' } } }] } };
    expect(objects(gang('Coscheduling', {}, { template }))[0]).toMatchObject({
      spec: { minMember: 3, minResources: { 'cpu': '1500m', 'memory': String(12 * 2 ** 30), 'nvidia.com/gpu': '3' } },
    });
  });
});

describe('requests of a pod', () => {
  test('are those of containers and sidecars together, limits where there are no requests', () => {
    const spec: PodSpec = {
      containers: [{ name: 'a', resources: { requests: { cpu: '0.1' }, limits: { 'nvidia.com/gpu': '2' } } }, { name: 'b', resources: { limits: { cpu: '200m' } } }],
      initContainers: [{ name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } }, { name: 'i', resources: { requests: { cpu: '500m', memory: '1Ki' } } }],
    };
    expect(toQuantities(podRequests(spec))).toEqual({ 'cpu': '1300m', 'memory': '1024', 'nvidia.com/gpu': '2' });
  });
});

describe('YuniKorn', () => {
  const annotation = (job: ReturnType<typeof gang>, pod: number, name: string) => pods(job)[pod].metadata?.annotations?.[`yunikorn.apache.org/${name}`];

  test('has a task group for each role, with as many members as the minimum takes of it', () => {
    const job = resolved(longForm('tensorflow', { chief: 1, ps: { replicas: 2, resources: { cpu: '2' } }, worker: 2 }, {
      resources: { cpu: '1' }, scheduling: { nodeSelector: { pool: 'a' }, gang: { scheduler: 'YuniKorn', minAvailable: 3 } },
    }));
    const groups = JSON.parse(annotation(job, 0, 'task-groups')!) as { name: string; minMember: number; minResource: object; nodeSelector: object }[];
    expect(groups.map(({ name, minMember }) => [name, minMember]).flat()).toHaveLength(groups.length * 2);
    expect(groups.reduce((sum, group) => sum + group.minMember, 0)).toBe(3);
    expect(groups[0]).toMatchObject({ name: job.replicas[0].role, nodeSelector: { pool: 'a' }, minResource: { cpu: expect.stringMatching(/^[12]$/) } });
    const members = groups.map(({ name }) => name);
    job.replicas.forEach(({ role }, index) => {
      expect(annotation(job, index, 'task-group-name')).toBe(members.includes(role) ? role : undefined);
    });
  });

  test('sees an application of its own in each attempt, which no job of another namespace can have', () => {
    const ids = [0, 1].map((attempt) => pods(gang('YuniKorn', { queue: 'root.team' }), attempt)[0].metadata?.labels);
    expect(ids).toMatchObject([
      { 'applicationId': 'mltj-0f3a-0', 'yunikorn.apache.org/app-id': 'mltj-0f3a-0', 'queue': 'root.team', 'yunikorn.apache.org/queue': 'root.team' },
      { 'yunikorn.apache.org/app-id': 'mltj-0f3a-1' },
    ]);
    expect(annotation(gang('YuniKorn', { scheduleTimeoutSeconds: 90 }), 0, 'schedulingPolicyParameters')).toBe('placeholderTimeoutInSeconds=90 gangSchedulingStyle=Soft');
  });
});

test('KAI finds the queue on the pods, its own default one unless the job names one', () => {
  expect(pods(gang('Kai'))[0].metadata?.labels).toMatchObject({ 'kai.scheduler/queue': 'default-queue' });
  expect(pods(gang('Kai', { queue: 'research' }))[0].metadata?.labels).toMatchObject({ 'kai.scheduler/queue': 'research' });
});

test('Volcano hears of queue and priority', () => {
  expect(objects(gang('Volcano', {}, { scheduling: { priorityClassName: 'high' } }))[0]).toMatchObject({ spec: { queue: 'default', priorityClassName: 'high' } });
});
