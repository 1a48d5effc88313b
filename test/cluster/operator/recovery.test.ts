import { FakeNode } from '../support/fake-node';
import { now, podStatusPatch, terminated } from '../support/kubelet';
import { describeOperator } from '../support/operator-suite';
import { eventually, type TestObject } from '../support/cluster';
import { conditionOf } from '../support/training-jobs';
import { AVOIDED_NODES_ANNOTATION } from '../../../src/model/labels';

const suite = describeOperator();
const nodes: FakeNode[] = [];

async function newNode(): Promise<FakeNode> {
  const node = await FakeNode.create(suite.api);
  nodes.push(node);
  return node;
}

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.remove()));
});

/** A container that ended with a code for the n-th time, and waits to be started or runs again. */
async function restartContainer(name: string, times: number, exitCode: number, state: object): Promise<void> {
  const { api, namespace } = suite;
  const pod = await api.get('pods', namespace, name);
  const patch = podStatusPatch(pod, 'Running', () => state) as { status: { containerStatuses: object[] } };
  const [training] = patch.status.containerStatuses;
  const restartCount = 'waiting' in state ? times - 1 : times;
  patch.status.containerStatuses[0] = { ...training, restartCount, lastState: { terminated: terminated({ exitCode, message: 'loss is nan' }) } };
  await api.patch('pods', namespace, name, patch, 'status');
}

const uidOf = (pods: readonly TestObject[], name: string) => pods.find(({ metadata }) => metadata.name === name)?.metadata.uid;

describe('independent replicas that are restarted on failure', () => {
  test('are started again by the kubelet, in their pods, and each failure is counted', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { framework: 'plain', replicas: 2, runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 2 } });
    await kubelet.runAll('net', 2);
    await jobs.untilCondition('net', 'Running');
    const before = await kubelet.pods('net', 2);
    expect(before.map(({ spec }) => spec.restartPolicy)).toEqual(['OnFailure', 'OnFailure']);

    await restartContainer('net-worker-1', 1, 3, { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting failed container' } });
    const restarting = await jobs.until('net', 'restarting', ({ phase }) => phase === 'Restarting');
    expect(restarting.status).toMatchObject({ restarts: 1, disruptions: 0, lastFailure: { pod: 'net-worker-1', exitCode: 3, logTail: 'loss is nan' } });
    await restartContainer('net-worker-1', 1, 3, { running: { startedAt: now() } });
    const running = await jobs.untilCondition('net', 'Running');
    expect(running.status).toMatchObject({ restarts: 1, lastRestart: { cause: 'Failure', reason: 'Error', lostSeconds: expect.any(Number) } });
    expect(uidOf(await kubelet.pods('net', 2), 'net-worker-1')).toBe(uidOf(before, 'net-worker-1'));

    await restartContainer('net-worker-1', 3, 9, { waiting: { reason: 'CrashLoopBackOff' } });
    const failed = await jobs.untilCondition('net', 'Failed');
    expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'BackoffLimitExceeded' });
  });
});

describe('a pod that cannot start', () => {
  test('fails the job when its image does not come in time', async () => {
    const { api, jobs, kubelet, namespace } = suite;
    await jobs.create('net', { replicas: 2, runPolicy: { restartPolicy: 'OnFailure', startTimeoutSeconds: 1 } });
    await kubelet.pods('net', 2);
    await kubelet.wait('net-worker-0', 'ImagePullBackOff', 'Back-off pulling image "image"');
    const failed = await jobs.untilCondition('net', 'Failed');
    expect(conditionOf(failed, 'Failed')).toMatchObject({
      reason: 'ImagePullFailed', message: expect.stringContaining('net-worker-0 (rank 1, worker) cannot start for more than 1 s'),
    });
    expect(failed.status).toMatchObject({ restarts: 0, lastFailure: { reason: 'ImagePullFailed' } });
    await eventually('the event', async () => (await api.list('events', namespace)).some(({ type, reason }) => type === 'Warning' && reason === 'ImagePullFailed'));
  });

  test('fails it at once when its image has no valid name', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net');
    await kubelet.pods('net', 1);
    await kubelet.wait('net-master', 'InvalidImageName', 'could not parse image');
    expect(conditionOf(await jobs.untilCondition('net', 'Failed'), 'Failed')).toMatchObject({ reason: 'InvalidImageName' });
  });

  test('fails it at once when its command does not exist, and nothing is retried', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { runPolicy: { restartPolicy: 'OnFailure' } });
    await kubelet.pods('net', 1);
    await kubelet.end('net-master', { exitCode: 128, reason: 'StartError', message: 'exec: "trian.py": executable file not found in $PATH' });
    const failed = await jobs.untilCondition('net', 'Failed');
    expect(failed.status).toMatchObject({ restarts: 0 });
    expect(conditionOf(failed, 'Failed')).toMatchObject({ reason: 'ContainerStartFailed', message: expect.stringContaining('executable file not found') });
  });
});

