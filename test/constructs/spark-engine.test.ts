import { Chart, Size, Testing } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Engine, Framework, Gang, TrainingJob, type SparkEngineOptions, type TrainingJobProps } from '../../src';

function synth(options: SparkEngineOptions = {}, props: Partial<TrainingJobProps> = {}) {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Net', {
    metadata: { name: 'net', namespace: 'ml' }, framework: Framework.xgboost(), image: 'image', command: ['train'], replicas: 2,
    resources: { memory: Size.gibibytes(4) }, engine: Engine.spark(options), ...props,
  });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  return Testing.synth(chart) as any[];
}

describe('a TrainingJob on Spark', () => {
  test('is a SparkApplication behind its driver\'s account and the ConfigMap with its driver', () => {
    expect(synth().map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual([
      ...['ServiceAccount', 'Role', 'RoleBinding', 'ConfigMap'].map((kind) => [kind, 'net-spark', 'ml']), ['SparkApplication', 'net', 'ml'],
    ]);
  });

  test('has its driver\'s account in the namespace of its chart, and needs one', () => {
    const job = { framework: Framework.xgboost(), image: 'image', command: ['train'], replicas: 2, resources: { memory: Size.gibibytes(4) } };
    const chart = new Chart(Testing.app(), 'chart', { namespace: 'data' });
    new TrainingJob(chart, 'Net', { ...job, engine: Engine.spark() });
    const objects = Testing.synth(chart);
    expect(objects.find(({ kind }) => kind === 'RoleBinding').subjects).toEqual([{ kind: 'ServiceAccount', name: objects.at(-1).spec.driver.serviceAccount, namespace: 'data' }]);

    const nowhere = Testing.chart();
    new TrainingJob(nowhere, 'Net', { ...job, engine: Engine.spark() });
    expect(() => Testing.synth(nowhere)).toThrow(/metadata\.namespace: is required: the RoleBinding of the driver's service account names it/);
    const named = Testing.chart();
    new TrainingJob(named, 'Net', { ...job, engine: Engine.spark({ driver: { serviceAccountName: 'spark' } }) });
    expect(Testing.synth(named).map(({ kind }) => kind)).toEqual(['ConfigMap', 'SparkApplication']);
  });

  test('is as its options say', () => {
    const { spec, metadata } = synth({
      sparkVersion: '3.5.7', kueue: true, applicationRetries: 1, driver: { cpu: Cpu.units(2), memory: Size.gibibytes(4), nodeSelector: { pool: 'stable' }, serviceAccountName: 'spark' },
    }, { scheduling: { queueName: 'team' } }).at(-1);
    expect(spec).toMatchObject({
      sparkVersion: '3.5.7', restartPolicy: { type: 'OnFailure', onFailureRetries: 1 },
      driver: { coreLimit: '2', memory: '2048m', serviceAccount: 'spark', template: { spec: { nodeSelector: { pool: 'stable' } } } },
    });
    expect(metadata.labels['kueue.x-k8s.io/queue-name']).toBe('team');
  });

  test('is an error at synth where Spark cannot do what it asks for', () => {
    expect(() => synth({}, { scheduling: { gang: Gang.kai() } })).toThrow(/Spark creates gangs only for Volcano, YuniKorn, Coscheduling/);
    expect(() => synth({}, { resources: {} })).toThrow(/spec\.resources\.memory: .*is required on Spark, which limits the memory of every executor/);
  });
});
