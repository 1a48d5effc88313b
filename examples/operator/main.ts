import { App, Chart } from 'cdk8s';
import { TrainingOperator } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'operator');

new TrainingOperator(chart, 'TrainingOperator');

app.synth();
