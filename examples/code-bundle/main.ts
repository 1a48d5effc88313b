import path from 'node:path';
import { App, Chart } from 'cdk8s';
import { CodeBundle, Framework, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'code-bundle');

new TrainingJob(chart, 'Line', {
  metadata: { name: 'line' },
  framework: Framework.plain(),
  image: 'python:3.12-slim',
  command: ['python3', 'train.py'],
  replicas: 2,
  code: CodeBundle.fromDirectory(path.join(__dirname, 'src')),
});

app.synth();
