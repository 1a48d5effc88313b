import { CHECKPOINT_FIELD_MANAGER, PROGRESS_FIELD_MANAGER } from '../../../src/operator/training/progress/writer';
import { PROGRESS_CA_ANNOTATION } from '../../../src/model/labels';
import { progressAudience, progressPath } from '../../../src/model/progress/contract';
import { eventually } from '../support/cluster';
import { LOCAL_ENDPOINT, startOperator, type OperatorProcess } from '../support/operator';
import { describeOperator } from '../support/operator-suite';
import { ProgressClient, resigned } from '../support/progress-client';

/** The endpoint as Kubeflow Trainer's clients use it, on the real API server: tokens that it made, and rights that the operator has in a cluster. */
const suite = describeOperator(LOCAL_ENDPOINT);

const now = () => new Date().toISOString().replace('Z', '000+00:00');

/** Body as the Kubeflow SDK and the callback of Hugging Face write it: time with microseconds and offset, values as text. */
const report = (progressPercentage: number, metrics: { readonly [name: string]: string } = {}) => ({
  trainerStatus: { lastUpdatedTime: now(), progressPercentage, metrics: Object.entries(metrics).map(([name, value]) => ({ name, value })) },
});

/** A pod that is not a job's. */
const STRANGER = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'shell' }, spec: { containers: [{ name: 'shell', image: 'image' }] } };

const job = (name = 'net') => ({ namespace: suite.namespace, name });

async function client(operator: OperatorProcess = suite.operator): Promise<ProgressClient> {
  const { port } = await operator.logs('progress endpoint is listening');
  const { data } = await suite.api.get('secrets', suite.installation.namespace, 'trainyard-operator-progress-tls');
  return new ProgressClient(suite.api, port, Buffer.from(data['ca.crt'], 'base64').toString('utf8'));
}

test('a pod is told where to report, with a token for its job alone and the authorities to trust', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  await jobs.create('net', { checkpointPath: '/ckpt', checkpoint: { keepLast: 2 } });
  const [pod] = await kubelet.pods('net', 1);
  const { env, volumeMounts } = pod.spec.containers[0];
  const url = `https://127.0.0.1${progressPath(job())}`;
  const folder = '/var/run/secrets/kubeflow/trainer';
  expect(env).toEqual(expect.arrayContaining([
    { name: 'KUBEFLOW_TRAINER_SERVER_URL', value: url },
    { name: 'KUBEFLOW_TRAINER_SERVER_CA_CERT', value: `${folder}/ca.crt` },
    { name: 'KUBEFLOW_TRAINER_SERVER_TOKEN', value: `${folder}/token` },
    { name: 'TRAINYARD_PROGRESS_URL', value: url },
    { name: 'CHECKPOINT_KEEP_LAST', value: '2' },
  ]));
  expect(volumeMounts).toContainEqual({ name: 'trainyard-progress', mountPath: folder, readOnly: true });
  const { sources } = pod.spec.volumes.find(({ name }: { name: string }) => name === 'trainyard-progress').projected;
  expect(sources[0].serviceAccountToken).toEqual({ audience: progressAudience(job()), expirationSeconds: 3600, path: 'token' });
  expect(sources[1].downwardAPI.items[0].path).toBe('ca.crt');
  const annotations = pod.metadata.annotations as { [name: string]: string };
  // What the pod trusts is what the server shows: a report over TLS goes through.
  const { port } = await suite.operator.logs('progress endpoint is listening');
  const asPod = new ProgressClient(api, port, annotations[PROGRESS_CA_ANNOTATION]);
  expect((await asPod.report(job(), await asPod.token({ namespace, name: 'net' }), {})).status).toBe(200);
});

test('a report is echoed and stands in the status, under the field owner of Kubeflow Trainer', async () => {
  await suite.jobs.create('net');
  const endpoint = await client();
  const token = await endpoint.token(job());
  const sent = report(45, { loss: '0.25', accuracy: '0.95' });
  const body = { ...sent, trainerStatus: { ...sent.trainerStatus, estimatedRemainingSeconds: 789, unknown: 1 } };
  const answer = await endpoint.report(job(), token, body);
  const trainerStatus = {
    ...sent.trainerStatus, estimatedRemainingSeconds: 789, lastUpdatedTime: sent.trainerStatus.lastUpdatedTime.replace(/\..*/, 'Z'),
  };
  expect(answer).toEqual({ status: 200, contentType: 'application/json', body: { trainerStatus } });
  const stored = await suite.jobs.get('net');
  expect(stored.status).toMatchObject({ trainerStatus, progressHistory: [{ progressPercentage: 45, metrics: { loss: '0.25', accuracy: '0.95' } }] });
  const managers = stored.metadata.managedFields as { manager: string; subresource?: string; operation: string }[];
  expect(managers).toContainEqual(expect.objectContaining({ manager: PROGRESS_FIELD_MANAGER, operation: 'Apply', subresource: 'status' }));
});

