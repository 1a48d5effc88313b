/** Jobs with helpers in the model: who trains, who finds whom, and which there can be. */
import fc from 'fast-check';
import { validSpec } from '../arbitraries';
import { job, jobWithRoles, testMistakes } from '../mistakes';
import { environmentOf, loopback, resolved, shortForm } from '../../jobs';
import { replicaEnvironment } from '../../../../src/model/training-job/environment/environment';
import { PodAddressBook } from '../../../../src/model/frameworks/address-book';
import { primaryOf } from '../../../../src/model/training-job/replicas/helpers';
import type { HelperSpec } from '../../../../src/model/training-job/replicas/role-specs';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';

const ACTOR: HelperSpec = { name: 'actor', replicas: 2, image: 'actor' };
const BUFFER: HelperSpec = { name: 'replay-buffer', command: ['redis-server'], port: 6379, onFailure: 'Fail' };
const helpers = [ACTOR, BUFFER];

test('helpers stand behind those that train, without ranks, with an image and a policy of their own', () => {
  const { roles, replicas, trainers } = resolved(shortForm('pytorch', 2, { helpers, command: ['train'], resources: { gpu: 8 } }));
  expect(roles.map(({ name, replicas: count, ranked, image, command, resources, restartPolicy, helper }) => (
    { name, count, ranked, image, command, gpu: resources.gpu, restartPolicy, helper }))).toEqual([
    { name: 'master', count: 1, ranked: true, image: 'image', command: ['train'], gpu: 8, restartPolicy: 'Never', helper: undefined },
    { name: 'worker', count: 1, ranked: true, image: 'image', command: ['train'], gpu: 8, restartPolicy: 'Never', helper: undefined },
    { name: 'actor', count: 2, ranked: false, image: 'actor', command: undefined, gpu: undefined, restartPolicy: 'OnFailure', helper: { port: 29600, onFailure: 'Restart' } },
    { name: 'replay-buffer', count: 1, ranked: false, image: 'image', command: ['redis-server'], gpu: undefined, restartPolicy: 'Never', helper: { port: 6379, onFailure: 'Fail' } },
  ]);
  expect(replicas.map(({ podName }) => podName)).toEqual(['net-master', 'net-worker-0', 'net-actor-0', 'net-actor-1', 'net-replay-buffer-0']);
  expect(trainers).toBe(2);
});

test('every replica finds the addresses of all roles, and a helper takes itself for no rank', () => {
  const spec = shortForm('pytorch', 2, { helpers });
  const lists = {
    TRAINYARD_PRIMARY_HOSTS: 'net-master:29600,net-worker-0.net:29600',
    TRAINYARD_MASTER_HOSTS: 'net-master:29600',
    TRAINYARD_WORKER_HOSTS: 'net-worker-0.net:29600',
    TRAINYARD_ACTOR_HOSTS: 'net-actor-0.net:29600,net-actor-1.net:29600',
    TRAINYARD_REPLAY_BUFFER_HOSTS: 'net-replay-buffer-0.net:6379',
  };
  expect(environmentOf(spec, 'net-worker-0')).toMatchObject({ ...lists, ROLE: 'worker', RANK: '1', WORLD_SIZE: '2', PET_NNODES: '2', TRAINYARD_PORT: '29600' });
  const buffer = environmentOf(spec, 'net-replay-buffer-0');
  expect(buffer).toMatchObject({ ...lists, ROLE: 'replay-buffer', TRAINYARD_REPLICA_INDEX: '0', TRAINYARD_PORT: '6379' });
  ['RANK', 'WORLD_SIZE', 'MASTER_ADDR', 'PET_NNODES'].forEach((name) => expect(buffer).not.toHaveProperty(name));
});

test('on one machine each replica has a port of its own', () => {
  const environment = environmentOf(shortForm('jax', 1, { helpers }), 'net-actor-1', loopback());
  expect(environment).toMatchObject({
    TRAINYARD_PORT: '41021', TRAINYARD_ACTOR_HOSTS: '127.0.0.1:41011,127.0.0.1:41021', TRAINYARD_PRIMARY_HOSTS: '127.0.0.1:41001',
  });
});

test('a job without helpers has none of it', () => {
  const environment = environmentOf(shortForm('jax', 2), 'net-worker-0');
  expect(Object.keys(environment).filter((name) => /_HOSTS$|TRAINYARD_PORT/.test(name))).toEqual([]);
  const job = resolved(shortForm('jax', 2));
  expect(primaryOf(job)).toBe(job);
});

