import { App, Chart, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Egress, Framework, Gpu, TrainingJob, TrainingOperator } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'security');

// An operator for one team, which a cluster administrator need not install: nothing of it is outside of the namespace.
new TrainingOperator(chart, 'Operator', {
  namespace: 'team-a',
  createNamespace: false,
  installCrd: false,
  watchNamespaces: ['team-a'],
});

new TrainingJob(chart, 'Guarded', {
  metadata: { name: 'guarded', namespace: 'team-a' },
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  command: ['torchrun', 'train.py'],
  replicas: 4,
  resources: { gpu: Gpu.nvidia(1), cpu: Cpu.units(8), memory: Size.gibibytes(32) },
  security: {
    restricted: true,
    runAsUser: 1000,
    fsGroup: 1000,
    networkPolicy: { fromNamespaces: ['monitoring'], egress: Egress.LIMITED },
  },
});

app.synth();
