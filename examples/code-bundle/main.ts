import * as path from 'node:path';
import { App, Chart, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { CodeBundle, Framework, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'code-bundle');

new TrainingJob(chart, 'Line', {
  metadata: { name: 'line' },
  framework: Framework.plain(),
  image: 'python:3.12-slim',
  command: ['python3', 'train.py'],
  replicas: 2,
  resources: { cpu: Cpu.units(1), memory: Size.mebibytes(256) },
  code: CodeBundle.fromDirectory(path.join(__dirname, 'src')),
});

app.synth();
