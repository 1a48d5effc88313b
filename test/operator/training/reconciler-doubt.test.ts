/** What the reconciler does about writes whose answers never came. Deliveries of watches are left out: the caches know only what requests told. */
import { makeJob } from './support/builders';
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

  it('that deleted the Workload of a suspended job is followed by a look at it, and the job that goes on enters its queue again', async () => {
    const spec = { ...makeJob().pytorch(2).build().spec, scheduling: { queueName: 'team' } };
    const { operator, server, caches, requests, silent } = makeOperator(spec);
    const setSuspend = (suspend: boolean) => {
      caches.jobs.applyWritten(server.jobs.put('train', { ...server.jobs.get('train')!, spec: { ...spec, suspend } }));
    };
    await operator.reconcile();
    const [workload] = server.workloads.objects.values();
    const name = workload.metadata!.name!;
    const admitted = { type: 'Admitted', status: 'True', reason: 'Admitted', message: '', lastTransitionTime: '2026-03-01T12:00:00Z' } as const;
    caches.workloads.applyWritten(server.workloads.put(name, { ...workload, status: { conditions: [admitted] } }));
    setSuspend(true);
    silent.push(`delete workloads ${name}`);
    await operator.reconcile();
    expect([caches.workloads.list().length, server.workloads.objects.size]).toEqual([1, 0]);
    setSuspend(false);
    requests.length = 0;

    await operator.reconcile();

    expect(requests.slice(0, 3)).toEqual(['get mltrainingjobs train', `get workloads ${name}`, 'list pods']);
    expect(requests.filter((request) => request.startsWith('create'))).toEqual([`create workloads ${name}`]);
    expect(server.pods.objects.size).toBe(0);
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
