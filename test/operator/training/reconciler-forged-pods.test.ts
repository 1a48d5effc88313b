/** What the reconciler does about pods that name the job as their controller, and that it did not make. */
import { makeOperator } from './support/recorded-operator';
import { ATTEMPT_LABEL, GROUP_VERSION, JOB_LABEL, TRAINING_JOB_KIND } from '../../../src/model/labels';

/** A job whose pods are there, and a pod that somebody makes who says that the job controls it. */
async function makeForged(name: string, attempt: string) {
  const made = makeOperator();
  await made.operator.reconcile();
  const { uid } = made.server.jobs.get('train')!.metadata!;
  made.server.createPod({
    metadata: {
      name,
      labels: { [JOB_LABEL]: 'train', [ATTEMPT_LABEL]: attempt },
      ownerReferences: [{ apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, name: 'train', uid: uid!, controller: true }],
    },
  });
  made.caches.catchUp();
  made.requests.length = 0;
  return made;
}

const OWN = ['train-master', 'train-worker-0'];

test.each(['1', '99', 'the last', '1e9', ''])('a pod of attempt "%s", which the job has not come to, is deleted, and the job goes on', async (attempt) => {
  const { operator, server, requests } = await makeForged('train-worker-9', attempt);

  await operator.reconcile();

  expect([...server.pods.objects.keys()]).toEqual(OWN);
  expect(requests.slice(0, 2)).toEqual(['get mltrainingjobs train', 'delete pods train-worker-9']);
  requests.length = 0;
  await operator.reconcile();
  expect(requests).toEqual([]);
});

test('a pod of such an attempt that took the name of a replica gives way to the replica', async () => {
  const { operator, server, caches } = await makeForged('train-worker-9', '7');
  const forged = server.pods.get('train-worker-9')!;
  server.removePod('train-worker-9');
  server.removePod('train-worker-0');
  const { uid } = server.createPod({ metadata: { ...forged.metadata, name: 'train-worker-0' } }).metadata!;
  caches.catchUp();

  await operator.reconcile();
  await operator.reconcile();

  const { metadata } = server.pods.get('train-worker-0')!;
  expect(metadata!.uid).not.toBe(uid);
  expect(metadata!.labels![ATTEMPT_LABEL]).toBe('0');
});

test('pods of an attempt that the job has come to, which the cache does not know yet, are left alone', async () => {
  const { operator, server, caches, requests } = await makeForged('train-worker-9', '1');
  const { metadata } = server.pods.get('train-worker-9')!;
  server.removePod('train-worker-9');
  const job = server.jobs.get('train')!;
  server.replaceStatus(job, { ...job.status, attempt: 1 });
  const pods = OWN.map((name) => {
    server.removePod(name);
    return server.createPod({ metadata: { ...metadata, name } });
  });
  caches.deliver('pods');
  expect(caches.jobs.get('default/train')?.status?.attempt ?? 0).toBe(0);

  await operator.reconcile();

  expect(requests[0]).toBe('get mltrainingjobs train');
  expect(requests).not.toContainEqual(expect.stringMatching(/^(delete|create) pods/));
  expect(OWN.map((name) => server.pods.get(name)!.metadata!.uid)).toEqual(pods.map((pod) => pod.metadata!.uid));
});
