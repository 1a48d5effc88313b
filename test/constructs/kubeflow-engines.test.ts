import { Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Engine, Framework, Gang, Gpu, RestartPolicy, TrainerRuntimeKind, TrainingJob, type TrainingJobProps } from '../../src';

interface Synthesized {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: { readonly [name: string]: string } };
  readonly spec: { readonly [field: string]: unknown };
}

function synth(props: Partial<TrainingJobProps>): Synthesized[] {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Net', { metadata: { name: 'net', namespace: 'ml' }, framework: Framework.pytorch(), image: 'image', replicas: 2, ...props });
  return Testing.synth(chart) as Synthesized[];
}

describe('a TrainingJob on Kubeflow Trainer', () => {
  test('is a TrainJob behind a TrainingRuntime of its own, both in its namespace', () => {
    const objects = synth({ engine: Engine.trainer(), command: ['torchrun', 'train.py'], resources: { gpu: Gpu.nvidia(8) } });
    expect(objects.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual([['TrainingRuntime', 'net', 'ml'], ['TrainJob', 'net', 'ml']]);
    expect(objects[1].spec).toMatchObject({ runtimeRef: { kind: 'TrainingRuntime', name: 'net' }, trainer: { numNodes: 2, command: ['torchrun', 'train.py'] } });
  });

  test('refers to a runtime that exists, of the kind that the program names', () => {
    const [job, ...others] = synth({ engine: Engine.trainer({ runtime: 'ours', runtimeKind: TrainerRuntimeKind.TRAINING_RUNTIME }) });
    expect(job.spec.runtimeRef).toEqual({ apiGroup: 'trainer.kubeflow.org', kind: 'TrainingRuntime', name: 'ours' });
    expect(others).toEqual([]);
    expect(synth({ engine: Engine.trainer({ runtime: 'torch-distributed' }) })[0].spec.runtimeRef).toMatchObject({ kind: 'ClusterTrainingRuntime' });
  });

  test('is an error at synth where the runtime says what the job asks for', () => {
    expect(() => synth({ engine: Engine.trainer({ runtime: 'torch-distributed' }), runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE } }))
      .toThrow(/spec\.runPolicy\.restartPolicy: "OnFailure": Kubeflow Trainer uses the setting of the runtime torch-distributed\. Remove it, or choose the Trainyard operator/);
  });

  test('can be started by Flux', () => {
    const [runtime] = synth({ engine: Engine.trainer({ flux: true }), framework: Framework.plain(), command: ['run'] });
    expect(runtime.spec.mlPolicy).toEqual({ numNodes: 2, flux: { numProcPerNode: 1 } });
  });
});

describe('a TrainingJob on training-operator v1', () => {
  test.each<[Framework, string, string]>([
    [Framework.pytorch(), 'PyTorchJob', 'pytorchjobs'], [Framework.tensorflow(), 'TFJob', 'tfjobs'], [Framework.mpi(), 'MPIJob', 'mpijobs'],
  ])('is of the kind of its framework', (framework, kind, plural) => {
    const job = new TrainingJob(Testing.chart(), 'Net', { framework, image: 'image', replicas: 2, engine: Engine.trainingOperatorV1() });
    expect([job.kind, job.apiVersion, job.resourceType]).toEqual([kind, 'kubeflow.org/v1', plural]);
  });

  test('is a gang where the operator makes some', () => {
    const scheduling = { gang: Gang.volcano({ queue: 'gpu' }) };
    const [job] = synth({ engine: Engine.trainingOperatorV1({ gangScheduler: 'volcano' }), scheduling });
    expect(job.spec.runPolicy).toMatchObject({ schedulingPolicy: { minAvailable: 2, queue: 'gpu' } });
    expect(() => synth({ engine: Engine.trainingOperatorV1(), scheduling })).toThrow(/creates gangs only if it was started with --gang-scheduler-name/);
  });

  test('has the labels that find its pods, and those of its user', () => {
    const [job] = synth({ engine: Engine.trainingOperatorV1(), metadata: { name: 'net', labels: { team: 'vision' } } });
    expect(job.metadata.labels).toEqual({ 'team': 'vision', 'job': 'net', 'app.kubernetes.io/managed-by': 'trainyard' });
  });
});

describe('an elastic TrainingJob with an autoscaler', () => {
  const elastic = { minReplicas: 1, maxReplicas: 4, metrics: [kplus.Metric.resourceCpu(kplus.MetricTarget.averageUtilization(80))] };

  test('scales the PyTorchJob of training-operator v1', () => {
    const objects = synth({ engine: Engine.trainingOperatorV1(), elastic });
    expect(objects.find(({ kind }) => kind === 'HorizontalPodAutoscaler')!.spec.scaleTargetRef).toMatchObject({ kind: 'PyTorchJob', name: 'net' });
  });

  test('is an error where the kind cannot be scaled', () => {
    expect(() => synth({ engine: Engine.trainingOperatorV1(), framework: Framework.horovod(), elastic }))
      .toThrow(/'elastic\.metrics' creates an autoscaler, but training-operator v1's MPIJob does not support autoscaling\. Remove the metrics/);
  });
});