test('tokens of others are refused: none, garbage, another audience, another namespace, another pod, expired, another issuer', async () => {
  const { api, jobs, namespace } = suite;
  await jobs.create('net');
  await jobs.create('other');
  const endpoint = await client();
  const good = await endpoint.token(job());
  const pod = await endpoint.podOf(job());
  const seconds = Math.floor(Date.now() / 1000);
  const tokens: { readonly [what: string]: string | undefined } = {
    'none': undefined,
    'garbage': 'a.b.c',
    'two words': `${good} ${good}`,
    'audience of the API server': await endpoint.token(job(), { audience: 'https://kubernetes.default.svc' }),
    'audience of another job': await endpoint.token(job('other')),
    'pod of another job': await endpoint.token(job(), { pod: await endpoint.podOf(job('other')) }),
    'no pod, as whoever may create tokens gets it': await endpoint.token(job(), { pod: 'none' }),
    'an earlier pod of the name': await endpoint.token(job(), { pod: { metadata: { ...pod.metadata, uid: 'another' } } }),
    'a pod that somebody created': await endpoint.token(job(), { pod: await api.create('pods', namespace, STRANGER) }),
    'account of another namespace': await endpoint.token({ namespace: 'default', name: 'net' }, { audience: progressAudience(job()), pod }),
    'expired': await resigned(good, { iat: seconds - 7200, nbf: seconds - 7200, exp: seconds - 3600 }),
    'not yet valid': await resigned(good, { nbf: seconds + 3600, exp: seconds + 7200 }),
    'another issuer': await resigned(good, { iss: 'https://issuer.example' }),
    'no namespace in it': await resigned(good, { 'kubernetes.io': {} }),
    'a signature that was changed': `${good.slice(0, -8)}AAAAAAAA`,
  };
  for (const [what, token] of Object.entries(tokens)) {
    const answer = await endpoint.report(job(), token, report(99));
    expect({ what, status: answer.status }).toEqual({ what, status: 403 });
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403 });
  }
  expect((await api.get('mltrainingjobs', namespace, 'net')).status?.trainerStatus).toBeUndefined();
  expect((await endpoint.report(job(), await resigned(good, { exp: seconds + 60 }), report(99))).status).toBe(200);
});

test('what is no report gets the status codes of Kubeflow Trainer, and nothing is stored', async () => {
  await suite.jobs.create('net');
  const endpoint = await client();
  const token = await endpoint.token(job());
  const many = Array.from({ length: 257 }, (_, index) => ({ name: `m${index}`, value: '1' }));
  const status = (fields: object) => ({ trainerStatus: { lastUpdatedTime: now(), ...fields } });
  const cases: readonly (readonly [string, unknown, number])[] = [
    ['an empty object', {}, 200],
    ['null', 'null', 200],
    ['no body', '', 422],
    ['no JSON', 'invalid payload', 422],
    ['a list', [], 422],
    ['two objects', '{}{}', 422],
    ['a status without a time', { trainerStatus: {} }, 422],
    ['a time that is none', status({ lastUpdatedTime: 'yesterday' }), 422],
    ['progress above all', status({ progressPercentage: 101 }), 422],
    ['progress below nothing', status({ progressPercentage: -1 }), 422],
    ['progress as text', status({ progressPercentage: '42' }), 422],
    ['half a percent', status({ progressPercentage: 41.5 }), 422],
    ['time that runs backwards', status({ estimatedRemainingSeconds: -1 }), 422],
    ['too many metrics', status({ metrics: many }), 422],
    ['a metric without a value', status({ metrics: [{ name: 'loss' }] }), 422],
    ['a metric that is a number', status({ metrics: [{ name: 'loss', value: 0.5 }] }), 422],
    ['a name that is too long', status({ metrics: [{ name: 'x'.repeat(65), value: '1' }] }), 422],
    ['more than 64 KiB', `{"trainerStatus":{"metrics":[${'{"name":"m","value":"0.5"},'.repeat(40_000)}]}}`, 413],
  ];
  for (const [what, body, code] of cases) {
    const answer = await endpoint.report(job(), token, body);
    expect({ what, code: answer.status }).toEqual({ what, code });
    expect(answer.body).toMatchObject(code === 200 ? {} : { kind: 'Status', apiVersion: 'v1', status: 'Failure', code });
  }
  expect((await suite.jobs.get('net')).status?.trainerStatus).toBeUndefined();
  const exactly = `${JSON.stringify(report(7)).slice(0, -1)},"padding":"`;
  expect((await endpoint.report(job(), token, `${exactly}${'x'.repeat(64 * 1024 - exactly.length - 2)}"}`)).status).toBe(200);

  expect(await endpoint.send('GET', progressPath(job()), token)).toMatchObject({ status: 404, body: { message: 'Not found' } });
  expect(await endpoint.send('POST', '/apis/trainer.kubeflow.org/v1alpha1/nothing', token)).toMatchObject({ status: 404 });
});

