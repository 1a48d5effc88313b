/** The operator, or one of its namespaces, is away for a while: jobs do not pay for it. */
import { describeFaults } from './support/fault-suite';
import { LEASE_NAME } from '../../src/operator/training/config';
import { OPERATOR_PROGRESS_SECRET } from '../../src/manifests/operator/settings';
import { eventually } from '../cluster/support/cluster';
import { LOCAL_ENDPOINT, installOperator, type OperatorProcess } from '../cluster/support/operator';
import { podToken } from '../cluster/support/pod-token';
import { ProgressClient } from '../cluster/support/progress-client';
import { TestJobs } from '../cluster/support/training-jobs';

// Tokens of pods are those of their namespace's account.
const suite = describeFaults({ controllerManager: { controllers: ['serviceaccount-controller'] } });

/** Longer than the time between the start of an operator and the next report, also on a busy machine. */
const STALL_SECONDS = 20;

test('an operator that was away for longer than the limit of a stall restarts nothing: nobody could take the reports meanwhile', async () => {
  const { api, jobs, namespace } = suite;
  let operator: OperatorProcess | undefined = suite.start('first', undefined, LOCAL_ENDPOINT);
  await suite.leads(operator);
  const job = { namespace, name: 'net' };
  await jobs.create('net', { runPolicy: { restartPolicy: 'OnFailure', stall: { timeoutSeconds: STALL_SECONDS } } });
  await jobs.untilCondition('net', 'Running');
  const token = await podToken(api, job, await api.get('pods', namespace, 'net-master'));
  const report = async (value: string): Promise<boolean> => {
    const { port } = await operator!.logs('progress endpoint is listening');
    const { data } = await api.get('secrets', suite.installation.namespace, OPERATOR_PROGRESS_SECRET);
    const client = new ProgressClient(api, port as number, Buffer.from(data['ca.crt'] as string, 'base64').toString('utf8'));
    const trainerStatus = { lastUpdatedTime: new Date().toISOString(), metrics: [{ name: 'report', value }] };
    return (await client.report(job, token, { trainerStatus })).status === 200;
  };
  await eventually('a report to be taken', async () => report('before'));
  await operator.stop();
  await new Promise((resolve) => setTimeout(resolve, (STALL_SECONDS + 2) * 1000));

  operator = suite.start('second', undefined, LOCAL_ENDPOINT);
  await suite.leads(operator);
  await eventually('a report to be taken', async () => report('after'));
  await jobs.create('later');
  await jobs.untilCondition('later', 'Running');
  const { status } = await jobs.until('net', 'reported', ({ trainerStatus }) => trainerStatus?.metrics?.[0]?.value === 'after');
  expect([status?.phase, status?.restarts ?? 0, status?.attempt ?? 0, suite.recorder.podCount]).toEqual(['Running', 0, 0, 2]);
});

test('of two namespaces one is lost: the jobs of the other go on, also under a new leader, and those of the lost one when it is back', async () => {
  const { api } = suite;
  const own = await api.createNamespace('operator', false);
  const [kept, lost] = [await api.createNamespace('kept', false), await api.createNamespace('lost', false)];
  const installation = await installOperator(api, own, [kept, lost]);
  const env = { WATCH_NAMESPACES: `${kept},${lost}` };
  const [keptJobs, lostJobs] = [new TestJobs(api, kept), new TestJobs(api, lost)];
  const first = suite.start('first', undefined, env, installation);
  await suite.leads(first);
  await lostJobs.create('before');
  await lostJobs.untilCondition('before', 'Running');

  const bindings = await api.list('rolebindings', lost);
  for (const { metadata } of bindings) {
    await api.remove('rolebindings', lost, metadata.name);
  }
  await keptJobs.create('first');
  await keptJobs.untilCondition('first', 'Running');
  await first.stop();
  const second = suite.start('second', undefined, env, installation);
  await keptJobs.create('second');
  await keptJobs.untilCondition('second', 'Running');
  expect((await api.get('leases', own, LEASE_NAME)).spec.holderIdentity).toBe('second');

  await lostJobs.create('after');
  for (const { metadata: { name }, roleRef, subjects } of bindings) {
    await api.create('rolebindings', lost, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name }, roleRef, subjects });
  }
  await lostJobs.untilCondition('after', 'Running');
  const { status } = await lostJobs.get('before');
  expect([status?.phase, status?.restarts ?? 0, status?.disruptions ?? 0]).toEqual(['Running', 0, 0]);
  expect(second.child.running).toBe(true);
});
