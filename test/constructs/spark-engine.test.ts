import { Size, Testing } from 'cdk8s';
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
  test('is a SparkApplication behind the ConfigMap with its driver', () => {
    expect(synth().map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual([['ConfigMap', 'net-spark', 'ml'], ['SparkApplication', 'net', 'ml']]);
  });

  test('is as its options say', () => {
    const [, { spec, metadata }] = synth({
      sparkVersion: '3.5.7', kueue: true, applicationRetries: 1, driver: { cpu: '2', memory: '4Gi', nodeSelector: { pool: 'stable' }, serviceAccountName: 'spark' },
    }, { scheduling: { queueName: 'team' } });
    expect(spec).toMatchObject({
      sparkVersion: '3.5.7', restartPolicy: { type: 'OnFailure', onFailureRetries: 1 },
      driver: { coreLimit: '2', memory: '2048m', serviceAccount: 'spark', template: { spec: { nodeSelector: { pool: 'stable' } } } },
    });
    expect(metadata.labels['kueue.x-k8s.io/queue-name']).toBe('team');
  });

  test('is an error at synth where Spark cannot do what it asks for', () => {
    expect(() => synth({}, { scheduling: { gang: Gang.kai() } })).toThrow(/Spark makes gangs for Volcano, YuniKorn, Coscheduling only/);
    expect(() => synth({}, { resources: {} })).toThrow(/spec\.resources\.memory: .*is required on Spark, which limits the memory of every executor/);
  });
});
