import { QueuePositions } from '../../../src/operator/kueue/queue-positions';
import { ApiError } from '../../../src/operator/runtime/http/api-error';
import { Logger } from '../../../src/operator/runtime/process/logger';
import { FakeClock } from '../runtime/support/fake-clock';

type Answer = () => unknown;

function setUp(answer: Answer) {
  const paths: string[] = [];
  const clock = new FakeClock();
  const client = { raw: async (_method: string, path: string) => { paths.push(path); return answer(); } };
  return { paths, clock, positions: new QueuePositions(client as never, clock, Logger.create({ level: 'error' })) };
}

const settle = async () => new Promise((resolve) => { setImmediate(resolve); });
const refuse = (status: number): never => { throw new ApiError('GET', status, { message: 'no' }); };

test('a place is known once the queue has answered, and one question serves all jobs of a queue', async () => {
  const { paths, positions, clock } = setUp(() => ({ items: [{ metadata: { name: 'a' }, positionInClusterQueue: 0 }, { metadata: { name: 'b' }, positionInClusterQueue: 3 }] }));
  expect(positions.positionOf('team', 'q', 'b')).toBeUndefined();
  positions.positionOf('team', 'q', 'a');
  await settle();
  expect([positions.positionOf('team', 'q', 'b'), positions.positionOf('team', 'q', 'a'), positions.positionOf('team', 'q', 'c')]).toEqual([3, 0, undefined]);
  expect(paths).toHaveLength(1);
  expect(paths[0]).toContain('/namespaces/team/localqueues/q/pendingworkloads');
  await clock.advance(10_000);
  positions.positionOf('team', 'q', 'a');
  await settle();
  expect(paths).toHaveLength(2);
});

test('an installation without the API is asked in both versions, and then left alone for minutes', async () => {
  const { paths, positions, clock } = setUp(() => refuse(404));
  for (let question = 0; question < 5; question++) {
    expect(positions.positionOf('team', 'q', 'a')).toBeUndefined();
    await settle();
  }
  expect(paths.map((path) => path.split('/')[3])).toEqual(['v1beta2', 'v1beta1']);
  await clock.advance(299_000);
  positions.positionOf('team', 'q', 'a');
  expect(paths).toHaveLength(2);
  await clock.advance(2_000);
  positions.positionOf('team', 'q', 'a');
  expect(paths).toHaveLength(3);
});

test('a queue that may not be looked into has no places, and fails nobody', async () => {
  const { positions } = setUp(() => refuse(403));
  positions.positionOf('team', 'q', 'a');
  await settle();
  expect(positions.positionOf('team', 'q', 'a')).toBeUndefined();
});

test('a queue that no job has asked about for minutes is forgotten', async () => {
  const { positions, clock } = setUp(() => ({ items: [] }));
  ['a', 'b'].forEach((queue) => positions.positionOf('team', queue, 'w'));
  await settle();
  await clock.advance(400_000);
  positions.positionOf('team', 'b', 'w');
  await settle();
  await clock.advance(300_000);
  positions.positionOf('team', 'c', 'w');
  expect(positions.size).toBe(2);
});