describe('a rank that is reported to have failed before the peer that it lost', () => {
  test('does not end a job whose policy retries the end of that peer', async () => {
    const { jobs, kubelet } = suite;
    await jobs.create('net', { replicas: 2, runPolicy: { restartPolicy: 'ExitCode' } });
    await kubelet.runAll('net', 2);
    await jobs.untilCondition('net', 'Running');
    const finishedAt = now();
    await kubelet.end('net-master', { exitCode: 1, message: 'RuntimeError: Connection closed by peer' });
    await kubelet.end('net-worker-0', { exitCode: 137, message: 'step 40', finishedAt });
    const restarted = await jobs.until('net', 'restarted', ({ restarts }) => restarts === 1);
    expect(restarted.status).toMatchObject({ attempt: 1, lastFailure: { pod: 'net-worker-0', exitCode: 137 } });
  });
});

describe('a node that is lost', () => {
  const fields = (nodeLoss: object) => ({
    replicas: 2, runPolicy: { restartPolicy: 'Never' as const, nodeLoss }, template: { spec: { terminationGracePeriodSeconds: 1 } },
  });

  // A cluster none of whose nodes is ready has not lost them.
  beforeEach(newNode);

  /** A gang of two runs, its worker on the node; then its node is in trouble. Answers the uid of the worker's pod. */
  async function runOn(node: FakeNode, nodeLoss: object): Promise<string | undefined> {
    const { jobs, kubelet } = suite;
    await jobs.create('net', fields(nodeLoss));
    const pods = await kubelet.pods('net', 2);
    await kubelet.bind('net-worker-0', node.name);
    await kubelet.run('net-master', 'net-worker-0');
    await jobs.untilCondition('net', 'Running');
    return uidOf(pods, 'net-worker-0');
  }

  test('disrupts the job after its grace; the pod that hangs there is deleted by force, and the gang starts again', async () => {
    const { jobs, kubelet } = suite;
    const node = await newNode();
    const uid = await runOn(node, { graceSeconds: 1, forceDeleteAfterSeconds: 1 });
    await node.setReady('Unknown');
    const disrupted = await jobs.until('net', 'disrupted', ({ disruptions }) => disruptions === 1);
    expect(disrupted.status).toMatchObject({ restarts: 0, attempt: 1, lastFailure: { pod: 'net-worker-0', node: node.name, reason: 'NodeNotReady' } });
    // No kubelet confirms the end: only the operator can have removed it.
    await eventually('the next worker', async () => {
      const pods = await suite.api.list('pods', suite.namespace, 'job=net');
      return pods.length === 2 && uidOf(pods, 'net-worker-0') !== uid;
    });
    await kubelet.runAll('net', 2);
    expect((await jobs.untilCondition('net', 'Running')).status).toMatchObject({ restarts: 0, lastRestart: { cause: 'Disruption', lostSeconds: expect.any(Number) } });
  });

  test('is not lost while most nodes are not ready, and has its grace when that is over', async () => {
    const { jobs } = suite;
    const [node, ...others] = [await newNode(), await newNode(), await newNode()];
    await runOn(node, { graceSeconds: 1, forceDeleteAfterSeconds: 1 });
    await Promise.all([node, ...others].map(async (each) => each.setReady('Unknown')));
    const since = Date.now();
    await eventually('the end of the grace', async () => Date.now() > since + 2_000);
    const back = Date.parse(now());
    await Promise.all(others.map(async (each) => each.setReady('True')));

    const disrupted = await jobs.until('net', 'disrupted', ({ disruptions }) => disruptions === 1);
    expect(disrupted.status).toMatchObject({ lastFailure: { node: node.name, reason: 'NodeNotReady' } });
    expect(Date.parse(disrupted.status!.lastFailure!.time)).toBeGreaterThanOrEqual(back);
  });

  test('disrupts the job at once when it is gone', async () => {
    const node = await newNode();
    const uid = await runOn(node, { graceSeconds: 3600, forceDeleteAfterSeconds: 3600 });
    await node.remove();
    await eventually('the next worker', async () => {
      const pods = await suite.api.list('pods', suite.namespace, 'job=net');
      return pods.length === 2 && uidOf(pods, 'net-worker-0') !== uid;
    });
    expect((await suite.jobs.get('net')).status).toMatchObject({ disruptions: 1, lastFailure: { reason: 'NodeGone' } });
  });

  test('is waited for when the job says so, and the condition says for what', async () => {
    const { jobs, kubelet } = suite;
    const node = await newNode();
    await runOn(node, { graceSeconds: 0, stuckPods: 'Wait', forceDeleteAfterSeconds: 0 });
    await node.setReady('Unknown');
    await jobs.until('net', 'waiting for its node', (_status, job) => conditionOf(job, 'Running')?.message.includes('stuckPods is Wait') === true);
    const hanging = await suite.api.get('pods', suite.namespace, 'net-worker-0');
    expect(hanging.metadata.deletionTimestamp).toBeDefined();
    await kubelet.remove('net-worker-0');
    await kubelet.runAll('net', 2);
    await jobs.untilCondition('net', 'Running');
  });

  test('keeps no name of a deleted job from a new job of that name', async () => {
    const { jobs, api, namespace } = suite;
    const node = await newNode();
    const uid = await runOn(node, { graceSeconds: 1, forceDeleteAfterSeconds: 1 });
    await jobs.remove('net');
    // Asked to go, and no kubelet lets it.
    await eventually('the end of the worker is asked for', async () => (await api.get('pods', namespace, 'net-worker-0')).metadata.deletionTimestamp !== undefined);
    await jobs.create('net', fields({}));
    await node.setReady('Unknown');
    await eventually('the worker of the new job', async () => {
      const pods = await api.list('pods', namespace, 'job=net');
      return pods.some(({ metadata }) => metadata.name === 'net-worker-0' && metadata.uid !== uid);
    });
  });

  test('whose Lease stops makes the failure of a peer a disruption, and is not waited for longer than that', async () => {
    const { jobs, kubelet, api, namespace } = suite;
    const node = await newNode();
    await node.renewLease();
    const uid = await runOn(node, { leaseGraceSeconds: 4, graceSeconds: 3600, forceDeleteAfterSeconds: 3600 });
    await kubelet.end('net-master', { exitCode: 1, message: 'RuntimeError: Connection closed by peer' });
    const waiting = await jobs.until('net', 'waiting for the verdict', ({ provisionalFailure }) => provisionalFailure !== undefined);
    expect(waiting.status).toMatchObject({ restarts: 0, disruptions: 0, provisionalFailure: { attempt: 0, pod: 'net-master', puts: 'End' } });
    const disrupted = await jobs.until('net', 'disrupted', ({ disruptions }) => disruptions === 1);
    expect(disrupted.status).toMatchObject({ restarts: 0, attempt: 1, lastFailure: { pod: 'net-worker-0', node: node.name, reason: 'NodeSilent' } });
    expect(disrupted.status!.provisionalFailure).toBeUndefined();
    expect(disrupted.status!.suspectNodes).toBeUndefined();
    const next = await eventually('the next worker', async () => {
      const pods = await api.list('pods', namespace, 'job=net');
      return pods.length === 2 && uidOf(pods, 'net-worker-0') !== uid && pods;
    });

    // The scheduler would put them on the node until it is not ready. They are free to run there when it is heard from again.
    const avoided = (pods: readonly TestObject[]) => pods.map(({ metadata }) => (
      (metadata.annotations as { [name: string]: string } | undefined)?.[AVOIDED_NODES_ANNOTATION]));
    expect(avoided(next)).toEqual([node.name, node.name]);
    await kubelet.findNoNode('net-master', 'net-worker-0');
    await eventually('pods that may run on the node', async () => {
      await node.renewLease();
      const pods = await api.list('pods', namespace, 'job=net');
      return pods.length === 2 && avoided(pods).every((names) => names === undefined);
    });
    expect((await jobs.get('net')).status).toMatchObject({ restarts: 0, disruptions: 1 });
  });

  test('is ruled out by its Lease that is renewed, and the failure ends the job', async () => {
    const { jobs, kubelet } = suite;
    const node = await newNode();
    await node.renewLease();
    await runOn(node, { leaseGraceSeconds: 3600 });
    await kubelet.end('net-master', { exitCode: 3 });
    await jobs.until('net', 'waiting for the verdict', ({ provisionalFailure }) => provisionalFailure !== undefined);
    const failed = await eventually('the end', async () => {
      await node.renewLease();
      const job = await jobs.get('net');
      return job.status?.phase === 'Failed' ? job : undefined;
    });
    expect(failed.status).toMatchObject({ restarts: 0, disruptions: 0, lastFailure: { pod: 'net-master', exitCode: 3 } });
  });

  test('that announces its shutdown makes exit code 143 a disruption', async () => {
    const { jobs, kubelet } = suite;
    const node = await newNode();
    // Until a kubelet has been heard of again, an end by a signal is no verdict: news of nodes may be later than those of pods.
    await node.renewLease();
    await runOn(node, {});
    await node.taint('cloud.google.com/impending-node-termination');
    await kubelet.end('net-worker-0', { exitCode: 143 });
    const disrupted = await jobs.until('net', 'disrupted', ({ disruptions }) => disruptions === 1);
    expect(disrupted.status).toMatchObject({ phase: 'Restarting', restarts: 0, lastFailure: { exitCode: 143, reason: 'NodeTerminating' } });
  });
});

