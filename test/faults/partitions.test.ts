/** Networks that break between operators and the API server, wholly or in one direction, and a leader that stands still: at most one acts. */
import { describeFaults } from './support/fault-suite';
import { eventually } from '../cluster/support/cluster';
import type { OperatorProcess } from '../cluster/support/operator';
import { conditionOf } from '../cluster/support/training-jobs';

const suite = describeFaults();

const LEASE = { LEASE_SECONDS: '8' };
const REPLICAS = 16;

/** The job runs at its first attempt, and had no pod more than it needs. */
async function expectRunsOnce(name: string, replicas: number, podsBefore: number): Promise<void> {
  const { status } = await suite.jobs.untilCondition(name, 'Running');
  expect({
    restarts: status?.restarts ?? 0, disruptions: status?.disruptions ?? 0, attempt: status?.attempt ?? 0, pods: suite.recorder.podCount - podsBefore,
  }).toEqual({ restarts: 0, disruptions: 0, attempt: 0, pods: replicas });
}

const hasWorked = (operator: OperatorProcess) => operator.log().some(({ msg }) => msg === 'controller started');

test('a leader that is cut off from the API server ends, and the other goes on where it was', async () => {
  const { operator: first, proxy } = await suite.startLeader('first', LEASE);
  const second = await suite.startStandby('second', LEASE);
  await suite.jobs.create('before', { replicas: 2 });
  await suite.jobs.untilCondition('before', 'Running');
  expect(hasWorked(second)).toBe(false);

  // In the middle of the creation of pods: three are there.
  let pods = 0;
  let isCut = false;
  proxy.isSilent = () => isCut;
  proxy.faultOf = ({ method, resource }) => {
    isCut ||= method === 'POST' && resource === 'pods' && ++pods > 3;
    return isCut ? { kind: 'hang' } : undefined;
  };
  await suite.jobs.create('net', { replicas: REPLICAS });
  expect((await first.child.exited).code).toBe(1);
  await suite.leads(second);
  await expectRunsOnce('net', REPLICAS, 2);
  expect((await suite.jobs.get('before')).status).toMatchObject({ phase: 'Running' });
});

test('a leader that hears but cannot write ends, and the other does its work', async () => {
  const { operator: first, proxy } = await suite.startLeader('first', LEASE);
  const second = await suite.startStandby('second', LEASE);
  proxy.faultOf = ({ method }) => (method === 'GET' ? undefined : { kind: 'hang' });
  await suite.jobs.create('net', { replicas: 4 });
  expect((await first.child.exited).code).toBe(1);
  await suite.leads(second);
  await expectRunsOnce('net', 4, 0);
});

test('a leader that can write but hears nothing stays, makes nothing twice, and goes on when it hears again', async () => {
  const { operator: first, proxy } = await suite.startLeader('first', LEASE);
  await suite.jobs.create('net', { replicas: 2 });
  await suite.jobs.untilCondition('net', 'Running');
  proxy.isSilent = ({ isWatch }) => isWatch;
  await suite.api.remove('pods', suite.namespace, 'net-worker-0');
  await suite.jobs.create('later');
  // More than a term of the lease later it still leads: the lease does not need watches.
  const renewals = () => proxy.seen.filter(({ isLease, method }) => isLease && method === 'PUT').length;
  const then = renewals();
  await eventually('renewals of the lease', async () => renewals() > then + 8);
  expect([first.child.running, await suite.leader(), suite.recorder.podCount]).toEqual([true, 'first', 2]);
  proxy.heal();
  await suite.jobs.untilCondition('later', 'Running');
  const { status } = await suite.jobs.until('net', 'restarted', ({ attempt, phase }) => attempt === 1 && phase === 'Running');
  expect([status?.restarts ?? 0, status?.disruptions ?? 0]).toEqual([0, 1]);
});

test('a leader that stands still in the middle of making pods writes nothing when it wakes up after its time', async () => {
  const { operator: first, proxy } = await suite.startLeader('first', LEASE);
  const second = await suite.startStandby('second', LEASE);
  let pods = 0;
  let isFrozen = false;
  proxy.faultOf = ({ method, resource }) => {
    if (!isFrozen && method === 'POST' && resource === 'pods' && ++pods === 4) {
      isFrozen = true;
      process.kill(first.child.pid!, 'SIGSTOP');
    }
    return undefined;
  };
  await suite.jobs.create('net', { replicas: 64 });
  await suite.leads(second);
  await expectRunsOnce('net', 64, 0);
  const writes = () => proxy.seen.filter(({ isWrite }) => isWrite);
  const before = writes().length;
  process.kill(first.child.pid!, 'SIGCONT');
  expect((await first.child.exited).code).toBe(1);
  expect(writes().slice(before)).toEqual([]);
  expect(await suite.leader()).toBe('second');
  expect(conditionOf(await suite.jobs.get('net'), 'Running')?.status).toBe('True');
});
