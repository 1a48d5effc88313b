import { makeJob, type JobBuilder } from '../../support/builders';
import { PlannedJob, START } from '../../support/planned-job';
import type { NodeState } from '../../../../../src/operator/training/plan/types';

const gang = () => makeJob().pytorch(3).restartPolicy('OnFailure');
const running = (builder: JobBuilder) => new PlannedJob(builder).run();
const notReady: NodeState = { health: 'NotReady', since: START };
const GRACE = 30;

/** One worker's node is in a state. */
const onNode = (state: NodeState, builder: JobBuilder = gang()) => running(builder).set((pod) => pod.running().nodeIs(state), 'train-worker-1');

/** The pod hangs: it was asked to go, and nobody answers. */
function hangs(job: PlannedJob, state: NodeState, deadline: number): void {
  job.pods.set('train-worker-1', {
    name: 'train-worker-1', uid: 'old', attempt: 0, state: 'Running', deleting: true, lingering: false, node: 'gpu-7', nodeState: state, deletionDeadline: deadline,
  });
}

describe('a pod on a node that is not ready', () => {
  it('is lost when the grace is over and not before, and the planner comes back for that', () => {
    const job = onNode(notReady).pass();
    expect(job.status.phase).toBe('Running');
    expect(job.requeueAfterMs).toBe(GRACE * 1000);

    job.after(GRACE).pass();
    expect(job.status).toMatchObject({ phase: 'Restarting', attempt: 1, restarts: 0, disruptions: 1, lastFailure: { node: 'gpu-7', reason: 'NodeNotReady' } });
    expect(job.status.nextRetryTime).toBeUndefined();
    expect(job.events.at(-1)).toMatchObject({ reason: 'JobDisrupted' });
  });

  it('is kept when the node comes back in time', () => {
    const job = onNode(notReady).pass().set((pod) => pod.running().nodeIs({ health: 'Ready' }), 'train-worker-1').after(1000).pass();

    expect(job.status).toMatchObject({ phase: 'Running', disruptions: 0 });
  });

  it('is not lost while most nodes are not ready, and has all of its grace afterwards', () => {
    const job = onNode({ ...notReady, inOutage: true }).after(1000).pass();
    expect(job.status).toMatchObject({ phase: 'Running', disruptions: 0 });

    const endedAt = job.now;
    job.set((pod) => pod.running().nodeIs({ health: 'NotReady', since: endedAt }), 'train-worker-1').after(GRACE - 1).pass();
    expect(job.status.disruptions).toBe(0);
    expect(job.requeueAfterMs).toBe(1_000);
    expect(job.after(1).pass().status).toMatchObject({ disruptions: 1, lastFailure: { reason: 'NodeNotReady' } });
  });

  it('is lost although most nodes are not ready when it is gone or out of service', () => {
    for (const state of [{ health: 'Gone' }, { ...notReady, outOfService: true }] as const) {
      expect(onNode({ ...state, inOutage: true }).pass().status.disruptions).toBe(1);
    }
  });

  it('has the grace that the job says', () => {
    const job = onNode(notReady, gang().runPolicy({ nodeLoss: { graceSeconds: 300 } }));

    expect(job.after(299).pass().status.phase).toBe('Running');
    expect(job.after(1).pass().status.disruptions).toBe(1);
  });

  it('is replaced alone where replicas are independent', () => {
    const job = onNode(notReady, makeJob().plain(3).restartPolicy('OnFailure')).after(GRACE).pass();

    expect(job.status).toMatchObject({ attempt: 0, disruptions: 1, restarts: 0 });
    expect(job.deleted).toEqual(['train-worker-1']);
  });

  it('that has succeeded has succeeded', () => {
    const job = running(makeJob().plain(3)).set((pod) => pod.succeeded().nodeIs(notReady), 'train-worker-1').after(1000).pass();

    expect(job.status.disruptions).toBe(0);
  });

  it('is why its peers fail, also within the grace', () => {
    const job = onNode(notReady).set((pod) => pod.failed(1), 'train-master').pass();

    expect(job.status).toMatchObject({ restarts: 0, disruptions: 1, lastFailure: { pod: 'train-worker-1', reason: 'NodeNotReady' } });
  });
});

describe('a pod on a node that is gone or out of service', () => {
  it.each<[NodeState, string]>([
    [{ health: 'Gone', since: START }, 'NodeGone'],
    [{ health: 'NotReady', since: START, outOfService: true }, 'NodeOutOfService'],
  ])('%j: is lost at once', (state, reason) => {
    expect(onNode(state).pass().status).toMatchObject({ disruptions: 1, lastFailure: { reason } });
  });
});

