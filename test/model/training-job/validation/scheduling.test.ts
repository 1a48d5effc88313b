/** Rules on gangs, queues and topologies. */
import { job, testMistakes } from '../mistakes';
import { gangMinimum, scheduleTimeoutSeconds } from '../../../../src/model/training-job/scheduling';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';

describe('scheduling that cannot be meant is named', () => {
  testMistakes([
    ['a minimum above the number of replicas', job({ replicas: 3, scheduling: { gang: { scheduler: 'Volcano', minAvailable: 4 } } }), 'spec.scheduling.gang.minAvailable', 4, ['at most the number of replicas of all roles (3)', 'leave it out']],
    ['a minimum that an elastic job may fall below', job({ replicas: 3, elastic: { minReplicas: 2, maxReplicas: 4 }, scheduling: { gang: { scheduler: 'Volcano', minAvailable: 3 } } }), 'spec.scheduling.gang.minAvailable', 3, ['at most spec.elastic.minReplicas (2)']],
    ['a queue of a scheduler that has none', job({ scheduling: { gang: { scheduler: 'Native', queue: 'q' } } }), 'spec.scheduling.gang.queue', 'q', ['Volcano, Kai, YuniKorn', 'Remove it']],
    ['a queue that no label can hold', job({ scheduling: { gang: { scheduler: 'Kai', queue: 'my queue' } } }), 'spec.scheduling.gang.queue', 'my queue', ['must be the value of a label']],
    ['a priority in the queue without a queue', job({ scheduling: { queuePriorityClassName: 'high' } }), 'spec.scheduling.queuePriorityClassName', 'high', ['Set spec.scheduling.queueName']],
    ['a way to queue without a queue', job({ scheduling: { queueMode: 'PodGroup' } }), 'spec.scheduling.queueMode', 'PodGroup', ['Set spec.scheduling.queueName']],
    ['a queue whose name is no label', job({ scheduling: { queueName: 'q'.repeat(64), queueMode: 'PodGroup' } }), 'spec.scheduling.queueName', 'q'.repeat(64), ['at most 63 characters']],
    ['a topology that is no label', job({ scheduling: { topology: { key: 'rack!' } } }), 'spec.scheduling.topology.key', 'rack!', ['must be the key of a node label']],
    ['a level too long for Kueue', job({ scheduling: { queueName: 'q', topology: { key: `${'a'.repeat(60)}.example/rack` } } }), 'spec.scheduling.topology.key', `${'a'.repeat(60)}.example/rack`, ['at most 63 characters']],
    ['a word that is no scheduler', job({ scheduling: { gang: { scheduler: 'volcano' as never } } }), 'spec.scheduling.gang.scheduler', 'volcano', ['Volcano']],
    ['a word that is no mode', job({ scheduling: { queueName: 'q', queueMode: 'Job' as never } }), 'spec.scheduling.queueMode', 'Job', ['Workload']],
  ]);

  test('a gang in a queue with a topology is fine', () => {
    expect(validateTrainingJob('net', job({
      replicas: 4,
      scheduling: {
        queueName: 'q', queuePriorityClassName: 'high', queueMode: 'Workload', gang: { scheduler: 'Volcano', queue: 'v', minAvailable: 4 },
        topology: { key: 'cloud.google.com/gce-topology-block', mode: 'Preferred' },
      },
    }))).toEqual([]);
  });
});

test.each([['pytorch', 2], ['horovod', 3]] as const)('the minimum of an elastic gang of %s with two replicas at least is %i', (framework, minimum) => {
  const elastic = { framework, replicas: 4, elastic: { minReplicas: 2, maxReplicas: 4 } };
  expect(gangMinimum(resolveTrainingJob('net', job({ ...elastic, scheduling: { gang: { scheduler: 'Kai' } } })))).toBe(minimum);
  expect(gangMinimum(resolveTrainingJob('net', job({ ...elastic, scheduling: { gang: { scheduler: 'Kai', minAvailable: 1 } } })))).toBe(1);
});

test('the minimum of a gang is all of it, and its patience a minute, unless the job says otherwise', () => {
  const resolve = (fields: object) => resolveTrainingJob('net', job({ replicas: 3, ...fields }));
  expect(gangMinimum(resolve({}))).toBeUndefined();
  expect(gangMinimum(resolve({ scheduling: { gang: { scheduler: 'Kai' } } }))).toBe(3);
  expect(gangMinimum(resolve({ scheduling: { gang: { scheduler: 'Kai', minAvailable: 1 } } }))).toBe(1);
  expect(scheduleTimeoutSeconds(resolve({ scheduling: { gang: { scheduler: 'Kai' } } }))).toBe(60);
  expect(scheduleTimeoutSeconds(resolve({ scheduling: { gang: { scheduler: 'Kai', scheduleTimeoutSeconds: 5 } } }))).toBe(5);
});