test('whatever the framework, those that train find what they would without helpers', () => {
  fc.assert(fc.property(validSpec, fc.nat(), (spec, at) => {
    fc.pre((spec.roles?.length ?? 0) <= 14 && !(spec.roles ?? []).some(({ name }) => name === 'actor'));
    const alone = resolveTrainingJob('net', spec);
    const together = resolveTrainingJob('net', { ...spec, helpers });
    expect(validateTrainingJob('net', { ...spec, helpers })).toEqual([]);
    const position = at % alone.replicas.length;
    const addresses = new PodAddressBook('net');
    const [before, after] = [alone, together].map((job) => new Map(
      replicaEnvironment({ job, replica: job.replicas[position], addresses }, 0).map((entry) => [entry.name, entry])));
    before.forEach((entry, name) => expect(after.get(name)).toEqual(entry));
    expect([...after.keys()].filter((name) => !before.has(name)).every((name) => /^TRAINYARD_(PORT|\w+_HOSTS)$/.test(name))).toBe(true);
    expect(together.successPolicy).toBe(alone.successPolicy);
  }), { numRuns: 300 });
});

describe('mistakes', () => {
  testMistakes([
    ['a helper without a name', job({ helpers: [{ image: 'x' }] }), 'spec.helpers[0].name', undefined, ['is required']],
    ['a name that is none', job({ helpers: [{ name: 'My_Actor', image: 'x' }] }), 'spec.helpers[0].name', 'My_Actor', ['is part of pod names']],
    ['a role of the framework', job({ helpers: [{ name: 'worker', image: 'x' }] }), 'spec.helpers[0].name', 'worker', ['is a training role of PyTorch', 'spec.roles']],
    ['a role that trains', job({ framework: 'plain', replicas: undefined, roles: [{ name: 'learner' }], helpers: [{ name: 'learner', image: 'x' }] }),
      'spec.helpers[0].name', 'learner', ['is also the name of a training role']],
    ['the name that stands for all', job({ helpers: [{ name: 'primary', image: 'x' }] }), 'spec.helpers[0].name', 'primary', ['TRAINYARD_PRIMARY_HOSTS']],
    ['a name twice', job({ helpers: [ACTOR, ACTOR] }), 'spec.helpers[1].name', 'actor', ['spec.helpers[0] has the same name']],
    ['no program', job({ helpers: [{ name: 'actor' }] }), 'spec.helpers[0].command', undefined, ['is required with the job\'s image (image)']],
    ['a word that is none', job({ helpers: [{ ...ACTOR, onFailure: 'Retry' }] }), 'spec.helpers[0].onFailure', 'Retry', ['Restart, Fail, Ignore']],
    ['a port that is none', job({ helpers: [{ ...ACTOR, port: 0 }] }), 'spec.helpers[0].port', 0, ['port from 1 to 65535']],
    ['a restart policy', job({ helpers: [{ ...ACTOR, restartPolicy: 'Never' }] }), 'spec.helpers[0].restartPolicy', 'Never', ['is not a field of a helper']],
    ['an elastic job', job({ helpers, elastic: { minReplicas: 1, maxReplicas: 3 } }), 'spec.helpers', ['actor', 'replay-buffer'], ['cannot be combined with elastic']],
    ['GPUs and TPUs', job({ helpers: [{ ...ACTOR, resources: { gpu: 1, tpu: 1 } }] }), 'spec.helpers[0].resources.tpu', 1, ['no node has both']],
    ['a variable of the contract', job({ helpers: [{ ...ACTOR, env: [{ name: 'TRAINYARD_ACTOR_HOSTS', value: 'x' }] }] }),
      'spec.helpers[0].env[\'TRAINYARD_ACTOR_HOSTS\']', 'x', ['is set by the PyTorch contract']],
    ['a label of ours', job({ helpers: [{ ...ACTOR, template: { metadata: { labels: { role: 'x' } } } }] }),
      'spec.helpers[0].template.metadata.labels[\'role\']', 'x', ['is set by the operator']],
    ['too many roles', jobWithRoles([{ name: 'worker' }], { helpers: Array.from({ length: 16 }, (_, index) => ({ name: `h${index}`, image: 'x' })) }),
      'spec.helpers', 17, ['at most 16 roles']],
    ['too many replicas', job({ helpers: [{ ...ACTOR, replicas: 9999 }] }), 'spec.helpers', 10_001, ['at most 10000 replicas']],
  ]);

  test('addresses that are too long for a variable', () => {
    const [violation] = validateTrainingJob('net', job({ helpers: [{ ...ACTOR, replicas: 9000 }] }));
    expect(violation.message).toContain('TRAINYARD_ACTOR_HOSTS names every replica');
  });
});
