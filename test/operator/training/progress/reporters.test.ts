import { Reporters, type ReportersOptions } from '../../../../src/operator/training/progress/reporters';
import type { PodObject, TrainingJobObject } from '../../../../src/operator/training/resources';
import { FakeClock } from '../../runtime/support/fake-clock';

const JOB = { namespace: 'team-a', name: 'net' };

function podOf(name: string, uid: string, job = 'net', jobUid = 'u1', kind = 'MLTrainingJob'): PodObject {
  const owner = { apiVersion: 'ml.collabnix.io/v1alpha1', kind, name: job, uid: jobUid, controller: true };
  return { metadata: { namespace: 'team-a', name, uid, ownerReferences: [owner] } } as PodObject;
}

class World {
  public readonly clock = new FakeClock();
  public readonly cache = new Map<string, PodObject>();
  public readonly stored = new Map<string, PodObject>();
  public job?: TrainingJobObject = { metadata: { ...JOB, uid: 'u1' }, spec: { framework: 'jax', image: 'i', replicas: 1 } };
  public asked = 0;

  public readonly reporters = new Reporters({
    clock: this.clock,
    findJob: () => this.job,
    findPod: (_namespace, name) => this.cache.get(name),
    client: {
      tryGet: async (_kind: unknown, { name }: { name: string }) => {
        this.asked++;
        return this.stored.get(name);
      },
    } as unknown as ReportersOptions['client'],
  });

  public async check(name: string, uid: string): Promise<string> {
    return (await this.reporters.check(JOB, { namespace: 'team-a', pod: { name, uid } })).kind;
  }
}

test('a pod of the job may report, whichever replica it is', async () => {
  const world = new World();
  world.cache.set('net-master', podOf('net-master', 'p1'));
  world.cache.set('net-worker-3', podOf('net-worker-3', 'p2'));
  expect(await world.check('net-master', 'p1')).toBe('accepted');
  expect(await world.check('net-worker-3', 'p2')).toBe('accepted');
  expect(world.asked).toBe(0);
});

test('no other may: a token without a pod, pods of other jobs and kinds, of an earlier job of the name, an earlier pod of the name', async () => {
  const world = new World();
  expect(await world.reporters.check(JOB, { namespace: 'team-a', serviceAccount: 'default' })).toEqual({
    kind: 'forbidden', message: expect.stringContaining('Reporting for job "team-a/net": the token is not bound to a pod') as unknown,
  });
  world.cache.set('other-master', podOf('other-master', 'p2', 'other', 'u2'));
  world.stored.set('shell', { metadata: { namespace: 'team-a', name: 'shell', uid: 'p3' } } as PodObject);
  world.stored.set('set-0', podOf('set-0', 'p4', 'net', 'u1', 'StatefulSet'));
  world.cache.set('net-old', podOf('net-old', 'p5', 'net', 'u0'));
  world.cache.set('net-master', podOf('net-master', 'p6'));
  world.stored.set('net-master', podOf('net-master', 'p6'));
  for (const [name, uid] of [['other-master', 'p2'], ['shell', 'p3'], ['set-0', 'p4'], ['net-old', 'p5'], ['net-master', 'p1'], ['gone', 'p7']]) {
    expect({ name, kind: await world.check(name, uid) }).toEqual({ name, kind: 'forbidden' });
  }
});

test('a pod that the cache lacks yet is asked for, and may report', async () => {
  const world = new World();
  world.stored.set('net-master', podOf('net-master', 'p1'));
  expect(await Promise.all([1, 2, 3].map(async () => world.check('net-master', 'p1')))).toEqual(['accepted', 'accepted', 'accepted']);
  expect(world.asked).toBe(1);
});

test('tokens of other pods do not make requests: each is asked for once, few in a second, and the rest is told to come again', async () => {
  const world = new World();
  for (let report = 0; report < 1_000; report++) {
    expect(await world.check('shell', 'p3')).toBe('forbidden');
  }
  expect(world.asked).toBe(1);
  const kinds: string[] = [];
  for (let pod = 0; pod < 1_000; pod++) {
    kinds.push(await world.check(`shell-${pod}`, `s${pod}`));
  }
  expect(world.asked).toBe(20);
  expect(kinds.filter((kind) => kind === 'later')).toHaveLength(1_000 - 19);
  await world.clock.advance(1_000);
  expect(await world.check('shell-999', 's999')).toBe('forbidden');
});
