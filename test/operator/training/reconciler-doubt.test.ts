/** What the reconciler does about writes whose answers never came. Deliveries of watches are left out: the caches know only what requests told. */
import { makeOperator } from './support/recorded-operator';

describe('a write without an answer', () => {
  it('that made a pod is followed by a look at the job and its pods, before anything else is asked for', async () => {
    const { operator, caches, requests, silent } = makeOperator();
    silent.push('create pods train-worker-0');
    await operator.reconcile();
    expect(caches.pods.keys()).toEqual(['default/train-master']);
    requests.length = 0;

    await operator.reconcile();

    expect(requests.slice(0, 2)).toEqual(['get mltrainingjobs train', 'list pods']);
    expect(requests.filter((request) => request.startsWith('create'))).toEqual([]);
    expect(caches.pods.keys().sort()).toEqual(['default/train-master', 'default/train-worker-0']);
  });

  it('that wrote a status is not followed by a plan from the status before it', async () => {
    const { operator, server, caches, requests, silent } = makeOperator();
    silent.push('write the status: Pending, attempt 0');
    await operator.reconcile();
    expect(caches.jobs.get('default/train')?.status).toBeUndefined();
    requests.length = 0;

    await operator.reconcile();

    expect(requests[0]).toBe('get mltrainingjobs train');
    expect(caches.jobs.get('default/train')?.status).toEqual(server.jobs.get('train')?.status);
  });

  it('is looked after once: the next pass reads nothing', async () => {
    const { operator, requests, silent } = makeOperator();
    silent.push('create pods train-worker-0');
    await operator.reconcile();
    await operator.reconcile();
    requests.length = 0;

    await operator.reconcile();

    expect(requests).toEqual([]);
  });
});
