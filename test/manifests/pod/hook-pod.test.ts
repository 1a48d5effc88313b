import { constructHookPod } from '../../../src/manifests/pod/hook-pod';
import type { HookSpec } from '../../../src/model/training-job/hooks';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

const HOOK: HookSpec = { command: ['run'] };

function podOf(spec: Partial<TrainingJobSpec>, hook: Partial<HookSpec> = {}) {
  const job = resolveTrainingJob('net', { framework: 'pytorch', image: 'train', replicas: 2, command: ['train'], ...spec, hooks: { after: { ...HOOK, ...hook } } } as TrainingJobSpec);
  const pod = constructHookPod({ job, hook: 'after', tries: 1, status: { attempt: 2, checkpoint: { path: '/runs/step-9', time: 't' } }, namespace: 'team' });
  const [container] = pod.spec!.containers;
  return { pod, container, env: Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value])) };
}

test('a hook\'s pod is found by its labels, and cannot be taken for a replica', () => {
  const { pod, container } = podOf({ resources: { gpu: 8 } });

  expect(pod.metadata).toMatchObject({
    name: 'net-hook-after-1', namespace: 'team', labels: { 'job': 'net', 'role': 'hook', 'ml.collabnix.io/hook': 'after', 'app.kubernetes.io/managed-by': 'trainyard-operator' },
  });
  expect(Object.keys(pod.metadata!.labels!)).not.toEqual(expect.arrayContaining(['ml.collabnix.io/replica-index']));
  expect(Object.keys(pod.metadata!.labels!)).not.toEqual(expect.arrayContaining(['ml.collabnix.io/attempt']));
  expect(pod.spec).toMatchObject({ restartPolicy: 'Never', automountServiceAccountToken: false });
  expect(pod.spec).not.toHaveProperty('hostname');
  expect(container).toMatchObject({ name: 'hook', image: 'train', command: ['run'] });
  expect(container.resources?.limits).toBeUndefined();
});

test('its variables are those of the job, then its own, then those of its outcome', () => {
  const { env } = podOf({ env: [{ name: 'A', value: 'job' }, { name: 'B', value: 'job' }], hyperparameters: { LR: '0.1' }, checkpointPath: '/runs' }, { env: [{ name: 'B', value: 'hook' }] });

  expect(env).toMatchObject({
    A: 'job', B: 'hook', LR: '0.1', TRAINYARD_HOOK: 'after', TRAINYARD_JOB_NAME: 'net', TRAINYARD_JOB_NAMESPACE: 'team', TRAINYARD_JOB_OUTCOME: 'Succeeded',
    TRAINYARD_ATTEMPT: '2', CHECKPOINT_PATH: '/runs', RESUME_FROM: '/runs/step-9',
  });
  expect(env).not.toHaveProperty('RANK');
  expect(env).not.toHaveProperty('MASTER_ADDR');
});

test('it sees files, service account and user of the training container, without sidecars, and stays off the nodes with accelerators', () => {
  const { pod, container, env } = podOf({
    resources: { gpu: 1 },
    checkpointPath: '/runs',
    checkpoint: { claimName: 'runs' },
    code: { digest: `sha256:${'0'.repeat(64)}`, configMap: 'code' },
    security: { restricted: true, runAsUser: 1000 },
    template: {
      metadata: { labels: { team: 'blue' } },
      spec: {
        serviceAccountName: 'trainer',
        nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-l4', 'pool': 'blue' },
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        initContainers: [{ name: 'warm', image: 'warm' }],
        containers: [{ name: 'training', volumeMounts: [{ name: 'data', mountPath: '/data' }], env: [{ name: 'T', value: '1' }], lifecycle: {} }, { name: 'sidecar', image: 's' }],
      },
    },
  });

  expect(pod.spec!.containers.map(({ name }) => name)).toEqual(['hook']);
  expect(pod.spec!.initContainers?.map(({ name }) => name)).toEqual(['trainyard-code']);
  expect(pod.spec!.serviceAccountName).toBe('trainer');
  expect(pod.spec!.nodeSelector).toEqual({ pool: 'blue' });
  expect(pod.metadata!.labels).toMatchObject({ team: 'blue' });
  expect(container.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual(expect.arrayContaining(['/data', '/runs', '/workspace/code']));
  expect(env.T).toBe('1');
  expect(container).not.toHaveProperty('lifecycle');
  expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
  expect(pod.spec!.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
});
