import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { describeOperator } from '../support/operator-suite';
import { eventually, type TestObject } from '../support/cluster';
import { TestKubelet } from '../support/kubelet';
import { TestJobs } from '../support/training-jobs';

const suite = describeOperator();

/** The blog's manifest, word for word. */
const MANIFEST = path.resolve(__dirname, '../../../examples/blog/training-job.yaml');
const NAME = 'pytorch-distributed-training';
const NAMESPACE = 'ml-workloads';

const environmentOf = (pod: TestObject): { [name: string]: string } =>
  Object.fromEntries(pod.spec.containers[0].env.map(({ name, value }: { name: string; value: string }) => [name, value]));

test('the blog\'s job becomes what the blog says, runs to Completed, and leaves nothing behind when it is deleted', async () => {
  const { api } = suite;
  await api.apply('namespaces', undefined, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await eventually('the default ServiceAccount', async () => api.tryGet('serviceaccounts', NAMESPACE, 'default'));
  const jobs = new TestJobs(api, NAMESPACE);
  const kubelet = new TestKubelet(api, NAMESPACE);
  await api.create('mltrainingjobs', NAMESPACE, parse(fs.readFileSync(MANIFEST, 'utf8')));

  // kubectl logs -l role=master,job=NAME
  await kubelet.pods(NAME, 4);
  const [master] = await api.list('pods', NAMESPACE, `role=master,job=${NAME}`);
  const workers = await api.list('pods', NAMESPACE, `role=worker,job=${NAME}`);
  expect(master.metadata.name).toBe(`${NAME}-master`);
  expect(workers.map(({ metadata }) => metadata.name)).toEqual([0, 1, 2].map((index) => `${NAME}-worker-${index}`));
  for (const [rank, pod] of [master, ...workers].entries()) {
    expect(pod.spec.restartPolicy).toBe('Never');
    expect(pod.spec.containers).toHaveLength(1);
    expect(pod.spec.containers[0]).toMatchObject({
      name: 'training',
      image: 'pytorch/pytorch:2.0.0-cuda11.8-cudnn8-runtime',
      resources: { limits: { 'nvidia.com/gpu': '1', 'cpu': '4', 'memory': '16Gi' }, requests: { cpu: '4', memory: '16Gi' } },
    });
    expect(environmentOf(pod)).toMatchObject({
      ROLE: rank === 0 ? 'master' : 'worker', WORLD_SIZE: '4', MASTER_ADDR: `${NAME}-master`, MASTER_PORT: '29500', RANK: String(rank),
      BATCH_SIZE: '32', LEARNING_RATE: '0.001', EPOCHS: '100', CHECKPOINT_PATH: 's3://ml-checkpoints/pytorch-training/',
    });
  }
  const services = await api.list('services', NAMESPACE);
  expect(services).toHaveLength(1);
  expect(services[0]).toMatchObject({
    metadata: { name: `${NAME}-master` },
    spec: { clusterIP: 'None', selector: { role: 'master', job: NAME }, ports: [expect.objectContaining({ port: 29500, targetPort: 29500 })] },
  });

  const pending = await jobs.untilCondition(NAME, 'Created');
  expect(pending.status!.phase).toBe('Pending');
  const names = await kubelet.runAll(NAME, 4);
  expect((await jobs.untilCondition(NAME, 'Running')).status!.phase).toBe('Running');
  for (const name of names.reverse()) {
    await kubelet.end(name);
  }
  const done = await jobs.untilCondition(NAME, 'Succeeded');
  expect(done.status).toMatchObject({ phase: 'Completed', startTime: expect.any(String), completionTime: expect.any(String) });
  expect(done.status!.workerStatuses!.map(({ role }) => role)).toEqual(['master', 'worker']);

  await jobs.remove(NAME);
  await eventually('everything to be gone', async () => {
    const left = await Promise.all((['mltrainingjobs', 'pods', 'services', 'secrets'] as const).map(async (resource) => api.list(resource, NAMESPACE)));
    return left.flat().length === 0;
  });
  await api.remove('namespaces', undefined, NAMESPACE);
});

/** The blog's second manifest, word for word. */
const TUNING_MANIFEST = `
apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
metadata:
  name: autotuned-training
spec:
  framework: pytorch
  image: pytorch/pytorch:2.0.0-cuda11.8-cudnn8-runtime
  replicas: 4
  autoTuning:
    enabled: true
    algorithm: "bayesian"
    maxTrials: 20
    objective: "val_accuracy"
    parameters:
      learningRate:
        type: float
        min: 0.0001
        max: 0.1
      batchSize:
        type: int
        values: [16, 32, 64, 128]
`;

test('the blog\'s job with auto-tuning tries 20 sets of values, one after the other, and says which was best', async () => {
  const { api, jobs, kubelet, namespace } = suite;
  await api.create('mltrainingjobs', namespace, parse(TUNING_MANIFEST));
  const tried: { readonly learningRate: number; readonly batchSize: number; readonly accuracy: number }[] = [];
  for (let trial = 1; trial <= 20; trial++) {
    const name = `autotuned-training-trial-${trial}`;
    await kubelet.pods(name, 4);
    const environment = environmentOf(await api.get('pods', namespace, `${name}-master`));
    const [learningRate, batchSize] = [Number(environment.learningRate), Number(environment.batchSize)];
    expect(environment).toMatchObject({ LEARNING_RATE: environment.learningRate, BATCH_SIZE: environment.batchSize, WORLD_SIZE: '4', RANK: '0' });
    expect(learningRate >= 0.0001 && learningRate <= 0.1 && [16, 32, 64, 128].includes(batchSize)).toBe(true);
    const accuracy = 0.9 - Math.abs(learningRate - 0.03) - Math.abs(Math.log2(batchSize / 64)) / 20;
    tried.push({ learningRate, batchSize, accuracy });
    const metrics = [{ name: 'val_accuracy', value: String(accuracy) }];
    await api.patch('mltrainingjobs', namespace, name, { status: { trainerStatus: { metrics } } }, 'status');
    await kubelet.runAll(name, 4);
    await kubelet.end(`${name}-master`);
    await jobs.until('autotuned-training', `done with trial ${trial}`, ({ tuning }) => tuning!.succeeded === trial);
  }
  const done = await jobs.untilCondition('autotuned-training', 'Succeeded');
  const best = tried.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
  expect(done.status).toMatchObject({
    phase: 'Completed',
    tuning: {
      trials: 20,
      succeeded: 20,
      best: {
        trial: tried.indexOf(best) + 1,
        value: best.accuracy,
        parameters: { learningRate: String(best.learningRate), batchSize: String(best.batchSize) },
      },
    },
  });
});
