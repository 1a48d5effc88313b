import { App, Chart } from 'cdk8s';
import { Checkpoint, Framework, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'array');

// Twelve copies of one job, three at a time; each counts the primes in its part of the numbers.
new TrainingJob(chart, 'Primes', {
  metadata: { name: 'primes' },
  framework: Framework.plain(),
  image: 'registry.example/primes:1',
  command: ['python3', 'primes.py'],
  replicas: 1,
  hyperparameters: { LIMIT: '120000' },
  array: { count: 12, parallelism: 3, maxFailedIndexes: 2 },
  // A folder for each copy: /results/index-0, /results/index-1 and so on.
  checkpoint: Checkpoint.at('/results'),
});

app.synth();
