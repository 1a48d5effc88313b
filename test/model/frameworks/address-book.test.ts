import fc from 'fast-check';
import { PodAddressBook, isMaster } from '../../../src/model/frameworks/address-book';
import { FRAMEWORK_NAMES } from '../../../src/model/training-job/spec';
import { environmentOf, longForm, loopback, resolved, shortForm } from '../jobs';

describe('addresses of pods', () => {
  const addresses = new PodAddressBook('net');

  test('are the blog\'s service for a master, and pod and service for everyone else', () => {
    expect(resolved(shortForm('pytorch', 3)).replicas.map((replica) => addresses.host(replica))).toEqual([
      'net-master', 'net-worker-0.net', 'net-worker-1.net',
    ]);
    expect(resolved(longForm('tensorflow', { chief: 1, ps: 1 })).replicas.map((replica) => addresses.host(replica))).toEqual([
      'net-chief.net', 'net-ps-0.net',
    ]);
  });

  test('are different for each of several masters of a plain job', () => {
    const job = resolved(longForm('plain', { master: 2 }));
    expect(job.replicas.map((replica) => addresses.host(replica))).toEqual(['net-master-0.net', 'net-master-1.net']);
    expect(job.replicas.map((replica) => isMaster('net', replica))).toEqual([false, false]);
  });

  test('have every port to themselves', () => {
    const [master, worker] = resolved(shortForm('pytorch', 2)).replicas;
    expect([addresses.port(master, 'master', 29500), addresses.port(worker, 'master', 29500)]).toEqual([29500, 29500]);
  });
});

describe('addresses of processes on one machine', () => {
  test('are all 127.0.0.1', () => {
    const hosts = FRAMEWORK_NAMES.flatMap((name) => resolved(shortForm(name, 3)).replicas.map((replica) => loopback().host(replica)));
    expect(new Set(hosts)).toEqual(new Set(['127.0.0.1']));
  });

  test('ask for one port a replica and name, whatever pods listen on', () => {
    const addresses = loopback();
    const job = resolved(shortForm('tensorflow', 3));
    const ports = job.replicas.flatMap((replica) => ['master', 'tfjob-port'].map((name) => addresses.port(replica, name, 2222)));
    expect(ports).toEqual([41000, 41001, 41010, 41011, 41020, 41021]);
  });

  test('leave no name of a pod and no standard port in any variable of any framework', () => {
    fc.assert(fc.property(fc.constantFrom(...FRAMEWORK_NAMES), fc.integer({ min: 1, max: 5 }), (framework, replicas) => {
      const spec = shortForm(framework, replicas);
      for (const { podName } of resolved(spec).replicas) {
        const { TRAINYARD_JOB_NAME, PADDLE_JOB_ID, ...environment } = environmentOf(spec, podName, loopback());
        for (const value of Object.values(environment)) {
          expect(value).not.toMatch(/net|29500|9091|:2222/);
        }
        expect([TRAINYARD_JOB_NAME, PADDLE_JOB_ID ?? 'net']).toEqual(['net', 'net']);
      }
    }), { numRuns: 60 });
  });

  test('are the same for all replicas where they name the same one', () => {
    fc.assert(fc.property(fc.constantFrom(...FRAMEWORK_NAMES), fc.integer({ min: 2, max: 6 }), (framework, replicas) => {
      const spec = shortForm(framework, replicas);
      const meeting = resolved(spec).replicas.map(({ podName }) => {
        const { MASTER_ADDR, MASTER_PORT } = environmentOf(spec, podName, loopback());
        return `${MASTER_ADDR}:${MASTER_PORT}`;
      });
      expect(new Set(meeting).size).toBe(1);
    }), { numRuns: 60 });
  });
});
