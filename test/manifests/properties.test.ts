import fc from 'fast-check';
import { constructJobObjects } from '../../src/manifests/job/job-objects';
import { constructReplicaPod } from '../../src/manifests/pod/replica-pod';
import { RESERVED_POD_LABELS } from '../../src/model/labels';
import { replicasOfRole } from '../../src/model/training-job/replicas/replicas';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../src/model/training-job/replicas/resolve';
import type { PodTemplateSpec, TrainingJobSpec } from '../../src/model/training-job/spec';
import { jobName, validSpec } from '../model/training-job/arbitraries';

const label = fc.dictionary(fc.constantFrom(...RESERVED_POD_LABELS, 'team', 'tier'), fc.constantFrom('a', 'b'));

/** Templates as anybody could write them, also such as validation refuses. */
const template: fc.Arbitrary<PodTemplateSpec> = fc.record({
  metadata: fc.record({ labels: label }),
  spec: fc.record({
    restartPolicy: fc.constantFrom('Always', 'Never'),
    hostname: fc.constant('mine'),
    subdomain: fc.constant('mine'),
    nodeSelector: fc.constant({ disk: undefined }),
    containers: fc.constantFrom([], [{ name: 'training', tty: undefined, env: [{ name: 'OWN', value: '1' }] }], [{ name: 'side', image: 'side' }]),
  }, { requiredKeys: [] }),
}, { requiredKeys: [] });

const jobs: fc.Arbitrary<ResolvedTrainingJob> = fc.tuple(jobName, validSpec, fc.option(template, { nil: undefined }))
  .map(([name, spec, own]) => resolveTrainingJob(name, { ...spec, template: own } as TrainingJobSpec));

/** Objects of a job, of pods every seventh and the last. */
function objectsOf(job: ResolvedTrainingJob): unknown[] {
  const pods = job.roles.flatMap((role) => replicasOfRole(job, role.name))
    .filter((_replica, index, all) => index % 7 === 0 || index === all.length - 1)
    .map((replica) => constructReplicaPod({ job, replica, namespace: 'ml', attempt: 1 }));
  return [constructJobObjects({ job, namespace: 'ml' }), ...pods];
}

/** Paths of all values that are undefined. */
function undefinedIn(value: unknown, path = ''): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => undefinedIn(item, `${path}.${key}`));
  }
  return value === undefined ? [path] : [];
}

function freeze(value: unknown): void {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
}

describe('objects of any job', () => {
  test('are equal each time, change nothing in the job, and share nothing with it', () => {
    fc.assert(fc.property(jobs, (job) => {
      freeze(job.spec);
      freeze(job.roles);
      const first = objectsOf(job);
      expect(objectsOf(job)).toEqual(first);
      expect(() => freeze(first)).not.toThrow();
      const copy = JSON.parse(JSON.stringify(first));
      expect(copy).toEqual(first);
    }), { numRuns: 200 });
  });

  test('hold nothing undefined, so that they look the same in memory, in JSON and in YAML', () => {
    fc.assert(fc.property(jobs, (job) => expect(undefinedIn(objectsOf(job))).toEqual([])), { numRuns: 200 });
  });

  test('carry our labels, names and restart policy, whatever a template says', () => {
    fc.assert(fc.property(jobs, fc.nat(5), (job, attempt) => {
      for (const replica of job.replicas.slice(0, 5)) {
        const pod = constructReplicaPod({ job, replica, namespace: 'ml', attempt });
        expect(pod.metadata!.name).toBe(replica.podName);
        expect(pod.metadata!.labels).toMatchObject({
          'job': job.name,
          'role': replica.role,
          'ml.collabnix.io/replica-index': String(replica.index),
          'ml.collabnix.io/attempt': String(attempt),
          'app.kubernetes.io/managed-by': 'trainyard-operator',
        });
        expect(pod.spec!.restartPolicy).toBe('Never');
        expect(pod.spec!.containers[0].name).toBe('training');
        expect(new Set(pod.spec!.containers.map(({ name }) => name)).size).toBe(pod.spec!.containers.length);
      }
    }), { numRuns: 200 });
  });

  test('every host that a variable names is one that a service answers for', () => {
    fc.assert(fc.property(jobs, (job) => {
      const { services } = constructJobObjects({ job, namespace: 'ml' });
      const serviceNames = services.map((service) => service.metadata.name);
      const hosts = new Set(job.replicas.slice(0, 5).flatMap((replica) => {
        const env = constructReplicaPod({ job, replica, namespace: 'ml', attempt: 0 }).spec!.containers[0].env ?? [];
        return env.filter(({ name }) => /^(MASTER_ADDR|PET_MASTER_ADDR|COORDINATOR_ADDRESS|DMLC_PS_ROOT_URI|WORKER_ADDRS)$/.test(name))
          .flatMap(({ value }) => value!.split(','));
      }));
      for (const host of hosts) {
        const [first, ...rest] = host.split('.');
        expect(serviceNames).toContain(rest[0] ?? first);
      }
    }), { numRuns: 100 });
  });
});
