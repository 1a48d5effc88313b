/** What the reconciler does about writes whose answers never came. Deliveries of watches are left out: the caches know only what requests told. */
import { ApiClient } from './plan/simulation/api-client';
import { ApiServer, KINDS, Refusal } from './plan/simulation/api-server';
import { Caches } from './plan/simulation/caches';
import { Random } from './plan/simulation/random';
import { RealOperator } from './plan/simulation/real-operator';
import { makeJob } from './support/builders';

const SPEC = makeJob().pytorch(2).build().spec;

/** An operator whose requests are written down, and of which some are carried out without an answer. */
function makeOperator() {
  const server = new ApiServer();
  server.createJob('train', SPEC);
  const caches = new Caches(server);
  KINDS.forEach((kind) => { caches.beginList(kind); caches.commitList(kind); });
  const requests: string[] = [];
  const silent: string[] = [];
  const client = new ApiClient(new Random(1), () => undefined, () => undefined);
  const write = client.write.bind(client);
  client.write = <T>(description: string, request: () => T): T => {
    requests.push(description);
    const answer = write(description, request);
    if (silent.includes(description)) {
      throw new Refusal('Timeout', true);
    }
    return answer;
  };
  const read = client.read.bind(client);
  client.read = <T>(description: string, request: () => T): T => {
    requests.push(description);
    return read(description, request);
  };
  const observer = { onCreatePod: () => undefined, onDeletePod: () => undefined };
  const operator = new RealOperator(server, client, { now: Date.parse('2026-03-01T12:00:00Z'), monotonic: 0 }, 'train', observer, caches);
  return { server, caches, operator, requests, silent };
}

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
