/** What pods carry of fields that a kubelet and the program act on, as the API server has them. */
import { describeOperator } from '../support/operator-suite';

const suite = describeOperator();

/** Variables of the training container of a job's first pod. */
async function firstPod(job: string, count: number) {
  const [{ spec }] = await suite.kubelet.pods(job, count);
  const [container] = spec.containers as { env: { name: string; value?: string }[]; [field: string]: unknown }[];
  return { spec, container, env: Object.fromEntries(container.env.map(({ name, value }) => [name, value])) };
}

test('a pod is told where checkpoints go and which one to begin with, sees their claim, and has time to save', async () => {
  await suite.jobs.create('net', {
    replicas: 2, checkpointPath: '/runs/a', checkpoint: { claimName: 'runs', subPath: 'team', resumeFrom: '/runs/a/step-7', gracePeriodSeconds: 90, keepLast: 3 },
  });
  const { spec, container, env } = await firstPod('net', 2);
  expect(env).toMatchObject({ CHECKPOINT_PATH: '/runs/a', RESUME_FROM: '/runs/a/step-7', CHECKPOINT_KEEP_LAST: '3', TRAINYARD_ATTEMPT: '0' });
  expect(spec.terminationGracePeriodSeconds).toBe(90);
  const { name } = spec.volumes.find((volume: { persistentVolumeClaim?: object }) => volume.persistentVolumeClaim !== undefined);
  expect(container.volumeMounts).toContainEqual(expect.objectContaining({ name, mountPath: '/runs/a', subPath: 'team' }));
});

test('a pod of a job that is debugged has the presets of its framework, and leaves its stacks when it is asked to go', async () => {
  await suite.jobs.create('net', { command: ['python3', 'train.py'], debug: {}, env: [{ name: 'NCCL_DEBUG', value: 'TRACE' }] });
  const { container, env } = await firstPod('net', 1);
  expect(env).toMatchObject({ PYTHONFAULTHANDLER: '1', TORCH_DISTRIBUTED_DEBUG: 'DETAIL', NCCL_DEBUG: 'TRACE' });
  expect((container.lifecycle as { preStop: { exec: { command: string[] } } }).preStop.exec.command).toContain('/etc/trainyard/tools/stacks.py');
  expect((await suite.api.get('configmaps', suite.namespace, 'net-tools')).data).toHaveProperty(['sitecustomize.py']);
});
