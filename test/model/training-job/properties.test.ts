/** What holds for every valid job of every framework. */
import fc from 'fast-check';
import { PodAddressBook } from '../../../src/model/frameworks/address-book';
import { DNS_LABEL_MAX_LENGTH, podName } from '../../../src/model/names';
import { replicaEnvironment, replicaHelpers, reservedVariables } from '../../../src/model/training-job/environment/environment';
import { coordinatorOf, needsPeerService } from '../../../src/model/training-job/replicas/replicas';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import { FRAMEWORK_NAMES, type TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { longForm, loopback, shortForm } from '../jobs';
import { jobName, validSpec } from './arbitraries';
import { PROGRESS_VARIABLES } from '../../../src/model/progress/contract';

const upTo = (n: number) => Array.from({ length: n }, (_, index) => index);

/** Runs a property over random valid jobs. */
function forEveryJob(property: (name: string, spec: TrainingJobSpec, job: ReturnType<typeof resolveTrainingJob>) => void, numRuns = 300): void {
  fc.assert(fc.property(jobName, validSpec, (name, spec) => {
    property(name, spec, resolveTrainingJob(name, spec));
  }), { numRuns });
}

test.each(FRAMEWORK_NAMES)('a job of %s in short form is valid with any number of replicas, beside every field that it can have', (framework) => {
  for (const replicas of [1, 2, 3, 17, 1000]) {
    expect(validateTrainingJob('net', shortForm(framework, replicas))).toEqual([]);
  }
  const full = shortForm(framework, 2, {
    command: ['python'], args: ['train.py'], workingDir: '/app', port: 1234, nprocPerNode: 2, checkpointPath: '/c', checkpoint: { claimName: 'c' },
    env: [{ name: 'A', value: '1' }], hyperparameters: { LR: '1' }, resources: { gpu: 1, cpu: '4', memory: '1Gi' },
    runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 0 }, scheduling: { priorityClassName: 'p' }, suspend: true,
  });
  expect(validateTrainingJob('net', full)).toEqual([]);
});

test('random jobs of all frameworks are valid', () => {
  forEveryJob((name, spec) => expect(validateTrainingJob(name, spec)).toEqual([]), 500);
});

test('ordinals and ranks are given once each, from 0, without a gap', () => {
  forEveryJob((_name, _spec, job) => {
    expect(job.replicas.map((replica) => replica.ordinal)).toEqual(upTo(job.replicas.length));
    const ranks = job.replicas.map((replica) => replica.rank).filter((rank) => rank !== undefined);
    expect(ranks).toEqual(upTo(job.trainers));
  });
});

test('indexes count through each role', () => {
  forEveryJob((_name, _spec, job) => {
    for (const role of job.roles) {
      const replicas = job.replicas.filter((replica) => replica.role === role.name);
      expect(replicas.map((replica) => replica.index)).toEqual(upTo(role.replicas));
      expect(replicas.every((replica) => (replica.rank !== undefined) === role.ranked)).toBe(true);
    }
  });
});

test('the coordinator is the first replica, and rank 0 where it is ranked', () => {
  forEveryJob((_name, _spec, job) => {
    const coordinator = coordinatorOf(job);
    expect(coordinator.ordinal).toBe(0);
    expect([0, undefined]).toContain(coordinator.rank);
    expect(coordinator.rank === 0 || !job.roles[0].ranked).toBe(true);
  });
});

test('pod names are different from each other and start with the job\'s name', () => {
  forEveryJob((name, _spec, job) => {
    const pods = job.replicas.map((replica) => replica.podName);
    expect(new Set(pods).size).toBe(pods.length);
    expect(pods.every((pod) => pod.startsWith(`${name}-`))).toBe(true);
  });
});

test('the order in which roles are written changes nothing', () => {
  forEveryJob((name, spec, job) => {
    if (spec.framework !== 'plain' && spec.roles) {
      const reversed = resolveTrainingJob(name, { ...spec, roles: [...spec.roles].reverse() });
      expect(reversed.replicas).toEqual(job.replicas);
    }
  });
});