describe('a node on which ranks fail again and again', () => {
  test('is avoided by the pods of later attempts, whatever affinity they have of their own', async () => {
    const { jobs, kubelet } = suite;
    const node = await newNode();
    const other = await newNode();
    await other.label({ pool: 'gpu' });
    const terms = [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['gpu'] }] }];
    await jobs.create('net', {
      runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 0, maxSeconds: 0 } },
      template: { spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } } },
    });
    for (let failures = 1; failures <= 2; failures++) {
      await eventually(`attempt ${failures}`, async () => {
        const pods = await suite.api.list('pods', suite.namespace, `job=net,ml.collabnix.io/attempt=${failures - 1}`);
        return pods.length === 1 && pods[0].spec.nodeName === undefined;
      });
      await kubelet.bind('net-master', node.name);
      await kubelet.end('net-master', { exitCode: 1, message: 'RuntimeError: CUDA error: uncorrectable ECC error encountered' });
      await jobs.until('net', 'counted', ({ restarts }) => restarts === failures);
    }
    const pod = await eventually('the third pod', async () => (await suite.api.list('pods', suite.namespace, 'job=net,ml.collabnix.io/attempt=2'))[0]);
    expect(pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms).toEqual([
      { ...terms[0], matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: [node.name] }] },
    ]);
    expect((await jobs.get('net')).status!.suspectNodes).toMatchObject([{ node: node.name, failures: 2, avoided: true }]);
  });

  test('is only less wanted than others where no other node could take the pod', async () => {
    const { jobs, kubelet } = suite;
    const node = await newNode();
    await jobs.create('net', {
      runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 0, maxSeconds: 0 }, nodeAvoidance: { afterFailures: 1 } },
      template: { spec: { nodeSelector: { pool: 'of-one-node' } } },
    });
    await eventually('the first pod', async () => (await suite.api.list('pods', suite.namespace, 'job=net')).length === 1);
    await kubelet.bind('net-master', node.name);
    await kubelet.end('net-master', { exitCode: 1, message: 'RuntimeError: CUDA error: uncorrectable ECC error encountered' });
    const pod = await eventually('the second pod', async () => (await suite.api.list('pods', suite.namespace, 'job=net,ml.collabnix.io/attempt=1'))[0]);
    expect(pod.spec.affinity.nodeAffinity).toEqual({
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: [node.name] }] } }],
    });
  });

  test('is not a node on which a script ended with an exit code of its own', async () => {
    const { jobs, kubelet } = suite;
    const node = await newNode();
    await jobs.create('net', {
      runPolicy: { restartPolicy: 'OnFailure', backoff: { initialSeconds: 0, maxSeconds: 0 }, nodeAvoidance: { afterFailures: 1 } },
    });
    await eventually('the first pod', async () => (await suite.api.list('pods', suite.namespace, 'job=net')).length === 1);
    await kubelet.bind('net-master', node.name);
    await kubelet.end('net-master', { exitCode: 1, message: 'KeyError: lr' });
    const pod = await eventually('the second pod', async () => (await suite.api.list('pods', suite.namespace, 'job=net,ml.collabnix.io/attempt=1'))[0]);
    expect(pod.spec.affinity).toBeUndefined();
    expect((await jobs.get('net')).status).toMatchObject({ restarts: 1, ready: '0/1' });
  });
});
