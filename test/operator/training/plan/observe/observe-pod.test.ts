import type { ContainerStatus, Pod, PodStatus } from '../../../../../src/manifests/kubernetes';
import { ATTEMPT_LABEL, AVOIDED_NODES_ANNOTATION } from '../../../../../src/model/labels';
import { observePod } from '../../../../../src/operator/training/plan/observe/observe-pod';

const pod = (status: PodStatus | undefined, metadata: Pod['metadata'] = {}): Pod => ({
  metadata: { name: 'train-worker-0', uid: 'u1', labels: { [ATTEMPT_LABEL]: '2' }, ...metadata },
  spec: { nodeName: 'gpu-7', containers: [] },
  status,
});

const ended = (name: string, exitCode: number, more: object = {}): ContainerStatus => ({
  name, state: { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt: '2026-03-01T12:00:00Z', ...more } },
});
const running = (name: string): ContainerStatus => ({ name, state: { running: {} } });
const waiting = (name: string, reason: string, message?: string): ContainerStatus => ({ name, state: { waiting: { reason, message } } });

const DISRUPTED = [{ type: 'DisruptionTarget', status: 'True' }];

describe('observing a pod', () => {
  it('its identity, attempt and node are taken over', () => {
    expect(observePod(pod({ phase: 'Pending' }))).toMatchObject({ name: 'train-worker-0', uid: 'u1', attempt: 2, node: 'gpu-7', deleting: false });
  });

  it('a pod without the label is of attempt 0', () => {
    expect(observePod(pod(undefined, { labels: undefined })).attempt).toBe(0);
  });

  it.each(['', 'x', '-1', '1.5', '0x10', 'Infinity', 'NaN'])('a pod whose label is "%s" is of no attempt that a job comes to', (label) => {
    expect(observePod(pod(undefined, { labels: { [ATTEMPT_LABEL]: label } })).attempt).toBe(Infinity);
  });

  it('a pod that has a node is unseen until its kubelet tells of its containers', () => {
    expect(observePod(pod({ phase: 'Pending' })).unseen).toBe(true);
    expect(observePod(pod({ phase: 'Pending', containerStatuses: [waiting('training', 'ContainerCreating')] })).unseen).toBeUndefined();
    expect(observePod(pod({ phase: 'Running' })).unseen).toBeUndefined();
    expect(observePod({ ...pod({ phase: 'Pending' }), spec: { containers: [] } }).unseen).toBeUndefined();
  });

  it('a pod that waits knows what the nodes are like that it avoids', () => {
    const avoiding = pod({ phase: 'Pending' }, { annotations: { [AVOIDED_NODES_ANNOTATION]: 'gpu-1,gpu-2' } });
    const stateOf = (node: string) => (node === 'gpu-1' ? { health: 'NotReady' } as const : undefined);

    expect(observePod(avoiding, undefined, stateOf)).toMatchObject({ avoidedNodes: ['gpu-1', 'gpu-2'], avoidedStates: { 'gpu-1': { health: 'NotReady' } } });
    expect(observePod(avoiding).avoidedStates).toBeUndefined();
    expect(observePod({ ...avoiding, status: { phase: 'Running' } }, undefined, stateOf).avoidedStates).toBeUndefined();
  });

  it('a pod that was asked to go is deleting', () => {
    expect(observePod(pod({ phase: 'Running' }, { deletionTimestamp: '2026-03-01T12:00:00Z' })).deleting).toBe(true);
  });

  it.each<[string, PodStatus | undefined, string, boolean]>([
    ['that has no status yet waits', undefined, 'Waiting', false],
    ['that is pending waits', { phase: 'Pending' }, 'Waiting', false],
    ['that runs is running', { phase: 'Running', containerStatuses: [running('training')] }, 'Running', false],
    ['whose containers are not reported is what its phase says', { phase: 'Running' }, 'Running', false],
    ['of which only a sidecar runs waits', { phase: 'Running', containerStatuses: [waiting('training', 'ContainerCreating'), running('log')] }, 'Waiting', false],
    ['that succeeded has succeeded', { phase: 'Succeeded', containerStatuses: [ended('training', 0)] }, 'Succeeded', false],
    ['whose training is done and whose sidecar goes on has succeeded, and lingers',
      { phase: 'Running', containerStatuses: [ended('training', 0), running('log')] }, 'Succeeded', true],
    ['whose training failed and whose sidecar goes on has failed, and lingers',
      { phase: 'Running', containerStatuses: [ended('training', 1), running('log')] }, 'Failed', true],
    ['whose training is done and whose sidecar failed afterwards has succeeded',
      { phase: 'Failed', containerStatuses: [ended('training', 0), ended('log', 143)] }, 'Succeeded', false],
    ['that was evicted has failed, even if its training ended with 0 when it was asked to',
      { phase: 'Failed', reason: 'Evicted', containerStatuses: [ended('training', 0)] }, 'Failed', false],
    ['that was preempted has failed, even if its training ended with 0 when it was asked to',
      { phase: 'Failed', conditions: DISRUPTED, containerStatuses: [ended('training', 0)] }, 'Failed', false],
    ['that ran out of its own deadline has failed, even if its training ended with 0',
      { phase: 'Failed', reason: 'DeadlineExceeded', containerStatuses: [ended('training', 0)] }, 'Failed', false],
    ['that the control plane has lost sight of waits', { phase: 'Unknown' }, 'Waiting', false],
  ])('a pod %s', (_, status, state, lingering) => {
    expect(observePod(pod(status))).toMatchObject({ state, lingering });
  });

  it('a failure has container, exit code, reason, log and time', () => {
    const status = { phase: 'Failed', containerStatuses: [ended('log', 0), ended('training', 137, { reason: 'OOMKilled', message: 'epoch 3\nKilled' })] } as const;

    expect(observePod(pod(status as unknown as PodStatus)).failure).toEqual({
      disruption: false, container: 'training', exitCode: 137, reason: 'OOMKilled', message: undefined, logTail: 'epoch 3\nKilled', time: '2026-03-01T12:00:00Z',
    });
  });

  it('the failure of an init container is the pod\'s, as training never began', () => {
    const status: PodStatus = {
      phase: 'Failed', initContainerStatuses: [ended('fetch', 3, { message: 'no such bucket' })], containerStatuses: [waiting('training', 'PodInitializing')],
    };

    expect(observePod(pod(status)).failure).toMatchObject({ container: 'fetch', exitCode: 3, logTail: 'no such bucket' });
  });

  it.each<[string, PodStatus]>([
    ['an eviction', { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }],
    ['a node that shuts down', { phase: 'Failed', reason: 'Terminated' }],
    ['a lost node', { phase: 'Failed', reason: 'NodeLost' }],
    ['a preemption', { phase: 'Failed', reason: 'Preempting' }],
    ['a drain', { phase: 'Failed', conditions: DISRUPTED, containerStatuses: [ended('training', 143)] }],
    ['a pod that its node could not admit', { phase: 'Failed', reason: 'UnexpectedAdmissionError' }],
  ])('%s is a disruption', (_, status) => {
    expect(observePod(pod(status)).failure?.disruption).toBe(true);
  });

  it('a program that fails by itself is no disruption, and neither is a condition that is not true', () => {
    const status: PodStatus = { phase: 'Failed', conditions: [{ type: 'DisruptionTarget', status: 'False' }], containerStatuses: [ended('training', 1)] };

    expect(observePod(pod(status)).failure?.disruption).toBe(false);
  });

  it('a failure of which nothing is known has a reason all the same', () => {
    expect(observePod(pod({ phase: 'Failed' })).failure).toMatchObject({ reason: 'Error', exitCode: undefined, container: undefined });
  });

  it('a restart in place was no disruption because its pod is evicted later', () => {
    const evicted = pod({
      phase: 'Failed', reason: 'Evicted', conditions: [{ type: 'DisruptionTarget', status: 'True' }],
      containerStatuses: [{ ...ended('training', 137), restartCount: 2, lastState: ended('training', 2).state }],
    });
    const observed = observePod({ ...evicted, spec: { ...evicted.spec!, restartPolicy: 'OnFailure' } });

    expect(observed.failure).toMatchObject({ disruption: true, reason: 'Evicted' });
    expect(observed).toMatchObject({ containerRestarts: 2, lastContainerFailure: { disruption: false, exitCode: 2, reason: 'Error' } });
  });

  it('long texts are cut: of a log the end is kept, of a message the beginning', () => {
    const { failure } = observePod(pod({
      phase: 'Failed', message: `first${'.'.repeat(9_000)}`, containerStatuses: [ended('training', 1, { message: `${'.'.repeat(9_000)}last` })],
    }));

    expect(failure?.message).toMatch(/^first/);
    expect(failure?.message).toHaveLength(1024);
    expect(failure?.logTail).toMatch(/last$/);
    expect(failure?.logTail).toHaveLength(2048);
  });

  it.each<[string, PodStatus, string | undefined]>([
    ['finds no node', {
      phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes have nvidia.com/gpu' }],
    }, 'Unschedulable: 0/3 nodes have nvidia.com/gpu'],
    ['finds no image', { phase: 'Pending', containerStatuses: [waiting('training', 'ImagePullBackOff', 'not found')] }, 'ImagePullBackOff: not found'],
    ['waits for an init container without an image', { phase: 'Pending', initContainerStatuses: [waiting('fetch', 'ErrImagePull')] }, 'ErrImagePull'],
    ['is being started', { phase: 'Pending', containerStatuses: [waiting('training', 'ContainerCreating')] }, undefined],
    ['runs its init containers', { phase: 'Pending', containerStatuses: [waiting('training', 'PodInitializing')] }, undefined],
    ['is new', { phase: 'Pending' }, undefined],
    ['runs', { phase: 'Running', containerStatuses: [running('training'), waiting('log', 'ImagePullBackOff')] }, undefined],
  ])('a pod that %s says so', (_, status, waitingFor) => {
    expect(observePod(pod(status)).waitingFor).toBe(waitingFor);
  });
});

describe('a container that failed in a pod that is being deleted', () => {
  it.each([
    ['before', '2026-03-01T12:00:01Z', true],
    ['in the same second as', '2026-03-01T12:00:02Z', undefined],
    ['after', '2026-03-01T12:00:03Z', undefined],
  ])('%s the deletion was asked for', (_, finishedAt, beforeDeletion) => {
    const metadata = { deletionTimestamp: '2026-03-01T12:00:32Z', deletionGracePeriodSeconds: 30 };
    expect(observePod(pod({ phase: 'Failed', containerStatuses: [ended('training', 1, { finishedAt })] }, metadata)).failure?.beforeDeletion).toBe(beforeDeletion);
  });
});
