/** Training jobs as the users of a shared cluster write them, 35 lines of YAML each, with all checks. */
import { App, Chart, Duration, Size } from 'cdk8s';
import { EnvValue } from 'cdk8s-plus-28';
import { Checkpoint, Framework, Gpu, RestartPolicy, TrainingJob } from '../../../src';
import { jobsOfChart, type SynthSize } from './size';

/** See the top of this file. */
export function synth(size: SynthSize, outdir: string): void {
  const app = new App({ outdir });
  for (let number = 0; number < size.charts; number++) {
    const chart = new Chart(app, `jobs-${number}`);
    for (const index of jobsOfChart(number, size)) {
      new TrainingJob(chart, `Job${index}`, {
        metadata: { name: `job-${index}`, namespace: 'team', labels: { team: 'vision' } },
        framework: Framework.pytorch(),
        image: 'registry.example/train:1',
        command: ['torchrun', 'train.py'],
        replicas: 4,
        env: { NCCL_DEBUG: EnvValue.fromValue('WARN'), DATA: EnvValue.fromValue('s3://data/imagenet') },
        resources: { gpu: Gpu.nvidia(8), memory: Size.gibibytes(64) },
        hyperparameters: { BATCH_SIZE: '32', LEARNING_RATE: '0.001', EPOCHS: '100' },
        checkpoint: Checkpoint.at(`s3://checkpoints/job-${index}`),
        runPolicy: {
          restartPolicy: RestartPolicy.ON_FAILURE, backoffLimit: 3, activeDeadline: Duration.days(1), ttlAfterFinished: Duration.hours(1),
        },
        scheduling: { queueName: 'research' },
      });
    }
  }
  app.synth();
}
