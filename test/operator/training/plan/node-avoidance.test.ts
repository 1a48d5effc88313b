import { makeJob, type JobBuilder } from '../support/builders';
import { PlannedJob, START } from '../support/planned-job';
import { MAX_SUSPECT_NODES } from '../../../../src/model/training-job/status/recovery-status';
import { runFactsOf } from '../../../../src/model/training-job/run-facts';
import { FORGIVEN_AFTER_MS } from '../../../../src/operator/training/plan/rules/node-avoidance';
import { LOOK_MS } from '../../../../src/operator/training/plan/observe/silent-pods';
import type { NodeState, PodFailure } from '../../../../src/operator/training/plan/types';
import { withNodeFailures, withSickNode } from '../../../../src/operator/training/plan/failures/suspect-nodes';

const gang = () => makeJob().pytorch(2).restartPolicy('OnFailure').backoffLimit(50);
const DEFAULTS = { afterFailures: 2, forSeconds: 3600 };

const FAULT = { logTail: 'RuntimeError: CUDA error: uncorrectable ECC error encountered' };

/** The worker fails on a node, and the job comes back. */
function failOn(job: PlannedJob, node: string, more: Partial<PodFailure> = FAULT): PlannedJob {
  return job.set((pod) => pod.node(node).failed(1, more), 'train-worker-0').pass().after(1000).settle().setAll((pod) => pod.running()).pass();
}

const running = (builder: JobBuilder) => new PlannedJob(builder).run();
const avoided = (job: PlannedJob) => runFactsOf(job.status).avoidNodes;

describe('a node on which ranks failed', () => {
  it('is avoided after the second counted failure, and users hear of it', () => {
    const job = failOn(running(gang()), 'gpu-7');
    expect(job.status.suspectNodes).toMatchObject([{ node: 'gpu-7', failures: 1, avoided: false }]);
    expect(avoided(job)).toBeUndefined();

    failOn(job, 'gpu-7');
    expect(avoided(job)).toEqual(['gpu-7']);
    expect(job.events).toContainEqual({ type: 'Warning', reason: 'NodeAvoided', message: expect.stringContaining('Node gpu-7 is avoided') });
  });

  it('is where the failure began, and not where its echoes were', () => {
    const job = running(gang()).set((pod) => pod.node('gpu-7').failed(1, { ...FAULT, time: '2026-03-01T12:00:00Z' }), 'train-worker-0')
      .set((pod) => pod.node('gpu-8').failed(1, { ...FAULT, time: '2026-03-01T12:00:05Z' }), 'train-master').pass();

    expect(job.status.suspectNodes).toMatchObject([{ node: 'gpu-7' }]);
  });

  it('is not blamed for a script: an exit code, its own limit of memory and a lost peer say nothing of the node', () => {
    for (const more of [{}, { logTail: 'Traceback\nValueError: bad config' }, { logTail: 'CUDA error: out of memory' }, { logTail: 'Connection closed by peer [10.0.0.7]:29500' }]) {
      const job = failOn(failOn(running(gang()), 'gpu-7', more), 'gpu-7', more);
      expect(job.status).toMatchObject({ restarts: 2 });
      expect(job.status.suspectNodes).toBeUndefined();
    }
    const limited = failOn(running(gang().spec({ resources: { memory: '1Gi' } })), 'gpu-7', { exitCode: 137, reason: 'OOMKilled' });
    expect(limited.status).toMatchObject({ restarts: 1, suspectNodes: undefined });
  });

  it('is blamed when it had no memory left for a container without a limit', () => {
    expect(failOn(running(gang()), 'gpu-7', { exitCode: 137, reason: 'OOMKilled' }).status.suspectNodes).toMatchObject([{ node: 'gpu-7', reason: 'OOMKilled' }]);
  });

  it('is not blamed for disruptions', () => {
    const job = running(gang()).set((pod) => pod.node('gpu-7').evicted(), 'train-worker-0').pass();

    expect(job.status.suspectNodes).toBeUndefined();
  });

  it('is avoided after as many failures as the job says, or never', () => {
    expect(avoided(failOn(running(gang().runPolicy({ nodeAvoidance: { afterFailures: 1 } })), 'gpu-7'))).toEqual(['gpu-7']);
    expect(failOn(failOn(running(gang().runPolicy({ nodeAvoidance: { afterFailures: 0 } })), 'gpu-7'), 'gpu-7').status.suspectNodes).toBeUndefined();
  });

  it('is forgotten some time after its last failure', () => {
    const job = failOn(failOn(running(gang()), 'gpu-7'), 'gpu-7');

    expect(avoided(job.after(2000).pass())).toEqual(['gpu-7']);
    expect(job.after(1600).pass().status.suspectNodes).toBeUndefined();
  });

  it('is one of few that are remembered', () => {
    const failures = Array.from({ length: 100 }, (_, index) => ({ node: `n${index}`, reason: 'Error' }));
    const { suspectNodes } = withNodeFailures({}, failures, DEFAULTS, START);

    expect(suspectNodes).toHaveLength(MAX_SUSPECT_NODES);
    expect(suspectNodes?.at(-1)?.node).toBe('n99');
  });

  it('can be marked by a check of the node itself, and is then avoided at once', () => {
    const { suspectNodes } = withSickNode({}, 'gpu-7', 'PreflightFailed', START);

    expect(suspectNodes).toEqual([{ node: 'gpu-7', failures: 1, time: '2026-03-01T12:00:00Z', reason: 'PreflightFailed', avoided: true }]);
  });
});

