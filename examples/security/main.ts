import { App, Chart } from 'cdk8s';
import { Egress, Framework, TrainingJob, TrainingOperator } from 'trainyard';

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
  security: {
    restricted: true,
    runAsUser: 1000,
    fsGroup: 1000,
    networkPolicy: { fromNamespaces: ['monitoring'], egress: Egress.LIMITED },
  },
});

app.synth();
