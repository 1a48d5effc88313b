/** Hooks of jobs, by the operator as it is shipped: before the replicas, after them, and at the end. */
import type { HooksSpec } from '../../../src/model/training-job/hooks';
import { eventually } from '../support/cluster';
import { describeOperator } from '../support/operator-suite';
import { conditionOf } from '../support/training-jobs';

const suite = describeOperator();

const ALL: HooksSpec = {
  before: { image: 'tools', command: ['prepare'], resources: { cpu: '1' } },
  after: { command: ['register'], env: [{ name: 'MODEL', value: 'net' }] },
  onExit: { command: ['report'] },
};

/** Waits until a pod is there, and returns the variables of its first container. */
async function podThere(name: string) {
  const { spec, metadata } = await eventually(`pod ${name}`, async () => suite.api.list('pods', suite.namespace, 'job')
    .then((pods) => pods.find((pod) => pod.metadata.name === name) ?? false));
  const [container] = spec.containers as { name: string; image: string; command: string[]; env: { name: string; value?: string }[] }[];
  return { spec, metadata, container, env: Object.fromEntries(container.env.map(({ name: variable, value }) => [variable, value])) };
}

async function podNames(): Promise<string[]> {
  return (await suite.api.list('pods', suite.namespace, 'job')).map(({ metadata }) => metadata.name).sort();
}

test('before, replicas, after, end: each when the one before it has succeeded, also with another operator in between', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('net', { replicas: 2, hooks: ALL, checkpointPath: '/runs/a', env: [{ name: 'TEAM', value: 'blue' }] });
  const before = await podThere('net-hook-before-0');
  expect(before.container).toMatchObject({ name: 'hook', image: 'tools', command: ['prepare'] });
  expect(before.env).toMatchObject({ TRAINYARD_HOOK: 'before', TRAINYARD_JOB_NAME: 'net', TRAINYARD_JOB_NAMESPACE: suite.namespace, CHECKPOINT_PATH: '/runs/a', TEAM: 'blue' });
  expect(before.env).not.toHaveProperty('TRAINYARD_JOB_OUTCOME');
  expect(before.spec).toMatchObject({ restartPolicy: 'Never', automountServiceAccountToken: false });
  await kubelet.run('net-hook-before-0');
  await jobs.until('net', 'in its first hook', ({ hooks }) => hooks?.before?.phase === 'Running');
  expect(await podNames()).toEqual(['net-hook-before-0']);

  // The hook ends while nobody looks.
  await suite.operator.kill();
  await kubelet.end('net-hook-before-0');
  await suite.restart();
  await kubelet.pods('net', 3);
  await suite.api.remove('pods', suite.namespace, 'net-hook-before-0', { gracePeriodSeconds: 0 });
  await kubelet.run('net-master', 'net-worker-0');
  const { status } = await jobs.untilCondition('net', 'Running');
  expect(status).toMatchObject({ ready: '2/2', replicas: 2, hooks: { before: { phase: 'Succeeded', failures: 0 } } });
  // The master decides: a worker that still runs would be removed with it.
  await kubelet.end('net-worker-0');
  await kubelet.end('net-master');

  const after = await podThere('net-hook-after-0');
  expect(after.env).toMatchObject({ TRAINYARD_HOOK: 'after', TRAINYARD_JOB_OUTCOME: 'Succeeded', MODEL: 'net' });
  const waiting = await jobs.get('net');
  expect([waiting.status?.phase, conditionOf(waiting, 'Running')?.reason]).toEqual(['Running', 'AfterHookPending']);
  await kubelet.end('net-hook-after-0');
  await jobs.untilCondition('net', 'Succeeded');

  const exit = await podThere('net-hook-on-exit-0');
  expect(exit.env).toMatchObject({ TRAINYARD_HOOK: 'onExit', TRAINYARD_JOB_OUTCOME: 'Succeeded', TRAINYARD_JOB_REASON: 'JobSucceeded' });
  await kubelet.end('net-hook-on-exit-0');
  await jobs.until('net', 'past its last hook', ({ hooks }) => hooks?.onExit?.phase === 'Succeeded');
  expect(await podNames()).toEqual(['net-hook-after-0', 'net-hook-on-exit-0', 'net-master', 'net-worker-0']);
});

test('a hook before the replicas that fails is tried again, then fails the job, and the hook at the end is told', async () => {
  const { jobs, kubelet } = suite;
  await jobs.create('net', { hooks: { before: { command: ['prepare'], backoffLimit: 1 }, onExit: ALL.onExit }, runPolicy: { backoff: { initialSeconds: 1 } } });
  await podThere('net-hook-before-0');
  await kubelet.end('net-hook-before-0', { exitCode: 3, message: 'no such bucket' });
  await podThere('net-hook-before-1');
  await kubelet.end('net-hook-before-1', { exitCode: 3, message: 'no such bucket' });
  const job = await jobs.untilCondition('net', 'Failed');
  expect(conditionOf(job, 'Failed')).toMatchObject({
    reason: 'BeforeHookFailed', message: 'spec.hooks.before failed: net-hook-before-1 failed with exit code 3: no such bucket',
  });

  const exit = await podThere('net-hook-on-exit-0');
  expect(exit.env).toMatchObject({ TRAINYARD_JOB_OUTCOME: 'Failed', TRAINYARD_JOB_REASON: 'BeforeHookFailed' });
  await kubelet.end('net-hook-on-exit-0', { exitCode: 1 });
  const ended = await jobs.untilCondition('net', 'HookFailed');
  expect(conditionOf(ended, 'HookFailed')?.reason).toBe('OnExitHookFailed');
  expect(ended.status?.phase).toBe('Failed');
  expect(await podNames()).toEqual(['net-hook-before-0', 'net-hook-before-1', 'net-hook-on-exit-0']);
});

test('the API server refuses devices of a hook, a hook without a command, and a change of hooks', async () => {
  const { jobs } = suite;
  await expect(jobs.create('gpu', { hooks: { after: { command: ['x'], resources: { gpu: 1 } } } })).rejects.toThrow(/spec\.hooks\.after\.resources.*has no GPUs, TPUs or other devices/s);
  await expect(jobs.create('idle', { hooks: { after: {} as never } })).rejects.toThrow(/command/);
  await jobs.create('net', { suspend: true, hooks: { after: { command: ['x'] } } });
  await expect(jobs.change('net', { hooks: { after: { command: ['y'] } } })).rejects.toThrow(/cannot change while the job exists/);
});
