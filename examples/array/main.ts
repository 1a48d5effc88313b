import { App, Chart, Size } from 'cdk8s';
import { Cpu, PersistentVolumeAccessMode, PersistentVolumeClaim } from 'cdk8s-plus-28';
import { Checkpoint, Framework, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'array');

const results = new PersistentVolumeClaim(chart, 'Results', {
  metadata: { name: 'results' },
  accessModes: [PersistentVolumeAccessMode.READ_WRITE_MANY],
  storage: Size.gibibytes(1),
});

// Twelve copies of one job, three at a time; each counts the primes in its part of the numbers.
new TrainingJob(chart, 'Primes', {
  metadata: { name: 'primes' },
  framework: Framework.plain(),
  image: 'registry.example/primes:1',
  command: ['python3', 'primes.py'],
  replicas: 1,
  resources: { cpu: Cpu.units(1), memory: Size.mebibytes(256) },
  hyperparameters: { LIMIT: '120000' },
  array: { count: 12, parallelism: 3, maxFailedIndexes: 2 },
  // A folder of the claim for each copy: primes/index-0, primes/index-1 and so on.
  checkpoint: Checkpoint.onClaim(results, { path: '/results' }),
});

app.synth();
