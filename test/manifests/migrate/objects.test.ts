import { errorOf, migrate, migrated, migratedUnchecked, pytorchJob } from './migrating';

test('objects that are no jobs are carried over as they are', () => {
  const objects = '---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\ndata: { a: b }\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: d }\n';
  const results = migrate(pytorchJob() + objects);
  expect(results.map(({ outcome }) => outcome)).toEqual(['job', 'carried', 'carried']);
  expect(results[1]).toEqual({ outcome: 'carried', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } } });
});

test.each([
  ['apiVersion: kubeflow.org/v1\nkind: PytorchJob\nmetadata: { name: a }', 'PytorchJob a: kind: "PytorchJob": is not a supported job kind:', 'Did you mean \'PyTorchJob\'?'],
  ['apiVersion: kubeflow.org/v1\nkind: "PytorchJob\\nforged"\nmetadata: { name: a }', 'kind: "PytorchJob\\nforged": is not a supported job kind:', ''],
  ['apiVersion: kubeflow.org/v1beta2\nkind: PyTorchJob\nmetadata: { name: a }', 'apiVersion: "kubeflow.org/v1beta2": is not supported;', 'PyTorchJobs of kubeflow.org/v1 are.'],
  ['apiVersion: kubeflow.org/v2\nkind: MPIJob\nmetadata: { name: a }', 'MPIJobs of kubeflow.org/v1 and kubeflow.org/v2beta1 are', ''],
  ['apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: a }', 'CronJob a: creates Jobs on a schedule.', 'spec.jobTemplate'],
  ['apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: { name: a }', 'RayCluster a: is a cluster without a program.', 'RayJob'],
  ['apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\nmetadata: { name: a }', 'SparkApplication a: runs on Spark', 'Keep it.'],
  ['apiVersion: kubeflow.org/v1beta1\nkind: Experiment\nmetadata: { name: a }', 'Experiment a: is a Katib search.', 'autoTuning'],
  ['apiVersion: batch.volcano.sh/v1alpha1\nkind: CronJob\nmetadata: { name: a }', 'CronJob a: creates Jobs on a schedule.', 'spec.jobTemplate'],
  ['apiVersion: kubeflow.org/v1\nmetadata: { name: a }', 'an object a: kind: is required', 'such as a PyTorchJob'],
  ['kind: PyTorchJob\nmetadata: { name: a }', 'PyTorchJob a: apiVersion: is required', ''],
])('%s is one clear error', (yaml, start, end) => {
  const error = errorOf(yaml);
  expect(error).toContain(start);
  expect(error).toContain(end);
});

test('one job that cannot be read is in nobody\'s way', () => {
  const results = migrate(`${pytorchJob()}---\napiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: { name: bad }\nspec: { tfReplicaSpecs: 3 }\n---${pytorchJob().replace('name: mnist', 'name: other')}`);
  expect(results.map(({ outcome }) => outcome)).toEqual(['job', 'error', 'job']);
  expect(results[1]).toEqual({ outcome: 'error', error: 'TFJob bad: spec.tfReplicaSpecs: 3: must be an object.' });
});

describe('an MLTrainingJob', () => {
  test('is what it is, the blog\'s too', () => {
    const job = migrated(`
apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
metadata: { name: blog, namespace: ml-workloads, labels: { kueue.x-k8s.io/queue-name: q } }
spec:
  framework: pytorch
  image: pytorch/pytorch:2.0.0
  replicas: 4
  resources: { gpu: 1, memory: 16Gi, cpu: "4" }
  hyperparameters: { LEARNING_RATE: "0.001" }
  checkpointPath: s3://ml-checkpoints/pytorch-training/
status: { phase: Running }
`);
    expect(job.labels).toEqual({ 'kueue.x-k8s.io/queue-name': 'q' });
    expect(job.spec).toEqual({
      framework: 'pytorch', image: 'pytorch/pytorch:2.0.0', replicas: 4, resources: { gpu: 1, memory: '16Gi', cpu: '4' },
      hyperparameters: { LEARNING_RATE: '0.001' }, checkpointPath: 's3://ml-checkpoints/pytorch-training/',
    });
    expect(job.notes.map(({ level, path }) => `${level} ${path}`)).toEqual(['changed metadata']);
  });

  test('keeps fields that no rule allows, for the rules to tell', () => {
    const { spec } = migratedUnchecked('apiVersion: ml.collabnix.io/v1alpha1\nkind: MLTrainingJob\nmetadata: { name: a }\nspec: { framework: pytorch, image: i, replicas: 1, gpus: 3, port: null }');
    expect(spec).toEqual({ framework: 'pytorch', image: 'i', replicas: 1, gpus: 3 });
  });
});
