import { CLEAN_POD_POLICIES, type CleanPodPolicy } from '../../../../src/model/training-job/run-policy';
import { isFinished } from '../../../../src/operator/training/plan/finished';
import { makeJob, makePod, type PodBuilder } from '../support/builders';
import { PlannedJob, START } from '../support/planned-job';

const DONE = { phase: 'Completed', completionTime: new Date(START).toISOString() } as const;

describe('a finished job', () => {
  it('is one that is Completed or Failed', () => {
    const phases = ['Pending', 'Running', 'Restarting', 'Suspended', 'Completed', 'Failed'] as const;

    expect(phases.filter((phase) => isFinished({ phase }))).toEqual(['Completed', 'Failed']);
    expect(isFinished({})).toBe(false);
  });

  it.each(['Completed', 'Failed'] as const)('that is %s is never started again, whatever happens', (phase) => {
    const job = new PlannedJob(makeJob().pytorch(2).restartPolicy('OnFailure').status({ ...DONE, phase }));
    const before = job.status;

    job.pass().edit({ suspend: true }).pass().edit({ suspend: false, replicas: 5 }).pass([{ reason: 'Forbidden', message: '', permanent: true }]).after(1e6).pass();

    expect(job.status).toEqual(before);
    expect(job.created).toEqual([]);
    expect(job.events).toEqual([]);
  });

  const states: readonly [string, (pod: PodBuilder) => PodBuilder, readonly CleanPodPolicy[]][] = [
    ['waiting', (pod) => pod.waiting(), ['Running', 'All']],
    ['running', (pod) => pod.running(), ['Running', 'All']],
    ['succeeded', (pod) => pod.succeeded(), ['All']],
    ['failed', (pod) => pod.failed(1), ['All']],
    ['succeeded, with a sidecar that goes on', (pod) => pod.succeeded().lingering(), ['Running', 'All']],
    ['failed, with a sidecar that goes on', (pod) => pod.failed(1).lingering(), ['Running', 'All']],
    ['running, but already deleting', (pod) => pod.running().deleting(), []],
  ];

  it.each(states)('a pod that is %s is cleaned up as the policy says', (_, change, policies) => {
    for (const policy of CLEAN_POD_POLICIES) {
      const job = new PlannedJob(makeJob().pytorch(1).cleanPodPolicy(policy).status(DONE));
      job.pods.set('train-master', change(makePod('train-master')).build());

      expect(job.plan().actions).toEqual(policies.includes(policy)
        ? [{ type: 'deletePod', name: 'train-master', uid: 'train-master-uid', reason: `the job has finished (cleanPodPolicy ${policy})` }]
        : []);
    }
  });

  it('removes what runs unless it says otherwise', () => {
    const job = new PlannedJob(makeJob().pytorch(3)).run().set((pod) => pod.succeeded(), 'train-master').settle();

    expect([...job.pods.keys()]).toEqual(['train-master']);
  });

  it('without a TTL stays', () => {
    const job = new PlannedJob(makeJob().pytorch(1).status(DONE)).after(1e9).pass();

    expect(job.isDeleted).toBe(false);
    expect(job.requeueAfterMs).toBeUndefined();
  });

  it('with a TTL is deleted when that is over, and asks to be called then', () => {
    const job = new PlannedJob(makeJob().pytorch(1).ttl(60).status(DONE)).after(59).pass();
    expect(job.isDeleted).toBe(false);
    expect(job.requeueAfterMs).toBe(1000);

    job.after(1).pass();

    expect(job.isDeleted).toBe(true);
  });

  it('with a TTL of 0 is deleted at once', () => {
    expect(new PlannedJob(makeJob().pytorch(1).ttl(0).status(DONE)).pass().isDeleted).toBe(true);
  });

  it.each([
    ['whose end has no time', makeJob().ttl(60).status({ phase: 'Completed' })],
    ['whose invalid spec names no usable TTL', makeJob().runPolicy({ ttlSecondsAfterFinished: 'soon' as never }).status({ ...DONE, phase: 'Failed' })],
  ])('%s stays, and does not spin', (_, builder) => {
    const job = new PlannedJob(builder).pass();

    expect(job.isDeleted).toBe(false);
    expect(job.requeueAfterMs).toBeUndefined();
  });

  it('leaves its pods to their last moments when it is gone by its TTL', () => {
    const job = new PlannedJob(makeJob().pytorch(1).ttl(0).cleanPodPolicy('All').status(DONE));
    job.pods.set('train-master', makePod('train-master').succeeded().build());

    expect(job.pass().actions.map((action) => action.type)).toEqual(['deletePod', 'deleteJob']);
  });
});
