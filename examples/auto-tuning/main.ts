import { App, Chart, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Framework, TrainingJob, TuningAlgorithm, TuningGoal, TuningParameter, TuningScale } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'auto-tuning');

// Twelve trainings of a small model, three at a time, for the learning rate and the batch size with the least loss.
new TrainingJob(chart, 'Curve', {
  metadata: { name: 'curve' },
  framework: Framework.plain(),
  image: 'registry.example/curve:1',
  command: ['python3', 'train.py', '--learning-rate=$(learningRate)', '--batch-size=$(batchSize)'],
  replicas: 1,
  resources: { cpu: Cpu.units(1), memory: Size.mebibytes(512) },
  hyperparameters: { EPOCHS: '40' },
  autoTuning: {
    algorithm: TuningAlgorithm.bayesian(),
    objective: 'val_loss',
    goal: TuningGoal.MINIMIZE,
    maxTrials: 12,
    parallelTrials: 3,
    seed: 1,
    parameters: {
      learningRate: TuningParameter.float({ min: 0.0001, max: 1, scale: TuningScale.LOG }),
      batchSize: TuningParameter.ints(8, 16, 32, 64),
    },
  },
});

app.synth();