describe('a pod that finds no node because of those that it avoids', () => {
  const since = '2026-03-01T12:00:00Z';
  const suspects = [{ node: 'gpu-7', failures: 2, time: since, reason: 'Error', avoided: true }];
  const waiting = () => new PlannedJob(gang().status({ suspectNodes: suspects })).pass().setAll((pod) => pod.unschedulable(since, 'gpu-7'));

  it('waits while they are avoided', () => {
    const job = waiting().pass();

    expect(job.deleted).toEqual([]);
    expect(job.requeueAfterMs).toBe(FORGIVEN_AFTER_MS);
  });

  it('is made anew without them after a while, so that the job runs', () => {
    const job = waiting().after(FORGIVEN_AFTER_MS / 1000).pass();

    expect(job.status.suspectNodes).toBeUndefined();
    expect(job.deleted).toEqual(['train-master', 'train-worker-0']);
    expect(job.pass().created).toEqual(['train-master', 'train-worker-0']);
    expect(job.status).toMatchObject({ restarts: 0, disruptions: 0, attempt: 0 });
    expect(job.events).toContainEqual(expect.objectContaining({ type: 'Normal', reason: 'NodesForgiven' }));
  });

  it('is made anew when a node has been forgotten', () => {
    const job = new PlannedJob(gang()).pass().setAll((pod) => pod.unschedulable(since, 'gpu-7')).pass();

    expect(job.deleted).toEqual(['train-master', 'train-worker-0']);
  });
});

test('nodes are forgiven also if nobody has looked whether they answer', () => {
  const since = '2026-03-01T12:00:00Z';
  const suspects = [{ node: 'gpu-7', failures: 2, time: since, reason: 'Error', avoided: true }];
  const job = new PlannedJob(gang().status({ suspectNodes: suspects })).pass()
    .setAll((pod) => pod.unschedulable(since, 'gpu-7').avoids({ 'gpu-7': { health: 'Ready' } })).after(FORGIVEN_AFTER_MS / 1000).pass();

  expect(job.deleted).toEqual(['train-master', 'train-worker-0']);
});

describe('a pod that finds no node because others do not answer', () => {
  const since = '2026-03-01T12:00:00Z';
  const lease = (silentFor: number): NodeState => ({
    health: 'Ready', lease: { exists: true, silentSince: START - silentFor * 1000, lookedAt: START },
  });
  const waiting = (state: NodeState) => new PlannedJob(gang()).pass()
    .setAll((pod) => pod.unschedulable(since, 'gpu-7').avoids({ 'gpu-7': state })).pass();
  const looks = (job: PlannedJob) => job.actions.filter(({ type }) => type === 'lookAtNode');

  it('waits for as long as its Lease is not renewed, and looks at it', () => {
    const job = waiting(lease(20));

    expect(job.deleted).toEqual([]);
    expect(looks(job)).toEqual([{ type: 'lookAtNode', node: 'gpu-7' }]);
    expect(job.requeueAfterMs).toBe(LOOK_MS);
  });

  it('waits for the first look', () => {
    const job = waiting({ health: 'Ready' });

    expect(job.deleted).toEqual([]);
    expect(looks(job)).toEqual([{ type: 'lookAtNode', node: 'gpu-7' }]);
  });

  it('waits for a node that is not ready, without looks', () => {
    const job = waiting({ health: 'NotReady', since: START });

    expect(job.deleted).toEqual([]);
    expect(looks(job)).toEqual([]);
    expect(job.requeueAfterMs).toBe(30_000);
  });

  it.each<[string, NodeState]>([
    ['has renewed its Lease', lease(4)],
    ['has none that may be read', { health: 'Ready', lease: { exists: false, silentSince: START, lookedAt: START } }],
  ])('is made anew when the node %s', (_, state) => {
    expect(waiting(state).deleted).toEqual(['train-master', 'train-worker-0']);
  });

  it('looks at no node that is avoided for its failures', () => {
    const suspects = [{ node: 'gpu-7', failures: 2, time: since, reason: 'Error', avoided: true }];
    const job = new PlannedJob(gang().status({ suspectNodes: suspects })).pass()
      .setAll((pod) => pod.unschedulable(since, 'gpu-7').avoids({ 'gpu-7': lease(20) })).pass();

    expect(job.deleted).toEqual([]);
    expect(looks(job)).toEqual([]);
  });
});

describe('new pods', () => {
  it('keep away from nodes that do not answer, and from few enough for an affinity', () => {
    const suspectNodes = [{ node: 'gpu-7', failures: 2, time: '2026-03-01T12:00:00Z', reason: 'Error', avoided: true }];

    expect(runFactsOf({ suspectNodes }, ['gpu-8', 'gpu-7']).avoidNodes).toEqual(['gpu-7', 'gpu-8']);
    expect(runFactsOf({}, []).avoidNodes).toBeUndefined();
    expect(runFactsOf({}, Array.from({ length: 100 }, (_, index) => `n${index}`)).avoidNodes).toHaveLength(64);
  });
});
