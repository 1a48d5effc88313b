import { makeJob } from '../../support/builders';
import { PlannedJob } from '../../support/planned-job';
import type { RunPolicySpec } from '../../../../../src/model/training-job/run-policy';
import type { ObservedPod, PodFailure } from '../../../../../src/operator/training/plan/types';

const EARLY = '2026-03-01T12:00:00Z';
const LATE = '2026-03-01T12:00:01Z';
const ECHO: Partial<PodFailure> = { exitCode: 1, logTail: 'RuntimeError: Connection closed by peer [10.0.0.7]:29500' };
const KILLED: Partial<PodFailure> = { exitCode: 137, logTail: 'step 40\n', beforeDeletion: true };
const FAULT: Partial<PodFailure> = { exitCode: 1, logTail: 'CUDA error: uncorrectable ECC error encountered', beforeDeletion: true };

const gang = (policy: Partial<RunPolicySpec> = {}) => makeJob().pytorch(3).restartPolicy('OnFailure').backoffLimit(2).runPolicy(policy);
const SEEN_NODES: Partial<ObservedPod> = { nodeState: { health: 'Ready' } };

/**
 * A gang whose first rank is seen to fail first, for which all of them are deleted.
 * @param seen what is seen of it
 * @param known what is known of each pod
 * @param policy of the job
 */
function restarted(seen: Partial<PodFailure>, known: Partial<ObservedPod> = {}, policy: Partial<RunPolicySpec> = {}) {
  const job = new PlannedJob(gang(policy)).run();
  const names = [...job.pods.keys()];
  const before = new Map(names.map((name, index): [string, ObservedPod] => [name, { ...job.pods.get(name)!, node: `n${index}`, ...known }]));
  before.forEach((pod, name) => job.pods.set(name, pod));
  const fail = (name: string, failure: Partial<PodFailure>, deleting = true) => {
    job.pods.set(name, {
      ...before.get(name)!, state: 'Failed', ...(deleting && { deleting, deletionDeadline: job.now + 30_000 }),
      failure: { disruption: false, container: 'training', reason: 'Error', time: LATE, ...failure },
    });
  };
  fail(names[0], seen, false);
  job.pass();
  return { job, names, fail };
}

describe('a rank whose own failure is seen after that of a rank that lost it', () => {
  it.each([
    ['that was counted', {}, 1],
    ['that waits for the verdict on its nodes', SEEN_NODES, 0],
  ])('is the cause of a restart %s, and nothing more is counted', (_, known, restarts) => {
    const { job, names: [first, , third], ...world } = restarted(ECHO, known);
    expect(job.status).toMatchObject({ attempt: 1, restarts, lastFailure: { pod: first, exitCode: 1 } });

    world.fail(third, KILLED);
    job.pass();
    expect(job.status).toMatchObject({ attempt: 1, restarts, lastFailure: { pod: third, rank: 2, node: 'n2', exitCode: 137, signal: 'SIGKILL', attempt: 0 } });
    expect(job.condition('Restarting')?.message).toBe(`${third} (rank 2, worker) on node n2 exited with code 137 (SIGKILL): Error; the failure of ${first} followed from it`);
    expect(job.events.filter(({ reason }) => reason === 'JobRestarting')).toHaveLength(2);

    job.pass();
    expect(job.events.filter(({ reason }) => reason === 'JobRestarting')).toHaveLength(2);
    job.lose(...job.pods.keys());
    job.after(20).pass();
    expect(job.status).toMatchObject({ restarts: 1, disruptions: 0, lastFailure: { pod: third } });
  });

  it.each([
    ['that was counted', {}],
    ['that waits for the verdict on its nodes', SEEN_NODES],
  ])('makes its node suspect if it speaks of it, for a restart %s', (_, known) => {
    const { job, names: [, second], ...world } = restarted(ECHO, known);
    world.fail(second, FAULT);
    job.pass();
    job.lose(...job.pods.keys());
    job.after(20).pass();
    expect(job.status.suspectNodes).toMatchObject([{ node: 'n1', failures: 1 }]);
  });
});

it('makes no node suspect by an exit code that is never counted, also where it is found later', () => {
  const { job, names: [, second], ...world } = restarted(ECHO, {}, { exitCodes: { recover: [42] } });
  world.fail(second, { ...FAULT, exitCode: 42 });
  job.pass();
  expect(job.status).toMatchObject({ lastFailure: { pod: second, exitCode: 42 } });
  job.lose(...job.pods.keys());
  job.after(20).pass();
  expect(job.status.suspectNodes).toBeUndefined();
});

describe('the cause of a restart stays', () => {
  it.each<[string, Partial<PodFailure>, Partial<PodFailure>]>([
    ['where it lost no peer', { exitCode: 3, logTail: 'ValueError: bad shape' }, KILLED],
    ['where the other lost a peer as well', ECHO, { ...ECHO, beforeDeletion: true }],
    ['where the other failed later', { ...ECHO, time: EARLY }, KILLED],
    ['where the other may have ended because it was deleted', ECHO, { exitCode: 143, logTail: 'step 40\n' }],
    ['where the other was taken away', ECHO, { ...KILLED, disruption: true }],
  ])('%s', (_, seen, late) => {
    const { job, names: [first, second], ...world } = restarted(seen);
    world.fail(second, late);
    job.pass();
    expect(job.status.lastFailure?.pod).toBe(first);
  });

  it('when the next attempt runs', () => {
    const { job, names: [first] } = restarted(ECHO);
    job.after(20).settle().setAll((pod) => pod.running()).pass();
    expect(job.status).toMatchObject({ phase: 'Running', attempt: 1, lastFailure: { pod: first } });
  });
});

describe('a rank whose failure would end the job, and that says that it lost a peer', () => {
  /** Ranks of which the first is seen to fail first; nothing is known of nodes. */
  function failing(policy: 'ExitCode' | 'Never') {
    const job = new PlannedJob(makeJob().pytorch(3).restartPolicy(policy).backoffLimit(2)).run();
    const [first, , third] = [...job.pods.keys()];
    const fail = (name: string, failure: Partial<PodFailure>) => job.pods.set(name, {
      ...job.pods.get(name)!, state: 'Failed', failure: { disruption: false, container: 'training', reason: 'Error', time: LATE, ...failure },
    });
    fail(first, ECHO);
    job.pass();
    return { job, first, third, fail };
  }

  it('waits for the peer, whose end may be one that is retried', () => {
    const { job, third, fail } = failing('ExitCode');
    expect(job.status).toMatchObject({ phase: 'Restarting', provisionalFailure: { puts: 'End' } });
    expect(job.status.attempt ?? 0).toBe(0);
    fail(third, { exitCode: 137, time: EARLY });
    job.after(1).pass();
    expect(job.status).toMatchObject({ attempt: 1, restarts: 1, lastFailure: { pod: third, exitCode: 137 } });
    expect(job.status.provisionalFailure).toBeUndefined();
  });

  it('does not hide the peer\'s reason when that ends the job', () => {
    const { job, third, fail } = failing('Never');
    fail(third, { exitCode: 139, time: EARLY });
    job.after(1).pass();
    expect(job.status).toMatchObject({ phase: 'Failed', lastFailure: { pod: third, exitCode: 139 } });
  });

  it('ends the job by itself when no peer has ended some seconds later', () => {
    const { job, first } = failing('ExitCode');
    job.after(4).pass();
    expect(job.status.phase).toBe('Restarting');
    job.after(2).pass();
    expect(job.status).toMatchObject({ phase: 'Failed', lastFailure: { pod: first, exitCode: 1 } });
  });
});