describe('the environment of every replica', () => {
  test('sets every variable that it reserves, each variable once, to text or a source', () => {
    forEveryJob((name, _spec, job) => {
      const addresses = new PodAddressBook(name);
      for (const replica of job.replicas) {
        const environment = replicaEnvironment({ job, replica, addresses }, 0);
        const names = environment.map((entry) => entry.name);
        expect(new Set(names).size).toBe(names.length);
        const reserved = reservedVariables({ job, replica, addresses });
        // Those of the progress endpoint are reserved whether or not the operator serves one: a job is not to change its meaning with that.
        expect([...reserved].filter((variable) => !names.includes(variable) && !PROGRESS_VARIABLES.includes(variable))).toEqual([]);
        for (const { name: variable, value, valueFrom } of environment) {
          expect((value === undefined) !== (valueFrom === undefined)).toBe(true);
          expect(reserved.has(variable) ? value ?? '' : '').not.toMatch(/undefined|NaN/);
        }
      }
    }, 100);
  });

  test('is the same each time, for equal specs and for any address book', () => {
    forEveryJob((name, spec, job) => {
      const again = resolveTrainingJob(name, structuredClone(spec));
      for (const addresses of [new PodAddressBook(name), loopback()]) {
        for (const [index, replica] of job.replicas.entries()) {
          const first = replicaEnvironment({ job, replica, addresses }, 1);
          expect(JSON.stringify(replicaEnvironment({ job: again, replica: again.replicas[index], addresses }, 1))).toBe(JSON.stringify(first));
        }
      }
    }, 60);
  });

  test('gives all replicas one meeting point and one world size, and each rank once', () => {
    forEveryJob((name, _spec, job) => {
      const environments = job.replicas.map((replica) => Object.fromEntries(
        replicaEnvironment({ job, replica, addresses: new PodAddressBook(name) }, 0).map((entry) => [entry.name, entry.value])));
      const shared = environments.map(({ MASTER_ADDR, MASTER_PORT, WORLD_SIZE }) => `${MASTER_ADDR} ${MASTER_PORT} ${WORLD_SIZE}`);
      expect(new Set(shared).size).toBe(1);
      const ranks = environments.flatMap(({ RANK }) => (RANK === undefined ? [] : [Number(RANK)]));
      expect(ranks).toEqual(['mpi', 'horovod', 'deepspeed'].includes(job.framework.name) ? [] : upTo(job.trainers));
    }, 100);
  });

  test('has helpers that differ in the framework\'s own variables only', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 5 }), (replicas) => {
      const job = resolveTrainingJob('net', shortForm('mxnet', replicas, { hyperparameters: { LR: '1' } }));
      const context = { job, replica: job.replicas[0], addresses: new PodAddressBook('net') };
      const own = replicaEnvironment(context, 0);
      for (const helper of replicaHelpers(context, 0)) {
        const differing = helper.env.filter((entry) => !own.some((other) => other.name === entry.name && other.value === entry.value));
        expect(differing.map((entry) => entry.name)).toEqual(['DMLC_ROLE']);
        expect(helper.env).toHaveLength(own.length);
      }
    }));
  });
});

test('whatever name and size a job has, validation finds exactly those whose host names do not fit', () => {
  const names = fc.integer({ min: 1, max: 63 }).map((length) => 'x'.repeat(length));
  const sizes = fc.constantFrom(1, 2, 9, 10, 11, 99, 100, 101, 1000, 2000);
  fc.assert(fc.property(names, fc.constantFrom(...FRAMEWORK_NAMES), sizes, (name, framework, replicas) => {
    const spec = shortForm(framework, replicas);
    const job = resolveTrainingJob(name, spec);
    const hosts = [`${name}-master`, ...(needsPeerService(job) ? job.replicas.map((replica) => replica.podName) : [])];
    const longest = Math.max(...hosts.map((host) => host.length));
    const refused = validateTrainingJob(name, spec).some((violation) => violation.path === 'metadata.name');
    expect(refused).toBe(longest > DNS_LABEL_MAX_LENGTH);
    if (!refused) {
      const dialled = job.replicas.map((replica) => new PodAddressBook(name).host(replica));
      expect(needsPeerService(job) ? dialled.flatMap((host) => host.split('.')).every((label) => label.length <= 63) : true).toBe(true);
      expect(new PodAddressBook(name).host(coordinatorOf(job)).split('.').every((label) => label.length <= 63)).toBe(true);
    }
  }), { numRuns: 300 });
});

test('roles of a plain job never give two replicas the same pod, however they are called', () => {
  const roleName = fc.stringMatching(/^[a-z](-?[a-z0-9]){0,4}$/);
  fc.assert(fc.property(fc.uniqueArray(roleName, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 12 }), (roles, replicas) => {
    const spec = longForm('plain', Object.fromEntries(roles.map((role) => [role, replicas])));
    const pods = resolveTrainingJob('net', spec).replicas.map((replica) => replica.podName);
    expect(new Set(pods).size).toBe(pods.length);
    expect(pods[pods.length - 1]).toBe(podName('net', spec.roles![roles.length - 1].name, replicas - 1, false));
  }));
});
