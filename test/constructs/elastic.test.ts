import { Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Framework, TrainingJob, type TrainingJobProps } from '../../src';

function synth(props: Partial<TrainingJobProps>): Record<string, unknown>[] {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Net', { framework: Framework.pytorch(), image: 'image', replicas: 3, ...props });
  return Testing.synth(chart) as Record<string, unknown>[];
}

test('an elastic range stands in the spec as it was given', () => {
  const [job] = synth({ elastic: { minReplicas: 2, maxReplicas: 8, maxRestarts: 5 } });
  expect(job.spec).toMatchObject({ replicas: 3, elastic: { minReplicas: 2, maxReplicas: 8, maxRestarts: 5 } });
});

test('metrics give an autoscaler that changes the job\'s scale within the range', () => {
  const [job, autoscaler] = synth({
    metadata: { namespace: 'ml' },
    elastic: { minReplicas: 2, maxReplicas: 8, metrics: [kplus.Metric.resourceCpu(kplus.MetricTarget.averageUtilization(80))] },
  }) as { metadata: { name: string } }[];
  expect(autoscaler).toMatchObject({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'ml' },
    spec: {
      scaleTargetRef: { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: job.metadata.name },
      minReplicas: 2,
      maxReplicas: 8,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
    },
  });
});

test('without metrics there is no autoscaler', () => {
  expect(synth({ elastic: { minReplicas: 2, maxReplicas: 8 } })).toHaveLength(1);
});

test('a range that leaves the number of replicas out is refused at synth', () => {
  expect(() => synth({ elastic: { minReplicas: 4, maxReplicas: 8 } })).toThrow(/spec\.replicas: 3: must be within spec\.elastic, from 4 to 8/);
});
