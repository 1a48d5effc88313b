import { Chart, Duration, Testing } from 'cdk8s';
import { Framework, Gang, QueueMode, TopologyMode, TrainingJob, type Scheduling } from '../../src';

function synthesized(scheduling: Scheduling, replicas = 4): { readonly [field: string]: unknown } {
  const chart = new Chart(Testing.app(), 'test');
  new TrainingJob(chart, 'Job', { framework: Framework.jax(), image: 'i', replicas, scheduling });
  return Testing.synth(chart)[0].spec.scheduling;
}

describe('the scheduling of a TrainingJob', () => {
  test.each([
    [Gang.coscheduling(), { scheduler: 'Coscheduling' }],
    [Gang.volcano({ queue: 'research' }), { scheduler: 'Volcano', queue: 'research' }],
    [Gang.kai({ queue: 'research', minAvailable: 2 }), { scheduler: 'Kai', queue: 'research', minAvailable: 2 }],
    [Gang.yuniKorn({ queue: 'root.research' }), { scheduler: 'YuniKorn', queue: 'root.research' }],
    [Gang.native({ minAvailable: 3, scheduleTimeout: Duration.minutes(5) }), { scheduler: 'Native', minAvailable: 3, scheduleTimeoutSeconds: 300 }],
  ])('has the gang of its scheduler: %#', (gang, expected) => {
    expect(synthesized({ gang })).toEqual({ gang: expected });
    expect(gang.scheduler).toBe(expected.scheduler);
  });

  test('has queue, priority in it, the way to queue and the topology', () => {
    expect(synthesized({
      queueName: 'team-a', queuePriorityClassName: 'production', queueMode: QueueMode.POD_GROUP, topology: { key: 'rack', mode: TopologyMode.PREFERRED },
    })).toEqual({ queueName: 'team-a', queuePriorityClassName: 'production', queueMode: 'PodGroup', topology: { key: 'rack', mode: 'Preferred' } });
    expect(synthesized({ topology: { key: 'rack' } })).toEqual({ topology: { key: 'rack' } });
  });

  test('is checked at synth', () => {
    expect(() => synthesized({ gang: Gang.volcano({ minAvailable: 5 }) })).toThrow(/spec\.scheduling\.gang\.minAvailable: 5: must be at most the number of replicas of all roles \(4\)/);
    expect(() => synthesized({ queuePriorityClassName: 'high' })).toThrow(/Set spec\.scheduling\.queueName/);
  });
});
