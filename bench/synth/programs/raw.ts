/** The objects of `typed.ts` as cdk8s writes any object: no types beyond apiVersion and kind, and no checks. It imports cdk8s and nothing else. */
import { ApiObject, App, Chart } from 'cdk8s';
import { jobsOfChart, type SynthSize } from './size';

/** See the top of this file. */
export function synth(size: SynthSize, outdir: string): void {
  const app = new App({ outdir });
  for (let number = 0; number < size.charts; number++) {
    const chart = new Chart(app, `jobs-${number}`);
    for (const index of jobsOfChart(number, size)) {
      new ApiObject(chart, `Job${index}`, {
        apiVersion: 'ml.collabnix.io/v1alpha1',
        kind: 'MLTrainingJob',
        metadata: { name: `job-${index}`, namespace: 'team', labels: { team: 'vision' } },
        spec: {
          framework: 'pytorch',
          image: 'registry.example/train:1',
          command: ['torchrun', 'train.py'],
          replicas: 4,
          env: [{ name: 'NCCL_DEBUG', value: 'WARN' }, { name: 'DATA', value: 's3://data/imagenet' }],
          resources: { gpu: 8, memory: '64Gi' },
          hyperparameters: { BATCH_SIZE: '32', LEARNING_RATE: '0.001', EPOCHS: '100' },
          checkpointPath: `s3://checkpoints/job-${index}`,
          runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 3, activeDeadlineSeconds: 86_400, ttlSecondsAfterFinished: 3_600 },
          scheduling: { queueName: 'research' },
        },
      });
    }
  }
  app.synth();
}