describe('a program that was killed', () => {
  it.each([137, 143])('with %i while its node shuts down has not failed', (exitCode) => {
    const job = running(gang()).set((pod) => pod.failed(exitCode).nodeIs({ health: 'Ready', leaving: 'taint cloud.google.com/impending-node-termination' }), 'train-worker-1').pass();

    expect(job.status).toMatchObject({ restarts: 0, disruptions: 1, lastFailure: { exitCode, reason: 'NodeTerminating' } });
  });

  it('has failed when its node is well, or when it ended with a code of its own', () => {
    const killed = running(gang()).set((pod) => pod.failed(143).nodeIs({ health: 'Ready' }), 'train-worker-1').pass();
    // Its kubelet may have been killed next; that it lets the pod go shows that it was not.
    expect(killed.status).toMatchObject({ restarts: 0, disruptions: 0, provisionalFailure: { pod: 'train-worker-1' } });
    expect(killed.pass().status).toMatchObject({ restarts: 1, disruptions: 0 });
    expect(running(gang()).set((pod) => pod.failed(2).nodeIs({ health: 'Ready', leaving: 'x' }), 'train-worker-1').pass().status)
      .toMatchObject({ restarts: 1, disruptions: 0 });
  });
});

describe('a pod that hangs on a lost node', () => {
  const deadline = START + 60_000;

  function hanging(builder: JobBuilder, state: NodeState = notReady): PlannedJob {
    const job = onNode(state, builder).after(GRACE).pass();
    hangs(job, state, deadline);
    return job.pass();
  }

  it('is deleted by force when its own grace period and the job\'s are over, and the gang starts again', () => {
    const job = hanging(gang());
    expect(job.actions).toEqual([]);
    expect(job.condition('Running')?.message).toContain('train-worker-1 cannot end: Node gpu-7 is not ready since 2026-03-01T12:00:00Z. It is force-deleted at 2026-03-01T12:01:30Z');
    // First its node's Lease is looked at, when the pod should have gone.
    expect(job.requeueAfterMs).toBe(30_001);

    job.after(60).pass();
    expect(job.actions).toEqual([{ type: 'deletePod', name: 'train-worker-1', uid: 'old', force: true, reason: 'hangs on a lost node' }]);
    expect(job.pass().created).toEqual(['train-master', 'train-worker-0', 'train-worker-1']);
  });

  it('has its node\'s Lease looked at although the node is not ready, and is deleted by force as soon as that was silent for long enough', () => {
    const job = hanging(gang()).after(31).pass();
    expect(job.actions).toEqual([{ type: 'lookAtNode', node: 'gpu-7' }]);
    expect(job.requeueAfterMs).toBe(3_000);

    hangs(job, { ...notReady, lease: { exists: true, silentSince: job.now - 20_000, lookedAt: job.now } }, deadline);
    expect(job.pass().actions).toMatchObject([{ type: 'deletePod', name: 'train-worker-1', force: true }]);
  });

  it('is deleted by force at once when nothing can run there', () => {
    const job = hanging(gang(), { health: 'Gone', since: START });

    expect(job.actions).toMatchObject([{ type: 'deletePod', force: true }]);
  });

  it('is not deleted by force while most nodes are not ready, and the status says what is waited for', () => {
    const job = hanging(gang());
    hangs(job, { ...notReady, inOutage: true, lease: { exists: true, silentSince: START, lookedAt: START + 600_000 } }, deadline);

    expect(job.after(100_000).pass().actions).toEqual([{ type: 'lookAtNode', node: 'gpu-7' }]);
    expect(job.condition('Running')?.message).toMatch(/train-worker-1 cannot end: .* It waits until fewer nodes are not ready/);
  });

  it('is waited for when the job says so, and the status says for what', () => {
    const job = hanging(gang().runPolicy({ nodeLoss: { stuckPods: 'Wait' } }));

    expect(job.after(100_000).pass().actions).toEqual([]);
    expect(job.condition('Running')?.message).toContain('spec.runPolicy.nodeLoss.stuckPods is Wait');
  });

  it('is left alone on a node that is well, or of which nothing is known', () => {
    for (const state of [{ health: 'Ready' } as NodeState, undefined]) {
      const job = running(gang()).set((pod) => pod.failed(1), 'train-worker-1').pass();
      hangs(job, state!, deadline);
      expect(job.after(100_000).pass().deleted).toEqual([]);
    }
  });
});

describe('a pod that was put on a node which does not answer', () => {
  const silent: NodeState = { health: 'Ready', lease: { exists: true, silentSince: START - 20_000, lookedAt: START } };
  const placed = (state: NodeState) => running(gang()).set((pod) => pod.waiting().unseen().nodeIs(state), 'train-worker-1');

  it('is not lost: its kubelet has not told of it, and its successor would be put there too', () => {
    const job = placed(silent).pass();
    expect(job.status).toMatchObject({ attempt: 0, disruptions: 0 });
    expect(job.deleted).toEqual([]);
    expect(onNode(silent).pass().status).toMatchObject({ disruptions: 1, lastFailure: { reason: 'NodeSilent' } });
  });

  it('is lost when the node is not ready: the scheduler puts no more pods there', () => {
    expect(placed(notReady).after(GRACE).pass().status).toMatchObject({ disruptions: 1, lastFailure: { reason: 'NodeNotReady' } });
  });

  it('is deleted by force when its job wants it gone', () => {
    const job = placed(silent);
    job.pods.set('train-worker-1', { ...job.pods.get('train-worker-1')!, attempt: -1, deleting: true, deletionDeadline: START });

    expect(job.pass().actions).toContainEqual(expect.objectContaining({ type: 'deletePod', name: 'train-worker-1', force: true }));
  });
});
