import { App, Chart, Duration } from 'cdk8s';
import { TrainingOperator } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'monitoring');

new TrainingOperator(chart, 'TrainingOperator', {
  monitoring: {
    // kube-prometheus-stack selects monitors and rules by this label.
    labels: { release: 'kube-prometheus-stack' },
    goodputTarget: 0.9,
    checkpointMaxAge: Duration.hours(1),
  },
});

app.synth();