test('metrics at their limits are taken: 256 of 64 characters, a name twice', async () => {
  await suite.jobs.create('net');
  const endpoint = await client();
  const metrics = Array.from({ length: 256 }, (_, index) => ({ name: `${index >> 1}`.padEnd(64, 'm'), value: '1'.repeat(64) }));
  expect((await endpoint.report(job(), await endpoint.token(job()), { trainerStatus: { lastUpdatedTime: now(), metrics } })).status).toBe(200);
  expect((await suite.jobs.get('net')).status!.trainerStatus!.metrics).toEqual(metrics);
});

test('a checkpoint is durable when the answer comes, and is where the next attempt goes on', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('net', { checkpointPath: '/ckpt', runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 0, maxSeconds: 0 } } });
  await kubelet.runAll('net', 1);
  const endpoint = await client();
  const token = await endpoint.token(job());
  for (const step of [100, 200, 300]) {
    const checkpoint = { path: `/ckpt/step-${step}`, step };
    const answer = await endpoint.report(job(), token, { ...report(step / 10), checkpoint });
    expect(answer).toMatchObject({ status: 200, body: { checkpoint } });
    // Each of them, although reports of progress come too fast to be written one by one.
    expect((await jobs.get('net')).status!.checkpoint).toMatchObject(checkpoint);
  }
  await endpoint.report(job(), token, { checkpoint: { path: '/ckpt/step-400', step: 400 } });
  await kubelet.end('net-master', { exitCode: 1 });
  const restarted = await eventually('the second attempt', async () => {
    const [pod] = await suite.api.list('pods', suite.namespace, 'ml.collabnix.io/attempt=1');
    return pod;
  });
  expect(restarted.spec.containers[0].env).toContainEqual({ name: 'RESUME_FROM', value: '/ckpt/step-400' });
  const managers = (await jobs.get('net')).metadata.managedFields as { manager: string }[];
  expect(managers.map(({ manager }) => manager)).toContain(CHECKPOINT_FIELD_MANAGER);
});

test('reports in quick succession become few writes, the last one wins, and the leader\'s own writes undo none', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('net', { replicas: 2 });
  await kubelet.pods('net', 2);
  const endpoint = await client();
  const token = await endpoint.token(job());
  await endpoint.report(job(), token, report(1, { loss: '9' }));
  const first = Number((await jobs.get('net')).metadata.resourceVersion);
  // The leader writes while reports come: pods start, and the job is running.
  const reports = Array.from({ length: 30 }, (_, index) => endpoint.report(job(), token, report(2 + index, { loss: String(index) })));
  await kubelet.runAll('net', 2);
  expect((await Promise.all(reports)).map(({ status }) => status)).toEqual(reports.map(() => 200));
  await endpoint.report(job(), token, report(40, { loss: '0.5' }));
  const done = await jobs.until('net', 'at 40 percent', (status) => status.trainerStatus?.progressPercentage === 40);
  expect(done.status).toMatchObject({ phase: 'Running', ready: '2/2', trainerStatus: { metrics: [{ name: 'loss', value: '0.5' }] } });
  expect(Number(done.metadata.resourceVersion)).toBeGreaterThan(first);
  expect(done.status!.progressHistory!.length).toBeLessThan(5);
});

test('any replica answers, by the same certificate authority, also one that does not lead', async () => {
  const { jobs, installation } = suite;
  await jobs.create('net');
  const standby = startOperator(installation, { ...LOCAL_ENDPOINT, POD_NAME: 'operator-1' });
  try {
    const second = await client(standby);
    const token = await second.token(job());
    expect((await second.report(job(), token, { checkpoint: { path: '/ckpt/9', step: 9 } })).status).toBe(200);
    expect((await (await client()).report(job(), token, report(50))).status).toBe(200);
    expect((await jobs.get('net')).status).toMatchObject({ checkpoint: { step: 9 }, trainerStatus: { progressPercentage: 50 } });
    expect(standby.log().some(({ msg }) => msg === 'became the leader')).toBe(false);
  } finally {
    expect(await standby.stop()).toBe(0);
  }
});
